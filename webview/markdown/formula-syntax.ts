import type { Token } from 'marked';

/** Formula in a text. Its content is not parsed as Markdown. */
export interface FormulaToken {
  readonly type: 'formula';
  /** Source with its delimiters. */
  readonly raw: string;
  /** Source without its delimiters, as TeX. */
  readonly text: string;
  readonly isDisplay: boolean;
}

export function isFormula(token: Token | FormulaToken): token is FormulaToken {
  return token.type === 'formula';
}

/** Maximum length of a formula with its delimiters, in characters. Longer formulas stay text. */
const maxFormulaLength = 3000;

const closingDelimiters: Readonly<Record<string, string>> = {
  $: '$',
  $$: '$$',
  [String.raw`\(`]: String.raw`\)`,
  [String.raw`\[`]: String.raw`\]`,
};

/** Checks whether a text can contain a formula. Takes less time than a search for formulas. */
export const mayContainFormula = (text: string): boolean =>
  text.includes('$') || text.includes('\\');

/**
 * Reads the formula that starts at `index`. Returns `undefined` if there is none. Returns `open` if the text ends
 * before the closing delimiter of a possible formula.
 */
export function readFormula(text: string, index: number): FormulaToken | 'open' | undefined {
  const openingDelimiter = /^(?:\$+|\\[([])/u.exec(text.slice(index, index + 3))?.[0] ?? '';
  const closingDelimiter = closingDelimiters[openingDelimiter];
  if (
    closingDelimiter === undefined ||
    !canOpenFormula(openingDelimiter, text[index - 1], text[index + 1])
  )
    return undefined;
  const start = index + openingDelimiter.length;
  const end = findClosingOffset(text, start, openingDelimiter);
  const content = text.slice(start, end === 'open' ? undefined : end);
  if (end === undefined || (openingDelimiter === '$' && isProse(content))) return undefined;
  if (end === 'open') return 'open';
  const isDisplay = openingDelimiter === '$$' || openingDelimiter === String.raw`\[`;
  if (content.trim() === '' || (isDisplay && isWordsOnly(content))) return undefined;
  if (openingDelimiter === '$') {
    const textAfter = text.slice(end + 1, end + 4);
    // More text can complete an ordinal, as in `$n$th`.
    if (/^[nrt]$/iu.test(textAfter)) return 'open';
    if (!canCloseFormula(content, textAfter)) return undefined;
  }
  return {
    type: 'formula',
    raw: text.slice(index, end + closingDelimiter.length),
    text: content,
    isDisplay,
  };
}

/**
 * Checks whether text that is appended later can still move the end of a formula. Call it only for a formula that
 * {@link readFormula} returned for a text that may continue.
 * @param end offset in `text` directly after the formula
 */
export function canFormulaEndChange({ raw }: FormulaToken, text: string, end: number): boolean {
  const textAfter = text.slice(end, end + 3);
  return (
    raw.endsWith('$') &&
    (textAfter === '' || (!raw.endsWith('$$') && /^[a-z]{1,2}$/iu.test(textAfter)))
  );
}

function canOpenFormula(
  openingDelimiter: string,
  previousCharacter: string | undefined,
  nextCharacter: string | undefined,
): boolean {
  if (previousCharacter === '$' && openingDelimiter[0] === '$') return false;
  // A dollar sign after a letter is a currency, as in `US$5`.
  return (
    openingDelimiter !== '$' ||
    (!/\w/u.test(previousCharacter ?? '') && !/\s/u.test(nextCharacter ?? ''))
  );
}

/**
 * Checks whether the `$` after `content` can close a formula. Returns false for prices, and for shell or template
 * variables such as `$HOME:$PATH` or `${a}-${b}`.
 */
function canCloseFormula(content: string, textAfter: string): boolean {
  if (/\s$/u.test(content) || /[^\\][/:;&]$/u.test(content)) return false;
  return !/^[\w{(]/u.test(textAfter) || /^(?:th|st|nd|rd|s)(?!\w)/iu.test(textAfter);
}

/**
 * Returns the offset of the closing delimiter. Returns `open` if the delimiter is missing, but text that is appended
 * later may contain it. Returns undefined if the opening delimiter is plain text.
 */
function findClosingOffset(
  text: string,
  start: number,
  openingDelimiter: string,
): number | 'open' | undefined {
  const markPattern = /\\[^]?|\$+|[`\n]/gu;
  markPattern.lastIndex = start;
  for (let match = markPattern.exec(text); match !== null; match = markPattern.exec(text)) {
    const [mark] = match;
    if (match.index - start > maxFormulaLength) return undefined;
    if (mark === closingDelimiters[openingDelimiter]) return match.index;
    // If the same delimiter or code precedes the closing delimiter, the first delimiter is text. This limits each
    // search.
    if (mark === openingDelimiter || mark === '`') return undefined;
    if (
      mark === '\n' &&
      (openingDelimiter === '$' ||
        /^[ \t]*\n/u.test(text.slice(markPattern.lastIndex, markPattern.lastIndex + 100)))
    )
      return undefined;
    if (
      mark[0] === '$' &&
      openingDelimiter[0] === '$' &&
      (openingDelimiter === '$' || mark.length > 2)
    )
      return undefined;
  }
  return text.length - start > maxFormulaLength ? undefined : 'open';
}

/** Number of characters at the start of a possible formula in which prose is detected. */
const proseLength = 200;

/**
 * Patterns that detect prose at the start of content between dollar signs. Such content remains prose, whatever text
 * follows.
 */
const prosePatterns: readonly RegExp[] = [
  // An amount and a word, as in `$5 and 10$`.
  /^\d[\d.,\u2013-]*[%kKmMbB]?[,;:.]?\s+\(?(?:\p{L}{3,}|(?:to|or|in|is|at|by|on|an|of|as|if|a|I)\s)/u,
  /^\d[\d.,]*\s*[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u,
  // Two words, a conjunction or Chinese punctuation before the first TeX syntax.
  /^[^\\{^_=<>]*?(?<!\p{L})\p{L}{3,30}[,;:.]?\s{1,3}\p{L}{3}/u,
  /^[^\\{^_=<>]*?\s(?:and|or|the|to|for|is|per|than|from|with|but|not)\s/u,
  /^[^\\{^_=<>]*?[\u3001\u3002\uff01\uff0c\uff1b\uff1f]/u,
];

const isProse = (content: string): boolean => {
  const contentStart = content.slice(0, proseLength);
  return prosePatterns.some((pattern) => pattern.test(contentStart));
};

/** Checks whether the content contains only words, as in the escaped text `\[optional\]`. */
const isWordsOnly = (content: string): boolean =>
  /^[\p{L}\s;,.'\u2019-]*$/u.test(content) && /\p{Ll}{4}/u.test(content);

interface FormulaRange {
  readonly start: number;
  readonly end: number;
  readonly isDisplay: boolean;
  readonly isOpen: boolean;
}

/**
 * Finds the formulas that start between two offsets. Ignores dollar signs and backslashes in inline code. An unclosed
 * formula extends to the end of the text.
 */
function* findFormulas(
  text: string,
  startOffset: number,
  endOffset: number,
): Generator<FormulaRange> {
  const markPattern = /\\[([]|\\[^]|\$+|`+/gu;
  markPattern.lastIndex = startOffset;
  for (let match = markPattern.exec(text); match !== null; match = markPattern.exec(text)) {
    const { 0: mark, index: start } = match;
    if (start >= endOffset) return;
    if (mark[0] === '`') {
      const end = text.indexOf(mark, markPattern.lastIndex);
      if (end !== -1 && end < endOffset) markPattern.lastIndex = end + mark.length;
      continue;
    }
    const formula = readFormula(text, start);
    if (formula === undefined) continue;
    const isOpen = formula === 'open';
    const end = isOpen ? text.length : start + formula.raw.length;
    yield { start, end, isOpen, isDisplay: mark === '$$' || mark === String.raw`\[` };
    // An unclosed formula is plain text, which can contain other formulas.
    if (!isOpen) markPattern.lastIndex = end;
  }
}

/**
 * Replaces each character of `maskedSource` with the letter `a` if a formula contains the same position in `source`.
 * Both texts must have the same length.
 */
export function maskFormulas(source: string, maskedSource = source): string {
  if (!mayContainFormula(source)) return maskedSource;
  let result = '';
  let offset = 0;
  for (const { start, end, isOpen } of findFormulas(source, 0, source.length)) {
    if (isOpen) continue;
    result += maskedSource.slice(offset, start) + 'a'.repeat(end - start);
    offset = end;
  }
  return result + maskedSource.slice(offset);
}

/**
 * Returns the end offset of a display formula that starts in a paragraph and extends beyond it. Returns `undefined` if
 * there is none. The opening delimiter must be the first or last text of its line.
 * @param start offset of the paragraph in the source
 * @param end offset of the end of the paragraph
 * @param allowsOpen true if an unclosed formula extends to the end of the source
 */
export function findFormulaEnd(
  source: string,
  start: number,
  end: number,
  allowsOpen = true,
): number | undefined {
  for (const formula of findFormulas(source, start, end)) {
    if (!formula.isDisplay || formula.end <= end || (formula.isOpen && !allowsOpen)) continue;
    const line = source.slice(source.lastIndexOf('\n', formula.start) + 1, formula.start);
    const isFirst = line.trim() === '';
    if (isFirst || /^[ \t]*\n/u.test(source.slice(formula.start + 2, formula.start + 100)))
      return formula.end;
  }
  return undefined;
}
