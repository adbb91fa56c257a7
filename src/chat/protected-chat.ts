import type { Conversation, Message } from './conversation.ts';

/** How a conversation is protected so far. */
export interface ProtectedChat {
  /** As the last answer was that it goes on from. */
  readonly kind: 'attested' | 'encrypted';
  /** {@link newestProtected}: what is agreed to holds until there is another. */
  readonly newest: string;
}

/**
 * How the conversation is protected so far, where it goes on at the message `id` or beside it. Undefined where its last
 * answer was not: everything that it rests on was sent in the open then.
 */
export function protectedChat(conversation: Conversation, id: string): ProtectedChat | undefined {
  const last = conversation.path(conversation.newestLeaf(id)).findLast(tellsHow);
  const kind = last && protectionOf(last);
  const newest = newestProtected(conversation);
  return kind === undefined || newest === undefined ? undefined : { kind, newest };
}

/** The id of the newest answer on any branch that was protected. */
export const newestProtected = ({ messages }: Conversation): string | undefined =>
  [...messages].findLast((message) => protectionOf(message) !== undefined)?.id;

/** An answer that failed says nothing of how its request went, unless it says it; pictures are made from their words alone. */
const tellsHow = (message: Message): boolean =>
  message.role === 'assistant' &&
  message.images === undefined &&
  (message.status === 'complete' || message.result.protection !== undefined);

function protectionOf(message: Message): ProtectedChat['kind'] | undefined {
  const { kind } = (message.role === 'assistant' && message.result.protection) || { kind: 'none' };
  return kind === 'none' ? undefined : kind;
}
