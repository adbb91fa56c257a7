import { getFileName, memoize, type NewLines, toOriginalWords } from './answer-marks.ts';
import { toWords } from '../../base/model-answer.ts';

const stringSource =
  '(?:"{3}(?:(?!"{3})[^])*"{3}|\'{3}(?:(?!\'{3})[^])*\'{3}|"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`)';

const argumentSource = `(?:[a-z_]\\w*\\s*[=:]\\s*)?(?:${stringSource}|[\\w.]+)`;

/** Matches a text that is a single function call with a string as its first argument. */
const stringCallPattern = new RegExp(
  `^(?:print\\()?[a-z_$][\\w$.]*\\(\\s*(?:[a-z_]\\w*\\s*[=:]\\s*)?${stringSource}(?:\\s*,\\s*${argumentSource})*\\s*(?:,\\s*)?\\)\\)?;?$`,
  'iu',
);

/** Matches the start of a tool call that changes a file, such as `edit_file(`. */
const toolCallStartPattern =
  /^(?:print\(default_api\.|(?:replace_selection|str_replace_editor|edit_file|insert_edit_into_file|applyEdit|write_to_file)\()/u;

/**
 * Checks whether the replacement lines are a single tool call, or a single function call whose string argument has
 * several lines and contains most words of the original.
 */
export function isCall({ text, originalLines }: NewLines): boolean {
  const call = text.trim();
  if (!/\)\)?;?$/u.test(call)) return false;
  if (toolCallStartPattern.test(call)) return true;
  if (!/\\n|\n/u.test(call) || !stringCallPattern.test(call)) return false;
  return sharesWords(originalLines, call);
}

/** Checks whether the answer is a program that would write the document, instead of text for the document. */
export function writesDocument({
  text,
  document: { path = '', instruction = '' },
}: NewLines): boolean {
  const name = getFileName(path);
  return (
    name !== '' &&
    /\b(?:write_text|write_bytes|writeFile|writeFileSync|WriteAllText|open)\(/u.test(text) &&
    text.toLowerCase().includes(name) &&
    !instruction.toLowerCase().includes(name)
  );
}

/** Checks whether the first line is the path of the document, with or without a note in parentheses. */
export function beginsWithOwnPath({
  nonBlankLines: [firstLine = '', secondLine],
  originalText,
  document,
}: NewLines): boolean {
  const { path = '', before } = document;
  const line = firstLine.trim().replace(/ \([^()]*\)$/u, '');
  return (
    path !== '' &&
    secondLine !== undefined &&
    !/^#|\s/u.test(line) &&
    line.endsWith(path) &&
    !`${before.join('\n')}${originalText}`.includes(path)
  );
}

/** Checks whether a text contains most words of the original lines. */
export function sharesWords(originalLines: readonly string[], text: string): boolean {
  const originalWords = toOriginalWords(originalLines);
  return (
    [...toWords(text)].filter((word) => originalWords.has(word)).length * 2 > originalWords.size
  );
}

/**
 * Checks whether every line is a string literal followed by a comma or a plus sign, and the strings contain line breaks
 * or code.
 */
export function isStringList({ nonBlankLines, text, isTextDocument }: NewLines): boolean {
  const isList = nonBlankLines.every((line, index) =>
    (index === nonBlankLines.length - 1
      ? /^"(?:[^"\\]|\\.)*",?$/u
      : /^"(?:[^"\\]|\\.)*"(?:,| \+)$/u
    ).test(line),
  );
  return (
    isList &&
    (/\\n"/u.test(text) ||
      (isTextDocument ? text.endsWith(',') : /^"\s|[;{}>:=)]",?$/mu.test(text)))
  );
}

/**
 * Checks whether the answer is JSON in a document of another language, or contains a line of the original with JSON
 * escapes.
 */
export function isForeignJson({ text, originalLines, document: { language } }: NewLines): boolean {
  if (language.startsWith('json'))
    return (
      text.includes('\\') &&
      listEscapedLines(originalLines)
        .slice(0, Math.ceil(maxSearchCost / text.length))
        .some((line) => text.includes(line))
    );
  const isAnswer = answerObjectPattern.test(text) && !originalLines.join('\n').includes('"lines"');
  const isUsual = /^\s*[{[]/u.test(originalLines[0] ?? '') && !isAnswer;
  if (isUsual || !/^\s*[{[]\s*["{[]/u.test(text)) return false;
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return (
    /"(?:error|edits?|arguments|new_?\w*|old_?\w*|op|cell_type|lines|text|code|content|replacement)"\s*:/iu.test(
      text,
    ) ||
    originalLines.length === 0 ||
    text.includes('\\n') ||
    sharesWords(originalLines, text)
  );
}

/** Matches a JSON object whose only property is a list of replacement lines. */
export const answerObjectPattern =
  /^\s*\{\s*"(?:lines|new_?lines|replacement)"\s*:\s*\[[^]*\]\s*\}\s*$/iu;

/** Maximum product of the answer's length in characters and the number of escaped lines to search for in the answer. */
const maxSearchCost = 50_000_000;

/** Returns the original lines that contain characters to escape in JSON, in their escaped form. */
const listEscapedLines = memoize((lines: readonly string[]): readonly string[] =>
  lines
    .map((line) => JSON.stringify(line.trim()).slice(1, -1))
    .filter((escapedLine) => escapedLine.length > 4 && escapedLine.includes('\\')),
);

/**
 * Checks whether the first line contains only the name of the file as a heading or emphasized text, such as `## app.ts`
 * or `--- app.ts ---`.
 */
export function isFileName({
  nonBlankLines: [firstLine = ''],
  document: { path = '' },
}: NewLines): boolean {
  const name = getFileName(path);
  const bareName = firstLine.replaceAll(/[-=>*#`_:\s]/gu, '').toLowerCase();
  return (
    name !== '' &&
    /^(?:[-=>*`_]{1,5}\s?|#{2,6} )/u.test(firstLine) &&
    getFileName(bareName) === bareName &&
    bareName === name.replaceAll(/[-_]/gu, '')
  );
}

/** Checks whether the replacement lines are a single command that would change the file. */
export function isFileCommand({
  nonBlankLines,
  text,
  document: { path = '', instruction = '' },
}: NewLines) {
  const name = getFileName(path);
  return (
    nonBlankLines.length === 1 &&
    name !== '' &&
    /^(?:sed|awk|perl|npm|git|mv|rm|cp|patch|touch|echo|vim|nano|code)\s/u.test(text) &&
    text.toLowerCase().includes(name) &&
    !instruction.toLowerCase().includes(name)
  );
}

/** Checks whether the replacement lines are a sentence that describes how to change the first original line. */
export function isInstruction({
  nonBlankLines,
  text,
  originalLines: [firstOriginalLine = ''],
}: NewLines): boolean {
  const isSentence = /^(?:Replace|Change|Update) .*(?:with|to|by)\b.*\.$/u.test(text);
  return (
    nonBlankLines.length === 1 &&
    isSentence &&
    text.includes(JSON.stringify(firstOriginalLine).slice(1, -1))
  );
}
