import type { Conversation, Message } from '../conversation/conversation.ts';

/** Protection that a conversation has had so far. */
export interface ProtectedChat {
  /** Protection of the latest answer before the next message. */
  readonly kind: 'attested' | 'encrypted';
  /** Id of the newest protected answer. The user's consent holds until a newer one exists. */
  readonly newestId: string;
}

/**
 * Returns the protection of a conversation that continues below message `id` or as its sibling. Returns `undefined`
 * when the latest answer was not protected, because its whole context was then sent unprotected. At a fork where no
 * answer shows the protection, the answers on the sibling branches decide.
 */
export function protectedChat(conversation: Conversation, id: string): ProtectedChat | undefined {
  const newestId = newestProtected(conversation);
  if (newestId === undefined) return undefined;
  const path = conversation.path(conversation.newestLeaf(id));
  const kinds = answersShowing(conversation, path).map(protectionOf);
  if (kinds.length === 0 || kinds.includes(undefined)) return undefined;
  return { kind: kinds.includes('attested') ? 'attested' : 'encrypted', newestId };
}

/**
 * Returns the last answer of a branch that shows its protection. At a fork without one, returns the answers on the
 * sibling branches that show theirs.
 */
function answersShowing(
  conversation: Conversation,
  branch: readonly Message[],
): readonly Message[] {
  for (const message of branch.toReversed()) {
    const found = showsProtection(message)
      ? [message]
      : siblingAnswersShowing(conversation, message);
    if (found.length > 0) return found;
  }
  return [];
}

function siblingAnswersShowing(conversation: Conversation, message: Message): readonly Message[] {
  const siblings = conversation.siblings(message).filter((id) => id !== message.id);
  if (siblings.length === 0) return [];
  const depth = conversation.path(message.id).length;
  return siblings.flatMap((id) => {
    const path = conversation.path(conversation.newestLeaf(id));
    const answersBelow = answersShowing(conversation, path.slice(depth));
    return answersBelow.length > 0
      ? answersBelow
      : path.slice(depth - 1, depth).filter(showsProtection);
  });
}

/** Returns the id of the newest protected answer on any branch. */
export const newestProtected = ({ messages }: Conversation): string | undefined =>
  [...messages].findLast((message) => protectionOf(message) !== undefined)?.id;

/**
 * Checks whether an answer shows how its request was protected. A failed answer shows it only if its protection was
 * recorded. Image answers never do, because their requests contain the prompt alone.
 */
const showsProtection = (message: Message): boolean =>
  message.role === 'assistant' &&
  message.images === undefined &&
  (message.status === 'complete' || message.result.protection !== undefined);

function protectionOf(message: Message): ProtectedChat['kind'] | undefined {
  const { kind } = (message.role === 'assistant' && message.result.protection) || { kind: 'none' };
  return kind === 'none' ? undefined : kind;
}
