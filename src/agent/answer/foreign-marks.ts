import type { EditedDocument, NewLines, RefusalCause } from './answer-marks.ts';
import { isTextLanguage } from './answer-remarks.ts';
import {
  hasRunOfBlankLines,
  hasDoubledEscapes,
  repeatsLastLine,
  hasFullWidthPunctuation,
  isBase64,
  areLinesJoined,
  repeatsEachLine,
} from './distortions.ts';
import { findEnvelope } from './envelope.ts';
import {
  beginsWithOwnPath,
  isCall,
  isStringList,
  sharesWords,
  writesDocument,
} from './foreign-calls.ts';
import {
  type AddedTextRule,
  hasEmphasizedCode,
  hasPlusSigns,
  lineRules,
  markdownLikeLanguagesPattern,
  removeStrings,
  copyRequestPattern,
  escapeRequestPattern,
  type LineTest,
} from './line-marks.ts';
import { isNonBlank } from '../edit/indentation.ts';

const shellLikeLanguagesPattern =
  /^(?:shellscript|fish|powershell|bat|makefile|yaml|dockerfile|latex|html|markdown|mdx|restructuredtext|asciidoc|quarto|rmd|plaintext)$/u;

/** Matches a line that only labels one of several options. */
const optionLabelPattern =
  /^\W{0,4}(?:option|alternative|variant|version) ?(?:\d|[A-D]|one|two)\b\W{0,4}$/iu;

/** Checks for labels of options, such as `Option 1`. In a text document, the first line must be such a label. */
function hasOptionLabels({ nonBlankLines, originalLines, isTextDocument }: NewLines): boolean {
  const isLabel = (line: string): boolean => optionLabelPattern.test(line);
  const count = nonBlankLines.filter(isLabel).length;
  if (count === 0 || originalLines.some(isLabel)) return false;
  return !isTextDocument || (count > 1 && isLabel(nonBlankLines[0] ?? ''));
}

const oldTagPattern = /^[ \t]*<(?:search|find|old(?:_\w+)?|original|before)>/mu;
const newTagPattern = /^[ \t]*<(?:replace(?:ment)?|new(?:_\w+)?|updated|after)>/mu;

/**
 * Checks whether a line begins with a tag for the original code, such as `<old>`, and a later line with a tag for the
 * changed code, such as `<new>`.
 */
function hasOldAndNewTags(text: string): boolean {
  const start = text.search(oldTagPattern);
  return start >= 0 && newTagPattern.test(text.slice(start));
}

