import {
  createCommentConverter,
  isElision,
  joinShortComments,
  proseFormats,
  readCommentText,
  splitNames,
} from './elision.ts';
import { getLeadingWhitespace, isNonBlank } from './indentation.ts';
import { ToolError } from '../../workspace/tool-error.ts';

/** A line of a new text that is a placeholder for omitted text. */
export interface ElidedLine {
  /** Number of the line, starting at 1. */
  readonly line: number;
  /** Line without leading and trailing white space. */
  readonly text: string;
}

/** Languages in which a line of three dots is a syntax error outside strings and comments. */
const languagesWithoutDots = splitNames(
  'js jsx mjs cjs ts tsx mts cts javascript javascriptreact typescript typescriptreact vue svelte java kt kts kotlin cs csharp fs go rs rust swift php dart scala groovy gradle css scss sass less sql json jsonc json5 sh bash zsh shellscript rb ruby ex exs elixir tf toml graphql gql proto proto3 zig',
);
const pythonLanguages = splitNames('py pyi pyw pyx python ipython');
const yamlLanguages = splitNames('yaml yml');

/**
 * Returns the format of a file: the file name extension in lower case, or `text` for a name such as `README` or
 * `Changes`.
 */
export function getTextFormat(path: string): string {
  const name = path.split(/[/\\]/u).at(-1) ?? '';
  if (name === 'CMakeLists.txt') return 'cmake';
  const extension = /\.(?<extension>[^.]+)$/u.exec(name)?.groups?.['extension'];
  if (extension !== undefined) return extension.toLowerCase();
  return /^[A-Z](?![\w-]*file$)[\w-]*$/u.test(name) ? 'text' : '';
}

/**
 * Finds a placeholder for omitted text in the text of a new file or notebook cell, such as `// ... rest of the code`.
 * Ignores placeholders that are examples: in code blocks of a prose file, in strings, and in longer comments.
 * @param format File name extension, or language id of VS Code, in lower case.
 */
export function findElisionInNewText(text: string, format: string): ElidedLine | undefined {
  const originalLines = text.split(/\r\n?|\n/u);
  const lines = joinShortComments(
    originalLines.map(createCommentConverter(format)),
    (line) => isElision(line) || isOmissionComment(line),
  );
  const lastIndex = lines.findLastIndex(isNonBlank);
  const isProse = proseFormats.has(format);
  let contexts: readonly LineContext[] | undefined;
  const index = lines.findIndex((line, position) => {
    if (!isNonBlank(line)) return false;
    const isDots = isDotsLine(line);
    const isOtherLine =
      !isOmissionComment(line) && !isElision(line, toElisionContext(lines, position));
    if (isDots ? isProse : isOtherLine) return false;
    contexts ??= readLineContexts(lines, format);
    const context = contexts[position] ?? 'code';
    if (isProse) {
      // A fence without an end is cut off.
      if (position === lastIndex && context === 'string' && !isIndentedCode(line)) return true;
      return context === 'code' && isElisionInProse(line);
    }
    if (isDots) return context === 'code' && !canDotsBeCode(lines, position, format);
    return position === lastIndex || isElisionInCode(lines, position, context);
  });
  return index < 0 ? undefined : { line: index + 1, text: originalLines[index]?.trim() ?? '' };
}

/**
 * Checks whether a line that is added to a document is a placeholder. Three dots are a placeholder in languages in
 * which they are a syntax error.
 * @param language Language id of VS Code.
 */
export const isAddedElision = (line: string, language: string): boolean =>
  isElision(line) || (isDotsLine(line) && findElisionInNewText(line, language) !== undefined);

/**
 * Checks the text of a new file or notebook cell for placeholders.
 * @param prefix Start of the error message, such as `a.ts was not created.`
 * @throws ToolError `bad-arguments` for a placeholder
 */
export function assertNoElision(text: string, format: string, prefix: string): void {
  const elidedLine = findElisionInNewText(text, format);
  if (elidedLine === undefined) return;
  throw new ToolError(
    'bad-arguments',
    `${prefix} Line ${elidedLine.line} is a placeholder for omitted lines: ${JSON.stringify(elidedLine.text)}. Write every line in full.`,
  );
}

/** Checks for a comment such as `// lines 20-40`, `// truncated` or `// etc.`. */
const isOmissionComment = (line: string): boolean =>
  line.length <= maxPlaceholderLength &&
  /^\W*(?:etc\.?|truncated|lines? \d+\s?[-–]\s?\d+)\W*$/iu.test(readCommentText(line) ?? '');

