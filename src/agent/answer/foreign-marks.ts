import { getFileName, type MarkedDocument, taggedLanguages } from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import { haveMostWordsInCommon, parseFence, toWords } from '../../base/model-answer.ts';

/**
 * Checks for text that a model added to the new lines: a file name, labels such as `Before:`, quotation marks, diff
 * signs or HTML escapes on all lines, a command that writes a file, JSON in a document of another language, or lines
 * that occur twice.
 */
export function hasForeignMarks(lines: readonly string[], document: MarkedDocument): boolean {
  const content = lines.filter(isNonBlank);
  const { original, language } = document;
  if (content.length === 0) return false;
  const isUsual = (pattern: RegExp): boolean => original.some((line) => pattern.test(line));
  const every = (pattern: RegExp): boolean =>
    content.every((line) => pattern.test(line)) && !isUsual(pattern);
  return (
    hasForeignEdges(content, document) ||
    hasEnvelope(content, document) ||
    every(/^\+/u) ||
    (content.length > 1 &&
      [/^\s*\*\*.*\*\*$/u, /^\s*`.*`$/u, /^".*"$/u].some((pattern) => every(pattern))) ||
    (!isTextLanguage(language) && language !== 'yaml' && content.length > 1 && every(/^[-•] /u)) ||
    repeatsOriginal(content, document) ||
    every(/^(?:[→•▸►▶│┃»›❯➜➤▪●]|=>)\s?/u) ||
    (hasListNumbers(content) &&
      !original.some((line) => /^\s*(?:\d+[.)]|[-*+•])\s/u.test(line)) &&
      !(isTextLanguage(language) && requestsList.test(document.instruction ?? ''))) ||
    (every(/^\| /u) &&
      (!isTextLanguage(language) || !content.every((line) => line.trimEnd().endsWith('|')))) ||
    hasForeignEscapes(content, document) ||
    hasDoubledLines(lines, original) ||
    (language.startsWith('json') && containsLines(content, original)) ||
    (!language.startsWith('json') &&
      !/^\s*[{[]/u.test(original.find(isNonBlank) ?? '') &&
      isJson(content.join('\n')))
  );
}

/**
 * Checks for an answer that begins with a file label or a command that writes a file, or that contains labels for old
 * and new lines outside fences.
 */
export function hasFileMarks(
  answer: readonly string[],
  {
    original,
    isUnwrapped,
  }: { readonly original: readonly string[]; readonly isUnwrapped: boolean },
): boolean {
  const content = answer.filter(isNonBlank);
  const [first = ''] = content;
  const isUsual = (pattern: RegExp): boolean => original.some((line) => pattern.test(line));
  const fileMark = /^(?:-{3}|={3}|>{3}|\*{3}) (?:Update File: )?\S+\.\w+(?: ={3})?$/u;
  const heredoc = /^\s*(?:cat|tee)\s.*<<\s*-?['"]?\w+/u;
  const labels = content.filter((line) => sideLabel.test(line));
  const hasFence = content.some((line) => parseFence(line) !== undefined);
  return (
    [fileMark, heredoc].some((pattern) => pattern.test(first) && !isUsual(pattern)) ||
    (labels.length > 1 && !isUsual(sideLabel) && (isUnwrapped || !hasFence))
  );
}

/** Matches labels of the old and the new lines in one answer. */
const sideLabel = /^\W{0,4}(?:before|after|original|old|new|updated|modified)(?: code)?\W{0,3}$/iu;

const requestsList = /\b(?:number|list|steps|enumer|bullet|ordered)|schritt|列表|步骤/iu;

/** Checks whether all lines are numbered like list items. */
const hasListNumbers = (content: readonly string[]): boolean =>
  content.every((line, index) => line.trimStart().startsWith(`${index + 1}. `));

/** First and last lines with which formats other than Markdown enclose code, or models a result. */
const envelopePatterns: readonly (readonly [first: RegExp, last: RegExp])[] = [
  [/^\s*\\begin\{(?:verbatim|lstlisting|minted|code|alltt)\}/u, /\\end\{\w+\}\s*$/u],
  [/^\s*\[(?:code|pre|source|listing|snippet|python|js|html)\b[^\]]*\]/iu, /\[\/\w+\]\s*$/u],
  [/^\s*<[\w.-]+\/[\w./-]+>\s*$/u, /^\s*<\/[\w./-]+>\s*$/u],
  [/^\s*(?:<(?:html|body|pre|!doctype)[^<>]*>\s*){2,}\S/iu, /^/u],
  [/^\s*~~[^~\s]/u, /^/u],
  [/^@@ [\d,-]+ @@\s*$/u, /^/u],
  [/^\[[\w.-]+\/[\w./-]+\]\s*$/u, /^/u],
  [/^\s*:?%?s\/.+\/.*\/\w*\s*$/u, /^/u],
  [/^\s*\w+(?: \w+){0,3} ?(?:->|=>|→|⇒)\s*$/u, /^/u],
  [/^\s*\w+\(\s*"(?:[^"\\]|\\.)*\\n/u, /^/u],
  [/^\s*\{(?:code|noformat)(?::[^{}]*)?\}/u, /\{(?:code|noformat)\}\s*$/u],
  [/^\s*#\+begin_/iu, /^\s*#\+end_/iu],
  [/^\s*:{3,}\s*\w/u, /^/u],
  [/^\s*(?:'{3}|"{3})\w+\s*$/u, /^\s*(?:'{3}|"{3})\s*$/u],
  [/^\s*\.\. (?:code-block|code|sourcecode|highlight)::/u, /^/u],
  [/^\s*-{4,}\s*$/u, /^\s*-{4,}\s*$/u],
  [/^\s*<(?:script|style|pre|code|xmp|textarea|details|samp)\b[^<>]*>/u, /<\/\w+>\s*$/u],
  [
    /^(?:code|text|content|lines|new_?\w*|updated_?\w*|answer|result|replacement|output):\s*[|>][-+]?\s*$/u,
    /^\s/u,
  ],
];

/**
 * Checks for delimiters around the new lines that the document does not contain, such as `[code]`, and for a string
 * literal that contains the lines.
 */
export function hasEnvelope(content: readonly string[], document: MarkedDocument): boolean {
  const { original, before, after, instruction = '' } = document;
  const known = [...before, ...after];
  const [first = ''] = content;
  const last = content.at(-1) ?? '';
  if (isWritingProgram(content, document)) return true;
  return envelopePatterns.some(
    ([start, end]) =>
      start.test(first) &&
      end.test(last) &&
      !original.some((line) => start.test(line)) &&
      !known.includes(first) &&
      !isNamed(start.exec(first)?.[0] ?? '', instruction),
  );
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

/** Checks whether the new lines are a string in a program that would write them to the file. */
function isWritingProgram(
  content: readonly string[],
  { original, path = '' }: MarkedDocument,
): boolean {
  const [first = '', second = ''] = content;
  const last = content.at(-1) ?? '';
  const name = getFileName(path);
  if (
    name !== '' &&
    new RegExp(`["'\`]\\s*>>?\\s*\\S*$`, 'u').test(last) &&
    last.toLowerCase().endsWith(name)
  )
    return true;
  const mark = stringStart.exec(first)?.[0];
  if (
    mark === undefined ||
    !/(?:`|"{1,3}|'{1,3})[;)]*\s*$/u.test(last) ||
    original.some((line) => line.startsWith(mark))
  )
    return false;
  if (
    /\b(?:new|updated|edited)?_?(?:text|code|content|lines|result|answer|replacement)\b/iu.test(
      mark,
    )
  )
    return true;
  if (content.length === 1) return false;
  const inner = first.slice(mark.length).trim() || second;
  return original.some((line) => haveMostWordsInCommon(toWords(line), toWords(inner)));
}

function hasForeignEdges(
  content: readonly string[],
  { original, path = '', language, instruction = '' }: MarkedDocument,
): boolean {
  const [first = ''] = content;
  const last = content.at(-1) ?? '';
  const name = getFileName(path);
  const known = original.map((line) => line.trim());
  if (known.includes(first.trim()) && content.length > 1) return false;
  const bare = first.replaceAll(/[-=>*#`_:\s]/gu, '').toLowerCase();
  const isFileName =
    name !== '' &&
    /^(?:[-=>*`_]{1,5}\s?|#{2,6} )/u.test(first) &&
    getFileName(bare) === bare &&
    bare === name.replaceAll(/[-_]/gu, '');
  const isCommand =
    content.length === 1 &&
    name !== '' &&
    /^(?:sed|awk|perl|npm|git|mv|rm|cp|patch|touch|echo|vim|nano|code)\s/u.test(first) &&
    first.toLowerCase().includes(name) &&
    !instruction.toLowerCase().includes(name);
  const isQuoted =
    (/^(?:"{3}|'{3})$/u.test(first.trim()) &&
      last.trim() === first.trim() &&
      content.length > 2 &&
      !known.includes(first.trim())) ||
    (first.trimStart().startsWith('«') &&
      last.trimEnd().endsWith('»') &&
      !known.some((line) => line.startsWith('«')));
  const tag = /^\s*<(?<name>[a-z][\w-]*)(?:\s[^<>]*)?>/u.exec(first)?.groups?.['name'] ?? '';
  const isKnownTag = known.some((line) => line.includes(`<${tag}`));
  const isAnswerTag = /^(?:search|replace|find|new|old|path|explanation|edits?)$/u.test(tag);
  const isTag =
    tag !== '' &&
    !isKnownTag &&
    (taggedLanguages.has(language) ? isAnswerTag && language !== 'xml' : true);
  const hasExplanation = last.includes('<explanation>') && !known.join('').includes('<explanation');
  const isNumber = content.length === 1 && /^(?:L\d+: |\[\d+\] )/u.test(first);
  const isNote = /^\[\^\d+\]: /u.test(last) && !known.some((line) => line.startsWith('[^'));
  const isInstruction =
    content.length === 1 &&
    /^(?:Replace|Change|Update|Remove|Delete|Insert|Set|Rename) .*(?:with|to|by|from|before|after)\b.*\.$/u.test(
      first,
    ) &&
    !known.some((line) =>
      /^(?:Replace|Change|Update|Remove|Delete|Insert|Set|Rename) /u.test(line),
    );
  const isTurn =
    content.some((line) => /\[\/INST\]/u.test(line)) &&
    !known.some((line) => line.includes('[/INST]'));
  return (
    isFileName ||
    isCommand ||
    isQuoted ||
    isTag ||
    hasExplanation ||
    isNumber ||
    isNote ||
    isInstruction ||
    isTurn
  );
}

/** Checks for HTML escapes, HTML line breaks or escaped quotes that the original does not contain. */
function hasForeignEscapes(
  content: readonly string[],
  { original, language, instruction = '' }: MarkedDocument,
): boolean {
  const [text, old] = [content.join('\n'), original.join('\n')];
  const isHtml = taggedLanguages.has(language);
  const hasEntities = /&(?:lt|gt|amp|quot);/u.test(text) && !/&\w+;/u.test(old);
  if (hasEntities && (!isHtml || /^\s*&lt;/u.test(text)) && !/&|escap|entit/iu.test(instruction))
    return true;
  const breaks = text.match(/<br ?\/?>/gu)?.length ?? 0;
  if (content.length === 1 && breaks > (isHtml ? 1 : 0) && !old.includes('<br')) return true;
  const hasEscapedQuotes = text.includes('\\"') && !/(?<!\\)"/u.test(text);
  return hasEscapedQuotes && old.includes('"') && !old.includes('\\"');
}

/** Checks for the signs of removed and added lines before a space, or before lines of the original. */
export function hasDiffMarks(
  lines: readonly string[],
  { original }: Pick<MarkedDocument, 'original'>,
): boolean {
  const content = lines.filter(isNonBlank);
  const known = new Set(original.filter(isNonBlank).map((line) => line.trim()));
  const isMarked = (line: string): boolean => /^[-+]/u.test(line) && !known.has(line.trim());
  const removed = content.filter((line) => line.startsWith('-') && known.has(line.slice(1).trim()));
  return (
    removed.length > 0 &&
    removed.every((line) => isMarked(line)) &&
    content.every((line) => isMarked(line) || known.has(line.trim()))
  );
}

/** Checks whether an answer contains the original lines before their new version. */
function repeatsOriginal(
  content: readonly string[],
  { original, instruction = '' }: MarkedDocument,
): boolean {
  const own = original.filter(isNonBlank);
  const rest = content.slice(own.length);
  if (
    own.length === 0 ||
    rest.length === 0 ||
    /duplic|copy|repeat|again|twice|another/iu.test(instruction)
  )
    return false;
  if (own.some((line, index) => line.trim() !== content[index]?.trim())) return false;
  const others = rest.map(toWords);
  const similar = own.filter((line) =>
    others.some((words) => haveMostWordsInCommon(toWords(line), words)),
  );
  return similar.length * 2 >= own.length && rest.length * 2 >= own.length;
}

/** Checks whether an answer contains all of its lines twice. */
function hasDoubledLines(lines: readonly string[], original: readonly string[]): boolean {
  const first = lines.findIndex(isNonBlank);
  const own = lines.slice(first, lines.findLastIndex(isNonBlank) + 1);
  const content = own.filter(isNonBlank);
  const half = content.slice(0, content.length / 2);
  return (
    content.length % 2 === 0 &&
    half.every((line, index) => line === content[half.length + index]) &&
    (half.join(' ').match(/[\p{L}\p{N}]+/gu) ?? []).length > 3 &&
    (half.length > 1 ? new Set(half).size > 1 : own.length > content.length) &&
    original.filter(isNonBlank).length < content.length
  );
}

/** Checks for JSON with a string that contains an escaped line of the original. */
const containsLines = (content: readonly string[], original: readonly string[]): boolean =>
  original.some((line) => {
    const text = JSON.stringify(line.trim()).slice(1, -1);
    return text.length > 4 && text.includes('\\') && content.some((own) => own.includes(text));
  });

function isJson(text: string): boolean {
  if (!/^\s*[{[]\s*["{[]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const isNonBlank = (line: string): boolean => line.trim() !== '';
