import { completionScope } from '../answer/scope.ts';
import {
  closers,
  CodeScanner,
  columnsOf,
  cursorContext,
  indentationOf,
  lookBack,
  tabColumns,
} from '../language/cursor-context.ts';
import { type Language, languageAt } from '../language/language.ts';
import { linePrefix, lineSuffix, type Snapshot } from '../snapshot.ts';

/**
 * Without the closing brackets at its end that nothing is open for: those that stand on the lines below the cursor
 * already. What stands behind the cursor on its line is left to the fit with the line.
 */
export function balanceBrackets(text: string, snapshot: Snapshot): string {
  const language = languageAt(snapshot);
  if (language.scopes === 'paragraphs' || language.scopes === 'tags') return text;
  // What was opened further up is not known, and neither is what closes it.
  if (snapshot.prefix.length > lookBack) return text;
  const { open, scanner } = cursorContext(snapshot, language);
  const below = closersBelow(snapshot, language);
  if (scanner.state !== 'code' || below === 0) return text;
  // Each closer below the cursor needs one of the brackets that are open there.
  const mayClose = Math.max(0, open.length - below);
  const places = findUnmatchedClosers(text, language);
  const surplus = places[mayClose];
  if (surplus === undefined || surplus < endOfContent(text)) return text;
  return text.slice(0, surplus).trimEnd();
}

function closersBelow(snapshot: Snapshot, language: Language): number {
  const line = lineSuffix(snapshot).length;
  return findUnmatchedClosers(snapshot.suffix, language).filter((at) => at > line).length;
}

/** Where the closing brackets stand that are not opened in the text itself. */
export function findUnmatchedClosers(text: string, language: Language): number[] {
  const scanner = new CodeScanner(language);
  const places: number[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (!scanner.push(character)) continue;
    if (!')]}'.includes(character)) depth += 1;
    else if (depth > 0) depth -= 1;
    else places.push(at);
  }
  return places;
}

/** Behind it are only closing brackets, white space and ends of statements. */
const endOfContent = (text: string): number => {
  let end = text.length;
  while (end > 0 && /[)\]}\s;,]/u.test(text[end - 1] ?? '')) end -= 1;
  return end;
};

/**
 * With what stands behind the cursor on a line of its own at the end, when the text fills a block between brackets that
 * the editor closed on the cursor's line. The fit with the line takes it out again, and the brackets land below the block.
 */
export function closeBlock(text: string, snapshot: Snapshot): string {
  const behind = lineSuffix(snapshot).trim();
  if (behind === '' || !text.includes('\n') || completionScope(snapshot) === 'line') return text;
  if (findUnmatchedClosers(text, languageAt(snapshot)).length > 0) return text;
  return `${text}\n${indentationOf(linePrefix(snapshot))}${behind}`;
}

/**
 * The text indented as its brackets nest, when it came without any indentation in a language that needs none. Undefined
 * when it may have been meant like that.
 */
export function indentByBrackets(
  text: string,
  snapshot: Snapshot,
  language: Language,
): string | undefined {
  const [first = '', ...below] = text.split('\n');
  if (language.scopes !== 'braces' || !below.every(isFlat)) return undefined;
  const own = linePrefix(snapshot);
  const levels = levelsOf([own + first, ...below], language);
  if (levels === undefined) return undefined;
  // What stands directly in a namespace often is not indented.
  if (indentationOf(own) === '' && !levels.some((level) => level > 1)) return undefined;
  const indent = (line: string, index: number): string =>
    line === '' ? '' : indentationOf(own) + snapshot.indentUnit.repeat(levels[index] ?? 0) + line;
  return [first, ...below.map((line, index) => indent(line, index + 1))].join('\n');
}

/** Directives of a preprocessor stand at the margin. */
const isFlat = (line: string): boolean => line === '' || /^[^\s#]/u.test(line);

/** How many steps deeper than the first each line is; undefined when one is less deep. */
function levelsOf(lines: readonly string[], language: Language): number[] | undefined {
  const scanner = new CodeScanner(language);
  /** Of the lines that opened what is open. */
  const opened: number[] = [];
  const levels: number[] = [];
  for (const line of lines) {
    const closing = levels.length === 0 ? 0 : leadingClosers(line);
    if (closing > opened.length) return undefined;
    const level = closing > 0 ? (opened.at(-closing) ?? 0) : (opened.at(-1) ?? -1) + 1;
    levels.push(level);
    for (const character of `${line}\n`) {
      if (!scanner.push(character)) continue;
      if (closers.includes(character)) opened.pop();
      else opened.push(level);
    }
  }
  return levels;
}

const leadingClosers = (line: string): number => /^[)\]}]*/u.exec(line)?.[0].length ?? 0;

