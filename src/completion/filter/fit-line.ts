import type { CachedCompletion, Completion } from '../completion-cache.ts';
import type { Suggestion } from '../ports.ts';

export interface FittedText {
  /** Text to insert. Never empty. */
  readonly text: string;
  /** Number of characters to replace directly after the cursor, all on the cursor's line. */
  readonly replaceLength: number;
}

/**
 * Fits completions to the text after the cursor on the same line. Omits completions that do not fit, and duplicate
 * suggestions.
 * @param visibleId id of the completion that VS Code shows. The suggestion of this completion comes first.
 */
export function fitCompletions(
  completions: readonly CachedCompletion[],
  { lineSuffix, visibleId }: { lineSuffix: string; visibleId: number | undefined },
): readonly Suggestion[] {
  const suggestions: Suggestion[] = [];
  for (const { completion, remainingText, autoClosedText } of completions) {
    const nextText = cutAtNextEnd(completion, remainingText);
    const fittedText =
      (autoClosedText === '' ? undefined : fitToAutoClosed(nextText, autoClosedText)) ??
      fitToLine(nextText, lineSuffix);
    if (fittedText === undefined || suggestions.some(({ text }) => text === fittedText.text))
      continue;
    const suggestion = { id: completion.id, ...fittedText };
    if (completion.id === visibleId) suggestions.unshift(suggestion);
    else suggestions.push(suggestion);
  }
  return suggestions;
}

/**
 * Returns the remaining text up to the next offset at which a suggestion may end; the whole remaining text if there is
 * no such offset.
 */
function cutAtNextEnd({ text, suggestionEnds = [] }: Completion, remainingText: string): string {
  const start = text.length - remainingText.length;
  return text.slice(
    start,
    suggestionEnds.find((end) => end > start),
  );
}

/**
 * Fits a suggestion to the text after the cursor on the same line. VS Code shows a suggestion only if the suggestion
 * contains the replaced characters in the same order. Returns undefined if the suggestion cannot fit. Takes linear
 * time, a few microseconds.
 */
export function fitToLine(text: string, lineSuffix: string): FittedText | undefined {
  const suffix = lineSuffix.trimEnd();
  if (text === '') return undefined;
  if (suffix === '') return { text, replaceLength: 0 };
  const fittedText = closersOnlyPattern.test(suffix)
    ? fitClosers(text, suffix)
    : fitCode(text, suffix);
  if (fittedText !== undefined) return fittedText.text === '' ? undefined : fittedText;
  const end = text.indexOf('\n');
  return end > 0 ? fitToLine(text.slice(0, end), suffix) : undefined;
}

/** Matches a text of closing brackets, quotes, commas and semicolons, which an editor may insert automatically. */
const closersOnlyPattern = /^[)\]}>"'`;, ]{1,40}$/u;

function fitClosers(text: string, suffix: string): FittedText | undefined {
  const firstCloserIndex = findFirstCloserOffset(text);
  const tailStart = text.length - suffix.length;
  const closerIndex = suffix.search(/[)\]}"'`]/u);
  if (
    text.endsWith(suffix) &&
    (closerIndex < 0 || (firstCloserIndex >= 0 && firstCloserIndex <= tailStart + closerIndex))
  )
    return { text: text.slice(0, tailStart), replaceLength: 0 };
  const end = findLineEnd(text);
  // A closing bracket without an opening bracket in the text must be the closing bracket after the cursor.
  const coveredLength =
    firstCloserIndex < 0 || firstCloserIndex >= end
      ? 0
      : countCoveredCharacters(text.slice(firstCloserIndex, end), suffix);
  if (coveredLength > 0) return { text, replaceLength: coveredLength };
  if (end === text.length) return { text, replaceLength: 0 };
  return fitBeforeClosingLine(text, suffix);
}

/**
 * Fits a text whose last line repeats the closing brackets after the cursor, such as `});` if the document contains
 * `})`. Removes the text of this last line, but keeps its indentation. Returns undefined for other texts.
 */
function fitBeforeClosingLine(text: string, suffix: string): FittedText | undefined {
  const lastLineStart = text.lastIndexOf('\n') + 1;
  const line = text.slice(lastLineStart);
  const content = line.trimStart();
  if (!content.startsWith(suffix) || !/^[;,]*$/u.test(content.slice(suffix.length)))
    return undefined;
  return { text: text.slice(0, text.length - content.length), replaceLength: 0 };
}

function fitCode(text: string, suffix: string): FittedText | undefined {
  if (text.endsWith(suffix)) return { text: text.slice(0, -suffix.length), replaceLength: 0 };
  const end = findLineEnd(text);
  if (end === text.length) {
    const coversSuffix = suffix.length > 1 && text.includes(suffix);
    return { text, replaceLength: coversSuffix ? suffix.length : 0 };
  }
  return text.slice(0, end).endsWith(suffix) ? { text, replaceLength: suffix.length } : undefined;
}

/** Returns the number of leading characters of `suffix` that `text` contains in the same order. */
function countCoveredCharacters(text: string, suffix: string): number {
  let coveredLength = 0;
  for (let index = 0; index < text.length && coveredLength < suffix.length; index += 1)
    if (text[index] === suffix[coveredLength]) coveredLength += 1;
  return coveredLength;
}

/**
 * Returns the offset of the first bracket, quote or semicolon in `text` that closes a bracket, string or statement that
 * began before `text`; -1 if none exists.
 */
function findFirstCloserOffset(text: string): number {
  let [depth, quoteCode, quoteOffset] = [0, 0, -1];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (quoteCode !== 0) {
      if (code === quoteCode) quoteCode = 0;
    } else if (code === 0x22 || code === 0x27 || code === 0x60)
      [quoteCode, quoteOffset] = [code, index];
    else if (code === 0x28 || code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x29 || code === 0x5d || code === 0x7d) {
      if (depth === 0) return index;
      depth -= 1;
    } else if (code === 0x3b && depth === 0) return index;
  }
  return quoteCode === 0 ? -1 : quoteOffset;
}

function findLineEnd(text: string): number {
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end;
}

/**
 * Fits a suggestion to text that VS Code inserted automatically while the user typed the suggestion. Returns undefined
 * if the suggestion does not contain the inserted text.
 */
export function fitToAutoClosed(text: string, autoClosedText: string): FittedText | undefined {
  const lineEnd = findLineEnd(autoClosedText);
  const [textOnLine, textBelow] = [autoClosedText.slice(0, lineEnd), autoClosedText.slice(lineEnd)];
  // VS Code can only replace text on the cursor's line, so the suggestion ends before inserted text on the next line.
  const end = textBelow === '' ? text.length : text.indexOf(textBelow);
  const fittedText = text.slice(0, Math.max(0, end));
  return fittedText !== '' && containsInOrder(fittedText, textOnLine)
    ? { text: fittedText, replaceLength: textOnLine.length }
    : undefined;
}

function containsInOrder(text: string, characters: string): boolean {
  let index = 0;
  for (const character of characters) {
    index = text.indexOf(character, index) + 1;
    if (index === 0) return false;
  }
  return true;
}
