import { hashText, seededRandom } from '../../service/random.ts';

/**
 * When keys come. Nobody's hand was measured: the intervals follow from the trace's seed and the place in the text, spread
 * as typing is (log-normal, slower at the start of words), so that a trace sounds the same whatever was accepted before.
 * Parameters in milliseconds: the median and the spread of the logarithm, or the least and the most.
 */
const parameters = {
  /** 60 to 70 words a minute. */
  withinWord: { median: 125, spread: 0.4 },
  wordStart: { median: 190, spread: 0.5 },
  lineStart: { median: 330, spread: 0.5 },
  erase: { median: 95, spread: 0.25 },
  /** Until a slip of the hand is seen. */
  notice: { median: 380, spread: 0.4 },
  /** Looking for another place, or for what to paste. */
  orient: { least: 900, most: 2_600 },
  /** A hesitation inside a line. */
  hesitation: { least: 300, most: 900 },
  /** A hesitation at the end of a line or before its first word. */
  thought: { least: 1_000, most: 4_000 },
  /** Looking at what follows after something was taken. */
  afterTake: { least: 450, most: 1_100 },
  /** From the appearance of a text until it is read and the key is down. */
  reaction: { least: 260, most: 520 },
} as const;

export type Beat = keyof typeof parameters;

/** Milliseconds of a beat at a place, the same for the same place. */
export function beatMs(beat: Beat, place: string): number {
  const random = seededRandom(hashText(`${beat} ${place}`));
  const how = parameters[beat];
  if ('median' in how) return Math.round(how.median * Math.exp(how.spread * normal(random)));
  // Short ones are more common than long ones.
  return Math.round(how.least * (how.most / how.least) ** random());
}

/** About normal, by addition: no function whose last digits differ between machines. */
function normal(random: () => number): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random();
  return sum;
}
