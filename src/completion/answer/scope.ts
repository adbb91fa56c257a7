import {
  closers,
  type CodeScanner,
  columnsOf,
  cursorContext,
  indentationOf,
  type OpenBracket,
  tabColumns,
} from '../language/cursor-context.ts';
import { type Language, languageAt, TagScanner } from '../language/language.ts';
import type { FilterName } from '../reason.ts';
import { linePrefix, lineSuffix, type Snapshot } from '../snapshot.ts';

/** How much of an answer is wanted: the rest of the line, or what belongs to the scope that begins here. */
export type CompletionScope = 'line' | 'block';

/** Reads what a model says while it streams, and knows when it has said enough. */
export interface AnswerReader {
  /** Takes the next piece, in constant time for each character over the whole answer. */
  push(piece: string): void;
  /** The model has ended by itself. */
  end(): void;
  /**
   * What may go into the document so far, without fences, echoes, marks and talk. Only ever grows, so that what the
   * person types meanwhile can be compared with it. May end in the middle of a line.
   */
  readonly text: string;
  /** Characters of `text` up to the end of its last line that is whole; without its line end. */
  readonly wholeLinesLength: number;
  /** What was left out first, when there was anything beside marks and thoughts: why an empty `text` is empty. */
  readonly removed: FilterName | undefined;
  /** Nothing more is wanted: the rest need not be paid for. `text` is final. */
  readonly isComplete: boolean;
}

/**
 * How much to ask for: a block on a blank line and behind what opens one that is not there yet, else the rest of the
 * line. Brackets that the editor closed by itself count as the end of the line.
 */
export function completionScope(snapshot: Snapshot): CompletionScope {
  const before = linePrefix(snapshot);
  const behind = lineSuffix(snapshot).trim();
  if (before.trim() === '') return behind === '' ? 'block' : 'line';
  if (before.length > longestLine) return 'line';
  const { opens, breaksAfterOpening } = languageAt(snapshot);
  // White space behind `key:` says that a value comes next; behind `{` it says nothing.
  if (!opens.test(breaksAfterOpening ? before.trimEnd() : before)) return 'line';
  if (behind !== '' && !/^[)\]}][)\]};,]*$/u.test(behind)) return 'line';
  return hasBlock(snapshot, before) ? 'line' : 'block';
}

/** Longer ones are data. */
const longestLine = 1_000;

/** Whether the lines that belong to the one of the cursor are there already. */
function hasBlock({ suffix }: Snapshot, line: string): boolean {
  const next = nextLine(suffix);
  return next !== undefined && indentationOf(next).length > indentationOf(line).length;
}

/** The first line with content below the cursor's. */
export function nextLine(suffix: string): string | undefined {
  const below = suffix.indexOf('\n');
  const content = below < 0 ? -1 : suffix.slice(below).search(/\S/u);
  if (content < 0) return undefined;
  const start = suffix.lastIndexOf('\n', below + content) + 1;
  const end = suffix.indexOf('\n', start);
  return end < 0 ? suffix.slice(start) : suffix.slice(start, end);
}

/** What a line does to the scope: `inside` it, `behind` it, or `last`, its closing line. */
export type LinePlacement = 'inside' | 'behind' | 'last';

