import type { LineChange } from './edit-plan.ts';
import type { Place } from './failure.ts';
import type { FileLines } from './file-lines.ts';

export interface Source {
  readonly path: string;
  readonly lines: FileLines;
}

export interface Fix {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly change: LineChange;
  /** What was wrong, as a sentence. */
  readonly why: string;
}

/** The lines of the file that a failure names. */
export const linesAt = (places: readonly Place[], { path }: Source): number[] =>
  places.filter((place) => samePath(place.path, path)).map(({ line }) => line);

const samePath = (one: string, other: string): boolean =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

export const fixAt = (source: Source, line: number, text: string, why: string): Fix => ({
  path: source.path,
  line,
  change: (current, number) => (number === line ? text : current),
  why,
});
