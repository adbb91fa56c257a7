import type { ChatRequest } from '../service/chat/chat-types.ts';
import type { CompletionRequest } from '../service/chat/completion-types.ts';

/** What is sent to the service for a suggestion. */
export type CompletionAsk =
  | { readonly route: 'chat'; readonly request: ChatRequest }
  | { readonly route: 'completions'; readonly request: CompletionRequest };

/** `chat` for services of chat models; `completions` for servers that fill a hole by `prompt` and `suffix`. */
export type CompletionRoute = CompletionAsk['route'];
