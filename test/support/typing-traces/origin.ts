import type { Suggestion } from '../../../src/completion/ports.ts';
import type { PaidRequest } from './paid-model.ts';

/** The texts around a cursor, whole. */
export interface Place {
  readonly before: string;
  readonly after: string;
}

/**
 * The request whose answer the suggestion is from, found anew and without any help of who suggests: the place where it was
 * asked, what was typed there since, and the suggestion must make up the beginning of its answer, and behind the cursor
 * nothing may have changed but closing brackets, quotes and tags. Undefined for a suggestion that is stale.
 */
export function originOf(
  { text, replaceLength: replaces }: Suggestion,
  { before, after }: Place,
  requests: readonly PaidRequest[],
): PaidRequest | undefined {
  return requests.findLast(({ snapshot, text: answer }) => {
    const since = before.length - snapshot.prefix.length;
    // Most are far away: only white space can have come or gone beyond what was answered.
    if (since < 0 || since > 4 * answer.length || !before.startsWith(snapshot.prefix)) return false;
    const written = before.slice(snapshot.prefix.length) + text;
    const isSameBehind = unclosed(after.slice(replaces)) === unclosed(snapshot.suffix);
    return isSameBehind && dense(answer).startsWith(dense(written));
  });
}

/** Without white space, which is repaired to the document's. */
const dense = (text: string): string => text.replaceAll(/\s/gu, '');

/** Without what editors close by themselves: brackets, quotes and tags. */
const unclosed = (text: string): string =>
  text.replace(/^(?:[\s)\]}>"'`;,]|<\/[\w-]{1,40}>)*/u, '');
