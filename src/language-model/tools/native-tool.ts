import type { JsonRecord } from '../../base/json.ts';
import { ToolError } from '../../workspace/tool-error.ts';
import type { ToolImage } from '../../conversation/tool-run.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import { ServiceError } from '../../service/http/failure.ts';

/** Something of the service that models can ask for, in VS Code's own chat and in ours. */
export interface NativeTool {
  /**
   * What a call would do, without doing it.
   * @throws ToolError with what the model can do about it
   */
  plan(input: JsonRecord): Promise<PlannedCall>;
}

export interface PlannedCall {
  /** A question to the person, with the price where one is known. */
  readonly question: string;
  /** What of the call is sent, whole. */
  readonly detail: string;
  /** While it runs. */
  readonly progress: string;
  /** One line: what it is about. */
  readonly target: string;
  /** As shown; empty when nobody knows it before. */
  readonly price: string;
  /** A file of the workspace that it sends. */
  readonly readsPath?: string;
  /** Of the web, that hears of the call; `isLong` when its address carries more than those of pages usually do. */
  readonly sendsTo?: { readonly host: string; readonly isLong: boolean };
  /** @throws ToolError, ServiceError */
  run(signal: AbortSignal): Promise<NativeResult>;
}

export interface NativeResult {
  /** For the model. Within bounds, and without hidden characters. */
  readonly text: string;
  /** The same for programs. */
  readonly data?: object;
  readonly images?: readonly ToolImage[];
  readonly cost?: Cost;
}

/**
 * An argument that is a text.
 * @throws ToolError when it is none, or longer than `most` characters
 */
export function readTextArgument(input: JsonRecord, name: string, maxLength: number): string {
  const value = input[name];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw new ToolError('bad-arguments', `${name} is empty.`);
  if (text.length <= maxLength) return text;
  throw new ToolError('bad-arguments', `${name} is longer than ${maxLength} characters.`);
}

/** Why a call came to nothing, in words for the model. */
export function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (!(error instanceof ServiceError)) return new ToolError('failed', 'Something went wrong.');
  const { code, message } = error.failure;
  return new ToolError(code === 'stopped' ? 'stopped' : 'failed', message);
}
