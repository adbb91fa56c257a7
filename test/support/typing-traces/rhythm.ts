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
  orient: { min: 900, max: 2_600 },
  /** A hesitation inside a line. */
  hesitation: { min: 300, max: 900 },
  /** A hesitation at the end of a line or before its first word. */
  thought: { min: 1_000, max: 4_000 },
  /** Reading time after an acceptance. */
  afterTake: { min: 450, max: 1_100 },
  /** Time from the appearance of a suggestion to the key press. */
  reaction: { min: 260, max: 520 },
} as const;

export type Beat = keyof typeof parameters;

/** Returns an interval in milliseconds. The result depends only on the arguments. */
export function beatMs(beat: Beat, seedText: string): number {
  const random = seededRandom(hashText(`${beat} ${seedText}`));
  const range = parameters[beat];
  if ('median' in range)
    return Math.round(range.median * Math.exp(range.spread * normalSample(random)));
  // Short intervals are more common than long ones.
  return Math.round(range.min * (range.max / range.min) ** random());
}

/**
 * Approximates a normal distribution by addition, without functions whose last digits differ
 * between machines.
 */
function normalSample(random: () => number): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random();
  return sum;
}
