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
    hasForeignText(lines, document) ||
    hasEnvelope(content, document) ||
    every(/^\+/u) ||
    ((content.length > 1 ||
      !/^(?:markdown|mdx|restructuredtext|asciidoc|quarto|rmd|typst)$/u.test(language)) &&
      [/^\s*\*\*.*\*\*$/u, /^\s*`.*`$/u, /^".*"$/u].some((pattern) => every(pattern))) ||
    (language !== 'yaml' &&
      (content.length > 1 || isTextLanguage(language)) &&
      every(/^[-•](?: |$)/u) &&
      !requestsList.test(document.instruction ?? '')) ||
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

/** A pattern of text that no document contains, except in languages that match `usualLanguages`. */
interface ForeignPattern {
  readonly pattern: RegExp;
  /** Languages in whose documents the text is ordinary. */
  readonly usualLanguages?: RegExp;
  /** Words in an instruction that can request the text. */
  readonly requestPattern?: RegExp;
}

/** Text that models, their tools, chat pages and other diff formats add to new lines. */
const foreignPatterns: readonly ForeignPattern[] = [
  // Tokens of chat templates, fill-in-the-middle requests and tool calls.
  { pattern: /<\|[\w▁-]{1,40}\|>|<\/?｜[^<>\n]{1,60}>/u },
  // Placeholders of a prompt, and lines of doubled braces.
  { pattern: /^\s*\{\{\s*(?:\/?[A-Z][A-Z_]{3,}|\.{3}|…)\s*\}\}\s*$/mu },
  { pattern: /^\{\{\n[\s\S]*\n\}\}$/u, usualLanguages: /^(?:handlebars|jinja|twig|vue)$/u },
  // Parts of SEARCH/REPLACE blocks, conflict markers and diffs of other tools.
  { pattern: /^:(?:start|end)_line:\s*\d+\s*$/mu },
  { pattern: /^(?:<{7}|>{7}|\|{7})(?: |$)/mu },
  {
    pattern: /^={7}$/mu,
    usualLanguages: /^(?:markdown|mdx|restructuredtext|plaintext|asciidoc)$/u,
  },
  { pattern: /^\d+(?:,\d+)?[acd]\d+(?:,\d+)?\n[<>] /u },
  { pattern: /^\*{3} \d+(?:,\d+)? \*{4}$/mu },
  { pattern: /-\]\s?\{\+|--\}\s?\{\+\+/u },
  { pattern: /^(?:\W*\d+[.)]*\s+)?(?:and )?replace lines?:? \d+/iu },
  { pattern: /^- (?:file|path|edit)s?:.*\n\s*\w+:\s*[|>][-+]?\n/u },
  // Text of chat pages and terminals.
  { pattern: /^(?:.*\n){0,2}(?:copy|edit|copy code|copied!?|复制(?:代码)?|コピーする)\n/iu },
  { pattern: /(?<![\w\\[])\[(?:\d{1,2};)?(?:0|1|[34]\d)m/u },
  { pattern: /\sclass="(?:hljs|token|shj)\b/u },
  {
    pattern: /^[^\n"'`]*<(?<tag>mark|span|font|strong|em|b|i|u)\b[^<>\n]*>[\w$]+<\/\k<tag>>/mu,
    usualLanguages: /^(?:html|vue|svelte|astro|php|handlebars|\w+react|xml|svg|twig|jinja)$/u,
    requestPattern: /highlight|mark|bold|emphas|underlin|html|color/iu,
  },
  { pattern: /<[^<>\n]*<(?<tag>mark|span|b|em|strong|i|u)\b[^<>\n]*>[\w$]+<\/\k<tag>>/u },
  // Labels and lines of signs around all lines.
  { pattern: /^\W*(?:begin|start)(?: of)? (?:code|answer|edit|output|result|response)\W*\n/iu },
  { pattern: /\n\W{0,9}end(?: of)? (?:code|answer|edit|output|result|response)\W*$/iu },
  {
    pattern: /^(?<signs>[=*#~_+-]{5,})\n[\s\S]*\n\k<signs>$/u,
    usualLanguages: /^(?:markdown|mdx|plaintext|restructuredtext)$/u,
  },
  { pattern: /\n(?:confidence|rating|(?:time|space) complexity|complexity)\s*:\s*\S.*$/iu },
  // Tool calls and their parts.
  { pattern: /^\s*<[a-z]+(?:_[a-z]+)+>/u, usualLanguages: /^(?:xml|xsl)$/u },
  {
    pattern: /^\s*(?:thought|action|final answer|action input)\s*:\s*(?:\n|\S)/iu,
    usualLanguages: /^(?:yaml|prompt)$/u,
  },
  { pattern: /^\s*<(?<tag>source|search|replace|new|old)>\s*\n[^]*<\/\k<tag>>\s*$/u },
  { pattern: /^\s*<(?<path>[\w./-]+\.\w+)>\s*\n[^]*<\/\k<path>>\s*$/u },
  {
    pattern: /^\s*(?:\$ )?git (?:commit|add|apply)\s/u,
    usualLanguages: /^(?:shellscript|fish|powershell|bat|makefile)$/u,
  },
  // The old lines before an arrow and the new lines.
  { pattern: /\n(?:=+>|->|→|⇒)\n/u },
  {
    pattern: /<mark\b[^<>]*>/u,
    requestPattern: /highlight|mark/iu,
  },
  // A list item or a numbered line that contains a row of a table.
  { pattern: /^(?:[-*+]|\d+[.)]) \|.*\|\n(?:[-*+]|\d+[.)]) \|/u },
  // The first line in place of omitted lines, and a damaged interpreter line.
  { pattern: /^\s*\[(?:\.{3}|…)\]\s*\n/u },
  { pattern: /^#!.*\*\*\w+\*\*/u },
  // Escapes and encodings.
  { pattern: /\\u003[ce]/iu, requestPattern: /unicode|escap|json/iu },
  { pattern: /^[A-Za-z\d+/]{40,}={0,2}$/u },
  { pattern: /^(?=\S*(?:%20|%0A)\S*(?:%20|%0A))\S+$/u },
  // A page that a gateway returns in place of an answer.
  { pattern: /^\s*<html\b[\s\S]*\b[45]\d\d\b/iu },
];

/**
 * Checks for text that is neither part of the document nor usual in its language, such as special tokens of a model,
 * markers of another diff format, numbers on all lines, a tool call, or endlessly repeated lines.
 */
export function hasForeignText(lines: readonly string[], document: MarkedDocument): boolean {
  const content = lines.filter(isNonBlank);
  if (content.length === 0) return false;
  const { language, original, before, after, instruction = '' } = document;
  const known = [...before, ...original, ...after].filter(isNonBlank).join('\n');
  const text = content.join('\n');
  return (
    foreignPatterns.some(
      ({ pattern, usualLanguages, requestPattern }) =>
        pattern.test(text) &&
        !pattern.test(known) &&
        !pattern.test(instruction) &&
        usualLanguages?.test(language) !== true &&
        requestPattern?.test(instruction) !== true,
    ) ||
    hasForeignNumbers(content, known) ||
    hasDoubledEscapes(text, known) ||
    hasBlankRun(lines, [...before, ...original, ...after]) ||
    hasLoop(content, original) ||
    hasWideSigns(text, known) ||
    isJoined(content, original) ||
    isOnlyComment(content, document) ||
    writesDocument(text, document) ||
    hasForeignPath(content, document) ||
    isCall(content, document) ||
    isList(content, document) ||
    hasMarkedLines(content, document) ||
    hasEmphasizedCode(content, document)
  );
}

/** Checks whether every line, or at least the last one, begins with a number that the document does not contain. */
function hasForeignNumbers(content: readonly string[], known: string): boolean {
  const isNumbered = (line: string): boolean => /^\s*\d+(?: \||:) /u.test(line);
  if (known.split('\n').some(isNumbered)) return false;
  return content.every(isNumbered) || isNumbered(content.at(-1) ?? '');
}

/** Checks for doubled backslashes before the end of a string, if the document contains only single ones there. */
const hasDoubledEscapes = (text: string, known: string): boolean =>
  /[^\\]\\\\[nrt]["'`]/u.test(text) &&
  !/[^\\]\\[nrt]["'`]/u.test(text) &&
  /[^\\]\\[nrt]["'`]/u.test(known) &&
  !/\\\\[nrt]/u.test(known);

/** Checks whether the last line is repeated many times, or every line occurs twice in a row. */
function hasLoop(content: readonly string[], original: readonly string[]): boolean {
  const last = content.at(-1);
  const count = content.length - 1 - content.findLastIndex((line) => line !== last);
  const isUsual = original.filter((line) => line === last).length >= count;
  if (count >= maxEqualLines && !isUsual) return true;
  return (
    (content.length > 3 || (content.length === 2 && toWords(last ?? '').size > 3)) &&
    content.length % 2 === 0 &&
    content.every((line, index) => index % 2 === 0 || line === content[index - 1]) &&
    (new Set(content).size > 1 || original.filter(isNonBlank).length < 2)
  );
}

const maxEqualLines = 6;

/**
 * Checks for three blank lines in a row, which models write only by mistake. Ignores blank lines that remain where
 * lines of the original were deleted.
 */
function hasBlankRun(lines: readonly string[], original: readonly string[]): boolean {
  if (listBlankRuns(original).length > 0) return false;
  const known = original.filter(isNonBlank).map((line) => line.trim());
  return listBlankRuns(lines)
    .slice(0, maxBlankRuns)
    .some(([before, after]) => {
      const isDeletion =
        known.includes(before) &&
        known.includes(after) &&
        !known.some((line, index) => line === before && known[index + 1] === after);
      return !isDeletion;
    });
}

const maxBlankRuns = 20;

/** Returns the lines before and after each run of at least three blank lines. */
function listBlankRuns(lines: readonly string[]): readonly (readonly [string, string])[] {
  const indexes = [...lines.keys()].filter((index) => isNonBlank(lines[index] ?? ''));
  return indexes.slice(1).flatMap((index, position) => {
    const previous = indexes[position] ?? 0;
    const isRun = index - previous > 3;
    return isRun ? [[lines[previous]?.trim() ?? '', lines[index]?.trim() ?? ''] as const] : [];
  });
}

/** Checks whether the answer joins several lines into one, with two spaces in place of each line break. */
function isJoined(content: readonly string[], original: readonly string[]): boolean {
  const [line = ''] = content;
  const gap = /\S {2,}\S/gu;
  return (
    content.length === 1 &&
    original.filter(isNonBlank).length !== 1 &&
    (line.match(gap) ?? []).length > 1 &&
    !original.some((other) => (other.match(gap) ?? []).length > 1)
  );
}

/** Checks whether all lines are comments although the original contains code. */
function isOnlyComment(
  content: readonly string[],
  { original, language, instruction = '' }: MarkedDocument,
): boolean {
  const isComment = (line: string): boolean =>
    /^\s*(?:\/\/|\/\*|\*|#(?!!|\w)|--\s|<!--)/u.test(line);
  const own = original.filter((line) => /\p{L}/u.test(line));
  return (
    !isTextLanguage(language) &&
    content.every(isComment) &&
    own.length > 1 &&
    !own.some(isComment) &&
    !own.some((line) => content.some((other) => other.includes(line.trim()))) &&
    !/comment|remove|delete|drop|empty|todo/iu.test(instruction)
  );
}

/** Checks whether the answer is a program that would write the document instead of the document's new lines. */
function writesDocument(
  text: string,
  { original, path = '', instruction = '' }: MarkedDocument,
): boolean {
  const name = getFileName(path);
  const call = /\b(?:write_text|write_bytes|writeFile|writeFileSync|WriteAllText|open)\(/u;
  return (
    name !== '' &&
    call.test(text) &&
    text.toLowerCase().includes(name) &&
    !call.test(original.join('\n')) &&
    !instruction.toLowerCase().includes(name)
  );
}

/** Checks for full-width punctuation in a text that has no letters of the scripts with such punctuation. */
const hasWideSigns = (text: string, known: string): boolean =>
  /[（），；：]/u.test(text) &&
  !/[（），；：]/u.test(known) &&
  !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text);

/** Checks for a first line that is the path of the document, with or without a note in parentheses. */
function hasForeignPath(
  [first = '', ...rest]: readonly string[],
  { original, before, path = '' }: MarkedDocument,
): boolean {
  if (path === '' || rest.length === 0) return false;
  const line = first.trim().replace(/ \([^()]*\)$/u, '');
  const isPath = !/\s/u.test(line) && line.endsWith(path) && !line.startsWith('#');
  return isPath && ![...before, ...original].some((other) => other.includes(path));
}

const stringSource =
  '(?:"{3}(?:(?!"{3})[^])*"{3}|\'{3}(?:(?!\'{3})[^])*\'{3}|"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`)';
const argumentSource = `(?:[a-z_]\\w*\\s*[=:]\\s*)?(?:${stringSource}|[\\w.]+)`;
/** Matches a text that is a single function call with a string as its first argument. */
const stringCall = new RegExp(
  `^(?:print\\()?(?<name>[a-z_$][\\w$.]*)\\(\\s*(?:[a-z_]\\w*\\s*[=:]\\s*)?${stringSource}(?:\\s*,\\s*${argumentSource})*\\s*,?\\s*\\)\\)?;?$`,
  'iu',
);
/** Matches the start of a tool call that changes a file, such as `edit_file("`. */
const toolCall =
  /^(?:print\()?(?:\w+\.)*(?<name>(?:[a-z]+_)*(?:edit|replace|write|insert|apply|update)(?:_\w+|[A-Z]\w*)?)\(\s*(?:\w+\s*=\s*)?["'`]/u;

/** Checks whether the new lines are a single function call with the document's text as a string argument. */
function isCall(
  content: readonly string[],
  { original, language }: Pick<MarkedDocument, 'original' | 'language'>,
): boolean {
  const text = content.join('\n').trim();
  if (!/\)\)?;?$/u.test(text)) return false;
  const tool = toolCall.exec(text)?.groups?.['name'];
  const name = tool ?? stringCall.exec(text)?.groups?.['name'];
  if (name === undefined || original.some((line) => line.includes(`${name}(`))) return false;
  const words = toWords(original.join(' '));
  const own = [...toWords(text)].filter((word) => words.has(word));
  return isTextLanguage(language) || own.length * 2 > words.size;
}

/** Checks whether every line is a string literal followed by a comma or a plus sign, unlike the original lines. */
const isList = (content: readonly string[], { original, language }: MarkedDocument): boolean =>
  (content.length > 1 || isTextLanguage(language)) &&
  content.every((line, index) =>
    (index === content.length - 1
      ? /^"(?:[^"\\]|\\.)*",?$/u
      : /^"(?:[^"\\]|\\.)*"(?:,| \+)?$/u
    ).test(line),
  ) &&
  !original.some((line) => /^\s*"[^"]*",?$/u.test(line));

/** Checks whether every line is unchanged or begins with a plus sign. */
function hasMarkedLines(
  content: readonly string[],
  { original }: Pick<MarkedDocument, 'original'>,
): boolean {
  const known = new Set(original.map((line) => line.trim()));
  return (
    content.some((line) => line.startsWith('+')) &&
    content.every((line) => line.startsWith('+') || known.has(line.trim())) &&
    !original.some((line) => line.startsWith('+'))
  );
}

/** Checks for asterisks or underlines around a word of code. */
function hasEmphasizedCode(
  content: readonly string[],
  { original, language }: MarkedDocument,
): boolean {
  if (/^(?:markdown|mdx|quarto|rmd|prompt|instructions|chatagent)$/u.test(language)) return false;
  const emphasis = /(?<![\w*/])\*\*(?<word>\w+)\*\*(?![\w*/])/u;
  if (original.some((line) => line.includes('**'))) return false;
  return content.some((line) => {
    const word = emphasis.exec(line)?.groups?.['word'];
    if (word === undefined || labelWord.test(word)) return false;
    const plain = toWords(line.replace(emphasis, '$<word>'));
    return (
      isTextLanguage(language) ||
      /^\s*(?:\/\/|\/?\*(?!\*)|#|--)/u.test(line) ||
      /[;{}()=<>[\]]|:$/u.test(line) ||
      original.some((other) => haveMostWordsInCommon(plain, toWords(other)))
    );
  });
}

/** Matches words that documentation in comments often emphasizes. */
const labelWord =
  /^(?:note|notes|warning|important|deprecated|caution|todo|example|examples|not|must)$/iu;

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

/** Matches a line that labels the old or the new lines, such as `Before:` or `Updated code:`. */
const sideLabel = /^\W{0,4}(?:before|after|original|old|new|updated|modified)(?: code)?\W{0,3}$/iu;

const requestsList = /\b(?:number|list|steps|enumer|bullet|ordered)|schritt|列表|步骤/iu;

/** Checks whether all lines are numbered like list items. */
const hasListNumbers = (content: readonly string[]): boolean =>
  content.every((line, index) => line.trimStart().startsWith(`${index + 1}. `)) ||
  content.every((line, index) => line.trimStart().startsWith(`${index + 2}. `));

/** First and last lines with which formats other than Markdown enclose code, or with which models enclose a result. */
const envelopePatterns: readonly (readonly [first: RegExp, last: RegExp])[] = [
  [/^\s*\\begin\{(?:verbatim|lstlisting|minted|code|alltt)\}/u, /\\end\{\w+\}\s*$/u],
  [/^\s*\[(?:code|pre|source|listing|snippet|python|js|html)\b[^\]]*\]/iu, /\[\/\w+\]\s*$/u],
  [/^\s*<[\w.-]+\/[\w./-]+>\s*$/u, /^\s*<\/[\w./-]+>\s*$/u],
  [/^\s*(?:<(?:html|body|pre|!doctype)[^<>]*>\s*){2,}\S/iu, /^/u],
  [/^\s*~~(?!~)/u, /^/u],
  [/^@@ [\d,-]+ @@\s*$/u, /^/u],
  [/^\[[\w.-]+\/[\w./-]+\]\s*$/u, /^/u],
  [/^\s*:?%?s\/.+\/.*\/\w*\s*$/u, /^/u],
  [/^\s*\w+(?: \w+){0,3} ?(?:->|=>|→|⇒)\s*$/u, /^/u],
  [/^\s*\w+\(\s*"(?:[^"\\]|\\.)*\\n/u, /^/u],
  [/^\s*\{(?:code|noformat)(?::[^{}]*)?\}/u, /\{(?:code|noformat)\}\s*$/u],
  [/^\s*#\+begin_/iu, /^\s*#\+end_/iu],
  [/^\s*:{3,}\s*\w/u, /^/u],
  [/^\s*(?:'{3}|"{3})\w+\s*$/u, /^\s*(?:'{3}|"{3})\s*$/u],
  [/^'{3}$/u, /^'{3}$/u],
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
      (!original.some((line) => start.test(line)) || content[1]?.trim() === first.trim()) &&
      !(known.includes(first) && known.includes(content[1] ?? '')) &&
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

/** Checks whether an answer is a program that would write the new lines, which it contains as a string, to the file. */
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

/** Checks whether lines have the diff signs `-` before original lines and `+` or `-` before all other changed lines. */
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
    /duplic|\bcopy (?:it|this|that|them|the (?:lines?|selection|function|method|block))\b|\b(?:a|another|second) copy|repeat|\bagain\b|twice|another/iu.test(
      instruction,
    )
  )
    return false;
  if (own.some((line, index) => line.trim() !== content[index]?.trim())) return false;
  const [start = ''] = own;
  const isDeclared = (line: string): boolean => /[\p{L}\p{N}]{2}/u.test(line);
  const head = startOf(start);
  if (isDeclared(start) && rest.some((line) => line.trim() === start.trim())) return true;
  if (
    own.length > 1 &&
    head.length > 2 &&
    rest.some((line) => startOf(line) === head && /[:=({]/u.test(line))
  )
    return true;
  const others = rest.map(toWords);
  const similar = own.filter((line) =>
    others.some((words) => haveMostWordsInCommon(toWords(line), words)),
  );
  return similar.length * 2 >= own.length && rest.length * 2 >= own.length;
}

/**
 * Returns the text of a line before its first `=`, `:`, `(` or `{`, such as the name of an assigned variable or a
 * function.
 */
const startOf = (line: string): string => /^\s*[\w$ .-]*(?=[:=({])/u.exec(line)?.[0].trim() ?? '';

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

/** Checks whether the answer contains a line of the original with JSON escapes. */
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
