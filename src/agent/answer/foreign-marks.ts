import { getFileName, type MarkedDocument, taggedLanguages } from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import { haveMostWordsInCommon, parseFence, toWords } from '../../base/model-answer.ts';

/** New lines of an answer without blank lines, and the document that they change. */
interface NewLines {
  readonly lines: readonly string[];
  readonly content: readonly string[];
  readonly text: string;
  /** Text without strings and patterns. */
  readonly bare: string;
  /** Original lines that are not blank. */
  readonly own: readonly string[];
  readonly old: string;
  readonly isText: boolean;
  readonly document: MarkedDocument;
}

/** A kind of text that models, their tools and chat pages add to new lines. */
interface ForeignRule {
  readonly reason: string;
  readonly test: RegExp | ((lines: NewLines) => boolean);
  /** Languages in which the text is ordinary. */
  readonly usual?: RegExp;
  /** Words in an instruction that can request the text. */
  readonly request?: RegExp;
}

const markdownLike = /^(?:markdown|mdx|restructuredtext|asciidoc|quarto|rmd|typst|plaintext)$/u;
const requestsList =
  /\b(?:number|list|steps|enumer|bullet|ordered|sequence|points?|items?|outline|checklist)|schritt|列表|步骤/iu;
const requestsCopy =
  /duplic|\bcopy (?:it|this|that|them|the (?:lines?|selection|function|method|block))\b|\b(?:a|another|second) copy|repeat|\bagain\b|twice|another|\bboth\b|\btimes\b|\bsteps\b/iu;
const requestsLoop = /repeat|\b(?:times|rows|copies|steps)\b/iu;
const requestsEscape = /&|unicode|escap|encod|entit|json|base ?64/iu;

const isEveryLine =
  (pattern: RegExp) =>
  ({ content, isText }: NewLines): boolean =>
    (content.length > 1 || !isText) && content.every((line) => pattern.test(line));

