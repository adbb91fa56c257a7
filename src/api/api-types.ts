import type { FailureCode } from '../service/http/failure.ts';

/** Result of a failed call. Never contains a key. */
export interface ApiProblem {
  readonly ok: false;
  /**
   * Reason for the failure: `not-allowed` if the user denied the call, `invalid-request` for an invalid request,
   * otherwise the failure code of the service client.
   */
  readonly problem: 'not-allowed' | FailureCode;
  /** One or two sentences with the cause and the next step. */
  readonly message: string;
}

export const accessKinds = ['models', 'chat', 'image'] as const;

/** Kinds of access that another extension can request. */
export type ApiAccess = (typeof accessKinds)[number];

/** Options that all API calls accept. */
export interface ApiCall {
  /** Id of the calling extension. The user sees the id with a note that it is unverified. */
  readonly caller?: string;
}

export interface ApiModel {
  readonly id: string;
  readonly name: string;
  /** Model type, such as `text`, `image` or `embedding`. */
  readonly type: string;
  readonly description?: string;
  /** Maximum context size in tokens. */
  readonly contextTokens?: number;
  readonly maxCompletionTokens?: number;
  /** Privacy level of the model, such as `private` or `anonymized`. */
  readonly privacy?: string;
  readonly traits: readonly string[];
  /** Capabilities of the model: any of `vision`, `tools`, `reasoning`, `web-search`, `code`. */
  readonly capabilities: readonly string[];
  /** Price of input tokens in US dollars per million tokens. */
  readonly inputPrice?: number;
  readonly outputPrice?: number;
}

export type ApiModels = { readonly ok: true; readonly models: readonly ApiModel[] } | ApiProblem;

export interface ApiMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ApiChatRequest extends ApiCall {
  /** Messages of the conversation: at most 500, with 2,000,000 characters in total. */
  readonly messages: readonly ApiMessage[];
  /** Model id or trait. Defaults to the model that the user selected for chats. */
  readonly model?: string;
  /** Sampling temperature from 0 to 2. */
  readonly temperature?: number;
  /** Maximum length of the answer, from 1 to 1,000,000 tokens. */
  readonly maxTokens?: number;
  /** Stops the answer when aborted. The result then contains the text received until the abort. */
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly ok: true;
  readonly text: string;
  readonly reasoning: string;
  readonly model: string;
  /** Reason why the answer ended, for example `length` if the model reached its token limit. */
  readonly finishReason: string;
  /** Token counts, if the service reports them. */
  readonly usage?: { readonly input: number; readonly output: number };
}

export type ApiChatResult = ApiAnswer | ApiProblem;

/** Events of a streamed answer. The last event always has the type `end`. */
export type ApiChatEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'end'; readonly result: ApiChatResult };

export interface ApiClient {
  /** Returns the complete answer. Never rejects. */
  complete(request: ApiChatRequest): Promise<ApiChatResult>;
  /** Streams the answer. Never throws. Leaving the iteration early cancels the request. */
  stream(request: ApiChatRequest): AsyncIterable<ApiChatEvent>;
}

export interface ApiImageOptions extends ApiCall {
  readonly prompt: string;
  readonly negativePrompt?: string;
  /** Model id or name. Defaults to the model that the user selected for images. */
  readonly model?: string;
  /** Ratio of width to height, such as `16:9`. */
  readonly aspectRatio?: string;
  /** Image size, such as `1024x768`, `1K`, `2K` or `4K`. */
  readonly size?: string;
  readonly signal?: AbortSignal;
}

export interface ApiConnectOptions extends ApiCall {
  readonly access: readonly ApiAccess[];
}

/**
 * Access that the user allowed for this window, until the user revokes it. Any code that has this object can use the
 * access, so do not share the object. Calls that need another kind of access, and all calls after a revocation,
 * return `not-allowed`.
 */
export interface ApiConnection {
  readonly ok: true;
  models(): Promise<ApiModels>;
  readonly client: ApiClient;
  generateImage(options: ApiImageOptions): Promise<ApiImageResult>;
}

export type ApiImageResult =
  | {
      readonly ok: true;
      readonly bytes: Uint8Array;
      /** Media type: `image/png`, `image/jpeg` or `image/webp`. */
      readonly mediaType: string;
      readonly width: number;
      readonly height: number;
      readonly model: string;
    }
  | ApiProblem;
