import type { ServiceFailure } from '../http/failure.ts';
import type { AnswerProtection } from './protection.ts';
import type { Json } from '../../base/json.ts';

/** The body of `POST /chat/completions` (spec §4.2). Closed: the service refuses unknown keys. */
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

/** Spec §2.3. `include_system_prompt` is sent as `include_<vendor word>_system_prompt`. */
export interface ServiceParameters {
  readonly enable_web_search?: 'off' | 'on' | 'auto';
  readonly enable_web_scraping?: boolean;
  readonly enable_web_citations?: boolean;
  readonly strip_thinking_response?: boolean;
  readonly disable_thinking?: boolean;
  readonly include_system_prompt?: boolean;
  readonly character_slug?: string;
  readonly include_search_results_in_stream?: boolean;
  /** Whether messages are encrypted end to end; set by what protects the chat. */
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
  /** `file_data` is a data URL; the service turns the file into text. */
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

/** What the service says it charged, each part in its own unit. */
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

/** Anything the service adds in the future reads as `other`. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other';

/**
 * One streamed answer as typed events. Reasoning is one kind of event, wherever the service put it
 * (`<think>` tags or `reasoning_content`). The last event is always one `stream-end`.
 */
export type ChatEvent =
  | {
      readonly type: 'stream-start';
      readonly info: ReplyInfo;
      /** What protects the answer, as long as nothing shows that it does not. */
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
  /** `id` and `name` are set in the first piece of a call; `arguments` is the next piece of its JSON text. */
  | {
      readonly type: 'tool-call-delta';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments: string;
    }
  /** A call, or a piece of one, that cannot be: its index or its name is none. Told once per answer. */
  | { readonly type: 'tool-call-invalid' }
  | { readonly type: 'citations'; readonly citations: readonly Citation[] }
  | { readonly type: 'usage'; readonly usage: Usage; readonly cost?: Cost }
  /** What protected the answer; told before its end, and not when that failed. */
  | { readonly type: 'protection'; readonly protection: AnswerProtection }
  | { readonly type: 'stream-end'; readonly outcome: StreamOutcome };

export type StreamOutcome =
  /** The service finished: `finish_reason` or `[DONE]` was seen. */
  | { readonly kind: 'complete'; readonly finishReason: FinishReason }
  /** Anything else. `interrupted` and `stopped` are failure codes too; what arrived before stays valid. */
  | { readonly kind: 'failed'; readonly failure: ServiceFailure };

/** What a reply's headers say; every field absent when the header is. */
export interface ReplyInfo {
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
