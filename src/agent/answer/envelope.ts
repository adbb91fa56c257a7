import { getFileName, type MarkedDocument } from './answer-marks.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';

/**
 * Names, and the first and last lines with which formats other than Markdown enclose code, or with which models enclose
 * a result.
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
  ['old lines crossed out', /^\s*~~(?!~)/u, /[^~]\s*$/u],
  ['line range', /^@@ [\d,-]+ @@\s*$/u],
  ['path in brackets', /^\[[\w.-]+\/[\w./-]+\]\s*$/u],
  ['canvas block', /^\s*:{3,}\s*\w/u],
  ['command of an editor', /^\s*:%?s\/.+\/.*\/\w*\s*$/u],
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

/** Returns the kind of delimiters around the new lines that the document does not contain, such as `[code]`. */
export function findEnvelope(
  lines: readonly string[],
  document: MarkedDocument,
): string | undefined {
  const content = lines.filter(isNonBlank);
  const { original, before, after, instruction = '', language } = document;
  const known = [...before, ...after];
  const [first = '', second = ''] = content;
  const last = content.at(-1) ?? '';
  if (isWritingProgram(content, document)) return 'string in a program';
  return envelopes.find(
    ([, start, end, usual]) =>
      start.test(first) &&
      end?.test(last) !== false &&
      usual?.test(language) !== true &&
      (!original.some((line) => start.test(line)) || second.trim() === first.trim()) &&
      !(known.includes(first) && known.includes(second)) &&
      !isNamed(start.exec(first)?.[0] ?? '', instruction),
  )?.[0];
}

/** Checks whether the user's instruction contains all words of a delimiter. */
function isNamed(mark: string, instruction: string): boolean {
  const requested = new Set(instruction.toLowerCase().match(/[a-z]{3,}/gu));
  const words = (mark.toLowerCase().match(/[a-z]{3,}/gu) ?? []).filter((word) => word !== 'begin');
  return words.length > 0 && words.every((word) => requested.has(word));
}

/** Matches the start of a string that code assigns or prints. */
const stringStart =
  /^\s*(?:(?:(?:const|let|var|my|auto|string)\s+)?\$?\w+\s*:?=|(?:echo|printf)(?:\s+-\w+)?)\s*(?:`|"{3}|'{1,3}|@"|r#*"|")/u;

/** Checks whether an answer is a program that would write the new lines, which it contains as a string, to the file. */
function isWritingProgram(
  content: readonly string[],
  { original, path = '' }: MarkedDocument,
): boolean {
  const [first = '', second = ''] = content;
  const last = content.at(-1) ?? '';
  const name = getFileName(path);
  if (name !== '' && /["'`]\s*>>?\s*\S*$/u.test(last) && last.toLowerCase().endsWith(name))
    return true;
  const mark = stringStart.exec(first)?.[0];
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

const isNonBlank = (line: string): boolean => line.trim() !== '';
