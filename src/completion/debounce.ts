import type { Snapshot } from './snapshot.ts';
import type { TypingRhythm } from './typing-rhythm.ts';
import { placeOf, type Usefulness } from './usefulness.ts';

/** Milliseconds of rest that ask anywhere, however seldom answers are used there. */
const restMs = 3_000;
const afterErasingMs = 300;
const mostWithinWord = 300;
const mostAtWordStart = 25;

/**
 * Milliseconds to wait before a question, so that none is made where a key is about to follow. None at the start of a
 * line, hardly any where a word begins; within a word as long as it takes to see that no further key follows. Where the
 * answers are seldom used, the longer.
 */
export function debounceMs(
  snapshot: Snapshot,
  { rhythm, usefulness }: { rhythm: TypingRhythm; usefulness: Usefulness },
): number {
  const place = placeOf(snapshot);
  const doubtMs = usefulness.doubt(place) * restMs;
  if (rhythm.motion === 'erasing') return afterErasingMs + doubtMs;
  if (place === 'line-start') return 0;
  if (place === 'word-start') return Math.min(mostAtWordStart, rhythm.interval / 4) + doubtMs;
  return Math.min(mostWithinWord, rhythm.interval * 1.2) + doubtMs;
}
