import type { MarkedToken, Token, Tokens } from 'marked';
import { canFormulaEndChange, maskFormulas, readFormula } from './formula-syntax.ts';

/** Unfinished last line of a list item, quotation or paragraph. */
interface LastLine {
  /** Offset of the line in the source. */
  readonly start: number;
  /** Text after the markers of quotations and list items. */
  readonly text: string;
  /** Offset of `text` in the source. */
  readonly textStart: number;
}

function findLastLine(source: string): LastLine {
  const start = source.lastIndexOf('\n') + 1;
  const line = source.slice(start);
  const markers = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*/u.exec(line)?.[0] ?? '';
  return { start, text: line.slice(markers.length), textStart: start + markers.length };
}

/** Matches text, such as `-` or `12.`, that can become a list marker, underline, rule or delimiter row. */
const possibleMarkerPattern = /^(?:[-=*_+#>: \t]+|\d{1,9}[.)])$/u;
const possibleDelimiterRowPattern = /^[ \t>]*[|:-][ \t|:-]*$/u;
const fenceOpeningPattern = /^ {0,3}(?:`{3,}[^`\n]*|~{3,}.*)$/u;
const partialDefinitionPattern = /^\[[^\]]+\]:/u;
const partialTaskPattern = /^\[[ xX]?\]?[ \t]*$/u;

/**
 * Removes the end of an open block if its meaning depends on later text. Such an end is a partial fence, list marker or
 * link definition, or a table without a complete delimiter row.
 * @param isContinued true if the start of the block is settled and not part of the source
 */
export function cutAmbiguousEnd(
  source: string,
  type: MarkedToken['type'],
  isContinued: boolean,
): string {
  const { start, text, textStart } = findLastLine(source);
  if (type === 'code') return fenceOpeningPattern.test(source) ? '' : source;
  // More text can turn the underline of a heading into a list item.
  if (type === 'heading' && start > 0 && start < source.length)
    return cutTableHeader(source.slice(0, start));
  if (partialTaskPattern.test(text) && textStart > start) return source.slice(0, textStart);
  if (fenceOpeningPattern.test(text) || partialDefinitionPattern.test(text))
    return source.slice(0, textStart);
  if (type === 'table')
    return isContinued || !hasPartialDelimiterRow(source) ? cutEmptyRow(source, start) : '';
  if (text !== '' && possibleMarkerPattern.test(text))
    return cutTableHeader(source.slice(0, textStart));
  if (hasCellDelimiter(text) || text === '') return cutTableHeader(source);
  return source;
}

const cutEmptyRow = (source: string, start: number): string =>
  /^[ \t]*\|?[ \t]*$/u.test(source.slice(start)) ? source.slice(0, start) : source;

/** Checks whether the delimiter row of a table can be incomplete, because no line break follows it. */
const hasPartialDelimiterRow = (source: string): boolean => !/\n.*\n/u.test(source);

/** Checks whether a line contains a delimiter of table cells. Ignores a `|` in a formula, such as `$|x|$`. */
const hasCellDelimiter = (line: string): boolean =>
  line.includes('|') && maskFormulas(line).includes('|');

