import type { Json, JsonRecord } from '../../base/json.ts';
import type { ServiceFailure } from '../http/failure.ts';
import type { RefusedPart } from '../http/refusal.ts';
import type { AnswerProtection } from './protection.ts';

/** Body of `POST /chat/completions` (spec §4.2). The service rejects unknown keys. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatRequestMessage[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_completion_tokens?: number;
  readonly seed?: number;
  readonly stop?: string | readonly string[];
  readonly tools?: readonly ToolDefinition[];
  readonly tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | { type: 'function'; function: { name: string } };
  readonly parallel_tool_calls?: boolean;
  readonly response_format?: { readonly [key: string]: Json };
  readonly reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly verbosity?: 'low' | 'medium' | 'high' | 'auto';
  readonly prompt_cache_key?: string;
  /** Vendor-specific parameters. Sent in the field `PREFIX_parameters`. */
  readonly parameters?: ServiceParameters;
  /** Additional request fields from another extension, by name. Must not contain a field that this type defines. */
  readonly extraFields?: JsonRecord;
}

/**
 * Vendor-specific request parameters (spec §2.3). `include_system_prompt` is sent as `include_PREFIX_system_prompt`,
 * with the vendor prefix.
 */
export interface ServiceParameters {
  readonly enable_web_search?: 'off' | 'on' | 'auto';
  readonly enable_web_scraping?: boolean;
  readonly enable_web_citations?: boolean;
  readonly strip_thinking_response?: boolean;
  readonly disable_thinking?: boolean;
  readonly include_system_prompt?: boolean;
  readonly character_slug?: string;
  readonly include_search_results_in_stream?: boolean;
  /**
   * True to request end-to-end encryption of the messages, false to disable it. The client sets this field according to
   * the `ChatGuard` of the chat.
   */
  readonly enable_e2ee?: boolean;
  readonly enable_x_search?: boolean;
}

export type ChatRequestMessage =
  | { readonly role: 'system' | 'developer'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly reasoning?: string;
      readonly reasoning_details?: readonly JsonRecord[];
      readonly thought_signature?: string;
      readonly tool_calls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  /** File for the model. `file_data` is a data URL, and the service converts the file to text. */
  | {
      readonly type: 'file';
      readonly file: { readonly filename: string; readonly file_data: string };
    };

export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: { readonly [key: string]: Json };
  };
}

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly cachedTokens?: number;
  /** Prompt tokens written to the cache. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** Cost that the service reported, in each currency. */
export interface Cost {
  readonly usd?: number;
  readonly diem?: number;
}

export interface Citation {
  readonly title: string;
  readonly url?: string;
  readonly content?: string;
  readonly date?: string;
}

/** Reason why the model ended an answer. Unknown reasons become `other`. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

/**
 * Event of a streamed answer. Reasoning from `<think>` tags and from `reasoning_content` has the same event type. The
 * last event is always `stream-end`.
 */
export type ChatEvent =
  /**
   * The budget check permits the request, which is sent next. Measure durations from this event, because the check may
   * have waited for the user's confirmation.
   */
  | { readonly type: 'request-start' }
  | {
      readonly type: 'stream-start';
      readonly info: ResponseInfo;
      /** Base URL of the service that sends the answer. */
      readonly baseUrl?: string;
      /**
       * Expected protection of the answer by the model's enclave. A `protection` event later contains the actual
       * protection.
       */
      readonly protection?: AnswerProtection;
    }
  | {
      readonly type: 'retry-wait';
      readonly attempt: number;
      readonly delayMs: number;
      readonly failure: ServiceFailure;
    }
  | { readonly type: 'text-delta'; readonly text: string }
  /**
   * Part of the model's reasoning. `source` is the part of the response that contained the reasoning; absent for the
   * field `reasoning_content`.
   */
  | {
      readonly type: 'reasoning-delta';
      readonly text: string;
      readonly source?: ReasoningSource;
      /** Entries of `reasoning_details` that arrived with the text. Later requests send them back unchanged. */
      readonly details?: readonly JsonRecord[];
      /**
       * Signature that lets the service verify the whole reasoning. Later requests send the signature back unchanged.
       */
      readonly signature?: string;
    }
  /** The model refused `part` of the request, so the client sends the request again without this part. */
  | { readonly type: 'part-refused'; readonly part: RefusedPart; readonly failure: ServiceFailure }
  /**
   * Part of a tool call. Only the first event of a call contains `id` and `name`. The `arguments` of all events form
   * one JSON text.
   */
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  /** A tool call of the answer has an invalid index or name. Sent at most once per answer. */
  | { readonly type: 'tool-call-invalid' }
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  | { readonly type: 'usage'; readonly usage: Usage; readonly cost?: Cost }
  /**
   * Actual protection of the answer by the model's enclave. Sent directly before `stream-end`, unless the protection
   * failed.
   */
  | { readonly type: 'protection'; readonly protection: AnswerProtection }
  | { readonly type: 'stream-end'; readonly outcome: StreamOutcome };

export type StreamOutcome =
  /** The answer is complete: the service sent a `finish_reason` or `[DONE]`. */
  | { readonly kind: 'complete'; readonly finishReason: FinishReason }
  /**
   * The answer is incomplete. Events before the failure remain valid. The code is `stopped` if the user stopped the
   * answer.
   */
  | { readonly kind: 'failed'; readonly failure: ServiceFailure };

/**
 * Part of the response from which the reasoning was read, if not from the field `reasoning_content`. `think-tags` is a
 * `<think>` block at the start of the content.
 */
export type ReasoningSource = 'reasoning' | 'reasoning_details' | 'think-tags';

/** Information from response headers. A field is absent if the header is missing. */
export interface ResponseInfo {
  readonly requestId?: string;
  readonly serviceVersion?: string;
  readonly balanceUsd?: number;
  readonly balanceDiem?: number;
}
