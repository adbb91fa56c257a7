/** Where an answer is cut off. More than this is seldom wanted, and all of it is paid for. */
export const answerLimits = {
  /** Of a block. */
  lines: 24,
  /** Characters of an answer, of one line of it, and of all that came with marks, thoughts and talk. */
  characters: 4_000,
  line: 1_000,
  raw: 20_000,
  /** Characters of a line after which no more is decided before its end. */
  undecided: 200,
} as const;
