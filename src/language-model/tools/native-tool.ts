import type { JsonRecord } from '../../base/json.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { ToolImage } from '../../conversation/tool-run.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import { ServiceError } from '../../service/http/failure.ts';

/**
 * A feature of the service that models can call in VS Code's chat and in the extension's own chat.
 */
export interface NativeTool {
  /**
   * Plans a call and returns it without running it.
   * @throws ToolError if the input is invalid or the call is not allowed. The message is for the model.
   */
  plan(input: JsonRecord): Promise<PlannedCall>;
}

export interface PlannedCall {
  /** Question in the dialog that asks the user to confirm the call. Contains the price if it is known. */
  readonly question: string;
  /** All content that the call sends. The dialog shows this content below the question. */
  readonly detail: string;
  /** Translated progress message that is visible while the call runs. */
  readonly progressMessage: string;
  /** Target of the call on one line, such as the search query or the address of the page. */
  readonly target: string;
  /** Formatted price; empty if the price is unknown before the call. */
  readonly price: string;
  /** Expected cost of the call in US dollars; absent if it is unknown. */
  readonly expectedCost?: number;
  /** Path of the workspace file whose content the call sends. */
  readonly sentFilePath?: string;
  /**
   * Web host whose page the call reads. `isLong` is true if the page's address is long enough to contain leaked data.
   */
  readonly targetHost?: { readonly host: string; readonly isLong: boolean };
  /**
   * Runs the planned call.
   * @throws ToolError if the tool fails, ServiceError if the request to the service fails
   */
  run(signal: AbortSignal): Promise<NativeResult>;
}

export interface NativeResult {
  /** Result for the model as text, limited in length and without hidden characters. */
  readonly text: string;
  /** Result as structured data. Contains the same information as `text`. */
  readonly data?: object;
  readonly images?: readonly ToolImage[];
  readonly cost?: Cost;
}

/**
 * Reads a text argument and removes its hidden characters, so that a call sends nothing that its dialog does not
 * show.
 * @throws ToolError if the argument is missing, empty or longer than `maxLength` characters
 */
export function readTextArgument(input: JsonRecord, name: string, maxLength: number): string {
  const value = input[name];
  const text = typeof value === 'string' ? stripHiddenCharacters(value).text.trim() : '';
  if (text === '') throw new ToolError('bad-arguments', `${name} is empty.`);
  if (text.length <= maxLength) return text;
  throw new ToolError('bad-arguments', `${name} is longer than ${maxLength} characters.`);
}

/** Converts an error to a `ToolError` whose message is meant for the model. */
export function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (!(error instanceof ServiceError)) return new ToolError('failed', 'The tool failed.');
  const { code, message } = error.failure;
  return new ToolError(code === 'stopped' ? 'stopped' : 'failed', message);
}
