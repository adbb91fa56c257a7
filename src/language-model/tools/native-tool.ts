import type { JsonRecord } from '../../base/json.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { ToolImage } from '../../conversation/tool-run.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import { ServiceError } from '../../service/http/failure.ts';

/** A service feature that models can call, in VS Code's own chat and in ours. */
export interface NativeTool {
  /**
   * Plans a call without running it.
   * @throws ToolError with instructions for the model
   */
  plan(input: JsonRecord): Promise<PlannedCall>;
}

export interface PlannedCall {
  /** Confirmation question, with the price if known. */
  readonly question: string;
  /** Complete content that the call sends. */
  readonly detail: string;
  /** Progress message. */
  readonly progress: string;
  /** Target of the call as one line. */
  readonly target: string;
  /** Formatted price. Empty if unknown in advance. */
  readonly price: string;
  /** Workspace file that the call sends. */
  readonly readsPath?: string;
  /**
   * Web host that receives the call. `isLong` is true if the address carries more data than page
   * addresses usually do.
   */
  readonly targetHost?: { readonly host: string; readonly isLong: boolean };
  /** @throws ToolError, ServiceError */
  run(signal: AbortSignal): Promise<NativeResult>;
}

export interface NativeResult {
  /** Text for the model: limited in length, without hidden characters. */
  readonly text: string;
  /** Structured form of the result. */
  readonly data?: object;
  readonly images?: readonly ToolImage[];
  readonly cost?: Cost;
}

/**
 * Reads a text argument.
 * @throws ToolError if it is missing or longer than `maxLength` characters
 */
export function readTextArgument(input: JsonRecord, name: string, maxLength: number): string {
  const value = input[name];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw new ToolError('bad-arguments', `${name} is empty.`);
  if (text.length <= maxLength) return text;
  throw new ToolError('bad-arguments', `${name} is longer than ${maxLength} characters.`);
}

/** Converts an error to a message for the model. */
export function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (!(error instanceof ServiceError)) return new ToolError('failed', 'The tool failed.');
  const { code, message } = error.failure;
  return new ToolError(code === 'stopped' ? 'stopped' : 'failed', message);
}