/** Rules for all kinds of answers: inline edits, code blocks and commit messages. */
const textRules: readonly ForeignRule[] = [
  {
    reason: 'token of a chat template',
    test: /(?<!["'`])<\|[\w▁-]{1,40}\|>|<\|[\w▁-]{1,40}\|>(?!["'`])|<\/?｜[^<>\n]{1,60}>/u,
  },
  {
    reason: 'placeholder of a prompt',
    test: /^\s*\{\{\s*(?:\/?(?:REWRITTEN|INSERTED)_CODE|\.{3}|…)\s*\}\}\s*$/mu,
  },
  {
    reason: 'doubled braces around all lines',
    test: /^\{\{\n[\s\S]*\n\}\}$/u,
    usual: /^(?:handlebars|jinja|twig|vue)$/u,
  },
  { reason: 'line number of a search block', test: /^:(?:start|end)_line:\s*\d+\s*$/mu },
  { reason: 'conflict marker', test: /^(?:<{7}|>{7}|\|{7})(?: |$)/mu, request: /conflict|merge/iu },
  { reason: 'normal diff', test: /^\d+(?:,\d+)?[acd]\d+(?:,\d+)?\n[<>] /u },
  { reason: 'context diff', test: /^\*{3} \d+(?:,\d+)? \*{4}$/mu },
  { reason: 'word diff', test: /-\]\s?\{\+|--\}\s?\{\+\+/u },
  {
    reason: 'label of line numbers',
    test: /^(?:\W*\d+[.)]*\s+)?(?:and )?replace lines?:? \d+(?:\s?[-–]\s?\d+)?:?\n/iu,
  },
  {
    reason: 'edit in YAML',
    test: /^- (?:file|path|edit)s?:.*\n\s*(?:replace|replacement|edit|new\w*):\s*[|>][-+]?\n/u,
  },
  {
    reason: 'button of a chat page',
    test: /^(?:[a-z+#]{1,12}\n)?(?:copy code|copied!?|复制(?:代码)?|コピーする)\n|^[a-z+#]{1,12}\nCopy\nEdit\n/iu,
  },
  { reason: 'color codes of a terminal', test: /^\[\d[\d;]*m[\s\S]*\[0?m$/u },
  {
    reason: 'classes of highlighted code',
    test: /<span class="(?:hljs-|token )[\w -]*">[\w$]+<\/span>/u,
  },
  {
    reason: 'element inside a tag',
    test: /<[^<>\n]*<(?<tag>mark|span|b|em|strong|i|u)\b[^<>\n]*>[\w$]+<\/\k<tag>>/u,
  },
  {
    reason: 'marked word',
    test: ({ bare }) => /<mark>[\w$]+<\/mark>/u.test(bare),
    request: /highlight|mark|stress|emphas/iu,
  },
  {
    reason: 'labels of the beginning and the end',
    test: /^\W{0,9}(?:begin|start)(?: of)? (code|answer|edit|output|result|response)\W{0,9}\n[\s\S]*\n\W{0,9}end(?: of)? \1\W{0,9}$/iu,
    usual: /^shellscript$/u,
  },
  {
    reason: 'label of the end',
    test: /\n\[end of (?:code|answer|edit|output|result|response)\]$/iu,
  },
  {
    reason: 'lines of signs around all lines',
    test: /^(?<signs>[=~_+]{5,})\n[\s\S]*\n\k<signs>$/u,
    usual: markdownLike,
  },
  {
    reason: 'rating of the answer',
    test: /\n(?:Confidence: \d+ ?%|Time complexity: O\(.*)$/u,
    request: /confiden|complexity|running time/iu,
  },
  {
    reason: 'tool call',
    test: /^\s*<(?:write_to_file|write_file|replace_in_file|edit_file|apply_diff|insert_content|search_and_replace|str_replace\w*|task_progress|attempt_completion|tool_call)>/u,
  },
  {
    reason: 'action of an agent',
    test: /^\s*(?:Thought|Action)\s*:.*\n(?:.*\n)*?(?:Action(?: Input)?|Final Answer)\s*:/u,
  },
  {
    reason: 'tag around all lines',
    test: /^\s*<(?<tag>source|search|replace|new|old)>\s*\n[^]*<\/\k<tag>>\s*$/u,
    usual: /^xml$/u,
  },
  { reason: 'path as a tag', test: /^\s*<(?<path>[\w./-]+\.\w+)>\s*\n[^]*<\/\k<path>>\s*$/u },
  {
    reason: 'git command',
    test: /^\s*(?:\$ )?git (?:commit|add|apply)\s/u,
    usual:
      /^(?:shellscript|fish|powershell|bat|makefile|yaml|dockerfile|latex|html|markdown|mdx|restructuredtext|asciidoc|quarto|rmd|plaintext)$/u,
  },
  {
    reason: 'message in a git command',
    test: ({ text, old }) =>
      /^(?:\$ )?git commit -m "(?:[^"\\]|\\.)*"$/u.test(text) &&
      haveMostWordsInCommon(toWords(old), toWords(text)),
  },
  { reason: 'blank lines', test: hasBlankRun },
  { reason: 'table rows in a list', test: /^(?:[-*+]|\d+[.)]) \|.*\|\n(?:[-*+]|\d+[.)]) \|/u },
  { reason: 'omitted beginning', test: /^\s*\[(?:\.{3}|…)\]\s*\n/u },
  {
    reason: 'escapes of markup',
    test: ({ text }) => /\\u003[ce]/iu.test(text) && !/[<>]/u.test(text),
    request: requestsEscape,
  },
  { reason: 'Base64', test: isBase64, request: requestsEscape },
  {
    reason: 'percent encoding',
    test: ({ text }) => /^[\w.!~*'()%-]+$/u.test(text) && /%[\dA-F]{2}.*%[\dA-F]{2}/u.test(text),
    request: requestsEscape,
  },
  {
    reason: 'page of a gateway',
    test: /^\s*<html\b[\s\S]*<title>\s*[45]\d\d [A-Z]/iu,
    request: /[45]\d\d|error/iu,
  },
  {
    reason: 'line numbers',
    test: ({ content }) =>
      content.every((line) => /^\s*\d+(?: \| |: {2})/u.test(line)) ||
      content.at(-1)?.startsWith('0 | ') === true,
  },
  { reason: 'doubled backslashes', test: hasDoubledEscapes, request: /backslash|escap|literal/iu },
  { reason: 'repeated last line', test: hasLoop, request: requestsLoop },
  {
    reason: 'each line twice',
    test: ({ content, own }) =>
      content.length % 2 === 0 &&
      content.every((line, index) => index % 2 === 0 || line === content[index - 1]) &&
      (new Set(content).size > 1 ||
        (content.length === 2 && own.length < 2 && toWords(content[0] ?? '').size > 3)),
    request: requestsCopy,
  },
  { reason: 'full-width punctuation', test: hasWideSigns },
  { reason: 'joined lines', test: isJoined },
  { reason: 'program that writes the file', test: writesDocument },
  { reason: 'path before the lines', test: hasForeignPath },
  { reason: 'call that contains the lines', test: isCall },
  { reason: 'list of strings', test: isStringList },
  { reason: 'plus signs', test: hasPlusSigns },
  { reason: 'emphasized code', test: hasEmphasizedCode },
];

/** Rules for answers to edit requests only. */
const lineRules: readonly ForeignRule[] = [
  { reason: 'emphasis of all lines', test: isEveryLine(/^\s*\*\*.*\*\*$/u) },
  { reason: 'backticks around all lines', test: isEveryLine(/^\s*`.*`$/u) },
  {
    reason: 'quotation marks around all lines',
    test: ({ content, isText }) =>
      !isText || content.length > 1 ? content.every((line) => /^".*"$/u.test(line)) : false,
    usual: /^(?:csv|tsv|json\w*)$/u,
    request: /quot|\bstrings?\b/iu,
  },
  {
    reason: 'bullets',
    test: ({ content, isText }) =>
      (content.length > 1 || isText) && content.every((line) => /^[-•](?: |$)/u.test(line)),
    usual: /^yaml$/u,
    request: requestsList,
  },
  {
    reason: 'arrows',
    test: ({ content }) => content.every((line) => /^(?:[→•▸►▶│┃»›❯➜➤▪●]|=>)\s?/u.test(line)),
    request: requestsList,
  },
  { reason: 'numbers of a list', test: hasListNumbers },
  {
    reason: 'vertical bars',
    test: ({ content, isText }) =>
      content.every((line) => line.startsWith('| ')) &&
      (!isText || !content.every((line) => line.trimEnd().endsWith('|'))),
    usual: /^(?:fsharp|ocaml|haskell|elm|rescript)$/u,
  },
  { reason: 'HTML escapes', test: hasEntities, request: requestsEscape },
  {
    reason: 'line breaks of HTML',
    test: ({ content, bare, own, document: { language } }) =>
      content.length === 1 &&
      /<br ?\/?>/u.test(bare) &&
      (!taggedLanguages.has(language) || (own.length > 2 && /<br.*<br/u.test(bare))),
  },
  {
    reason: 'escaped quotation marks',
    test: ({ text, old }) =>
      text.includes('\\"') && !/(?<!\\)"/u.test(text) && old.includes('"') && !old.includes('\\"'),
  },
  { reason: 'all lines twice', test: hasDoubledLines, request: requestsCopy },
  { reason: 'old lines before the new ones', test: repeatsOriginal, request: requestsCopy },
  { reason: 'JSON that contains the lines', test: isForeignJson },
  {
    reason: 'file name',
    test: ({ content: [first = ''], document: { path = '' } }) => {
      const name = getFileName(path);
      const bare = first.replaceAll(/[-=>*#`_:\s]/gu, '').toLowerCase();
      return (
        name !== '' &&
        /^(?:[-=>*`_]{1,5}\s?|#{2,6} )/u.test(first) &&
        getFileName(bare) === bare &&
        bare === name.replaceAll(/[-_]/gu, '')
      );
    },
  },
  {
    reason: 'command for the file',
    test: ({ content, text, document: { path = '', instruction = '' } }) => {
      const name = getFileName(path);
      return (
        content.length === 1 &&
        name !== '' &&
        /^(?:sed|awk|perl|npm|git|mv|rm|cp|patch|touch|echo|vim|nano|code)\s/u.test(text) &&
        text.toLowerCase().includes(name) &&
        !instruction.toLowerCase().includes(name)
      );
    },
  },
  {
    reason: 'quotation marks around the text',
    test: ({ content, text, own, document: { language } }) =>
      (/^(?<marks>"{3}|'{3})\n[\s\S]*\n\k<marks>$/u.test(text.trim()) &&
        (language !== 'python' ||
          own.some((line) =>
            content
              .slice(1, -1)
              .some((other) => haveMostWordsInCommon(toWords(line), toWords(other))),
          ))) ||
      /^\s*«[\s\S]*»\s*$/u.test(text),
    request: /quot/iu,
  },
  { reason: 'tag', test: hasForeignTag },
  { reason: 'explanation', test: /<explanation>.*$/u },
  {
    reason: 'line number',
    test: ({ content, text }) => content.length === 1 && /^(?:L\d+: |\[\d+\] )/u.test(text),
  },
  { reason: 'footnote', test: /\n\[\^\d+\]: .*$/u, request: /note|source|cit|refer/iu },
  {
    reason: 'instruction',
    test: ({ content, text, own: [first = ''] }) =>
      content.length === 1 &&
      /^(?:Replace|Change|Update) .*(?:with|to|by)\b.*\.$/u.test(text) &&
      text.includes(JSON.stringify(first).slice(1, -1)),
  },
  { reason: 'turn of a chat', test: /\[\/INST\]/u },
];

/**
 * Returns the kind of text that a model added to the new lines, such as a tool call, numbers on all lines or JSON in a
 * document of another language. Returns undefined if the document contains such text or the user can have requested it.
 */
export const findForeignText = (
  lines: readonly string[],
  document: MarkedDocument,
): string | undefined => findRule(textRules, lines, document);

/** Returns the first of the marks in {@link findForeignText}, around all lines, or of an edit answer only. */
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
  const content = lines.filter(isNonBlank);
  if (content.length === 0) return undefined;
  const { language, before, after, instruction = '' } = document;
  const own = document.original.filter(isNonBlank);
  const [text, old] = [content.join('\n'), own.join('\n')];
  const known = [...before.filter(isNonBlank), ...own, ...after.filter(isNonBlank)];
  const knownText = known.join('\n');
  const isText = isTextLanguage(language);
  const isKnown = (test: ForeignRule['test']): boolean =>
    typeof test === 'function'
      ? own.some((line) => test(toNewLines([line], [line], line)))
      : [knownText, old, instruction, ...known].some((part) => test.test(part));
  const toNewLines = (
    lines: readonly string[],
    content: readonly string[],
    text: string,
  ): NewLines => ({
    ...{ lines, content, text, own, old, isText, document },
    bare: isText ? text : removeStrings(text),
  });
  const newLines = toNewLines(lines, content, text);
  return rules.find(
    ({ test, usual, request }) =>
      (typeof test === 'function' ? test(newLines) : test.test(text)) &&
      usual?.test(language) !== true &&
      request?.test(instruction) !== true &&
      !isKnown(test),
  )?.reason;
}

/** Removes strings and patterns within one line. */
const removeStrings = (text: string): string =>
  text
    .replaceAll(/\\./gu, '')
    .replaceAll(/"[^"\n]*"|(?<!\w)'[^'\n]*'|`[^`]*`|(?<=[=(,:[!&|?{};\s])\/[^/\s*][^/\n]*\//gu, '');

/** Checks for doubled backslashes before the end of a string, unlike in the document. */
function hasDoubledEscapes({ text, old }: NewLines): boolean {
  const doubled = /[^\\]\\\\[nrt]["'`]/u;
  const single = /[^\\]\\[nrt]["'`]/u;
  return doubled.test(text) && !single.test(text) && single.test(old) && !/\\\\[nrt]/u.test(old);
}

const maxEqualLines = 10;

function hasLoop({ content, own }: NewLines): boolean {
  const last = content.at(-1);
  const count = content.length - 1 - content.findLastIndex((line) => line !== last);
  return count >= maxEqualLines && own.filter((line) => line === last).length < count;
}

/** Checks for three blank lines in a row, unless an edit deleted the lines between them. */
function hasBlankRun({ lines, content, own, document: { original } }: NewLines): boolean {
  const hasRun = (part: readonly string[]): boolean =>
    part.some(
      (_, index) =>
        index > 0 &&
        part.slice(index).some(isNonBlank) &&
        isNonBlank(part[index - 1] ?? '') &&
        [0, 1, 2].every((offset) => !isNonBlank(part[index + offset] ?? 'x')),
    );
  return content.length >= own.length && hasRun(lines) && !hasRun(original);
}

/** Checks for full-width punctuation in place of all ASCII punctuation, without letters of a script that uses it. */
function hasWideSigns({ text, old }: NewLines): boolean {
  const pairs = ['（(', '）)', '，,', '；;'].filter(([wide = '']) => text.includes(wide));
  return (
    pairs.length > 0 &&
    pairs.every(([wide = '', plain = '']) => !text.includes(plain) && !old.includes(wide)) &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
  );
}

/** Checks for Base64 that contains words of the original. */
function isBase64({ text, old }: NewLines): boolean {
  if (!/^[A-Za-z\d+/]{16,}={0,2}$/u.test(text) || text.length % 4 > 0) return false;
  const words = toWords(old);
  return [...toWords(atob(text))].some((word) => word.length > 2 && words.has(word));
}

/** Checks for a single line that contains several lines, with two spaces in place of each line break. */
function isJoined({ content, text, own, isText }: NewLines): boolean {
  const gaps = text.match(isText ? /[^\s.!?|] {2,}\S/gu : /[^\s|] {2,}\S/gu) ?? [];
  return content.length === 1 && own.length !== 1 && gaps.length > 1;
}

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
  `^(?:print\\()?[a-z_$][\\w$.]*\\(\\s*(?:[a-z_]\\w*\\s*[=:]\\s*)?${stringSource}(?:\\s*,\\s*${argumentSource})*\\s*,?\\s*\\)\\)?;?$`,
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

/** Checks for HTML escapes outside strings, or at the beginning of a document with tags. */
function hasEntities({ text, bare, old, document: { language } }: NewLines): boolean {
  if (/&\w+;/u.test(old)) return false;
  return taggedLanguages.has(language)
    ? /^\s*&lt;/u.test(text)
    : /^(?!\s*(?:\/\/|\/?\*|#)).*&(?:lt|gt|amp|quot);/mu.test(bare);
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
    ) || sharesWords(old, text)
  );
}

/** Checks whether an answer contains all of its lines twice. */
function hasDoubledLines({ content, own }: NewLines): boolean {
  const half = content.slice(0, content.length / 2);
  return (
    content.length % 2 === 0 &&
    half.every((line, index) => line === content[half.length + index]) &&
    (half.join(' ').match(/[\p{L}\p{N}]+/gu) ?? []).length > 3 &&
    (half.length === 1 || new Set(half).size > 1) &&
    own.length < content.length
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

/** Names, and the first and last lines with which formats other than Markdown enclose code, or models a result. */
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
  ['command of an editor', /^\s*:%?s\/.+\/.*\/\w*\s*$/u],
  ['label with an arrow', /^\s*(?:result|output|answer|updated|new)(?: \w+)? ?(?:->|=>|→|⇒)\s*$/iu],
  ['Jira block', /^\s*\{(?:code|noformat)(?::[^{}]*)?\}/u, /\{(?:code|noformat)\}\s*$/u],
  ['Org block', /^\s*#\+begin_/iu, /^\s*#\+end_/iu],
  ['canvas block', /^\s*:{3,}\s*\w/u],
  ['quotation marks with a language', /^\s*(?:'{3}|"{3})\w+\s*$/u, /^\s*(?:'{3}|"{3})\s*$/u],
  ['quotation marks', /^'{3}$/u, /^'{3}$/u],
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

/** Checks whether the new lines are a string in a program that would write them to the file. */
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

const isNonBlank = (line: string): boolean => line.trim() !== '';
