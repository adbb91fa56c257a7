/** Closed: what the loop does about each is the same, but tests and logs tell them apart. */
export type ToolErrorCode =
  | 'bad-arguments'
  | 'unknown-tool'
  | 'refused-path'
  | 'not-found'
  | 'ambiguous'
  | 'changed'
  | 'too-large'
  | 'failed'
  | 'stopped';

/** Why a tool did nothing, in words for the model and the person. Never holds keys or absolute paths outside the workspace. */
export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.name = 'ToolError';
    this.code = code;
  }
}
