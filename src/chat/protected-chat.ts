import type { Conversation, Message } from '../conversation/conversation.ts';

/** How a conversation is protected so far. */
export interface ProtectedChat {
  /** As the last answer was that it goes on from. */
  readonly kind: 'attested' | 'encrypted';
  /** {@link newestProtected}: what is agreed to holds until there is another. */
  readonly newest: string;
}

/**
 * How the conversation is protected so far, where it goes on at the message `id` or beside it. Undefined where its last
 * answer was not: everything that it rests on was sent in the open then. Where nothing below a fork tells, what was
 * answered beside it does.
 */
export function protectedChat(conversation: Conversation, id: string): ProtectedChat | undefined {
  const newest = newestProtected(conversation);
  if (newest === undefined) return undefined;
  const path = conversation.path(conversation.newestLeaf(id));
  const kinds = telling(conversation, path).map(protectionOf);
  if (kinds.length === 0 || kinds.includes(undefined)) return undefined;
  return { kind: kinds.includes('attested') ? 'attested' : 'encrypted', newest };
}

/** The last answer of a branch that tells it; before one that does not, the last ones of the branches beside. */
function telling(conversation: Conversation, branch: readonly Message[]): readonly Message[] {
  for (const message of branch.toReversed()) {
    const found = tellsHow(message) ? [message] : tellingBeside(conversation, message);
    if (found.length > 0) return found;
  }
  return [];
}

function tellingBeside(conversation: Conversation, message: Message): readonly Message[] {
  const siblings = conversation.siblings(message).filter((id) => id !== message.id);
  if (siblings.length === 0) return [];
  const depth = conversation.path(message.id).length;
  return siblings.flatMap((id) => {
    const path = conversation.path(conversation.newestLeaf(id));
    const below = telling(conversation, path.slice(depth));
    return below.length > 0 ? below : path.slice(depth - 1, depth).filter(tellsHow);
  });
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
