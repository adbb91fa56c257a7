import type { Suggestion } from '../../../src/completion/ports.ts';
import type { SimulatedRequest } from './simulated-model.ts';

/** The complete document text before and after a cursor. */
export interface TextAroundCursor {
  readonly textBefore: string;
  readonly textAfter: string;
}

/**
 * Returns the request that caused a suggestion. Returns undefined for a stale suggestion, which no request explains.
 * Uses no information from the provider. The answer to the request must start with the text that the user typed after
 * the request, followed by the suggestion. After the cursor, only closing brackets, quotes and tags may have changed.
 */
export function findOrigin(
  { text, replaceLength }: Suggestion,
  { textBefore, textAfter }: TextAroundCursor,
  requests: readonly SimulatedRequest[],
): SimulatedRequest | undefined {
  return requests.findLast(({ snapshot, text: answer }) => {
    const typedLength = textBefore.length - snapshot.prefix.length;
    // Quickly skip most requests. The typed text can be longer than the answer only by white space.
    if (
      typedLength < 0 ||
      typedLength > 4 * answer.length ||
      !textBefore.startsWith(snapshot.prefix)
    )
      return false;
    const expectedStart = textBefore.slice(snapshot.prefix.length) + text;
    const isSameSuffix =
      removeClosingText(textAfter.slice(replaceLength)) === removeClosingText(snapshot.suffix);
    return isSameSuffix && removeWhiteSpace(answer).startsWith(removeWhiteSpace(expectedStart));
  });
}

/** Removes all white space. Suggestions adapt their white space to the document, so texts are compared without it. */
const removeWhiteSpace = (text: string): string => text.replaceAll(/\s/gu, '');

/**
 * Removes the closing brackets, quotes and tags at the start of the text, because the editor may have inserted them.
 */
const removeClosingText = (text: string): string =>
  text.replace(/^(?:[\s)\]}>"'`;,]|<\/[\w-]{1,40}>)*/u, '');
