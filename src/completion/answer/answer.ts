import type { FilterName } from '../reason.ts';

/** How much of an answer is wanted: the rest of the line, or what belongs to the scope that begins here. */
export type WantedLines = 'line' | 'block';

/** Reads what a model says while it streams, and knows when it has said enough. */
export interface AnswerReader {
  /** Takes the next piece, in constant time for each character over the whole answer. */
  push(piece: string): void;
  /** The model has ended by itself. */
  end(): void;
  /**
   * What may go into the document so far, without fences, echoes, marks and talk. Only ever grows, so that what the
   * person types meanwhile can be compared with it. May end in the middle of a line.
   */
  readonly text: string;
  /** Characters of `text` up to the end of its last line that is whole; without its line end. */
  readonly wholeLinesLength: number;
  /** What was left out first, when there was anything beside marks and thoughts: why an empty `text` is empty. */
  readonly removed: FilterName | undefined;
  /** Nothing more is wanted: the rest need not be paid for. `text` is final. */
  readonly isComplete: boolean;
}
