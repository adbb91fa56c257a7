import {
  findEnvelope,
  getFileName,
  type MarkedDocument,
  type NewLines,
  taggedLanguages,
} from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import {
  hasBlankRun,
  hasDoubledEscapes,
  hasDoubledLines,
  hasEntities,
  hasLoop,
  hasWideSigns,
  isBase64,
  isJoined,
  repeatsEachLine,
} from './distortions.ts';
import { haveMostWordsInCommon, toWords } from '../../base/model-answer.ts';

type Test = RegExp | ((lines: NewLines) => boolean);

/**
 * Kind of text that models, their tools and chat pages add to new lines, tests for it, words in an instruction that can
 * request it, and languages in which it is ordinary.
 */
type ForeignRule = readonly [
  reason: string,
  tests: readonly Test[],
  request?: RegExp | undefined,
  usual?: RegExp,
];

const markdownLike = /^(?:markdown|mdx|restructuredtext|asciidoc|quarto|rmd|typst|plaintext)$/u;
const shellLike =
  /^(?:shellscript|fish|powershell|bat|makefile|yaml|dockerfile|latex|html|markdown|mdx|restructuredtext|asciidoc|quarto|rmd|plaintext)$/u;
const requestsList =
  /\b(?:number|list|steps|enumer|bullet|ordered|sequence|points?|items?|outline|checklist)|schritt|列表|步骤/iu;
const requestsCopy =
  /duplic|\bcopy (?:it|this|that|them|the (?:lines?|selection|function|method|block))\b|\b(?:a|another|second) copy|repeat|\bagain\b|twice|another|\bboth\b|\btimes\b|\bsteps\b/iu;
const requestsEscape = /&|unicode|escap|encod|entit|json|base ?64|backslash|literal/iu;

/** Creates a test for a pattern that all lines match, or a single line of code. */
const testAll =
  (pattern: RegExp) =>
  ({ content, isText }: NewLines): boolean =>
    (content.length > 1 || !isText) && content.every((line) => pattern.test(line));

