import type { ContextSnippet } from '../ports.ts';

/** Replacement of whole lines in a document. */
export interface Edit {
  /** Document URI. */
  readonly documentUri: string;
  readonly path: string;
  /** 0-based number of the first replaced line. The number is the same in the old and in the new text. */
  readonly line: number;
  /** Replaced lines, without line ends. The field `after` contains the new lines. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Limits of the edit history. `edits`: maximum number of stored edits. `lines`: maximum number of lines in the old
 * text, and in the new text, of an edit.
 */
export const editLimits = { edits: 12, lines: 24 } as const;

/** Recent edits in all documents. Consecutive changes to adjacent lines form one edit. */
export class EditHistory {
  /**
   * Edits, oldest first. Edits of the same document do not overlap. Line numbers refer to the current document text.
   */
  #edits: readonly Edit[] = [];

  /**
   * Records a change. Does not store edits larger than {@link editLimits}, such as pasted text. Must be called in order
   * for every change of a document, because each change shifts the line numbers of the edits below it.
   */
  record(edit: Edit): void {
    const [touchedEdits, otherEdits] = partitionItems(this.#edits, (storedEdit) =>
      isOverlappingOrAdjacent(storedEdit, edit),
    );
    const shiftedEdits = otherEdits.map((storedEdit) => shiftEdit(storedEdit, edit));
    // Merge from bottom to top, because an edit does not shift the lines above it.
    const editsBottomUp = touchedEdits.toSorted((a, b) => b.line - a.line);
    const combinedEdit = editsBottomUp.reduce(
      (mergedEdit, storedEdit) => mergeEdits(storedEdit, mergedEdit),
      truncateLines(edit),
    );
    const newEdit = isWithinEditLimits(combinedEdit) ? combinedEdit : truncateLines(edit);
    const isUseful = isWithinEditLimits(newEdit) && !hasNoEffect(newEdit);
    this.#edits = (isUseful ? [...shiftedEdits, newEdit] : shiftedEdits).slice(-editLimits.edits);
  }

  /** Returns the edits, newest first. */
  listRecentEdits(): readonly Edit[] {
    return this.#edits.toReversed();
  }

  /** Returns the edits as snippets of removed and added lines, newest first. */
  listSnippets(): readonly ContextSnippet[] {
    return this.listRecentEdits().map(toEditSnippet);
  }

  /**
   * Removes the edits of a document, for example when the document is closed or turns out to
   * contain secrets.
   */
  removeDocument(documentUri: string): void {
    this.#edits = this.#edits.filter((edit) => edit.documentUri !== documentUri);
  }

  clear(): void {
    this.#edits = [];
  }
}

/** Checks whether a new change overlaps or adjoins the lines of a stored edit. */
const isOverlappingOrAdjacent = (storedEdit: Edit, newEdit: Edit): boolean =>
  storedEdit.documentUri === newEdit.documentUri &&
  newEdit.line <= storedEdit.line + storedEdit.after.length &&
  newEdit.line + newEdit.before.length >= storedEdit.line;

/** Shifts the line number of a stored edit after a change of lines above. */
function shiftEdit(storedEdit: Edit, change: Edit): Edit {
  if (storedEdit.documentUri !== change.documentUri || storedEdit.line < change.line)
    return storedEdit;
  return { ...storedEdit, line: storedEdit.line + change.after.length - change.before.length };
}

/** Combines two overlapping or adjacent edits. */
function mergeEdits(firstEdit: Edit, secondEdit: Edit): Edit {
  const firstEnd = firstEdit.line + firstEdit.after.length;
  const removedLinesAbove = secondEdit.before.slice(
    0,
    Math.max(0, firstEdit.line - secondEdit.line),
  );
  const removedLinesBelow = secondEdit.before.slice(Math.max(0, firstEnd - secondEdit.line));
  const linesAbove = firstEdit.after.slice(0, Math.max(0, secondEdit.line - firstEdit.line));
  const linesBelow = firstEdit.after.slice(
    Math.max(0, secondEdit.line + secondEdit.before.length - firstEdit.line),
  );
  return {
    documentUri: secondEdit.documentUri,
    path: secondEdit.path,
    line: Math.min(firstEdit.line, secondEdit.line),
    before: [...removedLinesAbove, ...firstEdit.before, ...removedLinesBelow],
    after: [...linesAbove, ...secondEdit.after, ...linesBelow],
  };
}

const isWithinEditLimits = ({ before, after }: Edit): boolean =>
  before.length <= editLimits.lines && after.length <= editLimits.lines;

/** Checks whether an edit leaves the text unchanged, for example because the user undid the edit. */
const hasNoEffect = ({ before, after }: Edit): boolean =>
  before.length === after.length && before.every((line, index) => line === after[index]);

/** Maximum length of a stored line in characters. Longer lines are truncated. */
const maxLineLength = 300;

const truncateLines = (edit: Edit): Edit =>
  isWithinEditLimits(edit)
    ? { ...edit, before: edit.before.map(truncateLine), after: edit.after.map(truncateLine) }
    : edit;

const truncateLine = (line: string): string => line.slice(0, maxLineLength);

/** Formats an edit as removed (`-`) and added (`+`) lines. Omits unchanged lines at the start and the end. */
function toEditSnippet({ path, before, after }: Edit): ContextSnippet {
  const maxCommonLength = Math.min(before.length, after.length);
  let headLength = 0;
  while (headLength < maxCommonLength && before[headLength] === after[headLength]) headLength += 1;
  let tailLength = 0;
  while (
    tailLength < maxCommonLength - headLength &&
    before.at(-1 - tailLength) === after.at(-1 - tailLength)
  )
    tailLength += 1;
  const lines = [
    ...before.slice(headLength, before.length - tailLength).map((line) => `-${line}`),
    ...after.slice(headLength, after.length - tailLength).map((line) => `+${line}`),
  ];
  return { kind: 'edit', path, text: lines.join('\n') };
}

function partitionItems<T>(items: readonly T[], predicate: (item: T) => boolean): [T[], T[]] {
  return [items.filter(predicate), items.filter((item) => !predicate(item))];
}
