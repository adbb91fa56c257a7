import { chooseCompletionScope } from '../answer/scope.ts';
import {
  closingBrackets,
  CodeScanner,
  countColumns,
  findCursorContext,
  getIndentation,
  maxScannedLength,
  getTabWidth,
  getLinePrefix,
  getLineSuffix,
} from '../language/cursor-context.ts';
import { type Language, getLanguageAtCursor, TagScanner } from '../language/language.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * Removes closing brackets from the end of the text if the lines below the cursor already contain these brackets.
 * `fitToLine` handles closing brackets on the cursor's line.
 */
export function balanceBrackets(text: string, snapshot: Snapshot): string {
  const language = getLanguageAtCursor(snapshot);
  if (language.scopeSyntax === 'paragraphs' || language.scopeSyntax === 'tags') return text;
  // Brackets before the snapshot are unknown, so the text cannot be balanced.
  if (snapshot.prefix.length > maxScannedLength) return text;
  const { openBrackets, scanner } = findCursorContext(snapshot, language);
  const closerCountBelow = countClosersBelow(snapshot, language);
  if (scanner.state !== 'code' || closerCountBelow === 0) return text;
  // Each closing bracket below the cursor belongs to one of the open brackets.
  const allowedCloserCount = Math.max(0, openBrackets.length - closerCountBelow);
  const closerOffsets = findUnmatchedCloserOffsets(text, language);
  const firstSurplusOffset = closerOffsets[allowedCloserCount];
  if (firstSurplusOffset === undefined || firstSurplusOffset < findContentEnd(text)) return text;
  return text.slice(0, firstSurplusOffset).trimEnd();
}

function countClosersBelow(snapshot: Snapshot, language: Language): number {
  const lineLength = getLineSuffix(snapshot).length;
  return findUnmatchedCloserOffsets(snapshot.suffix, language).filter((index) => index > lineLength)
    .length;
}

/** Returns the offsets of the closing brackets whose opening bracket is not in the text. */
export function findUnmatchedCloserOffsets(text: string, language: Language): number[] {
  const scanner = new CodeScanner(language);
  const offsets: number[] = [];
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (!scanner.push(character)) continue;
    if (!')]}'.includes(character)) depth += 1;
    else if (depth > 0) depth -= 1;
    else offsets.push(index);
  }
  return offsets;
}

/** Returns the end offset of the text without trailing closing brackets, white space, semicolons and commas. */
const findContentEnd = (text: string): number => {
  let end = text.length;
  while (end > 0 && /[)\]}\s;,]/u.test(text[end - 1] ?? '')) end -= 1;
  return end;
};

/**
 * Appends the text after the cursor, such as an auto-closed `}`, to a completion of several lines that fills a block.
 * The appended text is on a separate line, so that `fitToLine` keeps it below the block. Returns other texts unchanged.
 */
export function closeBlock(text: string, snapshot: Snapshot): string {
  const suffix = getLineSuffix(snapshot).trim();
  if (suffix === '' || !text.includes('\n') || chooseCompletionScope(snapshot) === 'line')
    return text;
  if (findUnmatchedCloserOffsets(text, getLanguageAtCursor(snapshot)).length > 0) return text;
  return `${text}\n${getIndentation(getLinePrefix(snapshot))}${suffix}`;
}

/**
 * Returns the offsets at which to split a text into suggestions, in ascending order. Each suggestion ends with the
 * block that its first line opens. Empty if the first line opens no block.
 *
 * When the user starts a line in the block, VS Code moves an auto-closed bracket or tag to the line below. A suggestion
 * can replace text only on the cursor's line, so the text after the block must be a separate suggestion.
 */
export function findBlockEnds(text: string, snapshot: Snapshot): number[] {
  if (!text.includes('\n')) return [];
  const language = getLanguageAtCursor(snapshot);
  const { scanner } = findCursorContext(snapshot, language);
  const tags = language.hasElements ? new TagScanner(language.scopeSyntax !== 'tags') : undefined;
  const blockEnds: number[] = [];
  let depth = 0;
  let [isFirstLine, opensBlock] = [true, false];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    tags?.push(character);
    if (scanner.push(character))
      depth = Math.max(0, depth + (closingBrackets.includes(character) ? -1 : 1));
    if (character !== '\n' || index === 0) continue;
    const isOpen = depth > 0 || (tags?.openTags.length ?? 0) > 0;
    opensBlock ||= isFirstLine && isOpen;
    isFirstLine = opensBlock && !isOpen;
    if (!isFirstLine) continue;
    blockEnds.push(index);
    opensBlock = false;
  }
  return blockEnds;
}

