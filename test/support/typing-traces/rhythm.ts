import { hashText, createSeededRandom } from '../../service/random.ts';

/**
 * Parameters of the simulated typing, in milliseconds: median and spread of a log-normal distribution, or minimum and
 * maximum. Each interval depends only on the trace's seed and the text position, so accepted suggestions do not change
 * it. As in real typing, intervals are log-normal, and longer at the start of words.
 */
// The names are part of the random seed, so a new name changes all traces.
const intervalParameters = {
  /** Interval between the keys of a word. Corresponds to 60 to 70 words per minute. */
  withinWord: { median: 125, spread: 0.4 },
  wordStart: { median: 190, spread: 0.5 },
  lineStart: { median: 330, spread: 0.5 },
  erase: { median: 95, spread: 0.25 },
  /** Time until the user notices a typing error. */
  notice: { median: 380, spread: 0.4 },
  /** Time until the user has found another position in the document, or the text to paste. */
  orient: { min: 900, max: 2_600 },
  /** Pause of the user inside a line. */
  hesitation: { min: 300, max: 900 },
  /** Pause of the user at the end of a line, or before the first word of a line. */
  thought: { min: 1_000, max: 4_000 },
  /** Time for which the user reads an accepted suggestion. */
  afterTake: { min: 450, max: 1_100 },
  /** Time from the appearance of a suggestion until the user presses the accept key. */
  reaction: { min: 260, max: 520 },
} as const;

export type IntervalKind = keyof typeof intervalParameters;

/** Returns a random interval in milliseconds. The same arguments always give the same interval. */
export function computeIntervalMs(kind: IntervalKind, seedText: string): number {
  const random = createSeededRandom(hashText(`${kind} ${seedText}`));
  const range = intervalParameters[kind];
  if ('median' in range)
    return Math.round(range.median * Math.exp(range.spread * drawNormal(random)));
  // Exponential interpolation makes short intervals more common than long ones.
  return Math.round(range.min * (range.max / range.min) ** random());
}

/**
 * Returns a random number with an approximately normal distribution. Only adds numbers, because the results of other
 * mathematical functions can differ slightly between machines.
 */
function drawNormal(random: () => number): number {
  let sum = -6;
  for (let count = 0; count < 12; count++) sum += random();
  return sum;
}
