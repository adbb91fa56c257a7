import type { Suggestion } from '../../../src/completion/ports.ts';
import type { PaidRequest } from './paid-model.ts';

/** Complete text before and after a cursor. */
export interface TextAroundCursor {
  readonly before: string;
  readonly after: string;
}

/**
 * Finds the request that produced a suggestion, independent of the provider. The request position,
 * the text typed since and the suggestion must form the start of its answer. After the cursor, only
 * closing brackets, quotes and tags may have changed. Returns undefined for a stale suggestion.
 */
export function originOf(
  { text, replaceLength: replaces }: Suggestion,
  { before, after }: TextAroundCursor,
  requests: readonly PaidRequest[],
): PaidRequest | undefined {
  return requests.findLast(({ snapshot, text: answer }) => {
    const typedLength = before.length - snapshot.prefix.length;
    // Skips most requests quickly: beyond the answer, the text can differ only in white space.
    if (typedLength < 0 || typedLength > 4 * answer.length || !before.startsWith(snapshot.prefix))
      return false;
    const written = before.slice(snapshot.prefix.length) + text;
    const isSameSuffix = withoutClosers(after.slice(replaces)) === withoutClosers(snapshot.suffix);
    return isSameSuffix && withoutWhiteSpace(answer).startsWith(withoutWhiteSpace(written));
  });
}

/** Removes white space, which suggestions adapt to the document. */
const withoutWhiteSpace = (text: string): string => text.replaceAll(/\s/gu, '');

/** Removes auto-closed brackets, quotes and tags. */
const withoutClosers = (text: string): string =>
  text.replace(/^(?:[\s)\]}>"'`;,]|<\/[\w-]{1,40}>)*/u, '');
