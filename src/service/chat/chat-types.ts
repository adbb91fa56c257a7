import type { ServiceFailure } from '../http/failure.ts';
import type { AnswerProtection } from './protection.ts';
import type { Json } from '../../base/json.ts';

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
  /** Sent as `<vendor word>_parameters`. */
  readonly parameters?: ServiceParameters;
}

/** Parameters of the service (spec §2.3). `include_system_prompt` is sent as `include_<vendor word>_system_prompt`. */
export interface ServiceParameters {
  readonly enable_web_search?: 'off' | 'on' | 'auto';
  readonly enable_web_scraping?: boolean;
  readonly enable_web_citations?: boolean;
  readonly strip_thinking_response?: boolean;
  readonly disable_thinking?: boolean;
  readonly include_system_prompt?: boolean;
  readonly character_slug?: string;
  readonly include_search_results_in_stream?: boolean;
  /** Enables end-to-end encryption of messages. Set by the chat protection. */
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
      readonly tool_calls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  /** `file_data` is a data URL. The service converts the file to text. */
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
  readonly reasoningTokens?: number;
}

/** Cost that the service reported, per currency. */
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

/** Reason why an answer ended. Unknown reasons become `other`. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

/**
 * Event of a streamed answer. All reasoning has the same event type, whether the service sends it in `<think>` tags or in
 * `reasoning_content`. The last event is always `stream-end`.
 */
export type ChatEvent =
  | {
      readonly type: 'stream-start';
      readonly info: ResponseInfo;
      /** Expected protection of the answer. A later event can revoke it. */
      readonly protection?: AnswerProtection;
    }
  | {
      readonly type: 'retry-wait';
      readonly attempt: number;
      readonly delayMs: number;
      readonly failure: ServiceFailure;
    }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** `id` and `name` are set in the first event of a call. `arguments` is the next part of its JSON text. */
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  /** A tool call with an invalid index or name. Sent at most once per answer. */
  | { readonly type: 'tool-call-invalid' }
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  | { readonly type: 'usage'; readonly usage: Usage; readonly cost?: Cost }
  /** Protection of the answer. Sent before its end, unless the protection failed. */
  | { readonly type: 'protection'; readonly protection: AnswerProtection }
  | { readonly type: 'stream-end'; readonly outcome: StreamOutcome };

export type StreamOutcome =
  /** The service finished the answer: it sent a `finish_reason` or `[DONE]`. */
  | { readonly kind: 'complete'; readonly finishReason: FinishReason }
  /** Any other end. `interrupted` and `stopped` are failure codes too. Events received before remain valid. */
  | { readonly kind: 'failed'; readonly failure: ServiceFailure };

/** Information from response headers. Absent for missing headers. */
export interface ResponseInfo {
  readonly requestId?: string;
  readonly serviceVersion?: string;
  readonly modelId?: string;
  readonly balanceUsd?: number;
  readonly balanceDiem?: number;
  readonly deprecationWarning?: string;
  readonly deprecationDate?: string;
  readonly remainingRequests?: number;
  readonly remainingTokens?: number;
}
