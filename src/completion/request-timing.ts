import type { Snapshot } from './snapshot.ts';
import type { TypingRhythm } from './typing-rhythm.ts';
import { placeOf, type Usefulness } from './acceptance.ts';

/** All in milliseconds. */
const waits = {
  /** At the start of a line, for each line after the first whose answer was not used. */
  missedLine: 300,
  mostAtLineStart: 900,
  mostAtWordStart: 25,
  mostWithinWord: 300,
  untilShown: 600,
  afterErasing: 300,
  /** Within a line, where no answer was used for long. */
  inDoubt: 3_000,
};

/**
 * Milliseconds to wait before a question, so that none is made where a key is about to follow. None at the start of a
 * line, hardly any where a word begins; within a word as long as it takes to see that no further key follows. Where
 * answers are not used, longer, until only who rests is given one.
 */
export function debounceMs(
  snapshot: Snapshot,
  {
    rhythm,
    usefulness,
    firstTextMs,
  }: {
    rhythm: TypingRhythm;
    usefulness: Usefulness;
    /** How long the service takes. */
    firstTextMs: number;
  },
): number {
  const place = placeOf(snapshot);
  if (place === 'line-start' && rhythm.motion !== 'erasing') {
    const missed = Math.max(0, usefulness.missedLines - 1);
    return Math.min(waits.mostAtLineStart, missed * waits.missedLine);
  }
  const inDoubt = usefulness.doubt(place) * waits.inDoubt;
  if (rhythm.motion === 'erasing') return waits.afterErasing + inDoubt;
  if (place === 'word-start') {
    return Math.min(waits.mostAtWordStart, rhythm.interval / 4) + inDoubt;
  }
  // Who waits long for an answer shall not wait long for the question.
  const left = Math.max(rhythm.interval * 0.6, waits.untilShown - firstTextMs);
  return Math.min(waits.mostWithinWord, rhythm.interval * 1.2, left) + inDoubt;
}