const maxPlaceholderLength = 140;

const toElisionContext = (lines: readonly string[], position: number) => ({
  hasRemovedLines: false,
  replacesSeveralLines: () => false,
  nextLine: findNonBlankLine(lines, position, 1),
});

/** Kind of text at the start of a line. In prose, `string` is an example of code, and `code` any other text. */
type LineContext = 'code' | 'comment' | 'string';

const isDotsLine = (line: string): boolean => /^\s*(?:\.{3,}|[…⋯⋮])\s*$/u.test(line);

/** Matches a placeholder with dots before or after words. */
const dotsAndWordsPattern = /(?:\.{3}|…)\W*\p{L}{2}|\p{L}{2}\W*(?:\.{3}|…)/u;

function readLineContexts(lines: readonly string[], format: string): readonly LineContext[] {
  if (proseFormats.has(format)) return readProseContexts(lines);
  return yamlLanguages.has(format) ? readYamlContexts(lines) : readCodeContexts(lines, format);
}

/**
 * Returns the kind of text at the start of each line of YAML. Block scalars, which begin after `|` or `>`, count as
 * strings.
 */
function readYamlContexts(lines: readonly string[]): LineContext[] {
  let textIndentWidth: number | undefined;
  return lines.map((line) => {
    const { length } = getLeadingWhitespace(line);
    if (isNonBlank(line) && textIndentWidth !== undefined && length <= textIndentWidth)
      textIndentWidth = undefined;
    const context = textIndentWidth === undefined ? 'code' : 'string';
    // The regular expression takes too long for some long lines.
    if (
      context === 'code' &&
      line.length <= maxLineLength &&
      /(?::|-)\s+[|>][-+\d]*\s*(?:#.*)?$/u.test(line)
    )
      textIndentWidth = length;
    return context;
  });
}

function readProseContexts(lines: readonly string[]): LineContext[] {
  let openFenceMark: string | undefined;
  let openEnvironment: string | undefined;
  return lines.map((line) => {
    // Code in LaTeX.
    if (openEnvironment !== undefined) {
      if (line.includes(`\\end{${openEnvironment}}`)) openEnvironment = undefined;
      return 'string';
    }
    openEnvironment = /^\s*\\begin\{(?<name>(?:verbatim|lstlisting|minted|alltt)\*?)\}/iu.exec(line)
      ?.groups?.['name'];
    const fenceMark = /^\s*(?:[>*+-]\s+|\d+[.)]\s+)*(?<mark>`{3,}|~{3,}|:{3,})/u.exec(line)
      ?.groups?.['mark'];
    const isCode = openFenceMark !== undefined || fenceMark !== undefined || isIndentedCode(line);
    if (openFenceMark === undefined)
      openFenceMark = fenceMark?.startsWith(':') === true ? undefined : fenceMark;
    else if (fenceMark?.startsWith(openFenceMark) === true) openFenceMark = undefined;
    return isCode ? 'string' : 'code';
  });
}

/** Checks whether a line of prose is an indented example or a quotation. */
const isIndentedCode = (line: string): boolean => /^(?: {4}|\t| {0,3}>)/u.test(line);

/**
 * Checks whether a line of prose that resembles a placeholder is one: a comment, text between dots, or text in brackets
 * that names omitted text.
 */
function isElisionInProse(line: string): boolean {
  const text = line.trim();
  if (/^(?:\.{3}|…).*(?:\.{3}|…)$/u.test(text)) return true;
  if (/^(?:<!--|%|\{\/\*|\\begin\{comment\}|\\iffalse|\[(?:\/\/|comment)\]:)/u.test(text))
    return true;
  // Other dots in brackets are ordinary text.
  const content = /^\[(?<square>.*)\]$|^\((?<round>.*)\)$/u.exec(text)?.slice(1).join('');
  if (content === undefined || /^\s*[[(]?(?:\.{3,}|…)[\])]?\s*$/u.test(content)) return false;
  return dotsAndWordsPattern.test(content) || isRestPhrase(content);
}

/** Checks for a phrase such as `rest of the code unchanged`. */
const isRestPhrase = (text: string): boolean =>
  /^[^\p{L}]*(?:keep )?(?:the |all )?(?:rest|remainder|remaining|existing|other|previous)\b/iu.test(
    text,
  );

const hashLanguages = splitNames(
  'py pyi pyw pyx python ipython rb ruby ex exs elixir sh bash zsh shellscript toml tf pl pm perl r jl julia cmake mk nim cr crystal coffee dockerfile ps1 powershell',
);

/**
 * Returns the kind of text at the start of each line. Reads only delimiters of strings and comments that can span
 * several lines, so unusual syntax can give wrong results.
 */
function readCodeContexts(lines: readonly string[], format: string): LineContext[] {
  const hasHashComments = hashLanguages.has(format) || format === '';
  const tokenPattern = hasHashComments
    ? /"""|'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|(?:^|(?<=\s))#.*|<<[-~]?["']?(?<heredoc>[A-Z_]\w*)["']?/gu
    : /"""|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`|\/\/.*|\/\*|<!--|<<<["']?(?<heredoc>[A-Z_]\w*)["']?/gu;
  const isPerl = /^(?:p[lm]|t|perl)$/u.test(format);
  let endPattern: RegExp | undefined;
  let context: LineContext = 'code';
  return lines.map((line) => {
    if (isPerl && endPattern === undefined && /^(?:=[a-z]|__END__)/u.test(line))
      [endPattern, context] = [/^=cut\b/u, 'string'];
    const contextAtStart = context;
    let remainingText = line;
    // The regular expression takes too long for some long lines.
    while (remainingText !== '' && line.length <= maxLineLength) {
      if (endPattern !== undefined) {
        const endMatch = endPattern.exec(remainingText);
        if (endMatch === null) break;
        remainingText = remainingText.slice(endMatch.index + endMatch[0].length);
        [endPattern, context] = [undefined, 'code'];
        continue;
      }
      let hasOpening = false;
      for (const match of remainingText.matchAll(tokenPattern)) {
        const [text] = match;
        const heredocName = match.groups?.['heredoc'];
        const closingPattern =
          heredocName === undefined
            ? closingPatterns.get(text)
            : new RegExp(`^\\s*${heredocName}\\b`, 'u');
        if (closingPattern === undefined) continue;
        remainingText =
          heredocName === undefined ? remainingText.slice(match.index + text.length) : '';
        [endPattern, context] = [
          closingPattern,
          text === '/*' || text === '<!--' ? 'comment' : 'string',
        ];
        hasOpening = true;
        break;
      }
      if (!hasOpening) break;
    }
    return contextAtStart;
  });
}

const maxLineLength = 2_000;

/** Patterns of the characters that end a string or comment of several lines, by the characters that begin it. */
const closingPatterns: ReadonlyMap<string, RegExp> = new Map([
  ['"""', /"""/u],
  ["'''", /'''/u],
  ['`', /(?<!\\)`/u],
  ['/*', /\*\//u],
  ['<!--', /-->/u],
]);

const commentStartPattern = /^\s*(?:\/\/+[!/]?|#+|--+|;+|%+|\(\*+|\/?\*+)(?<indent>\s*)/u;
const commentEndPattern = /(?<!\*)\*+[/)]$/u;

interface LineComment {
  readonly indent: string;
  readonly text: string;
}

const readComment = (line = ''): LineComment | undefined => {
  const match = commentStartPattern.exec(line);
  if (match === null) return undefined;
  const text = line.slice(match[0].length).replace(commentEndPattern, '').trimEnd();
  return { indent: match.groups?.['indent'] ?? '', text };
};

/**
 * Checks whether a line of new code that resembles a placeholder is one. Strings and comments of several lines can
 * contain such lines as examples, or in sentences with words such as `unchanged`.
 */
function isElisionInCode(
  lines: readonly string[],
  position: number,
  context: LineContext,
): boolean {
  const line = lines[position] ?? '';
  const lineComment = readComment(line);
  const commentBefore = lineComment && readComment(lines[position - 1]);
  const commentAfter = lineComment && readComment(lines[position + 1]);
  const comment = readCommentText(line);
  const text = comment ?? line.trim();
  const isInLongerText =
    context !== 'code' || commentBefore !== undefined || commentAfter !== undefined;
  const isStandalone = comment !== undefined || /^(?:\.{3}|…|\[|<!--|\{\/\*)/u.test(text);
  if (isStandalone && dotsAndWordsPattern.test(text)) return isNamedElision(text, isInLongerText);
  if (context !== 'code') return false;
  if (/\.{3}|…/u.test(text)) {
    // Nested brackets describe a value. After a statement, a comment describes it.
    if (/^(?:\[\[|\(\(|\{\{)|;\s*\/[/*]\W*$/u.test(text)) return false;
    return (
      !isInLongerText ||
      (commentAfter === undefined && isSentence(commentBefore) && lineComment?.indent.length === 1)
    );
  }
  if (comment === undefined) return mentionsOmittedText(text) && !/(?<!\.)\.\.(?!\.)/u.test(text);
  if (text.endsWith(':') || /^(?:no\s(?!changes?\b)|\{\d)/iu.test(text)) return false;
  if (commentBefore === undefined || /^[[(<].*[\])>]$/u.test(text))
    return isRestPhrase(text) || !describesNextLine(lines, position, text);
  return isRestPhrase(text) && (/^\p{Lu}/u.test(text) || /[.:!?]$/u.test(commentBefore.text));
}

/**
 * Checks whether a text with dots and words is a placeholder. In a longer comment or a string, the dots can also belong
 * to an enumeration or to spread syntax.
 */
function isNamedElision(text: string, isInLongerText: boolean): boolean {
  if (/^\W*(?:\.{3}|…)\s*(?:and |but |so )?then\b/iu.test(text)) return false;
  if (!isInLongerText) return true;
  if (/^\.{3}[\p{L}_$][\w$]*\W*$/u.test(text)) return false;
  return /^\W*(?:\.{3}|…).*(?:\.{3}|…)\W*$/u.test(text) || isRestPhrase(text);
}

/**
 * Checks whether a comment describes the code on the next line. Such a comment is a sentence, such as `Same as above.`,
 * and has the same indentation as the code. A phrase such as `unchanged` before code is a placeholder.
 */
function describesNextLine(lines: readonly string[], position: number, text: string): boolean {
  const [line = '', nextLine = ''] = lines.slice(position, position + 2);
  const isAboutNextLine = /^no changes?$/iu.test(text)
    ? /^\s*(?:break|continue)\b/u.test(nextLine)
    : /^\p{Lu}.*\.$/u.test(text) &&
      !isOmissionComment(line) &&
      !/\b(?:unchanged|omitted|before|brevity|code)\b/iu.test(text);
  return (
    isAboutNextLine &&
    isNonBlank(nextLine) &&
    getLeadingWhitespace(nextLine) === getLeadingWhitespace(line) &&
    !/^\s*(?:[)\]}]|end\b|<\/)/u.test(nextLine)
  );
}

const mentionsOmittedText = (line: string): boolean =>
  /\b(?:rest|remainder|remaining|existing|other|previous|same|unchanged|omitted|snip|no changes?|as before|etc|truncated|lines \d+)\b/iu.test(
    line,
  );

/** Checks whether a comment consists of words, unlike an example of code. */
const isSentence = (comment: { readonly text: string } | undefined): boolean =>
  comment !== undefined && /^\p{Lu}/u.test(comment.text) && !/[=;{}()[\]<>]/u.test(comment.text);

/** Checks whether a line of dots can be code, such as the body of a function in a Python stub. */
function canDotsBeCode(lines: readonly string[], position: number, format: string): boolean {
  const line = lines[position] ?? '';
  // No language uses the character for an ellipsis.
  if (/[…⋯⋮]/u.test(line)) return format === '';
  if (yamlLanguages.has(format))
    return line.startsWith('.') && /^(?:---|%|#|$)/u.test(findNonBlankLine(lines, position, 1));
  if (!pythonLanguages.has(format)) return !languagesWithoutDots.has(format);
  if (format === 'pyi' && /^\s/u.test(line)) return true;
  const lineBefore = findNonBlankLine(lines, position, -1);
  return (
    getLeadingWhitespace(lineBefore).length < getLeadingWhitespace(line).length ||
    lineBefore === '' ||
    /(?:"""|'''|,|[([{]|^\s*@.*)$/u.test(lineBefore.trimEnd())
  );
}

/**
 * Returns the next non-blank line after the position if `step` is 1, and the previous one if it is -1. Returns an empty
 * text if no such line exists.
 */
function findNonBlankLine(lines: readonly string[], position: number, step: 1 | -1): string {
  let index = position + step;
  while (lines[index]?.trim() === '') index += step;
  return lines[index] ?? '';
}
