import type { Connection, OptionalField } from '../http/connection.ts';
import type { TokenPrices } from '../model-types.ts';
import type { ChatRequest, ChatRequestMessage, Usage } from './chat-types.ts';

/**
 * Data for using the service's prompt cache in a conversation. Requests contain cache fields only if the model is known
 * to cache prompts.
 */
export interface PromptCache {
  /** Value of `prompt_cache_key`, the same for all requests of the conversation. */
  readonly key: string;
  /** Prices in the model's record; undefined if the model has no record. */
  readonly pricing: TokenPrices | undefined;
}

/** Chat request whose messages can contain cache breakpoints. */
export type CachedRequest = Omit<ChatRequest, 'messages'> & {
  readonly messages: readonly object[];
};

/**
 * Request fields that only some services with a prompt cache accept. The extension sets these fields, so they can be
 * omitted without the user's agreement.
 */
export const cacheFields: readonly OptionalField[] = [
  { path: 'prompt_cache_key', key: 'prompt_cache_key' },
  {
    path: 'messages.cache_control',
    key: 'messages.cache_control',
    // Servers that take only texts refuse the type of the content instead.
    refusalPattern:
      /\bmessages\b\W+\d+\W+(?:(?!content\b)[\w-]+\W+){0,3}?content\b(?!\W{0,3}\d|[.[]\w).{0,80}?(?:valid string|string_type|sequence, expected a string|must be (?:a )?string|expected (?:a )?string,? (?:but )?(?:got|received))\b(?! (?:of|or|with)\b)(?!.{0,40}\b(?:null|none|undefined)\b)/isu,
  },
];

const getCachedTokensKey = (model: string): string => `cached-tokens:${model}`;

/** Records that a model caches prompts, if the usage in its reply contains cached tokens. */
export function recordCachedTokens(
  connection: Connection | undefined,
  model: string,
  usage: Usage | undefined,
): void {
  if ((usage?.cachedTokens ?? 0) > 0) connection?.recordField(getCachedTokensKey(model), true);
}

/**
 * Checks whether a model caches prompts: it has cache prices, or an earlier reply of the same service reported cached
 * tokens for it.
 */
const cachesPrompts = (
  { pricing }: PromptCache,
  model: string,
  connection: Connection | undefined,
): boolean =>
  pricing?.cacheInput !== undefined ||
  pricing?.cacheWrite !== undefined ||
  connection?.facts.fields?.[getCachedTokensKey(model)] === true;

/**
 * Adds `prompt_cache_key` and cache breakpoints to a request if the model caches prompts. Breakpoints follow the system
 * prompt, the last two questions, and the model's last text, because a service accepts at most four. All texts become
 * content parts, so that moving a breakpoint does not change a message.
 */
export function addCacheFields(
  request: ChatRequest,
  cache: PromptCache,
  connection: Connection | undefined,
): CachedRequest {
  if (!cachesPrompts(cache, request.model, connection)) return request;
  const cachedRequest = { ...request, prompt_cache_key: cache.key };
  const acceptsBreakpoints = cacheFields.every(
    (field) => !field.path.startsWith('messages') || connection?.isOmitted(field) !== true,
  );
  if (!acceptsBreakpoints) return cachedRequest;
  const { messages } = request;
  const findIndices = (
    isMatch: (message: ChatRequestMessage, index: number) => boolean,
  ): number[] => messages.flatMap((message, index) => (isMatch(message, index) ? [index] : []));
  const isQuestion = ({ role }: ChatRequestMessage, index: number): boolean =>
    role === 'user' &&
    // Images of tool results follow the results, and later instructions precede the question.
    messages[index - 1]?.role !== 'tool' &&
    messages[index + 1]?.role !== 'user';
  const breakpoints = new Set([
    ...findIndices(({ role }) => role === 'system').slice(0, 1),
    ...findIndices(isQuestion).slice(-2),
    ...findIndices(({ role, content }) => role === 'assistant' && hasText(content)).slice(-1),
  ]);
  return {
    ...cachedRequest,
    messages: messages.map((message, index) => toMessageWithParts(message, breakpoints.has(index))),
  };
}

const hasText = (content: ChatRequestMessage['content']): boolean =>
  typeof content === 'string' && content !== '';

function toMessageWithParts(message: ChatRequestMessage, hasBreakpoint: boolean): object {
  const { content } = message;
  if (message.role === 'tool' || content === null || content === '') return message;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const lastIndex = hasBreakpoint ? parts.length - 1 : undefined;
  return {
    ...message,
    content: parts.map((part, index) =>
      index === lastIndex ? { ...part, cache_control: { type: 'ephemeral' } } : part,
    ),
  };
}
