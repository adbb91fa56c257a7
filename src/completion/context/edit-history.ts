import type { ContextSnippet } from '../ports.ts';

/** Lines that took the place of others. */
export interface Edit {
  /** The address, as in a snapshot. */
  readonly document: string;
  readonly path: string;
  /** The number of the first of them, from 0; the same before and after. */
  readonly line: number;
  /** Whole lines, without their ends. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** How many edits are remembered, and how many lines each may have on either side. */
export const editLimits = { edits: 12, lines: 24 } as const;

/** What was changed lately, across documents. What is typed in one place is one edit, however many keys it took. */
export class EditHistory {
  /** The newest is last. Of one document they never overlap, and their lines are those of its text now. */
  #edits: readonly Edit[] = [];

  /**
   * Takes the next change of a document; every one must come, in order, or the places of the others are wrong. An edit
   * of more lines than {@link editLimits} is no pattern to follow (pasted, formatted) and is not remembered.
   */
  record(edit: Edit): void {
    const [touched, others] = partition(this.#edits, (known) => touches(known, edit));
    const kept = others.map((known) => moved(known, edit));
    // From the lowest up: what is below does not move the lines above.
    const upwards = touched.toSorted((a, b) => b.line - a.line);
    const merged = upwards.reduce((into, known) => merge(known, into), shortened(edit));
    const next = isSmall(merged) ? merged : shortened(edit);
    const isWorthIt = isSmall(next) && !isWithoutEffect(next);
    this.#edits = (isWorthIt ? [...kept, next] : kept).slice(-editLimits.edits);
  }

  /** The newest first. */
  recent(): readonly Edit[] {
    return this.#edits.toReversed();
  }

  /** The newest first, as removed and added lines. */
  snippets(): readonly ContextSnippet[] {
    return this.recent().map(partOf);
  }

  /** The document was closed, or must not be known any more. */
  forgetDocument(document: string): void {
    this.#edits = this.#edits.filter((edit) => edit.document !== document);
  }

  clear(): void {
    this.#edits = [];
  }
}

/** Whether a change is within the lines of an edit, or directly at them. */
const touches = (known: Edit, change: Edit): boolean =>
  known.document === change.document &&
  change.line <= known.line + known.after.length &&
  change.line + change.before.length >= known.line;

/** Below a change, the lines of an edit have other numbers. */
function moved(known: Edit, change: Edit): Edit {
  if (known.document !== change.document || known.line < change.line) return known;
  return { ...known, line: known.line + change.after.length - change.before.length };
}

/** One edit in place of two, the second of which touches the first. */
function merge(first: Edit, second: Edit): Edit {
  const firstEnd = first.line + first.after.length;
  const above = second.before.slice(0, Math.max(0, first.line - second.line));
  const below = second.before.slice(Math.max(0, firstEnd - second.line));
  const keptAbove = first.after.slice(0, Math.max(0, second.line - first.line));
  const keptBelow = first.after.slice(Math.max(0, second.line + second.before.length - first.line));
  return {
    document: second.document,
    path: second.path,
    line: Math.min(first.line, second.line),
    before: [...above, ...first.before, ...below],
    after: [...keptAbove, ...second.after, ...keptBelow],
  };
}

const isSmall = ({ before, after }: Edit): boolean =>
  before.length <= editLimits.lines && after.length <= editLimits.lines;

/** Whether it was taken back. */
const isWithoutEffect = ({ before, after }: Edit): boolean =>
  before.length === after.length && before.every((line, index) => line === after[index]);

/** Longer lines are data; what is held is bounded. */
const longestLine = 300;

const shortened = (edit: Edit): Edit =>
  isSmall(edit)
    ? { ...edit, before: edit.before.map(shortLine), after: edit.after.map(shortLine) }
    : edit;

const shortLine = (line: string): string => line.slice(0, longestLine);

/** Without the lines that stayed at both ends. */
function partOf({ path, before, after }: Edit): ContextSnippet {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const lines = [
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
  ];
  return { kind: 'edit', path, text: lines.join('\n') };
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}
