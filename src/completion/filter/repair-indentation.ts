import { cursorContext } from '../language/cursor-context.ts';
import { columnsOf, indentationOf, tabColumns } from '../language/indentation.ts';
import { languageAt } from '../language/language-at.ts';
import type { Language } from '../language/language.ts';
import { linePrefix, type Snapshot } from '../snapshot.ts';
import { indentByBrackets } from './indent-by-brackets.ts';

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