/** Removes the last lines if they can be the header of a table and the beginning of its delimiter row. */
function cutTableHeader(source: string): string {
  const lines = source.split('\n');
  while (lines.length > 1 && lines.at(-1)?.trim() === '') {
    // A blank line ends the paragraph, so that no delimiter row follows.
    if (lines.at(-2)?.trim() === '') return source;
    lines.pop();
  }
  const isHeader = (line: string | undefined): boolean => hasCellDelimiter(line ?? '');
  if (possibleDelimiterRowPattern.test(lines.at(-1) ?? '') && isHeader(lines.at(-2))) lines.pop();
  if (!isHeader(lines.at(-1))) return source;
  lines.pop();
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Returns an open block with the inline marks at its end closed. Returns the given token if no mark is open.
 * @param lexInline parses inline Markdown, such as emphasis and links
 */
export function closeMarks(
  token: MarkedToken,
  source: string,
  lexInline: (text: string) => Token[],
): MarkedToken {
  const isLineComplete = source.endsWith('\n');
  if (/\n[ \t>]*\n[ \t>]*$/u.test(source)) return token;
  if (isLineComplete && (token.type === 'heading' || token.type === 'table')) return token;
  const closedToken = closeMarksInLastPart(token, lexInline);
  // The renderer reuses tokens with equal sources, so mark the source of a changed token.
  return closedToken === token ? token : { ...closedToken, raw: `${token.raw}${closedMark}` };
}

/**
 * Character that is appended to the `raw` source of a block if {@link closeMarks} closed marks in the block. Answers
 * rarely contain this character.
 */
const closedMark = '\0';

/** Checks whether `closeMarks` closed marks in a block. */
export const containsClosedMarks = ({ raw }: MarkedToken): boolean => raw.endsWith(closedMark);

function closeMarksInLastPart<T extends Token>(token: T, lexInline: (text: string) => Token[]): T {
  switch (token.type) {
    case 'list': {
      const list = token as Token as Tokens.List;
      const lastItem = list.items.at(-1);
      const closedItem = lastItem && closeMarksInLastPart(lastItem, lexInline);
      return closedItem === lastItem
        ? token
        : { ...token, items: [...list.items.slice(0, -1), closedItem] };
    }
    case 'table': {
      const { rows } = token as Token as Tokens.Table;
      const lastRow = rows.at(-1);
      const index = lastRow?.findLastIndex(({ text }) => text !== '') ?? -1;
      const cell = lastRow?.[index];
      const closedCell = cell && closeMarksInText(cell, lexInline);
      if (lastRow === undefined || closedCell === undefined || closedCell === cell) return token;
      return { ...token, rows: [...rows.slice(0, -1), lastRow.with(index, closedCell)] };
    }
    case 'paragraph':
    case 'heading':
    case 'text':
      return closeMarksInText(token, lexInline);
    case 'list_item':
    case 'blockquote': {
      const children: readonly Token[] = 'tokens' in token ? (token.tokens ?? []) : [];
      const lastChild = children.at(-1);
      const closedChild = lastChild && closeMarksInLastPart(lastChild, lexInline);
      return closedChild === lastChild
        ? token
        : { ...token, tokens: [...children.slice(0, -1), closedChild] };
    }
    default:
      return token;
  }
}

function closeMarksInText<T extends object>(token: T, lexInline: (text: string) => Token[]): T {
  const source = 'text' in token && typeof token.text === 'string' ? token.text : '';
  const [firstToken]: readonly Token[] =
    'tokens' in token && Array.isArray(token.tokens) ? token.tokens : [];
  const text = firstToken?.type === 'checkbox' ? source.slice(firstToken.raw.length) : source;
  const closedText = closeInlineMarks(text);
  return closedText === text ? token : { ...token, tokens: lexInline(closedText) };
}

/** Patterns of incomplete syntax at the end of a text: a character reference, a citation mark, a tag. */
const partialEndPatterns: readonly RegExp[] = [
  /&(?:#\w{0,7}|[A-Za-z][A-Za-z\d]{0,30})?$/u,
  /(?<!\^\d[\d,]{0,30})\^(?:\d{1,2}(?:,\d{0,2}){0,9})?$/u,
  /\[REF?\]?[\d,]*(?:\[(?:\/(?:R(?:E(?:F)?)?)?)?)?$/u,
  /<(?:\/?[a-z]{0,8}|br *\/?|(?:https?|mailto):[^\s<>]*|[\w.+-]+@[^\s<>]*)$/iu,
];
/** Matches a URL or an email address at the end of a text. Later text can continue the address. */
const partialAddressPattern =
  /(?<=^|[\s([*_~"'])(?:(?:https?:\/\/|www\.)[^\s<]*|(?<![\w.+-])[\w.+-]+@[\w.-]*)$/iu;

/** Emphasis delimiter or HTML element that is not closed yet. */
interface OpenMark {
  /** Delimiter character, or the name of the element. */
  readonly name: string;
  /** Number of delimiter characters; 0 for an element. */
  length: number;
  /** Start and end offset of the mark in the output. */
  readonly start: number;
  readonly end: number;
}

/**
 * Closes or removes the inline marks that are open at the end of a text. Handles emphasis, code, links, URLs, tags,
 * citation marks and character references.
 */
export function closeInlineMarks(text: string): string {
  const cutText = cutPartialEnd(text);
  return new MarkScan(cutText).closeOpenMarks();
}

function cutPartialEnd(text: string): string {
  // Incomplete syntax is short, and few cuts follow each other.
  const start = Math.max(0, text.length - maxEndLength);
  let end = text.slice(start);
  for (let round = 0; round < 8; round += 1) {
    const hasOpenEscape = (/\\+$/u.exec(end)?.[0].length ?? 0) % 2 === 1;
    let cutText = hasOpenEscape ? end.slice(0, -1) : end;
    for (const pattern of partialEndPatterns) cutText = cutText.replace(pattern, '');
    if (cutText === end) break;
    end = cutText;
  }
  return text.slice(0, start) + end;
}

const maxEndLength = 300;
const maxUrlLength = 2048;

/** Scan of a text. Closes or removes the marks that are still open at the end of the text. */
class MarkScan {
  readonly #text: string;
  /** Offset of an incomplete URL at the end of the text. */
  readonly #addressStart: number;
  #output = '';
  #openMarks: OpenMark[] = [];
  /** Offsets of opened brackets in the output. */
  readonly #openBracketOffsets: number[] = [];

  constructor(text: string) {
    this.#text = text;
    const start = Math.max(0, text.length - maxUrlLength);
    const match = partialAddressPattern.exec(text.slice(start));
    this.#addressStart = match === null ? -1 : start + match.index;
  }

  closeOpenMarks(): string {
    for (let index = 0; index < this.#text.length;) {
      // Escape an unfinished address, so that it is shown as text instead of a link.
      if (index === this.#addressStart) {
        this.#output += this.#text.slice(index).replaceAll(/[!-/:-@[-`{-~]/gu, String.raw`\$&`);
        break;
      }
      const nextIndex = this.#readMark(index);
      if (nextIndex < 0) return this.#finishScan();
      index = nextIndex;
    }
    const bracketOffset = this.#openBracketOffsets.at(-1);
    if (bracketOffset !== undefined && !isAlphanumeric(this.#output[bracketOffset - 1] ?? ''))
      this.#removeBracket(bracketOffset);
    return this.#finishScan();
  }

  /**
   * Copies the next mark or character to the output. Returns the index after it, or -1 if the caller must remove the
   * rest of the text.
   */
  #readMark(index: number): number {
    const character = this.#text[index]!;
    switch (character) {
      case '\\':
      case '$':
        return this.#readFormula(index);
      case '`':
        return this.#readCode(index);
      case '<':
        return this.#readTag(index);
      case '[':
        this.#openBracketOffsets.push(this.#output.length);
        return this.#copyText(index, index + 1);
      case ']':
        return this.#readBracket(index);
      case '*':
      case '_':
      case '~':
        return this.#readEmphasis(index);
      default:
        return this.#copyText(index, index + 1);
    }
  }

  #copyText(start: number, end: number): number {
    this.#output += this.#text.slice(start, end);
    return end;
  }

  /**
   * Copies the formula or backslash escape at `index` to the output. Omits a formula that is incomplete. Returns the
   * offset after the formula or escape.
   */
  #readFormula(index: number): number {
    const formula = readFormula(this.#text, index);
    if (formula === 'open') return this.#text.length;
    if (formula === undefined)
      return this.#copyText(index, index + (this.#text[index] === '$' ? 1 : 2));
    const end = index + formula.raw.length;
    return canFormulaEndChange(formula, this.#text, end)
      ? this.#text.length
      : this.#copyText(index, end);
  }

  #readCode(index: number): number {
    const length = countRun(this.#text, index);
    const end = findRunEnd(this.#text, '`', index + length, length);
    if (end >= 0) return this.#copyText(index, end);
    const code = this.#text.slice(index + length).replace(/`+$/u, '');
    const marks = '`'.repeat(length);
    if (code.trim() !== '') this.#output += marks + code + marks;
    return -1;
  }

  #readTag(index: number): number {
    const tag = /^<[^<>\s][^<>]*>/u.exec(this.#text.slice(index, index + maxTagLength))?.[0];
    if (tag === undefined) return this.#copyText(index, index + 1);
    const [, slash, elementName = ''] = /^<(\/?)(sub|sup|kbd)>$/iu.exec(tag) ?? [];
    const name = elementName.toLowerCase();
    const start = this.#output.length;
    if (slash === '') this.#openMarks.push({ name, length: 0, start, end: start + tag.length });
    const openerIndex = this.#openMarks.findLastIndex((mark) => mark.name === name);
    if (slash === '/' && openerIndex >= 0) this.#openMarks.length = openerIndex;
    return this.#copyText(index, index + tag.length);
  }

  #readBracket(index: number): number {
    const openingOffset = this.#openBracketOffsets.pop();
    const nextCharacter = this.#text[index + 1];
    const label = this.#output.slice(openingOffset);
    const isNote = /^\[(?:\^?\w{1,3}|\/?REF)$/u.test(label);
    if (
      openingOffset === undefined ||
      (nextCharacter !== undefined && nextCharacter !== '(') ||
      (nextCharacter === undefined && isNote)
    )
      return this.#copyText(index, index + 1);
    const end = nextCharacter === undefined ? -1 : findDestinationEnd(this.#text, index + 1);
    if (end >= 0) return this.#copyText(index, end);
    this.#removeBracket(openingOffset);
    return -1;
  }

  /**
   * Removes an unclosed bracket but keeps the text after it. If the bracket opens an image, removes this text as well.
   */
  #removeBracket(index: number): void {
    const isImage = this.#output[index - 1] === '!';
    const start = isImage ? index - 1 : index;
    const rest = isImage ? '' : this.#output.slice(index + 1);
    this.#output = this.#output.slice(0, start) + rest;
    this.#openMarks = this.#openMarks
      .filter((mark) => !isImage || mark.start < start)
      .map((mark) =>
        mark.start < index ? mark : { ...mark, start: mark.start - 1, end: mark.end - 1 },
      );
  }

  /** Opens or closes emphasis by the CommonMark rules for left- and right-flanking delimiter runs. */
  #readEmphasis(index: number): number {
    const name = this.#text[index]!;
    const end = index + countRun(this.#text, index);
    const [previousCharacter, nextCharacter] = [this.#text[index - 1] ?? '', this.#text[end] ?? ''];
    const isKnown = this.#openMarks.some((mark) => mark.name === name);
    // An asterisk inside a word is more likely a multiplication sign than emphasis.
    const isInsideWord =
      isAlphanumeric(previousCharacter) &&
      isAlphanumeric(nextCharacter) &&
      (name === '_' || !isKnown);
    if (previousCharacter === '^' || isInsideWord) return this.#copyText(index, end);
    const canOpen =
      !isWhitespace(nextCharacter) &&
      (!isPunctuation(nextCharacter) ||
        isWhitespace(previousCharacter) ||
        isPunctuation(previousCharacter));
    const canClose =
      !isWhitespace(previousCharacter) &&
      (!isPunctuation(previousCharacter) ||
        isWhitespace(nextCharacter) ||
        isPunctuation(nextCharacter));
    // At the end of the text, more delimiters can follow, so cut off a run that does not close marks completely.
    if (nextCharacter === '' && !this.#closesWholeRun(name, end - index, canClose)) return end;
    const remainingCount = canClose ? this.#closeRun(name, end - index) : end - index;
    const start = this.#output.length;
    if (canOpen && remainingCount > 0 && !(name === '~' && remainingCount > 2))
      this.#openMarks.push({ name, length: remainingCount, start, end: start + end - index });
    return this.#copyText(index, end);
  }

  /**
   * Closes open marks with the `count` characters of a delimiter run. Returns the number of these characters that
   * closed no mark.
   */
  #closeRun(name: string, count: number): number {
    let remainingCount = count;
    while (remainingCount > 0) {
      const openerIndex = this.#openMarks.findLastIndex((mark) => mark.name === name);
      const mark = this.#openMarks[openerIndex];
      if (mark === undefined) break;
      const usedCount = Math.min(remainingCount, mark.length);
      remainingCount -= usedCount;
      mark.length -= usedCount;
      this.#openMarks.length = mark.length === 0 ? openerIndex : openerIndex + 1;
    }
    return remainingCount;
  }

  /**
   * Checks whether a run of `count` delimiter characters closes open marks with every one of its characters, so that
   * none remains.
   */
  #closesWholeRun(name: string, count: number, canClose: boolean): boolean {
    let remainingCount = canClose ? count : -1;
    for (const mark of this.#openMarks.toReversed()) {
      if (remainingCount <= 0) break;
      if (mark.name === name) remainingCount -= mark.length;
    }
    return remainingCount === 0;
  }

  /** Removes open marks without content, and closes the other open marks. Returns the resulting text. */
  #finishScan(): string {
    while (this.#openMarks.length > 0) {
      const lastMark = this.#openMarks.at(-1)!;
      if (this.#output.trimEnd().length > lastMark.end) break;
      this.#output = this.#output.slice(0, lastMark.start);
      this.#openMarks.pop();
    }
    if (this.#openMarks.length === 0) return this.#output;
    const closingMarks = this.#openMarks
      .toReversed()
      .map(({ name, length }) => (length > 0 ? name.repeat(length) : `</${name}>`));
    return this.#output.trimEnd() + closingMarks.join('');
  }
}

const maxTagLength = 2048;

function countRun(text: string, index: number): number {
  let end = index + 1;
  while (text[end] === text[index]) end += 1;
  return end - index;
}

/** Returns the offset after the next run of exactly `length` repetitions of `character`; -1 if none exists. */
function findRunEnd(text: string, character: string, startIndex: number, length: number): number {
  for (let index = text.indexOf(character, startIndex); index >= 0;) {
    const runLength = countRun(text, index);
    if (runLength === length) return index + length;
    index = text.indexOf(character, index + runLength);
  }
  return -1;
}

/** Returns the end of a link destination in parentheses, or -1 if the parentheses are not closed. */
function findDestinationEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '(') depth += 1;
    else if (character === ')' && (depth -= 1) === 0) return index + 1;
  }
  return -1;
}

const isWhitespace = (character: string): boolean => character.trim() === '';
const isPunctuation = (character: string): boolean => /[\p{P}\p{S}]/u.test(character);
const isAlphanumeric = (character: string): boolean => /[A-Za-z\d]/u.test(character);