/** Follows an answer and knows when the scope of the cursor is over. Constant time for each character. */
export class ScopeTracker {
  readonly language: Language;
  readonly #snapshot: Snapshot;
  readonly #scanner: CodeScanner;
  readonly #tags: TagScanner | undefined;
  readonly #open: OpenBracket[];
  readonly #next: string;
  readonly #tab: number;
  /** Whether the cursor's line opened what is being filled. */
  readonly #fills: boolean;
  readonly #isTopLevel: boolean;
  #inner = 0;
  #own: number;
  #wasInside = false;
  #isClosing = false;
  #isFenced = false;
  /** Columns that the lines of the block begin at, at least. */
  #base: number;
  #isBaseKnown: boolean;
  #line = '';
  #lines = 0;
  #wasBlank = false;
  #isLast = false;
  /** Whether the last line opened a block. */
  #opened = false;
  /** The answer began with a line break. */
  #isBelow = false;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.language = languageAt(snapshot);
    const { scanner, open } = cursorContext(snapshot, this.language);
    this.#scanner = scanner;
    this.#open = [...open];
    this.#own = open.filter(({ isOnCursorLine }) => isOnCursorLine).length;
    this.#isTopLevel = open.length === 0;
    this.#tags = this.language.hasElements
      ? new TagScanner(this.language.scopes !== 'tags')
      : undefined;
    const line = linePrefix(snapshot);
    if (this.#tags !== undefined && line.length <= longestScopeLine)
      for (const character of line) this.#tags.push(character);
    this.#fills = line.trim() !== '';
    this.#next = nextLine(snapshot.suffix) ?? '';
    this.#tab = tabColumns(snapshot.indentUnit);
    this.#base = columnsOf(indentationOf(line), this.#tab);
    this.#isBaseKnown = false;
  }

  /** Whether words are what is written here: in text, in a comment, in a string. */
  get isText(): boolean {
    return this.language.scopes === 'paragraphs' || this.#scanner.state !== 'code';
  }

  /** Whether a line that begins now belongs to no bracket or element of the answer. */
  get isFlat(): boolean {
    return this.#inner === 0 && this.#own <= 0 && (this.#tags?.open.length ?? 0) === 0;
  }

