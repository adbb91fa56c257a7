import { hashText, seededRandom } from '../../service/random.ts';

/**
 * Key timing. Synthetic: the intervals depend on the trace's seed and the text position, with a
 * typical distribution (log-normal, slower at word starts). A trace has the same timing whatever
 * was accepted before. Parameters in milliseconds: the median and the spread of the logarithm, or
 * the minimum and the maximum.
 */
const parameters = {
  /** Interval between the keys of a word, for 60 to 70 words per minute. */
  withinWord: { median: 125, spread: 0.4 },
  wordStart: { median: 190, spread: 0.5 },
  lineStart: { median: 330, spread: 0.5 },
  erase: { median: 95, spread: 0.25 },
  /** Time to notice a typing error. */
  notice: { median: 380, spread: 0.4 },
  /** Time to find another position, or text to paste. */
  orient: { least: 900, most: 2_600 },
  /** A hesitation inside a line. */
  hesitation: { least: 300, most: 900 },
  /** A hesitation at the end of a line or before its first word. */
  thought: { least: 1_000, most: 4_000 },
  /** Reading time after an acceptance. */
  afterTake: { least: 450, most: 1_100 },
  /** Time from the appearance of a suggestion to the key press. */
  reaction: { least: 260, most: 520 },
} as const;

export type Beat = keyof typeof parameters;

/** Returns an interval in milliseconds. The result depends only on the arguments. */
export function beatMs(beat: Beat, place: string): number {
  const random = seededRandom(hashText(`${beat} ${place}`));
  const how = parameters[beat];
  if ('median' in how) return Math.round(how.median * Math.exp(how.spread * normal(random)));
  // Short intervals are more common than long ones.
  return Math.round(how.least * (how.most / how.least) ** random());
}

/**
 * Approximates a normal distribution by addition, without functions whose last digits differ
 * between machines.
 */
function normal(random: () => number): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random();
  return sum;
}