/**
 * The text with the document's indentation, when all of it is wrong in the same way: another step, tabs for spaces, begun
 * at another margin, or none. What is only unusual stays, as does every text in which strings may go over lines.
 */
export function repairIndentation(text: string, snapshot: Snapshot): string {
  const language = languageAt(snapshot);
  if (!text.includes('\n') || !language.breaksAfterOpening || /`|"""|'''/u.test(text)) return text;
  if (snapshot.languageId === 'makefile') return text;
  const [first = '', ...below] = text.split('\n');
  const lines = below.filter((line) => line.trim() !== '');
  if (lines.length === 0) return text;
  const nested = indentByBrackets(text, snapshot, language);
  if (nested !== undefined) return nested;
  const style = styleOf({ first, lines }, snapshot, language);
  if (style === undefined) return text;
  const moved = below.map((line) => (line.trim() === '' ? line : indented(line, style, snapshot)));
  return [first, ...moved].join('\n');
}

/** How a model indented, in columns. */
interface Style {
  readonly tab: number;
  /** Of the line that the cursor's line stands for. */
  readonly margin: number;
  readonly step: number;
}

interface Rows {
  readonly first: string;
  readonly lines: readonly string[];
}

/** `undefined` when it is the document's, or none that can be told. */
function styleOf(
  { first, lines }: Rows,
  snapshot: Snapshot,
  language: Language,
): Style | undefined {
  const tab = tabColumns(snapshot.indentUnit);
  const columns = (line: string): number => columnsOf(indentationOf(line), tab);
  const own = columns(linePrefix(snapshot));
  const step = stepOf(lines, language, columns) ?? tab;
  if (step !== tab && isOwnStep(step, snapshot, columns)) return undefined;
  const next = columns(lines[0] ?? '');
  const opener = first.trim() === '' ? linePrefix(snapshot) : first;
  const begun = language.opens.test(opener.trimEnd())
    ? next - step
    : isStatement(first, snapshot, language)
      ? Math.max(own, next)
      : own;
  // Deeper than it should be is only what begins or ends there.
  const margin = begun < own || lines.some((line) => columns(line) === begun) ? begun : own;
  if (margin < 0 && lines.some((line) => columns(line) === 0 && isCloser(line))) return undefined;
  const isWrong = margin !== own || step !== tab || hasWrongMarks(lines, snapshot.indentUnit);
  return isWrong &&
    lines.every((line) => columns(line) >= margin && (columns(line) - margin) % step === 0)
    ? { tab, margin, step }
    : undefined;
}

/** Whether the line is a whole one, so that the next is not deeper. */
function isStatement(line: string, snapshot: Snapshot, language: Language): boolean {
  if (/^\s|^$/u.test(line) || linePrefix(snapshot).trim() !== '') return false;
  if (language.scopes === 'braces') return line.trimEnd().endsWith(';');
  if (language.scopes !== 'indentation' || /[\\,#]/u.test(line)) return false;
  const { open } = cursorContext({ ...snapshot, prefix: snapshot.prefix + line }, language);
  return open.length === 0;
}

/** Whether the document has indented lines and all of them keep to this step, whatever the editor's setting says. */
function isOwnStep(
  step: number,
  { prefix, suffix }: Snapshot,
  columns: (line: string) => number,
): boolean {
  const around = `${prefix.slice(-4_000)}\n${suffix}`.split('\n').slice(1);
  const indents = around.map(columns).filter((each) => each > 0);
  return indents.length > 0 && indents.every((each) => each % step === 0);
}

const isCloser = (line: string): boolean => /^\s*[)\]}]/u.test(line);

/** The one step behind all lines that open a block. */
function stepOf(
  lines: readonly string[],
  language: Language,
  columns: (line: string) => number,
): number | undefined {
  const steps = lines.flatMap((line, index) => {
    const next = lines[index + 1];
    return next !== undefined && language.opens.test(line.trimEnd())
      ? [columns(next) - columns(line)]
      : [];
  });
  const [step] = steps.filter((each) => each > 0);
  return steps.every((each) => each === step || each === 0) ? step : undefined;
}

/** All indented lines have tabs where the document has spaces, or the other way round. */
function hasWrongMarks(lines: readonly string[], unit: string): boolean {
  const wrong = unit.startsWith('\t') ? ' ' : '\t';
  const spaces = lines.map(indentationOf).filter((space) => space !== '');
  return spaces.length > 0 && spaces.every((space) => space.replaceAll(wrong, '') === '');
}

function indented(line: string, { tab, margin, step }: Style, snapshot: Snapshot): string {
  const space = indentationOf(line);
  const levels = (columnsOf(space, tab) - margin) / step;
  return (
    indentationOf(linePrefix(snapshot)) +
    snapshot.indentUnit.repeat(levels) +
    line.slice(space.length)
  );
}
