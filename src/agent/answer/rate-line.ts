import { isSentence } from '../../base/prose.ts';
import { classifyRemark, isFileMark } from '../../base/remark.ts';

/** Matches a letter that is not Latin. */
export const nonLatinLetterPattern = /(?!\p{Script=Latin})\p{L}/u;

const asianTextPattern = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const asianSentencePattern = new RegExp(
  `^[^"']*(?:${asianTextPattern.source}[\\p{P}\\s]*){4}`,
  'u',
);

/** Rates, by words and punctuation, how likely a line is a sentence rather than code. */
export function rateAsSentence(line: string): 'yes' | 'maybe' | 'no' {
  const text = line.replaceAll(/`[^`]*`/gu, 'x').replaceAll(/[*_]{1,2}/gu, '');
  const hasCode = /;(?!\s\p{L})|[{}=\\|@$<>]|[\p{L}\d][([]|::|->|(?:^|\s)--?\w/u.test(text);
  if (asianSentencePattern.test(text) && !hasCode) return 'yes';
  const kind = classifyRemark(line);
  if (!hasCode && (kind === 'introduction' || kind === 'conclusion' || kind === 'refusal'))
    return 'yes';
  if (isSentence(line)) return 'yes';
  if (!/^["“'(¡¿]?(?:\p{L}|\p{Emoji_Presentation})/u.test(text) || hasCode) return 'no';
  if (/^[A-Z][A-Z_]+\b(?!:)/u.test(text)) return 'no';
  const words = text.split(/\s+/u);
  const plainWords = words.filter((word) => /^["'(“¡¿]?\p{L}[\p{L}'’-]*[)"”',.:;!?]*$/u.test(word));
  const endsSentence = /[.!?:。！？：…][)"”']*(?:\s*\p{Emoji_Presentation})?$/u.test(text);
  const isCapitalized =
    /^["“'(¡¿]?\p{Lu}|^x\b/u.test(text) || /^\p{Emoji_Presentation}/u.test(text);
  const isMostlyPlain = plainWords.length >= words.length * 0.6;
  if (plainWords.length >= 3 && isMostlyPlain && endsSentence)
    return isCapitalized ? 'yes' : 'maybe';
  if (
    isCapitalized &&
    isMostlyPlain &&
    (plainWords.length >= 2 || (endsSentence && words.length > 1))
  )
    return 'maybe';
  return 'no';
}

/** Maximum number of characters to examine in a line. */
const maxRatedLength = 640;

/**
 * Rates how likely an unindented line is a remark of the model rather than code of the given language. Remarks are
 * sentences, words or symbols that are not code, and comments in the syntax of a different language.
 */
export function rateAsRemark(line: string, language: string): 'yes' | 'maybe' | 'no' {
  const text = line.trim().slice(0, maxRatedLength);
  if (/^#\p{L}\w*(?: #\p{L}\w*)+$/u.test(text)) return 'maybe';
  if (beginsWithCommentMark(text)) return canBeComment(text, language) ? 'no' : 'maybe';
  if (!/[\p{L}\p{N}]/u.test(text))
    return /^(?:[{}()[\];,]+|[</?]{0,2}>|["']{3}|[*#/%-]{1,2}|\*\/)$/u.test(text) ? 'no' : 'maybe';
  const rating = rateAsSentence(text);
  // A whole line in quotation marks can be a string of the code.
  if (rating === 'yes' && /^(["']).*\1[,;)]?$/u.test(text)) return 'maybe';
  if (rating !== 'no') return rating;
  if (/^(?:[=-]>|>>>?\s|={2,}|[~^•→]|[—–]\s)/u.test(text)) return 'maybe';
  const unquotedText = text.replaceAll(/"[^"]*"|'[^']*'(?!\w)|`[^`]*`/gu, '""');
  const words = unquotedText.split(/\s+/u);
  const plainWords = words.filter((word) => wordWithPunctuationPattern.test(word));
  const [firstWord = ''] = words;
  const isKeyword =
    /^(?:\p{Ll}+|\p{Lu}+)$/u.test(firstWord) && statementKeywords.has(firstWord.toLowerCase());
  if (plainWords.length === words.length)
    return isKeyword && !(words.length > 1 && isFileMark(text)) && !/[.!?]$/u.test(text)
      ? 'no'
      : 'maybe';
  if (/^(?:\p{L}+\.){2,}$|^\d+\.?$|^\d+ \p{L}{3}/u.test(text)) return 'maybe';
  if (isKeyword || /[;{}[(,\\]$/u.test(text)) return 'no';
  if (/\p{L}[.!?。]$/u.test(unquotedText) && words.length > 1) return 'maybe';
  return words.length >= 4 && plainWords.length >= 3 && plainWords.length >= words.length * 0.4
    ? 'maybe'
    : 'no';
}

const wordWithPunctuationPattern = /^["'(“¡¿]?\p{L}[\p{L}'’-]*[)"'”,.;:!?…]*$/u;

/** Keywords with which a line of code can begin that otherwise resembles a sentence. */
const statementKeywords: ReadonlySet<string> = new Set(
  'import from return raise pass break continue yield await async def class if elif else for while with try except finally global nonlocal del assert const let var function export default throw new type interface enum namespace declare package func go defer select use mod pub fn impl struct trait match loop extern typedef static inline void int char float double long short unsigned signed bool goto switch case do insert update delete create drop alter where and or order group having join left right inner outer on set values begin end commit rollback truncate grant echo exit cd source local readonly shift fi done esac then require module include extend puts private public protected using abstract override copy run add env arg workdir expose entrypoint user volume label'.split(
    ' ',
  ),
);

/** Checks whether a line begins with the characters that start a comment in a common language. */
export const beginsWithCommentMark = (line: string): boolean =>
  /^(?:\/\/|\/\*|<!--|--\s|%+\s|;+\s|#(?![\p{L}#!]|\s*$))/u.test(line) ||
  /^#\p{L}\w*(?: #\p{L}\w*)+$/u.test(line);

/**
 * Checks whether text that begins like a comment is a comment in this language, rather than markup around an answer.
 */
function canBeComment(text: string, language: string): boolean {
  const commentMark = /^(?:\/\/|\/\*|<!--|--|%|;|#)/u.exec(text)?.[0] ?? '';
  const content = text.replaceAll(/^[/*<!%;#-]+|[*/>-]+$/gu, '').trim();
  if (isFileMark(content)) return false;
  const hasMarks = Object.values(commentMarks).some((languages) => languages.has(language));
  return !hasMarks || commentMarks[commentMark]?.has(language) === true;
}

const slashLanguages =
  'typescript javascript typescriptreact javascriptreact c cpp csharp java go rust swift kotlin scala dart scss less php jsonc groovy objective-c objective-cpp proto proto3 vue svelte astro terraform solidity zig glsl hlsl'.split(
    ' ',
  );
const hashLanguages =
  'python yaml shellscript makefile dockerfile ruby perl r julia toml ini properties powershell elixir coffeescript graphql nix dockercompose ignore dotenv fish terraform cmake gdscript nim php sql'.split(
    ' ',
  );
/** Language ids by the characters that start a comment. */
const commentMarks: Readonly<Record<string, ReadonlySet<string>>> = {
  '//': new Set(slashLanguages),
  '/*': new Set([...slashLanguages, 'css', 'sql', 'html']),
  '#': new Set(hashLanguages),
  '--': new Set(['sql', 'lua', 'haskell', 'ada', 'elm', 'vhdl', 'plsql', 'purescript']),
  '%': new Set(['latex', 'tex', 'bibtex', 'erlang', 'matlab', 'prolog']),
  ';': new Set(['lisp', 'clojure', 'scheme', 'ini', 'asm', 'autohotkey', 'racket']),
  '<!--': new Set(
    'html xml xsl svg vue svelte astro php markdown mdx handlebars razor twig jinja quarto rmd'.split(
      ' ',
    ),
  ),
};

/** Checks whether `#` starts a comment in a language, rather than a heading or a directive. */
export const usesHashComments = (language: string): boolean =>
  language !== 'sql' && commentMarks['#']?.has(language) === true;
