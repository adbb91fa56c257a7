import { CodeScanner, type ScanState } from '../language/cursor-context.ts';
import { getLanguage } from '../language/language.ts';
import { containsWord, type EditPattern, patternLimits } from './edit-pattern.ts';
import { findWordEnd } from './line-edit.ts';
import { findTargets, type InsertionTarget } from './next-insertion.ts';

/** Edit that the user made last, and its position. */
export interface LastEdit {
  readonly pattern: EditPattern;
  /** Line number, 0-based. */
  readonly line: number;
  /** Offset of the edited text in the line. */
  readonly character: number;
  /** Number of times that the user made this edit. */
  readonly useCount: number;
  /** Checks whether the user rejected the edit on a line. */
  readonly isRejected: (line: number) => boolean;
}

/** Lines of a document. */
export interface DocumentLines {
  readonly languageId: string;
  readonly lineCount: number;
  /** Returns the text of a line without its line end. */
  readonly lineAt: (line: number) => string;
}

/** Next location at which an edit can be repeated: a range of a line and the text that replaces the range. */
export interface NextLocation extends InsertionTarget {
  /** Line number, 0-based. */
  readonly line: number;
}

/**
 * Maximum size of a document that is searched. Larger documents are not searched. `characters`: total length in UTF-16
 * code units.
 */
export const searchLimits = { lines: 50_000, characters: 2_000_000 } as const;

/**
 * Finds the next location after the edit where the edit can be repeated. At the end of the document, continues at its
 * start. Yields after each slice of work, so that the caller can pause or stop.
 * - Rename of an identifier in code: one edit is sufficient, unless the document already contains the new name.
 * - Other edit: returns a location only after the user made the edit twice.
 * - Every edit: the location has the same lexical context as the edit, for example a comment.
 */
export function* findNextLocation(
  edit: LastEdit,
  document: DocumentLines,
): Generator<undefined, NextLocation | undefined> {
  const { pattern } = edit;
  const newName = getNewName(pattern);
  const isFirstUse = edit.useCount < 2;
  if (isFirstUse && getLanguage(document.languageId).scopeSyntax === 'paragraphs') return undefined;
  if (document.lineCount > searchLimits.lines || (isFirstUse && newName === undefined))
    return undefined;
  const candidates: NextLocation[] = [];
  const slice = new WorkSlice();
  let length = 0;
  for (let line = 0; line < document.lineCount; line++) {
    const text = document.lineAt(line);
    if (slice.addSearchedLength(charactersPerLine + text.length)) yield;
    length += text.length;
    if (length > searchLimits.characters) return undefined;
    if (isFirstUse && newName !== undefined && line !== edit.line && containsWord(text, newName))
      return undefined;
    if (text.length > patternLimits.line || edit.isRejected(line)) continue;
    for (const target of findTargets(pattern, text)) candidates.push({ ...target, line });
  }
  return candidates.length === 0
    ? undefined
    : yield* findCandidateInContext(candidates, edit, { document, slice });
}

const charactersPerSlice = 50_000;
/** Number of characters that are added to the length of each line to measure the work of searching the line. */
const charactersPerLine = 100;

/** Measures the work since the last yield, in characters. */
class WorkSlice {
  #length = 0;

  /** Counts `length` searched characters. If the current slice is full, returns true and starts the next slice. */
  addSearchedLength(length: number): boolean {
    this.#length += length;
    const isFull = this.#length >= charactersPerSlice;
    if (isFull) this.#length = 0;
    return isFull;
  }
}

/** Returns the new identifier if the pattern replaces an identifier; otherwise undefined. */
function getNewName(pattern: EditPattern): string | undefined {
  if (pattern.kind !== 'text' || pattern.leftContext !== '' || pattern.rightContext !== '')
    return undefined;
  return isIdentifier(pattern.oldText) && isIdentifier(pattern.newText)
    ? pattern.newText
    : undefined;
}

const isIdentifier = (text: string): boolean =>
  text !== '' && !/^\d/u.test(text) && findWordEnd(text, 0) === text.length;

/**
 * Returns the next candidate after the edit that has the same lexical context as the edit. After the end of the
 * document, continues at its start. Returns undefined if no candidate has this context.
 */
function* findCandidateInContext(
  candidates: readonly NextLocation[],
  edit: LastEdit,
  search: LocationSearch,
): Generator<undefined, NextLocation | undefined> {
  const contexts = yield* readContexts([edit, ...candidates.map(toStartPosition)], search);
  const editContext = contexts.get(toPositionKey(edit));
  if (edit.useCount < 2 && editContext?.startsWith('code') !== true) return undefined;
  const matches = candidates.filter(
    (candidate) => contexts.get(toPositionKey(toStartPosition(candidate))) === editContext,
  );
  return (
    matches.find((candidate) => isPositionAfter(toStartPosition(candidate), edit)) ?? matches[0]
  );
}

interface LocationSearch {
  readonly document: DocumentLines;
  readonly slice: WorkSlice;
}

interface LinePosition {
  readonly line: number;
  readonly character: number;
}

const toStartPosition = ({ line, start }: NextLocation): LinePosition => ({
  line,
  character: start,
});
const toPositionKey = ({ line, character }: LinePosition): string => `${line}:${character}`;
const isPositionAfter = (position: LinePosition, otherPosition: LinePosition): boolean =>
  position.line === otherPosition.line
    ? position.character > otherPosition.character
    : position.line > otherPosition.line;

/**
 * Reads the lexical context of each position: the kind of text and the qualifier of the name. Scans the document from
 * its start.
 */
function* readContexts(
  positions: readonly LinePosition[],
  { document, slice }: LocationSearch,
): Generator<undefined, ReadonlyMap<string, string>> {
  const pendingPositions = positions.toSorted((first, second) =>
    isPositionAfter(first, second) ? 1 : -1,
  );
  const scanner = new CodeScanner(getLanguage(document.languageId));
  const contexts = new Map<string, string>();
  let nextIndex = 0;
  for (let line = 0; line < document.lineCount && nextIndex < pendingPositions.length; line++) {
    const text = document.lineAt(line);
    if (slice.addSearchedLength(charactersPerLine)) yield;
    for (let index = 0; index <= text.length; index++) {
      if (slice.addSearchedLength(1)) yield;
      for (
        ;
        pendingPositions[nextIndex]?.line === line &&
        pendingPositions[nextIndex]?.character === index;
        nextIndex++
      ) {
        const kind = getContextKind(scanner.state, text.slice(0, index), document.languageId);
        contexts.set(`${line}:${index}`, `${kind} ${readQualifier(text, index)}`);
      }
      scanner.push(text[index] ?? '\n');
    }
    while (pendingPositions[nextIndex]?.line === line) nextIndex++;
  }
  return contexts;
}

/**
 * Returns the kind of text at a position: `code`, `comment` or `string`. An expression inside a string, such as
 * `${total}`, is `code`.
 */
function getContextKind(state: ScanState, textBefore: string, languageId: string): string {
  if (state === 'code') return 'code';
  if (state !== 'string') return 'comment';
  const interpolationPattern = languageId === 'python' ? /\{[^{}]*$/u : /[$#]\{[^{}]*$/u;
  return interpolationPattern.test(textBefore) ? 'code' : 'string';
}

/**
 * Returns the operator that connects a name to the text before it, such as the dot in `a.b`. Empty for a plain name.
 */
const readQualifier = (text: string, index: number): string =>
  /(?<!\.\.)(?:\.|->|::|[#@])$/u.exec(text.slice(Math.max(0, index - 4), index))?.[0] ?? '';