/** Rules that apply to every kind of answer: inline edits, code blocks and commit messages. */
const textRules: readonly AddedTextRule[] = [
  [
    'tokens',
    'token of a chat template',
    [
      ({ textWithoutStrings }) => /<\|[\w▁-]{1,40}\|>/u.test(textWithoutStrings),
      /<\/?｜[^<>\n]{1,60}>/u,
      /^<(?:commit|issue)_(?:before|msg|after|start)>/u,
      /^#{2,3} (?:Instruction|Response|Input|Output|Assistant|User|System):?\s*$/mu,
      /^[ \t]*\{\{\s*(?:\/?(?:REWRITTEN|INSERTED)_CODE|\.{3}|…)\s*\}\}\s*$/mu,
    ],
  ],
  [
    'delimiters',
    'doubled braces',
    [/^\{\{\n[\s\S]*\n\}\}$/u],
    undefined,
    /^(?:handlebars|jinja|twig|vue)$/u,
  ],
  [
    'diff',
    'diff of another format',
    [
      /^:(?:start|end)_line:\s*\d+\s*$/mu,
      /^(?:<{7}|>{7}|\|{7})(?: |$)/mu,
      /^\d+(?:,\d+)?[acd]\d+(?:,\d+)?\n[<>] /u,
      /^\*{3} \d+(?:,\d+)? \*{4}$/mu,
      /-\]\s?\{\+|--\}\s?\{\+\+/u,
      /^- (?:file|path|edit)s?:.*\n\s*(?:replace|replacement|edit|new\w*):\s*[|>][-+]?\n/u,
      { test: hasOldAndNewTags },
      /^(?:\W*\d+[.)]*\s+)?(?:and )?replace lines?:? \d+(?:\s?[-–]\s?\d+)?:?\n/iu,
    ],
    /conflict|merge/iu,
  ],
  [
    'delimiters',
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
  [
    'marks',
    'marks of a terminal or viewer',
    [/^\[\d[\d;]*m[\s\S]*\[0?m$/u, /\[!code (?:\+\+|--|focus|hl|highlight|word|error|warning)/u],
  ],
  [
    'marks',
    'marked word',
    [({ textWithoutStrings }) => /<mark>[\w$]+<\/mark>/u.test(textWithoutStrings), /^#!.*<mark>/u],
    /highlight|mark|stress|emphas/iu,
  ],
  ['marks', 'emphasized code', [hasEmphasizedCode]],
  ['remark', 'several options', [hasOptionLabels]],
  ['escapes', 'escaped tag of PHP', [/&lt;\?(?:=|php\b)/u]],
  [
    'delimiters',
    'labels of the beginning and the end',
    [
      /^\W{0,9}begin (?<name>code|answer|edit|output)\W{0,9}\n[\s\S]*\n\W{0,9}end \k<name>\W{0,9}$/iu,
      /\n\[end of (?:code|answer|edit|output|result|response)\]$/iu,
    ],
  ],
  [
    'delimiters',
    'lines of signs',
    [/^(?<signs>[=~_+]{5,})\n[\s\S]*\n\k<signs>$/u],
    undefined,
    markdownLikeLanguagesPattern,
  ],
  [
    'remark',
    'rating of the answer',
    [/\n(?:Confidence: \d+ ?%|Time complexity: O\(.*)$/u],
    /confiden|complexity|running time/iu,
  ],
  [
    'call',
    'tool call',
    [
      /^\s*<(?:write_(?:to_)?file|replace_in_file|edit_file|apply_diff|insert_content|str_replace\w*|task_progress|attempt_completion|tool_call)>/u,
      /^\s*(?:Thought|Action)\s*:.*\n(?:.*\n)*?(?:Action(?: Input)?|Final Answer)\s*:/u,
      isCall,
      writesDocument,
    ],
  ],
  [
    'delimiters',
    'tag around all lines',
    [
      /^\s*<(?<tag>source|search|replace|new|old|change|[a-z]+_\w*)(?:\s[^<>]*)?>\s*\n[^]*<\/\k<tag>>\s*$/u,
    ],
    undefined,
    /^xml$/u,
  ],
  [
    'delimiters',
    'path of the file',
    [/^\s*<(?<path>[\w./-]+\.\w+)>\s*\n[^]*<\/\k<path>>\s*$/u, beginsWithOwnPath],
  ],
  [
    'call',
    'git command',
    [/^\s*(?:\$ )?git (?:commit|add|apply)\s/u],
    undefined,
    shellLikeLanguagesPattern,
  ],
  [
    'call',
    'message in a git command',
    [
      ({ text, originalLines }) =>
        /^(?:\$ )?git commit -m "(?:[^"\\]|\\.)*"$/u.test(text) && sharesWords(originalLines, text),
    ],
  ],
  ['incomplete', 'omitted lines', [/^\s*\[(?:\.{3}|…)\]\s*\n|\n\s*\[(?:\.{3}|…)\]\s*$/u]],
  [
    'escapes',
    'escapes',
    [
      ({ text }) => /\\u003[ce]/iu.test(text) && !/[<>]/u.test(text),
      ({ text }) => /^[\w.!~*'()%-]+$/u.test(text) && /%[\dA-F]{2}.*%[\dA-F]{2}/u.test(text),
      isBase64,
      hasDoubledEscapes,
    ],
    escapeRequestPattern,
  ],
  [
    'remark',
    'page of a gateway',
    [/^\s*<html\b[\s\S]*<title>\s*[45]\d\d [A-Z]/iu],
    /[45]\d\d|error/iu,
  ],
  [
    'marks',
    'line numbers',
    [
      ({ nonBlankLines }) => nonBlankLines.every((line) => /^\s*\d+(?: \| |: {2})/u.test(line)),
      ({ nonBlankLines }) => nonBlankLines.at(-1)?.startsWith('0 | ') === true,
    ],
  ],
  ['repeated', 'repeated last line', [repeatsLastLine], /repeat|\b(?:times|rows|copies|steps)\b/iu],
  ['repeated', 'each line twice', [repeatsEachLine], copyRequestPattern],
  ['layout', 'blank lines', [hasRunOfBlankLines]],
  ['layout', 'full-width punctuation', [hasFullWidthPunctuation]],
  ['layout', 'joined lines', [areLinesJoined]],
  ['escapes', 'list of strings', [isStringList]],
  ['marks', 'plus signs', [hasPlusSigns]],
];

/**
 * Finds text that a model added to the replacement lines, such as a tool call, numbers on all lines or JSON in a
 * document of another language. Returns undefined if the document contains such text or the user can have requested it.
 */
export const findForeignText = (
  lines: readonly string[],
  document: EditedDocument,
): RefusalCause | undefined => findMatchingCause(textRules, lines, document);

/**
 * Finds text that a model added, as {@link findForeignText} does, and also delimiters and marks that occur only in
 * answers to edit requests. Returns undefined if none is found.
 */
export const findForeignMarks = (
  lines: readonly string[],
  document: EditedDocument,
): RefusalCause | undefined =>
  findForeignText(lines, document) ??
  findEnvelope(lines, document) ??
  findMatchingCause(lineRules, lines, document);

/**
 * Joins lines with line feeds. Replaces other line separators with spaces, because the rules use regular expressions in
 * which these characters would also end a line.
 */
const joinLines = (lines: readonly string[]): string =>
  lines.join('\n').replaceAll(/[\r\u2028\u2029]/gu, ' ');

function findMatchingCause(
  rules: readonly AddedTextRule[],
  lines: readonly string[],
  document: EditedDocument,
): RefusalCause | undefined {
  const { language, instruction = '' } = document;
  const originalLines = document.original.filter(isNonBlank);
  const context = {
    originalLines,
    originalText: joinLines(originalLines),
    isTextDocument: isTextLanguage(language),
    document,
  };
  const toNewLines = (sourceLines: readonly string[]): NewLines => {
    const nonBlankLines = sourceLines.filter(isNonBlank);
    const text = joinLines(nonBlankLines);
    return {
      ...context,
      lines: sourceLines,
      nonBlankLines,
      text,
      textWithoutStrings: removeStrings(text),
    };
  };
  const newLines = toNewLines(lines);
  if (newLines.nonBlankLines.length === 0) return undefined;
  const documentLines = [...document.before, ...originalLines, ...document.after].filter(
    isNonBlank,
  );
  const documentTexts = [
    documentLines,
    originalLines,
    [instruction],
    ...documentLines.map((line) => [line]),
  ].map(joinLines);
  let ownLines: readonly NewLines[] | undefined;
  const listOwnLines = (): readonly NewLines[] =>
    (ownLines ??= [...new Set(originalLines)].map((line) => toNewLines([line])));
  const matchesAddedText = (test: LineTest): boolean =>
    typeof test === 'function'
      ? test(newLines) && !listOwnLines().some(test)
      : test.test(newLines.text) && !documentTexts.some((text) => test.test(text));
  const matchingRule = rules.find(
    ([, , tests, requestPattern, usualLanguagesPattern]) =>
      tests.some(matchesAddedText) &&
      usualLanguagesPattern?.test(language) !== true &&
      requestPattern?.test(instruction) !== true,
  );
  return matchingRule && { kind: matchingRule[0], rule: matchingRule[1] };
}