/**
 * Indents a text without indentation by the nesting of its brackets. Returns undefined if the language uses indentation
 * for blocks, or if the missing indentation may be intended.
 */
export function indentByBrackets(
  text: string,
  snapshot: Snapshot,
  language: Language,
): string | undefined {
  const [firstLine = '', ...linesBelow] = text.split('\n');
  if (language.scopeSyntax !== 'braces' || !linesBelow.every(isBlankOrUnindented)) return undefined;
  const cursorLine = getLinePrefix(snapshot);
  const levels = computeIndentationLevels([cursorLine + firstLine, ...linesBelow], language);
  if (levels === undefined) return undefined;
  // Code directly inside a namespace is often not indented.
  if (getIndentation(cursorLine) === '' && !levels.some((level) => level > 1)) return undefined;
  const indent = (line: string, index: number): string =>
    line === ''
      ? ''
      : getIndentation(cursorLine) + snapshot.indentUnit.repeat(levels[index] ?? 0) + line;
  return [firstLine, ...linesBelow.map((line, index) => indent(line, index + 1))].join('\n');
}

/** Checks whether a line is blank or unindented. Excludes preprocessor directives, which always start at column 0. */
const isBlankOrUnindented = (line: string): boolean => line === '' || /^[^\s#]/u.test(line);

/**
 * Returns the indentation level of each line relative to the first line; undefined if a line is less indented than the
 * first line.
 */
function computeIndentationLevels(
  lines: readonly string[],
  language: Language,
): number[] | undefined {
  const scanner = new CodeScanner(language);
  /** Indentation level of the line that contains each open bracket, outermost bracket first. */
  const openLevels: number[] = [];
  const levels: number[] = [];
  for (const line of lines) {
    const closerCount = levels.length === 0 ? 0 : countLeadingClosers(line);
    if (closerCount > openLevels.length) return undefined;
    const level =
      closerCount > 0 ? (openLevels.at(-closerCount) ?? 0) : (openLevels.at(-1) ?? -1) + 1;
    levels.push(level);
    for (const character of `${line}\n`) {
      if (!scanner.push(character)) continue;
      if (closingBrackets.includes(character)) openLevels.pop();
      else openLevels.push(level);
    }
  }
  return levels;
}

const countLeadingClosers = (line: string): number => /^[)\]}]*/u.exec(line)?.[0].length ?? 0;

/**
 * Repairs indentation that is consistently wrong: a different indentation unit, tabs instead of spaces, an offset, or
 * no indentation. Leaves other indentation, and texts that may contain multi-line strings, unchanged.
 */
