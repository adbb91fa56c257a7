import {
  countOriginalLines,
  getFileName,
  type EditedDocument,
  type RefusalCause,
  stripAddedCharacters,
} from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import { isNonBlank, trimBlankLines } from '../edit/indentation.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';

/**
 * Formats other than Markdown that enclose code in an answer. Each entry contains the name of the format, patterns for
 * its first and last lines, and a pattern for ids of languages whose documents can contain such lines.
 */
const envelopes: readonly (readonly [
  reason: string,
  firstLinePattern: RegExp,
  lastLinePattern?: RegExp,
  usualLanguagesPattern?: RegExp,
])[] = [
  [
    'LaTeX environment',
    /^\s*\\begin\{(?:verbatim|lstlisting|minted|code|alltt)\}/u,
    /\\end\{\w+\}\s*$/u,
  ],
  [
    'BBCode',
    /^\s*\[(?:code|pre|source|listing|snippet|python|js|html)\b[^\]]*\]/iu,
    /\[\/\w+\]\s*$/u,
  ],
  ['path as a tag', /^\s*<[\w.-]+\/[\w./-]+>\s*$/u, /^\s*<\/[\w./-]+>\s*$/u],
  ['HTML page', /^\s*(?:<(?:html|body|pre|!doctype)[^<>]*>\s*){2,}\S/iu],
  ['old lines crossed out', /^\s*~~(?!~)/u, /$(?<!~\s*)/u],
  ['line range', /^@@ [\d,-]+ @@\s*$/u],
  ['path in brackets', /^\[[\w.-]+\/[\w./-]+\]\s*$/u],
  ['canvas block', /^\s*:{3,}\s*\w/u],
  ['command of an editor', /^\s*:%?s\/.[^/]*\/(?:[^/]*\/)+\w*\s*$/u],
  ['label with an arrow', /^\s*(?:result|output|answer|updated|new)(?: \w+)? ?(?:->|=>|→|⇒)\s*$/iu],
  ['Jira block', /^\s*\{(?:code|noformat)(?::[^{}]*)?\}/u, /\{(?:code|noformat)\}\s*$/u],
  ['Org block', /^\s*#\+begin_/iu, /^\s*#\+end_/iu, /^org$/u],
  ['tag of a language', /^\[[A-Z][A-Z+#]*\]\s*$/u, /^\[\/[A-Z][A-Z+#]*\]\s*$/u],
  [
    'comments around the selection',
    /^(?:\/\/|#|--|%|\/\*|<!--|\{\/\*)\s*start of (?:selection|code|edit)\s*(?:\*\/|-->|\*\/\})?\s*$/iu,
    /^(?:\/\/|#|--|%|\/\*|<!--|\{\/\*)\s*end of (?:selection|code|edit)\s*(?:\*\/|-->|\*\/\})?\s*$/iu,
  ],
  ['quotation marks with a language', /^\s*(?:'{3}|"{3})\w+\s*$/u, /^\s*(?:'{3}|"{3})\s*$/u],
  [
    'reStructuredText directive',
    /^\s*\.\. (?:code-block|code|sourcecode|highlight)::/u,
    /^/u,
    /^restructuredtext$/u,
  ],
  [
    'dashed lines',
    /^\s*-{4,}\s*$/u,
    /^\s*-{4,}\s*$/u,
    /^(?:lua|sql|haskell|elm|markdown|mdx|restructuredtext)$/u,
  ],
  [
    'HTML element',
    /^\s*<(?:script|style|pre|code|xmp|textarea|details|samp)\b[^<>]*>/u,
    /<\/\w+>\s*$/u,
  ],
  [
    'YAML block',
    /^(?:new_?\w*|updated_?\w*|answer|result|replacement|output):\s*[|>][-+]?\s*$/u,
    /^\s/u,
  ],
  ['YAML block of text', /^(?:code|text|content|lines):\s*[|>][-+]?\s*$/u, /^\s/u, /^yaml$/u],
];

/**
 * Finds delimiters, such as `[code]`, that enclose the replacement lines and that the document does not contain.
 * Returns undefined if none are found.
 */
export function findEnvelope(
  lines: readonly string[],
  document: EditedDocument,
): RefusalCause | undefined {
  const nonBlankLines = lines.filter(isNonBlank);
  const { original, before, after, instruction = '', language } = document;
  const contextLines = [...before, ...after];
  const [firstLine = '', secondLine = ''] = nonBlankLines;
  const lastLine = nonBlankLines.at(-1) ?? '';
  if (isFileWritingProgram(nonBlankLines, document))
    return { kind: 'call', rule: 'string in a program' };
  if (hasAddedFrontMatter(nonBlankLines, document))
    return { kind: 'delimiters', rule: 'front matter' };
  if (beginsWithPath(nonBlankLines, document))
    return { kind: 'delimiters', rule: 'path of the file' };
  const isKnown = (line: string): boolean =>
    [...contextLines, ...original, instruction].some((documentLine) =>
      documentLine.includes(line.trim()),
    );
  if (endLabelPattern.test(lastLine) && !isKnown(lastLine))
    return { kind: 'delimiters', rule: 'label of the end' };
  const rule = envelopes.find(
    ([, firstLinePattern, lastLinePattern, usualLanguagesPattern]) =>
      firstLinePattern.test(firstLine) &&
      lastLinePattern?.test(lastLine) !== false &&
      usualLanguagesPattern?.test(language) !== true &&
      (!original.some((line) => firstLinePattern.test(line)) ||
        secondLine.trim() === firstLine.trim()) &&
      !(contextLines.includes(firstLine) && contextLines.includes(secondLine)) &&
      !isNamedInInstruction(firstLinePattern.exec(firstLine)?.[0] ?? '', instruction),
  )?.[0];
  return rule === undefined ? undefined : { kind: 'delimiters', rule };
}

/** Matches a line, such as an end marker, that models and tools add after their code. */
const endLabelPattern =
  /^\s*(?:<(?:EOF|END)>|\[(?:EOF|END|DONE)\]|\[(?:end|End|END) (?:of|OF) [A-Za-z]+\])\s*$/u;

/** Matches YAML front matter that contains only the path or the language of the code after it. */
const frontMatterPattern =
  /^-{3}\n(?<fields>(?:(?:file|path|filename|language|lang):[^\S\n].*\n){1,5})-{3}(?:\n|$)/iu;
/** Matches ids of languages whose documents can begin with front matter. */
const frontMatterLanguagesPattern =
  /^(?:markdown|mdx|yaml|dockercompose|quarto|rmd|html|astro|plaintext|asciidoc|restructuredtext|org|typst|prompt|instructions|chatagent|skill)$/u;

/**
 * Checks whether an answer begins with front matter that describes the answer: it contains the path of the document, or
 * documents in this language have no front matter. Front matter of the original lines does not count.
 */
function hasAddedFrontMatter(
  content: readonly string[],
  { original, path = '', instruction = '', language }: EditedDocument,
): boolean {
  if (frontMatterPattern.test(original.slice(0, maxFrontMatterLines).join('\n'))) return false;
  const text = content.slice(0, maxFrontMatterLines).join('\n');
  const fieldsText = frontMatterPattern.exec(text)?.groups?.['fields'];
  if (fieldsText === undefined || /front ?matter|metadata|header/iu.test(instruction)) return false;
  const fieldValues = fieldsText
    .split('\n')
    .map((line) => line.slice(line.indexOf(':') + 1).trim());
  const isDocumentNamed = fieldValues.some(
    (value) => value === language || (path !== '' && getFileName(value) === getFileName(path)),
  );
  return isDocumentNamed || !frontMatterLanguagesPattern.test(language);
}

/** Maximum number of lines of front matter, including its two delimiters. */
const maxFrontMatterLines = 7;

/** Checks whether the first line is only the path of the document, including at least one directory. */
function beginsWithPath(
  [firstLine = '', secondLine]: readonly string[],
  { original, before, path = '', instruction = '', language }: EditedDocument,
): boolean {
  const line = firstLine
    .slice(0, maxPathLength)
    .trim()
    .replace(/^`(?<path>[^`]+)`:?$|^(?<other>[^:]+):$/u, '$1$2');
  // In code, such a line is a remark.
  const isInBrackets =
    isTextLanguage(language) &&
    secondLine !== undefined &&
    path !== '' &&
    /^\[[^\][]+\]$/u.test(firstLine.trim()) &&
    getFileName(path) === firstLine.trim().slice(1, -1).toLowerCase();
  if (
    isInBrackets &&
    ![...original, ...before, instruction].some((documentLine) => documentLine.includes(line))
  )
    return true;
  return (
    secondLine !== undefined &&
    /[\\/]/u.test(line) &&
    !/^[#\\]|\s/u.test(line) &&
    path.replaceAll('\\', '/').endsWith(line.replace(/^\.\//u, '')) &&
    ![...original, ...before, instruction].some((documentLine) => documentLine.includes(line))
  );
}

const maxPathLength = 1_000;

/**
 * Checks whether the user's instruction contains all words of the delimiter `delimiter`, so that the delimiter may be
 * intended.
 */
function isNamedInInstruction(delimiter: string, instruction: string): boolean {
  const requestedWords = new Set(instruction.toLowerCase().match(/[a-z]{3,}/gu));
  const delimiterWords = (delimiter.toLowerCase().match(/[a-z]{3,}/gu) ?? []).filter(
    (word) => word !== 'begin',
  );
  return delimiterWords.length > 0 && delimiterWords.every((word) => requestedWords.has(word));
}

/** Matches the start of a multi-line string that a program assigns to a variable or prints. */
const stringStartPattern =
  /^\s*(?:(?:(?:const|let|var|my|auto|string)\s+)?\$?\w+\s*:?=|(?:echo|printf)(?:\s+-\w+)?)\s*(?:`|"{3}|'{1,3}|@"|r#*"|")/u;

/**
 * Checks whether an answer is a program that contains the replacement lines as a string and would write them to the
 * file.
 */
function isFileWritingProgram(
  content: readonly string[],
  { original, path = '' }: EditedDocument,
): boolean {
  const [firstLine = '', secondLine = ''] = content;
  const lastLine = content.at(-1) ?? '';
  const name = getFileName(path);
  if (
    name !== '' &&
    /$(?<=["'`]\s*>>?\s*\S*)/u.test(lastLine) &&
    lastLine.toLowerCase().endsWith(name)
  )
    return true;
  const mark = stringStartPattern.exec(firstLine)?.[0];
  if (mark === undefined || !/(?:`|"{1,3}|'{1,3})[;)]*\s*$/u.test(lastLine)) return false;
  if (content.length === 1 && !/\\n|\b(?:new|updated)_?text\b/iu.test(firstLine)) return false;
  if (original.some((line) => line.startsWith(mark))) return false;
  if (
    /\b(?:new|updated|edited)?_?(?:text|code|content|lines|result|answer|replacement)\b/iu.test(
      mark,
    )
  )
    return true;
  const innerText = firstLine.slice(mark.length).trim() || secondLine;
  return original.some((line) => haveMostWordsInCommon(toWords(line), toWords(innerText)));
}

/**
 * Removes placeholders, such as `{{REWRITTEN_CODE}}`, that models and tools write around their code and that no
 * document contains. Also extracts the lines from a JSON array. Returns other lines unchanged.
 */
export function removeEnvelope(
  lines: readonly string[],
  document: EditedDocument,
): readonly string[] {
  const contentLines = trimBlankLines(lines);
  const { original, before, after, instruction = '', language } = document;
  const text = contentLines.join('\n');
  const isKnown = (label: string): boolean =>
    [...before, ...original, ...after, instruction].some((line) => line.includes(label));
  // In these languages, `:name:` begins a field.
  const hasFields = /^(?:asciidoc|restructuredtext)$/u.test(language) && text.startsWith(':');
  const placeholderMatch = hasFields ? null : placeholderPattern.exec(text);
  const label = placeholderMatch?.[0].trim().split('\n')[0]?.replace(/\d+$/u, '');
  const unlabeledLines =
    placeholderMatch === null || isKnown(label ?? '')
      ? contentLines
      : (placeholderMatch.groups?.['inside'] ?? text.slice(placeholderMatch[0].length)).split('\n');
  const resultLines = readJsonArray(unlabeledLines, document) ?? unlabeledLines;
  return resultLines === contentLines || !resultLines.some(isNonBlank) ? lines : resultLines;
}

/**
 * Matches placeholders around the replacement lines, or a special token or line number before them, such as
 * `:start_line: 4`.
 */
const placeholderPattern =
  /^\{\{REWRITTEN_CODE\}\}\n(?<inside>[\s\S]*)\n\{\{\/REWRITTEN_CODE\}\}$|^:start_line:[^\S\n]*\d+\n(?::end_line:[^\S\n]*\d+\n)?-{3,}\n|^<\|fim_middle\|>/u;

/**
 * Returns the strings of a JSON array that contains the replacement lines as strings, if the document is not JSON
 * itself. Returns undefined for any other answer.
 */
function readJsonArray(
  lines: readonly string[],
  { language, original }: EditedDocument,
): readonly string[] | undefined {
  const text = lines.join('\n').trim();
  if (!/^(?:\[|\{\s*"lines"\s*:\s*\[)\s*"/u.test(text) || language.startsWith('json'))
    return undefined;
  if (original.some((line) => /^\s*[[{"']/u.test(line))) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    const entries =
      Array.isArray(value) || typeof value !== 'object' || value === null
        ? value
        : (value as { readonly lines?: unknown }).lines;
    if (!Array.isArray(entries) || entries.length < 2) return undefined;
    const strings = entries.filter((entry): entry is string => typeof entry === 'string');
    const knownTexts = new Set(original.filter(isNonBlank).map((line) => line.trim()));
    const isCode = strings.some((entry) => /^\s+\S|[;{}]$/u.test(entry));
    // An array can also be the new text.
    const hasDocumentLines =
      language === 'git-commit' ||
      strings.some((entry) => knownTexts.has(entry.trim())) ||
      (isCode && countOriginalLines(strings, original) > 0);
    return strings.length === entries.length &&
      hasDocumentLines &&
      !/[\n\r]/u.test(strings.join(''))
      ? stripAddedCharacters(strings, original)
      : undefined;
  } catch {
    return undefined;
  }
}