  /** Where a line would stand. `line` has content, maybe not all; `undefined` while that is not known. */
  placementOf(line: string, isWhole: boolean): LinePlacement | undefined {
    const content = line.trimStart();
    if (this.#tags !== undefined && content.startsWith('<')) {
      const place = this.#placeOfTag(content, isWhole);
      if (place !== 'inside') return place;
    }
    if (this.language.scopes !== 'indentation' || this.#lines === 0) return 'inside';
    if (this.#inner > 0 || this.#own > 0 || this.#scanner.state !== 'code') return 'inside';
    return this.#placeByIndentation(line, content, isWhole);
  }

  /** Takes the next character of a line that belongs to the answer. False when the scope ended in front of it. */
  push(character: string): boolean {
    if (character === '\n') [this.#line, this.#isBelow] = ['', true];
    else if (this.#line.length < longestScopeLine) this.#line += character;
    if (this.language.scopes === 'paragraphs') return true;
    if (this.#tags !== undefined) this.#tags.push(character);
    if (this.language.scopes === 'tags') return true;
    if (!this.#scanner.push(character)) return true;
    return closers.includes(character) ? this.#close(character) : this.#opens();
  }

  /** The line that was pushed is over: whether the scope is as well. */
  endLine(): boolean {
    const line = this.#line;
    this.#line = '';
    this.#scanner.push('\n');
    this.#tags?.push('\n');
    this.#learnBase(line);
    this.#opened = this.language.opens.test(line.trimEnd());
    this.#lines += 1;
    this.#wasBlank = false;
    if (/^\s*(?:```|~~~)/u.test(line)) this.#isFenced = !this.#isFenced;
    if (this.#isLast) return true;
    if (this.#isClosing && this.#inner === 0) return true;
    return this.#isFilled() || this.#isDefinition();
  }

  /** A line without content follows: whether the scope is over. */
  blankLine(lastLine: string): boolean {
    this.#wasBlank = true;
    if (this.language.scopes === 'paragraphs') return !this.#isFenced;
    if (this.#scanner.state !== 'code' || !this.isFlat) return false;
    if (this.language.scopes !== 'indentation') return true;
    const columns = this.#lines <= 1 ? this.#base : this.#columns(lastLine);
    return columns <= this.#base && !this.#fills && !this.#opened;
  }

  #columns(line: string): number {
    return columnsOf(indentationOf(line), this.#tab);
  }

  #opens(): true {
    this.#inner += 1;
    this.#wasInside = true;
    return true;
  }

  #close(character: string): boolean {
    if (this.#inner > 0) {
      this.#inner -= 1;
      return true;
    }
    const opened = this.#open.pop();
    if (opened === undefined || this.#isBehind(character, opened)) return false;
    if (opened.isOnCursorLine) this.#own -= 1;
    else this.#isClosing = true;
    return true;
  }

  /** Whether the bracket that closes `opened` stands behind the cursor already. */
  #isBehind(closer: string, { indentation, isOnCursorLine }: OpenBracket): boolean {
    if (isOnCursorLine && lineSuffix(this.#snapshot).trim() !== '') return false;
    const next = this.#next;
    return next.trimStart().startsWith(closer) && indentationOf(next) === indentation;
  }

  #placeOfTag(content: string, isWhole: boolean): LinePlacement | undefined {
    if ('</'.startsWith(content) && !isWhole) return undefined;
    if (!content.startsWith('</')) return 'inside';
    if (!content.includes('>') && !isWhole) return undefined;
    if ((this.#tags?.open.length ?? 0) > 0) return 'inside';
    const tag = /^<\/[\w:.-]*/u.exec(content)?.[0] ?? '</';
    return this.#next.trimStart().startsWith(tag) ? 'behind' : 'last';
  }

  #placeByIndentation(line: string, content: string, isWhole: boolean): LinePlacement | undefined {
    if (closers.includes(content[0] ?? '')) return 'inside';
    const columns = this.#columns(line);
    this.#correctBase(columns);
    if (columns >= this.#base) {
      const isNew = this.#wasBlank && columns === this.#base && !this.#fills;
      if (!isNew) return 'inside';
    }
    return this.#placeOfWord(content, isWhole, columns);
  }

  #placeOfWord(content: string, isWhole: boolean, columns: number): LinePlacement | undefined {
    const word = /^[\w]+/u.exec(content)?.[0] ?? '';
    if (word === content && !isWhole && word.length < 20) return undefined;
    const { ends, continues } = this.language;
    const goesOn = continues.includes(word) && (this.#fills || columns >= this.#base);
    if (goesOn) return 'inside';
    if (columns >= this.#base || !ends.includes(word)) return 'behind';
    const isThere =
      this.#next.trimStart().startsWith(word) && this.#columns(this.#next) === columns;
    return isThere ? 'behind' : 'last';
  }

  /**
   * The first line began at the cursor, so its indentation does not show. When it opened a block and the second line is
   * not deeper than the cursor, the model began at the margin.
   */
  #correctBase(columns: number): void {
    if (this.#isBaseKnown || this.#lines !== 1) return;
    this.#isBaseKnown = true;
    if (this.#opened && columns <= this.#base) this.#base = Math.max(0, columns - this.#tab);
  }

  /** A first line below the cursor's tells by itself. */
  #learnBase(line: string): void {
    if (this.#lines > 0 || !this.#fills) return;
    this.#isBaseKnown = true;
    this.#base = this.#isBelow ? this.#columns(line) : this.#base + 1;
  }

  /** Marks the line that is pushed next as the closing one. */
  close(): void {
    this.#isLast = true;
  }

  /** What the cursor's line opened is closed. */
  #isFilled(): boolean {
    const { scopes } = this.language;
    if (scopes === 'tags' && (this.#tags?.surplus ?? 0) > 0) return true;
    const isByMarks = scopes === 'braces' || scopes === 'tags';
    return this.#fills && isByMarks && this.isFlat && this.#lines > 1;
  }

  /** Outside of all brackets, what was opened and closed is a whole definition. */
  #isDefinition(): boolean {
    if (!this.#isTopLevel || this.language.scopes !== 'braces' || this.#inner > 0) return false;
    return this.#wasInside && this.#lines > 1 && this.#scanner.state === 'code';
  }
}

/** Characters; what is behind them tells nothing of a scope. */
const longestScopeLine = 1_000;
