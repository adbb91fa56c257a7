/** Error codes for tests and logs. The agent loop handles all codes alike. */
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

/**
 * Tool failure with a message for the model and the user. Contains no keys and no absolute paths outside the workspace.
 */
export class ToolError extends Error {
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.name = 'ToolError';
    this.code = code;
  }
}
