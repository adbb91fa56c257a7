import type { FailureCode } from '../service/http/failure.ts';

/** Something went otherwise than asked. Never holds a key. */
export interface ApiProblem {
  readonly ok: false;
  /** `not-allowed` by the person, `invalid-request` for what cannot be sent, else why the service could not. */
  readonly problem: 'not-allowed' | FailureCode;
  /** A sentence: what happened, and what can be done. */
  readonly message: string;
}

/** What every call may carry. */
export interface ApiCall {
  /** Id of your extension, for the question to the person. It is shown as what you say, and proves nothing. */
  readonly caller?: string;
}

export interface ApiModel {
  readonly id: string;
  readonly name: string;
  /** `text`, `image`, `embedding`, … */
  readonly type: string;
  readonly description?: string;
  /** Tokens. */
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
  /** `private`, `anonymized`, or what else the service says. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  /** `vision`, `tools`, `reasoning`, `web-search`, `code`. */
  readonly capabilities: readonly string[];
  /** US dollars for a million tokens. */
  readonly inputPrice?: number;
  readonly outputPrice?: number;
}

export type ApiModels = { readonly ok: true; readonly models: readonly ApiModel[] } | ApiProblem;

export interface ApiMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ApiChatRequest extends ApiCall {
  /** At most 500, with 2,000,000 characters together. */
  readonly messages: readonly ApiMessage[];
  /** Id or trait; the model of the person's chat when absent. */
  readonly model?: string;
  /** 0 to 2. */
  readonly temperature?: number;
  /** 1 to 1,000,000 tokens. */
  readonly maxTokens?: number;
  /** Stops the answer; what came until then is in the result. */
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly ok: true;
  readonly text: string;
  readonly reasoning: string;
  readonly model: string;
  /** `length` when the model was not allowed to go on. */
  readonly finishReason: string;
  /** Tokens, when the service says so. */
  readonly usage?: { readonly input: number; readonly output: number };
}

export type ApiChatResult = ApiAnswer | ApiProblem;

/** The last is always one `end`. */
export type ApiChatEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'end'; readonly result: ApiChatResult };

export interface ApiClient {
  /** The whole answer. Never rejects. */
  complete(request: ApiChatRequest): Promise<ApiChatResult>;
  /** The answer as it comes. Never throws; leaving the iteration closes the request. */
  stream(request: ApiChatRequest): AsyncIterable<ApiChatEvent>;
}

export interface ApiImageOptions extends ApiCall {
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Id or name; the person's own choice when absent. */
  readonly model?: string;
  /** `16:9` */
  readonly aspectRatio?: string;
  /** `1024x768`, `1K`, `2K`, `4K` */
  readonly size?: string;
  readonly signal?: AbortSignal;
}

export type ApiImageResult =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** `image/png`, `image/jpeg` or `image/webp`. */
      readonly mediaType: string;
      readonly width: number;
      readonly height: number;
      readonly model: string;
    }
  | ApiProblem;
