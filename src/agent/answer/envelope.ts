import {
  getFileName,
  type MarkedDocument,
  type RefusalCause,
  stripAddedCharacters,
} from './answer-marks.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';

/**
 * Formats other than Markdown in which code is enclosed, and enclosing lines that models add: the name of each format,
 * patterns of its first and last lines, and a pattern of the languages in which such lines are ordinary.
 */
const envelopes: readonly (readonly [
  reason: string,
  first: RegExp,
  last?: RegExp,
  usual?: RegExp,
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
  ['Org block', /^\s*#\+begin_/iu, /^\s*#\+end_/iu],
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
 * Finds delimiters, such as `[code]`, that enclose the new lines and that the document does not contain. Returns
 * undefined if none are found.
 */
export function findEnvelope(
  lines: readonly string[],
  document: MarkedDocument,
): RefusalCause | undefined {
  const content = lines.filter(isNonBlank);
  const { original, before, after, instruction = '', language } = document;
  const known = [...before, ...after];
  const [first = '', second = ''] = content;
  const last = content.at(-1) ?? '';
  if (isWritingProgram(content, document)) return { kind: 'call', rule: 'string in a program' };
  const rule = envelopes.find(
    ([, start, end, usual]) =>
      start.test(first) &&
      end?.test(last) !== false &&
      usual?.test(language) !== true &&
      (!original.some((line) => start.test(line)) || second.trim() === first.trim()) &&
      !(known.includes(first) && known.includes(second)) &&
      !isNamedInInstruction(start.exec(first)?.[0] ?? '', instruction),
  )?.[0];
  return rule === undefined ? undefined : { kind: 'delimiters', rule };
}

/** Checks whether the user's instruction contains all words of a delimiter. */
function isNamedInInstruction(mark: string, instruction: string): boolean {
  const requested = new Set(instruction.toLowerCase().match(/[a-z]{3,}/gu));
  const words = (mark.toLowerCase().match(/[a-z]{3,}/gu) ?? []).filter((word) => word !== 'begin');
  return words.length > 0 && words.every((word) => requested.has(word));
}

/** Matches the start of a string that code assigns or prints. */
const stringStartPattern =
  /^\s*(?:(?:(?:const|let|var|my|auto|string)\s+)?\$?\w+\s*:?=|(?:echo|printf)(?:\s+-\w+)?)\s*(?:`|"{3}|'{1,3}|@"|r#*"|")/u;

/** Checks whether an answer is a program that contains the new lines as a string and would write them to the file. */
function isWritingProgram(
  content: readonly string[],
  { original, path = '' }: MarkedDocument,
): boolean {
  const [first = '', second = ''] = content;
  const last = content.at(-1) ?? '';
  const name = getFileName(path);
  if (name !== '' && /$(?<=["'`]\s*>>?\s*\S*)/u.test(last) && last.toLowerCase().endsWith(name))
    return true;
  const mark = stringStartPattern.exec(first)?.[0];
  if (mark === undefined || !/(?:`|"{1,3}|'{1,3})[;)]*\s*$/u.test(last)) return false;
  if (content.length === 1 && !/\\n|\b(?:new|updated)_?text\b/iu.test(first)) return false;
  if (original.some((line) => line.startsWith(mark))) return false;
  if (
    /\b(?:new|updated|edited)?_?(?:text|code|content|lines|result|answer|replacement)\b/iu.test(
      mark,
    )
  )
    return true;
  const inner = first.slice(mark.length).trim() || second;
  return original.some((line) => haveMostWordsInCommon(toWords(line), toWords(inner)));
}

/**
 * Patterns of first and last lines around new lines that can be removed with certainty, and a pattern of the languages
 * in which such lines are ordinary.
 */
const removableEnvelopes: readonly (readonly [first: RegExp, last: RegExp, usual?: RegExp])[] = [
  [/^\{\{REWRITTEN_CODE\}\}$/u, /^\{\{\/REWRITTEN_CODE\}\}$/u],
  [/^:{3}writing\{[^{}]*\}$/u, /^:{3}$/u],
  [/^\[code(?:=[\w+#]+)?\]$/iu, /^\[\/code\]$/iu],
  [/^\{code(?::[^{}]*)?\}$/u, /^\{code\}$/u],
  [/^#\+begin_src\b.*$/iu, /^#\+end_src$/iu, /^org$/u],
  [/^<source>$/u, /^<\/source>$/u, /^(?:html|xml|xsl|svg|vue|svelte|astro|php|markdown|mdx)$/u],
  [/^'{3}[a-z]\w*$/u, /^'{3}$/u, /^(?:python|toml|dart|groovy|nix|coffeescript|elixir)$/u],
  [
    /^\W{0,9}begin (?:code|answer|edit|output)\W{0,9}$/iu,
    /^\W{0,9}end (?:code|answer|edit|output)\W{0,9}$/iu,
  ],
  [
    /^(?:\/\/|#|--|%|\/\*|<!--|\{\/\*)\s*start of (?:selection|code|edit)\s*(?:\*\/|-->|\*\/\})?$/iu,
    /^(?:\/\/|#|--|%|\/\*|<!--|\{\/\*)\s*end of (?:selection|code|edit)\s*(?:\*\/|-->|\*\/\})?$/iu,
  ],
  [
    /^([=~_])\1{4,}$/u,
    /^([=~_])\1{4,}$/u,
    /^(?:markdown|mdx|restructuredtext|asciidoc|quarto|rmd|typst|plaintext)$/u,
  ],
];
/** First lines of an answer that chat pages and tools add before the new lines. */
const removableStarts: readonly RegExp[] = [
  /^(?:[a-z+#]{1,12}\n)?(?:copy code|copied!?)\n/iu,
  /^(?:[a-z+#]{1,12}\n)?Copy\nEdit\n/u,
  /^:start_line:\s*\d+\n(?::end_line:\s*\d+\n)?-{3,}\n/u,
  /^<\|fim_middle\|>/u,
  /^-{3}\n(?:(?:file|path|filename|language|lang): .*\n){1,5}-{3}\n/iu,
];
/** Last lines of an answer that models and tools add after the new lines. */
const removableEnds: readonly RegExp[] = [
  /\n\{\{INSERTED_CODE\}\}$/u,
  /\n<(?:EOF|END)>$/u,
  /\n\[(?:EOF|END|DONE)\]$/u,
  /\n\[end of (?:code|answer|edit|output|result|response)\]$/iu,
  /<\|(?:user_)?cursor(?:_is_here)?\|>$/iu,
];

/**
 * Removes delimiters and labels that models and tools add around new lines, such as `[code]`, `Copy code` or the path
 * of the document. Retains those that the document itself contains. Returns the lines unchanged if there is nothing to
 * remove.
 */
export function removeEnvelope(
  lines: readonly string[],
  document: MarkedDocument,
): readonly string[] {
  const content = trimBlank(lines);
  const { original, before, after, instruction = '' } = document;
  const known = [...before, ...original, ...after];
  const text = content.join('\n');
  const isForeign = (pattern: RegExp): boolean => {
    const label = pattern.exec(text)?.[0].trim().split('\n').at(-1) ?? '';
    return label !== '' && ![...known, instruction].some((line) => hasText(line, label));
  };
  const [start, end] = [removableStarts, removableEnds].map((patterns) => patterns.find(isForeign));
  const inner =
    start === undefined && end === undefined
      ? content
      : (end === undefined ? text : text.replace(end, ''))
          .replace(start ?? /^(?!)/u, '')
          .split('\n');
  const unwrapped =
    removeDelimiters(inner, document) ?? removePath(inner, document) ?? readArray(inner, document);
  const result = unwrapped ?? inner;
  return result === content || !result.some(isNonBlank) ? lines : result;
}

const hasText = (line: string, label: string): boolean =>
  line.toLowerCase().includes(label.toLowerCase());

function removeDelimiters(
  lines: readonly string[],
  { original, before, after, instruction = '', language }: MarkedDocument,
): readonly string[] | undefined {
  const [first = '', last = ''] = [lines[0], lines.at(-1)].map((line = '') => line.trim());
  const known = [...before, ...original, ...after, ...instruction.split('\n')];
  const isEnclosed = removableEnvelopes.some(
    ([start, end, usual]) =>
      start.test(first) &&
      end.test(last) &&
      usual?.test(language) !== true &&
      !known.some((line) => start.test(line.trim()) || end.test(line.trim())) &&
      !isNamedInInstruction(first, instruction),
  );
  const name = /^\[(?<name>[A-Z][A-Z+#]*)\]$/u.exec(first)?.groups?.['name'];
  const isNamedTag = name !== undefined && last === `[/${name}]` && !known.includes(first);
  return (isEnclosed || isNamedTag) && lines.length > 2 ? lines.slice(1, -1) : undefined;
}

/** Removes a first line that is only the path of the document; undefined for an answer without such a line. */
function removePath(
  lines: readonly string[],
  { original, before, path = '', instruction = '' }: MarkedDocument,
): readonly string[] | undefined {
  const line = (lines[0] ?? '').trim().replace(/^`(?<path>[^`]+)`:?$|^(?<other>[^:]+):$/u, '$1$2');
  const isPath =
    /[\\/]/u.test(line) &&
    !/^[#\\]|\s/u.test(line) &&
    path.replaceAll('\\', '/').endsWith(line.replace(/^\.\//u, '')) &&
    ![...original, ...before, instruction].some((other) => other.includes(line));
  return isPath && lines.length > 1 ? lines.slice(1) : undefined;
}

/**
 * Returns the strings of a JSON array in which each string is a new line, for a document in another language. Returns
 * undefined for any other answer.
 */
function readArray(
  lines: readonly string[],
  { language, original }: MarkedDocument,
): readonly string[] | undefined {
  const text = lines.join('\n').trim();
  if (!/^(?:\[|\{\s*"lines"\s*:\s*\[)\s*"/u.test(text) || language.startsWith('json'))
    return undefined;
  if (original.some((line) => /^\s*[[{"']/u.test(line))) return undefined;
  try {
    const parsed = JSON.parse(text) as unknown;
    const entries =
      Array.isArray(parsed) || typeof parsed !== 'object' || parsed === null
        ? parsed
        : (parsed as { readonly lines?: unknown }).lines;
    if (!Array.isArray(entries) || entries.length < 2) return undefined;
    const strings = entries.filter((entry): entry is string => typeof entry === 'string');
    const isCode = strings.some((entry) => /^\s|\S\s+\S|[;{}>:)]$/u.test(entry));
    return strings.length === entries.length && isCode && !/[\n\r]/u.test(strings.join(''))
      ? stripAddedCharacters(strings, original)
      : undefined;
  } catch {
    return undefined;
  }
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const [start, end] = [lines.findIndex(isNonBlank), lines.findLastIndex(isNonBlank)];
  return start === 0 && end === lines.length - 1 ? lines : lines.slice(Math.max(0, start), end + 1);
}

const isNonBlank = (line: string): boolean => line.trim() !== '';
