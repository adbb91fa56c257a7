import type { Snapshot } from './snapshot.ts';
import type { TypingRhythm } from './typing-rhythm.ts';
import { placeOf, type Usefulness } from './usefulness.ts';

/** All in milliseconds. */
const waits = {
  /** At the start of a line, for each line after the first whose answer was not used. */
  missedLine: 300,
  mostAtLineStart: 900,
  mostAtWordStart: 25,
  mostWithinWord: 300,
  afterErasing: 300,
  /** Within a line, where no answer was used for long. */
  inDoubt: 10_000,
};

/**
 * Milliseconds to wait before a question, so that none is made where a key is about to follow. None at the start of a
 * line, hardly any where a word begins; within a word as long as it takes to see that no further key follows. Where
 * answers are not used, longer, until only who rests is given one.
 */
export function debounceMs(
  snapshot: Snapshot,
  { rhythm, usefulness }: { rhythm: TypingRhythm; usefulness: Usefulness },
): number {
  const place = placeOf(snapshot);
  if (place === 'line-start' && rhythm.motion !== 'erasing') {
    const missed = Math.max(0, usefulness.missedLines - 1);
    return Math.min(waits.mostAtLineStart, missed * waits.missedLine);
  }
  const inDoubt = usefulness.doubt(place) * waits.inDoubt;
  if (rhythm.motion === 'erasing') return waits.afterErasing + inDoubt;
  const interval = place === 'word-start' ? rhythm.interval / 4 : rhythm.interval * 1.2;
  const most = place === 'word-start' ? waits.mostAtWordStart : waits.mostWithinWord;
  return Math.min(most, interval) + inDoubt;
}
