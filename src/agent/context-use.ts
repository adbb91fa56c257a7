import type { Conversation } from '../chat/conversation.ts';

/** How full the context is after the last answer of `conversation`, in tokens as the service counted; undefined before. */
export function contextUse(conversation: Conversation): number | undefined {
  const last = conversation
    .path()
    .findLast((message) => message.role === 'assistant' && message.result.usage !== undefined);
  if (last?.role !== 'assistant' || last.result.usage === undefined) return undefined;
  return last.result.usage.promptTokens + last.result.usage.completionTokens;
}
