import type { Conversation, Message } from '../conversation/conversation.ts';

/**
 * Protection that earlier answers of a conversation had. The next request must have it too, unless the user consents to
 * less.
 */
export interface ProtectedChat {
  /** Protection of the latest answers. If these answers had both kinds of protection, the weaker kind, `attested`. */
  readonly kind: 'attested' | 'encrypted';
  /**
   * Id of the newest protected answer on any branch. The user's consent expires when a newer protected answer arrives.
   */
  readonly newestId: string;
}

/**
 * Returns the protection that the next request of a conversation must have: the protection of the answers that
 * {@link findAnswersShowingProtection} finds on the branch with message `id`. Returns `undefined` if there are no such
 * answers, or if one of them was unprotected, because the service then already received all messages unprotected.
 * @param id Id of the message that the next message follows. For an edit, a retry or a continued answer, id of the
 *   existing message or answer.
 */
export function getProtectedChat(
  conversation: Conversation,
  id: string,
): ProtectedChat | undefined {
  const newestId = findNewestProtectedId(conversation);
  if (newestId === undefined) return undefined;
  const path = conversation.listPath(conversation.findLeafId(id));
  const kinds = findAnswersShowingProtection(conversation, path).map(getProtection);
  if (kinds.length === 0 || kinds.includes(undefined)) return undefined;
  return { kind: kinds.includes('attested') ? 'attested' : 'encrypted', newestId };
}

/**
 * Returns the newest answers of a branch for which {@link showsProtection} is true. Searches backward from the end of
 * the branch. At each message, first checks the message itself, then the branches of its siblings. Returns an empty
 * array if there are no such answers.
 */
function findAnswersShowingProtection(
  conversation: Conversation,
  branch: readonly Message[],
): readonly Message[] {
  for (const message of branch.toReversed()) {
    const foundMessages = showsProtection(conversation, message)
      ? [message]
      : findSiblingAnswersShowingProtection(conversation, message);
    if (foundMessages.length > 0) return foundMessages;
  }
  return [];
}

function findSiblingAnswersShowingProtection(
  conversation: Conversation,
  message: Message,
): readonly Message[] {
  const siblingIds = conversation.listSiblingIds(message).filter((id) => id !== message.id);
  if (siblingIds.length === 0) return [];
  const depth = conversation.listPath(message.id).length;
  return siblingIds.flatMap((id) => {
    const path = conversation.listPath(conversation.findLeafId(id));
    const answersBelow = findAnswersShowingProtection(conversation, path.slice(depth));
    return answersBelow.length > 0
      ? answersBelow
      : path.slice(depth - 1, depth).filter((message) => showsProtection(conversation, message));
  });
}

/** Returns the id of the newest protected answer on any branch; undefined if no answer was protected. */
export const findNewestProtectedId = ({ messages }: Conversation): string | undefined =>
  [...messages].findLast((message) => getProtection(message) !== undefined)?.id;

/**
 * Checks whether an answer shows how its request was protected. Returns true for a failed or damaged answer only if its
 * protection was recorded. Returns false for an image answer, because its request contains only the image prompt.
 */
const showsProtection = (conversation: Conversation, message: Message): boolean =>
  message.role === 'assistant' &&
  message.images === undefined &&
  (message.result.protection !== undefined ||
    (message.status === 'complete' && !conversation.isIncomplete(message.id)));

function getProtection(message: Message): ProtectedChat['kind'] | undefined {
  const { kind } = (message.role === 'assistant' && message.result.protection) || { kind: 'none' };
  return kind === 'none' ? undefined : kind;
}
