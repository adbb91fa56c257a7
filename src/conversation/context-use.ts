import type { Conversation } from './conversation.ts';

/** How full the context is after the last answer of `conversation`, in tokens as the service counted; undefined before. */
export function contextUse(conversation: Conversation): number | undefined {
  const last = conversation
    .path()
    .findLast((message) => message.role === 'assistant' && message.result.usage !== undefined);
  const result = last?.role === 'assistant' ? last.result : undefined;
  const usage = result?.lastRequest?.usage ?? result?.usage;
  return usage && usage.promptTokens + usage.completionTokens;
}