/** Rules for all kinds of answers: inline edits, code blocks and commit messages. */
const textRules: readonly ForeignRule[] = [
  [
    'token of a chat template',
    [
      ({ bare }) => /<\|[\w▁-]{1,40}\|>/u.test(bare),
      /<\/?｜[^<>\n]{1,60}>/u,
      /^\s*\{\{\s*(?:\/?(?:REWRITTEN|INSERTED)_CODE|\.{3}|…)\s*\}\}\s*$/mu,
    ],
  ],
  ['doubled braces', [/^\{\{\n[\s\S]*\n\}\}$/u], undefined, /^(?:handlebars|jinja|twig|vue)$/u],
  [
    'diff of another format',
    [
      /^:(?:start|end)_line:\s*\d+\s*$/mu,
      /^(?:<{7}|>{7}|\|{7})(?: |$)/mu,
      /^\d+(?:,\d+)?[acd]\d+(?:,\d+)?\n[<>] /u,
      /^\*{3} \d+(?:,\d+)? \*{4}$/mu,
      /-\]\s?\{\+|--\}\s?\{\+\+/u,
      /^- (?:file|path|edit)s?:.*\n\s*(?:replace|replacement|edit|new\w*):\s*[|>][-+]?\n/u,
      /^(?:\W*\d+[.)]*\s+)?(?:and )?replace lines?:? \d+(?:\s?[-–]\s?\d+)?:?\n/iu,
    ],
    /conflict|merge/iu,
  ],
  [
    'text of a chat page',
    [
      /^(?:[a-z+#]{1,12}\n)?(?:copy code|copied!?|复制(?:代码)?|コピーする)\n/iu,
      /^(?:[a-z+#]{1,12}\n)?Copy\nEdit\n/u,
      /<[^<>\n]*<(?<tag>mark|span|b|em|strong|i|u)\b[^<>\n]*>[\w$]+<\/\k<tag>>/u,
      /<span class="(?:hljs-|token )[\w -]*">[\w$]+<\/span>/u,
      /\[\/INST\]/u,
      /^`{3,}\w+ [^`]*`{3,}$/u,
    ],
  ],
  ['color codes of a terminal', [/^\[\d[\d;]*m[\s\S]*\[0?m$/u]],
  [
    'marked word',
    [({ bare }) => /<mark>[\w$]+<\/mark>/u.test(bare)],
    /highlight|mark|stress|emphas/iu,
  ],
  ['emphasized code', [hasEmphasizedCode]],
  [
    'labels of the beginning and the end',
    [
      /^\W{0,9}begin (?<name>code|answer|edit|output)\W{0,9}\n[\s\S]*\n\W{0,9}end \k<name>\W{0,9}$/iu,
      /\n\[end of (?:code|answer|edit|output|result|response)\]$/iu,
    ],
  ],
  ['lines of signs', [/^(?<signs>[=~_+]{5,})\n[\s\S]*\n\k<signs>$/u], undefined, markdownLike],
  [
    'rating of the answer',
    [/\n(?:Confidence: \d+ ?%|Time complexity: O\(.*)$/u],
    /confiden|complexity|running time/iu,
  ],
  [
    'tool call',
    [
      /^\s*<(?:write_(?:to_)?file|replace_in_file|edit_file|apply_diff|insert_content|str_replace\w*|task_progress|attempt_completion|tool_call)>/u,
      /^\s*(?:Thought|Action)\s*:.*\n(?:.*\n)*?(?:Action(?: Input)?|Final Answer)\s*:/u,
      isCall,
      writesDocument,
    ],
  ],
  [
    'tag around all lines',
    [/^\s*<(?<tag>source|search|replace|new|old)>\s*\n[^]*<\/\k<tag>>\s*$/u],
    undefined,
    /^xml$/u,
  ],
  ['path of the file', [/^\s*<(?<path>[\w./-]+\.\w+)>\s*\n[^]*<\/\k<path>>\s*$/u, hasForeignPath]],
  ['git command', [/^\s*(?:\$ )?git (?:commit|add|apply)\s/u], undefined, shellLike],
  [
    'message in a git command',
    [
      ({ text, old }) =>
        /^(?:\$ )?git commit -m "(?:[^"\\]|\\.)*"$/u.test(text) && sharesWords(old, text),
    ],
  ],
  ['omitted beginning', [/^\s*\[(?:\.{3}|…)\]\s*\n/u]],
  [
    'escapes',
    [
      ({ text }) => /\\u003[ce]/iu.test(text) && !/[<>]/u.test(text),
      ({ text }) => /^[\w.!~*'()%-]+$/u.test(text) && /%[\dA-F]{2}.*%[\dA-F]{2}/u.test(text),
      isBase64,
      hasDoubledEscapes,
    ],
    requestsEscape,
  ],
  ['page of a gateway', [/^\s*<html\b[\s\S]*<title>\s*[45]\d\d [A-Z]/iu], /[45]\d\d|error/iu],
  [
    'line numbers',
    [
      ({ content }) => content.every((line) => /^\s*\d+(?: \| |: {2})/u.test(line)),
      ({ content }) => content.at(-1)?.startsWith('0 | ') === true,
    ],
  ],
  ['repeated last line', [hasLoop], /repeat|\b(?:times|rows|copies|steps)\b/iu],
  ['each line twice', [repeatsEachLine], requestsCopy],
  ['blank lines', [hasBlankRun]],
  ['full-width punctuation', [hasWideSigns]],
  ['joined lines', [isJoined]],
  ['list of strings', [isStringList]],
  ['plus signs', [hasPlusSigns]],
];

/** Rules for answers to edit requests only. */
const lineRules: readonly ForeignRule[] = [
  ['emphasis of all lines', [/^\s*\*\*.*\*\*$/u, /^\s*`.*`$/u].map(testAll)],
  [
    'quotation marks',
    [testAll(/^".*"$/u), ({ text }) => /^\s*«[\s\S]*»\s*$/u.test(text), isQuoted],
    /quot|\bstrings?\b/iu,
    /^(?:csv|tsv|json\w*)$/u,
  ],
  [
    'bullets',
    [
      ({ content, isText, document: { language } }) =>
        language !== 'yaml' &&
        (content.length > 1 || isText) &&
        content.every((line) => /^[-•](?: |$)/u.test(line)),
      ({ content }) => content.every((line) => /^(?:[→•▸►▶│┃»›❯➜➤▪●]|=>)\s?/u.test(line)),
    ],
    requestsList,
  ],
  ['numbers of a list', [hasListNumbers]],
  [
    'vertical bars',
    [
      ({ content, isText }) =>
        content.every((line) => line.startsWith('| ')) &&
        !(isText && content.every((line) => line.trimEnd().endsWith('|'))),
    ],
    undefined,
    /^(?:fsharp|ocaml|haskell|elm|rescript)$/u,
  ],
  [
    'HTML escapes',
    [
      hasEntities,
      ({ content, bare, own, document: { language } }) =>
        content.length === 1 &&
        (taggedLanguages.has(language)
          ? own.length > 2 && /<br.*<br/u.test(bare)
          : /<br ?\/?>/u.test(bare)),
      ({ text, old }) =>
        text.includes('\\"') && !/(?<!\\)"/u.test(text) && /^(?=.*")(?!.*\\")/su.test(old),
    ],
    requestsEscape,
  ],
  ['repeated lines', [hasDoubledLines, repeatsOriginal], requestsCopy],
  ['JSON that contains the lines', [isForeignJson]],
  ['name of the file', [isFileName, isFileCommand]],
  ['tag', [hasForeignTag, /<explanation>.*$/u]],
  [
    'reference',
    [
      ({ content, text }) => content.length === 1 && /^(?:L\d+: |\[\d+\] )/u.test(text),
      /\n\[\^\d+\]: .*$/u,
    ],
    /note|source|cit|refer/iu,
  ],
  ['instruction', [isInstruction]],
];

/**
 * Returns the kind of text that a model added to the new lines, such as a tool call, numbers on all lines or JSON in a
 * document of another language. Returns undefined if the document contains such text or the user can have requested it.
 */
export const findForeignText = (
  lines: readonly string[],
  document: MarkedDocument,
): string | undefined => findRule(textRules, lines, document);

/** Finds text as {@link findForeignText} does, and delimiters and marks that only edit answers have. */
export const findForeignMarks = (
  lines: readonly string[],
  document: MarkedDocument,
): string | undefined =>
  findForeignText(lines, document) ??
  findEnvelope(lines, document) ??
  findRule(lineRules, lines, document);

function findRule(
  rules: readonly ForeignRule[],
  lines: readonly string[],
  document: MarkedDocument,
): string | undefined {
  const { language, instruction = '' } = document;
  const own = document.original.filter(isNonBlank);
  const context = { own, old: own.join('\n'), isText: isTextLanguage(language), document };
  const toNewLines = (part: readonly string[]): NewLines => {
    const content = part.filter(isNonBlank);
    const text = content.join('\n');
    return { ...context, lines: part, content, text, bare: removeStrings(text) };
  };
  const newLines = toNewLines(lines);
  if (newLines.content.length === 0) return undefined;
  const known = [...document.before, ...own, ...document.after].filter(isNonBlank);
  const parts = [known.join('\n'), context.old, instruction, ...known];
  const isForeign = (test: Test): boolean =>
    typeof test === 'function'
      ? test(newLines) && !own.some((line) => test(toNewLines([line])))
      : test.test(newLines.text) && !parts.some((part) => test.test(part));
  return rules.find(
    ([, tests, request, usual]) =>
      tests.some(isForeign) &&
      usual?.test(language) !== true &&
      request?.test(instruction) !== true,
  )?.[0];
}

/** Removes strings and patterns within one line. */
const removeStrings = (text: string): string =>
  text
    .replaceAll(/\\./gu, '')
    .replaceAll(/"[^"\n]*"|(?<!\w)'[^'\n]*'|`[^`]*`|(?<=[=(,:[!&|?{};\s])\/[^/\s*][^/\n]*\//gu, '');

/** Checks for a program that writes the document. */
function writesDocument({ text, document: { path = '', instruction = '' } }: NewLines): boolean {
  const name = getFileName(path);
  return (
    name !== '' &&
    /\b(?:write_text|write_bytes|writeFile|writeFileSync|WriteAllText|open)\(/u.test(text) &&
    text.toLowerCase().includes(name) &&
    !instruction.toLowerCase().includes(name)
  );
}

/** Checks for a first line that is the path of the document, with or without a note in parentheses. */
function hasForeignPath({ content: [first = '', second], old, document }: NewLines): boolean {
  const { path = '', before } = document;
  const line = first.trim().replace(/ \([^()]*\)$/u, '');
  return (
    path !== '' &&
    second !== undefined &&
    !/^#|\s/u.test(line) &&
    line.endsWith(path) &&
    !`${before.join('\n')}${old}`.includes(path)
  );
}

const stringSource =
  '(?:"{3}(?:(?!"{3})[^])*"{3}|\'{3}(?:(?!\'{3})[^])*\'{3}|"(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`)';
const argumentSource = `(?:[a-z_]\\w*\\s*[=:]\\s*)?(?:${stringSource}|[\\w.]+)`;
/** Matches a text that is one call with a string as its first argument. */
const stringCall = new RegExp(
  `^(?:print\\()?[a-z_$][\\w$.]*\\(\\s*(?:[a-z_]\\w*\\s*[=:]\\s*)?${stringSource}(?:\\s*,\\s*${argumentSource})*\\s*(?:,\\s*)?\\)\\)?;?$`,
  'iu',
);
/** Matches the start of a call of a tool that changes files. */
const toolCall =
  /^(?:print\(default_api\.|(?:replace_selection|str_replace_editor|edit_file|insert_edit_into_file|applyEdit|write_to_file)\()/u;

/** Checks for one call of a tool, or of a function with most words of the original in a string of several lines. */
function isCall({ text, old }: NewLines): boolean {
  const call = text.trim();
  if (!/\)\)?;?$/u.test(call)) return false;
  if (toolCall.test(call)) return true;
  if (!/\\n|\n/u.test(call) || !stringCall.test(call)) return false;
  return sharesWords(old, call);
}

/** Checks whether a text contains most words of the original. */
function sharesWords(old: string, text: string): boolean {
  const words = toWords(old);
  return [...toWords(text)].filter((word) => words.has(word)).length * 2 > words.size;
}

/** Checks for lines in a list or sum of strings, which contain line ends or code of the original. */
function isStringList({ content, text, isText }: NewLines): boolean {
  const isList = content.every((line, index) =>
    (index === content.length - 1
      ? /^"(?:[^"\\]|\\.)*",?$/u
      : /^"(?:[^"\\]|\\.)*"(?:,| \+)$/u
    ).test(line),
  );
  return (
    isList &&
    (/\\n"/u.test(text) || (isText ? text.endsWith(',') : /^"\s|[;{}>:=)]",?$/mu.test(text)))
  );
}

/** Checks for plus signs before all lines, or before those that the original does not contain. */
function hasPlusSigns({ content, own, document: { language } }: NewLines): boolean {
  const known = new Set(own.map((line) => line.trim()));
  const added = content.filter((line) => line.startsWith('+'));
  const isList = markdownLike.test(language) && added.every((line) => /^\+(?: \S|\d)/u.test(line));
  return (
    added.length > 0 &&
    !(
      isList &&
      own.some((line) => /^[-*+\d]|\p{L}/u.test(line)) &&
      added.length === content.length &&
      !added.every((line) => line.startsWith('+ ') && known.has(line.slice(2)) && own.length > 1)
    ) &&
    content.every((line) => line.startsWith('+') || known.has(line.trim()))
  );
}

/** Checks for asterisks around a word outside strings and comments. */
function hasEmphasizedCode({ content, old, document: { language } }: NewLines): boolean {
  if (
    /^(?:markdown|mdx|quarto|rmd|prompt|instructions|chatagent|plaintext|restructuredtext|asciidoc)$/u.test(
      language,
    ) ||
    old.includes('**')
  )
    return false;
  const emphasis = /(?<![\w*/])\*\*(?<word>\w+)\*\*(?![\w*/])/u;
  return content.some(
    (line) =>
      emphasis.test(line) &&
      (emphasis.test(removeStrings(line)) || line.startsWith('#!')) &&
      !/^\s*(?:\/\/|\/\*|\*(?!\*)|#(?!!)|"{3})/u.test(line),
  );
}

/** Checks for numbers as in a list before all lines, unlike in the original. */
function hasListNumbers({ content, own, isText, document }: NewLines): boolean {
  const isList = isText && (content.length === 1 || requestsList.test(document.instruction ?? ''));
  const isNumbered = [1, 2].some((start) =>
    content.every((line, index) => line.trimStart().startsWith(`${index + start}. `)),
  );
  return isNumbered && !isList && !own.some((line) => /^\s*(?:\d+[.)]|[-*+•])\s/u.test(line));
}

/** Checks for a tag before the lines in a document without tags, or a tag of an answer in another document. */
function hasForeignTag({ content: [first = ''], old, document: { language } }: NewLines): boolean {
  const tag = /^\s*<(?<name>[a-z][\w-]*)(?<attributes>\s[^<>]*)?>/u.exec(first)?.groups;
  if (tag === undefined || old.includes(`<${tag['name']}`)) return false;
  if (!taggedLanguages.has(language)) return !/<\/?[a-z]/iu.test(old);
  const isAnswerTag = /^(?:search|replace|find|new|old|path|explanation|edits?)$/u;
  return (
    language !== 'xml' && tag['attributes'] === undefined && isAnswerTag.test(tag['name'] ?? '')
  );
}

/** Checks for JSON in a document of another language, or for a string with an escaped line of the original. */
function isForeignJson({ content, text, own, old, document: { language } }: NewLines): boolean {
  if (language.startsWith('json'))
    return own.some((line) => {
      const escaped = JSON.stringify(line.trim()).slice(1, -1);
      return (
        escaped.length > 4 &&
        escaped.includes('\\') &&
        content.some((other) => other.includes(escaped))
      );
    });
  if (/^\s*[{[]/u.test(own[0] ?? '') || !/^\s*[{[]\s*["{[]/u.test(text)) return false;
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  return (
    /"(?:error|edits?|arguments|new_?\w*|old_?\w*|op|cell_type|lines|text|code|content|replacement)"\s*:/iu.test(
      text,
    ) ||
    own.length === 0 ||
    text.includes('\\n') ||
    sharesWords(old, text)
  );
}

/** Checks whether an answer contains the original lines before their new version. */
function repeatsOriginal({ content, own }: NewLines): boolean {
  const rest = content.slice(own.length);
  if (own.length === 0 || rest.length === 0) return false;
  if (own.some((line, index) => line.trim() !== content[index]?.trim())) return false;
  const [start = ''] = own;
  if (/[\p{L}\p{N}]{2}/u.test(start) && rest.some((line) => line.trim() === start.trim()))
    return true;
  const head = startOf(start);
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

/** Returns the text of a line before its first sign, such as the name of a target or a function. */
const startOf = (line: string): string => /^\s*[\w$ .-]*(?=[:=({])/u.exec(line)?.[0].trim() ?? '';

/** Checks for three quotation marks before and after the lines, which are no documentation. */
function isQuoted({ content, text, own, document: { language } }: NewLines): boolean {
  if (!/^(?<marks>"{3}|'{3})\n[\s\S]*\n\k<marks>$/u.test(text.trim())) return false;
  const inner = content.slice(1, -1).map(toWords);
  const isOwn = (line: string): boolean =>
    inner.some((words) => haveMostWordsInCommon(toWords(line), words));
  return language !== 'python' || own.some(isOwn);
}

/** Checks for a first line that is only the name of the file, with signs around it. */
function isFileName({ content: [first = ''], document: { path = '' } }: NewLines): boolean {
  const name = getFileName(path);
  const bare = first.replaceAll(/[-=>*#`_:\s]/gu, '').toLowerCase();
  return (
    name !== '' &&
    /^(?:[-=>*`_]{1,5}\s?|#{2,6} )/u.test(first) &&
    getFileName(bare) === bare &&
    bare === name.replaceAll(/[-_]/gu, '')
  );
}

/** Checks for a single command that would change the file. */
function isFileCommand({ content, text, document: { path = '', instruction = '' } }: NewLines) {
  const name = getFileName(path);
  return (
    content.length === 1 &&
    name !== '' &&
    /^(?:sed|awk|perl|npm|git|mv|rm|cp|patch|touch|echo|vim|nano|code)\s/u.test(text) &&
    text.toLowerCase().includes(name) &&
    !instruction.toLowerCase().includes(name)
  );
}

/** Checks for a sentence that describes how to change the first original line. */
function isInstruction({ content, text, own: [first = ''] }: NewLines): boolean {
  const isSentence = /^(?:Replace|Change|Update) .*(?:with|to|by)\b.*\.$/u.test(text);
  return content.length === 1 && isSentence && text.includes(JSON.stringify(first).slice(1, -1));
}

const isNonBlank = (line: string): boolean => line.trim() !== '';