export function repairIndentation(text: string, snapshot: Snapshot): string {
  const language = getLanguageAtCursor(snapshot);
  if (!text.includes('\n') || !language.hasBodyOnNextLine || /`|"""|'''/u.test(text)) return text;
  if (snapshot.languageId === 'makefile') return text;
  const [firstLine = '', ...linesBelow] = text.split('\n');
  const lines = linesBelow.filter((line) => line.trim() !== '');
  if (lines.length === 0) return text;
  const reindentedText = indentByBrackets(text, snapshot, language);
  if (reindentedText !== undefined) return reindentedText;
  const style = detectIndentationStyle({ firstLine, lines }, snapshot, language);
  if (style === undefined) return text;
  const reindentedLines = linesBelow.map((line) =>
    line.trim() === '' ? line : reindentLine(line, style, snapshot),
  );
  return [firstLine, ...reindentedLines].join('\n');
}

/** Indentation of the answer's lines, measured in columns. */
interface IndentationStyle {
  readonly tabWidth: number;
  /** Indentation in the answer that corresponds to the indentation of the cursor's line. */
  readonly baseWidth: number;
  readonly stepWidth: number;
}

interface AnswerLines {
  readonly firstLine: string;
  readonly lines: readonly string[];
}

/** Detects the indentation style of the answer; `undefined` if the style is unclear or matches the document. */
function detectIndentationStyle(
  { firstLine, lines }: AnswerLines,
  snapshot: Snapshot,
  language: Language,
): IndentationStyle | undefined {
  const tabWidth = getTabWidth(snapshot.indentUnit);
  const measureIndent = (line: string): number => countColumns(getIndentation(line), tabWidth);
  const cursorIndent = measureIndent(getLinePrefix(snapshot));
  const indentStep = detectIndentationStep(lines, language, measureIndent) ?? tabWidth;
  if (indentStep !== tabWidth && matchesDocumentStep(indentStep, snapshot, measureIndent))
    return undefined;
  const nextIndent = measureIndent(lines[0] ?? '');
  const openingLine = firstLine.trim() === '' ? getLinePrefix(snapshot) : firstLine;
  const candidateIndent = language.blockOpeningPattern.test(openingLine.trimEnd())
    ? nextIndent - indentStep
    : isStatement(firstLine, snapshot, language)
      ? Math.max(cursorIndent, nextIndent)
      : cursorIndent;
  // Accept a base deeper than the cursor only if a line of the answer has exactly this indentation.
  const baseIndent =
    candidateIndent < cursorIndent || lines.some((line) => measureIndent(line) === candidateIndent)
      ? candidateIndent
      : cursorIndent;
  if (baseIndent < 0 && lines.some((line) => measureIndent(line) === 0 && beginsWithCloser(line)))
    return undefined;
  const differsFromEditor =
    baseIndent !== cursorIndent ||
    indentStep !== tabWidth ||
    hasWrongIndentationCharacter(lines, snapshot.indentUnit);
  return differsFromEditor &&
    lines.every(
      (line) =>
        measureIndent(line) >= baseIndent && (measureIndent(line) - baseIndent) % indentStep === 0,
    )
    ? { tabWidth, baseWidth: baseIndent, stepWidth: indentStep }
    : undefined;
}

/**
 * Checks whether the first line is a complete statement, after which the second line must not be indented more deeply.
 */
function isStatement(line: string, snapshot: Snapshot, language: Language): boolean {
  if (/^\s|^$/u.test(line) || getLinePrefix(snapshot).trim() !== '') return false;
  if (language.scopeSyntax === 'braces') return line.trimEnd().endsWith(';');
  if (language.scopeSyntax !== 'indentation' || /[\\,#]/u.test(line)) return false;
  const { openBrackets } = findCursorContext(
    { ...snapshot, prefix: snapshot.prefix + line },
    language,
  );
  return openBrackets.length === 0;
}

/**
 * Checks whether the indentation of every indented line near the cursor is a multiple of `step` columns, regardless of
 * the editor setting. Returns false if no line near the cursor is indented.
 */
function matchesDocumentStep(
  step: number,
  { prefix, suffix }: Snapshot,
  measureIndent: (line: string) => number,
): boolean {
  const nearbyLines = `${prefix.slice(-4_000)}\n${suffix}`.split('\n').slice(1);
  const indents = nearbyLines.map(measureIndent).filter((indent) => indent > 0);
  return indents.length > 0 && indents.every((indent) => indent % step === 0);
}

const beginsWithCloser = (line: string): boolean => /^\s*[)\]}]/u.test(line);

/**
 * Returns the number of columns by which lines are indented after a line that opens a block; undefined if the numbers
 * differ or no line opens a block.
 */
function detectIndentationStep(
  lines: readonly string[],
  language: Language,
  measureIndent: (line: string) => number,
): number | undefined {
  const steps = lines.flatMap((line, index) => {
    const nextLine = lines[index + 1];
    return nextLine !== undefined && language.blockOpeningPattern.test(line.trimEnd())
      ? [measureIndent(nextLine) - measureIndent(line)]
      : [];
  });
  const [firstStep] = steps.filter((step) => step > 0);
  return steps.every((step) => step === firstStep || step === 0) ? firstStep : undefined;
}

/**
 * Checks whether all indented lines use tabs although `indentUnit` consists of spaces, or the reverse. Returns false if
 * no line is indented.
 */
function hasWrongIndentationCharacter(lines: readonly string[], indentUnit: string): boolean {
  const wrongCharacter = indentUnit.startsWith('\t') ? ' ' : '\t';
  const indentations = lines.map(getIndentation).filter((indentation) => indentation !== '');
  return (
    indentations.length > 0 &&
    indentations.every((indentation) => indentation.replaceAll(wrongCharacter, '') === '')
  );
}

function reindentLine(
  line: string,
  { tabWidth, baseWidth, stepWidth }: IndentationStyle,
  snapshot: Snapshot,
): string {
  const indentation = getIndentation(line);
  const level = (countColumns(indentation, tabWidth) - baseWidth) / stepWidth;
  return (
    getIndentation(getLinePrefix(snapshot)) +
    snapshot.indentUnit.repeat(level) +
    line.slice(indentation.length)
  );
}
