import {
  type Difference,
  findDifference,
  hasDistinctiveWord,
  isWordAt,
  wordEnd,
  wordStart,
} from './line-edit.ts';

/** The parentheses of a call that stands on one line, as far as brackets and quotes tell. */
export interface Call {
  /** The name before the opening parenthesis. */
  readonly callee: string;
  /** Directly behind the opening parenthesis. */
  readonly start: number;
  /** Before the closing one. */
  readonly end: number;
  /** How many arguments stand between them. */
  readonly count: number;
}

/** The innermost call whose arguments stand around `index`; absent when there is none that is closed on the line. */
export function findCallAround(line: string, index: number): Call | undefined {
  return callsIn(line).findLast(({ start, end }) => start <= index && index <= end);
}

/** The calls of a function of that name, in the order of their names. */
export const findCallsOf = (line: string, callee: string): Call[] =>
  callsIn(line).filter((call) => call.callee === callee);

/** In one walk, in the order of their parentheses. */
function callsIn(line: string): Call[] {
  const open: { readonly at: number; commas: number }[] = [];
  const calls: Call[] = [];
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (isQuote(character)) at = quoteEnd(line, at);
    else if (character === '\\') at++;
    else if ('([{'.includes(character)) open.push({ at, commas: 0 });
    else if (character === ',') countComma(open.at(-1));
    else if (')]}'.includes(character)) {
      const opened = open.pop();
      if (opened && character === ')') calls.push(...callFrom(line, opened, at));
    }
  }
  return calls.sort((one, other) => one.start - other.start);
}

function callFrom(line: string, opened: { at: number; commas: number }, end: number): Call[] {
  const callee = line.slice(wordStart(line, opened.at), opened.at);
  if (line[opened.at] !== '(' || callee === '') return [];
  const start = opened.at + 1;
  const count = line.slice(start, end).trim() === '' ? 0 : opened.commas + 1;
  return [{ callee, start, end, count }];
}

function countComma(opened: { commas: number } | undefined): void {
  if (opened) opened.commas++;
}

const isQuote = (character: string): boolean =>
  character === '"' || character === "'" || character === '`';

/** The index of the quote that closes; of the opening one when none does, as with an apostrophe. */
function quoteEnd(line: string, open: number): number {
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line[at] === line[open]) return at;
  }
  return open;
}

/** A word that became another. */
export interface ReplacedWord {
  readonly old: string;
  readonly new: string;
}

/**
 * The one word that tells two lines apart, at however many places it stands; absent when they are equal, when several
 * words changed or a word in several ways, and when anything between the words did. Linear.
 */
export function findReplacedWord(before: string, after: string): ReplacedWord | undefined {
  let found: ReplacedWord | undefined;
  let [at, now] = [0, 0];
  while (at < before.length && now < after.length) {
    if (!isWordAt(before, at) || !isWordAt(after, now)) {
      if (before[at++] !== after[now++]) return undefined;
      continue;
    }
    const [end, nowEnd] = [wordEnd(before, at), wordEnd(after, now)];
    const pair = { old: before.slice(at, end), new: after.slice(now, nowEnd) };
    [at, now] = [end, nowEnd];
    if (pair.old === pair.new) continue;
    if (found && (found.old !== pair.old || found.new !== pair.new)) return undefined;
    found = pair;
  }
  return at === before.length && now === after.length ? found : undefined;
}

/** Whether the word stands in the text, not as a part of a longer one. */
export function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    if (!isWordAt(text, at - 1) && !isWordAt(text, at + word.length)) return true;
  return false;
}

/** An edit that can be made again at a place like the one where it was made. */
export type EditPattern = TextPattern | ArgumentPattern;

/** Between `left` and `right`, `old` became `new`. One of them holds a word that tells the place. */
export interface TextPattern {
  readonly kind: 'text';
  readonly left: string;
  readonly old: string;
  readonly new: string;
  readonly right: string;
  /** Whether the line ended behind `right`. */
  readonly isAtEnd: boolean;
}

/** A call of `callee` with `count` arguments got one more. */
export interface ArgumentPattern {
  readonly kind: 'argument';
  readonly callee: string;
  readonly count: number;
  readonly position: 'first' | 'last';
  /** With its comma. */
  readonly text: string;
}

/** Longest line that is looked at, and the longest texts of a pattern, in UTF-16 units. */
export const patternLimits = { line: 500, old: 60, new: 120 } as const;

/**
 * What was done to a line, if it can be done again elsewhere: a word that became another, got something before, behind
 * or around it, or an argument more. Nothing for what would fit too many places, and for what is only taken away.
 */
export function learnPattern(before: string, after: string): EditPattern | undefined {
  if (Math.max(before.length, after.length) > patternLimits.line) return undefined;
  const made = atWordBoundary(before, findDifference(before, after));
  if (made.inserted.trim() === '' || !isWhole(made)) return undefined;
  const pattern = made.removed === '' ? ofInsertion(before, made) : ofReplacement(before, made);
  return pattern && isSmall(pattern) ? pattern : undefined;
}

/**
 * What was done to several lines at once, as a rename does: one word that became another at all places where anything
 * changed. Nothing for any other change.
 * @param others more of the lines that changed, as they are now
 */
export function learnRename(
  { before, after }: { readonly before: string; readonly after: string },
  others: readonly string[],
): TextPattern | undefined {
  if (Math.max(before.length, after.length) > patternLimits.line) return undefined;
  const word = findReplacedWord(before, after);
  if (!word || !hasDistinctiveWord(word.old)) return undefined;
  if (!others.every((line) => containsWord(line, word.new))) return undefined;
  const pattern = { kind: 'text', left: '', ...word, right: '', isAtEnd: false } as const;
  return isSmall(pattern) ? pattern : undefined;
}

/** Whether one takes back what the other did. */
export const isReverse = (one: EditPattern, other: EditPattern): boolean =>
  one.kind === 'text' &&
  other.kind === 'text' &&
  one.left + one.old + one.right === other.left + other.new + other.right &&
  one.left + one.new + one.right === other.left + other.old + other.right;

/** `aa(` → `await aa(` can be read as `wait a` put into `aa(`; this reads it as `await ` before it. */
function atWordBoundary(before: string, made: Difference): Difference {
  if (made.removed !== '') return made;
  let { start, inserted } = made;
  while (isWordAt(before, start - 1) && isWordAt(inserted, 0)) {
    if (before[start - 1] !== inserted.at(-1)) return made;
    inserted = inserted.slice(-1) + inserted.slice(0, -1);
    start--;
  }
  return { start, removed: '', inserted };
}

function ofInsertion(before: string, made: Difference): EditPattern | undefined {
  const { start, inserted } = made;
  const argument = ofArgument(before, made);
  if (argument) return argument;
  const continuesLeft = isWordAt(before, start - 1);
  const continuesRight = isWordAt(before, start);
  if (continuesLeft && (continuesRight || isWordAt(inserted, 0)))
    return ofReplacement(before, made);
  if (continuesRight && isWordAt(inserted, inserted.length - 1)) return ofReplacement(before, made);
  // What is put into a list says nothing about other lists.
  if (/^\s*,|,\s*$/u.test(inserted)) return undefined;
  if (continuesLeft) return afterWord(before, made);
  return continuesRight ? beforeWord(before, made) : undefined;
}

function ofArgument(before: string, { start, inserted }: Difference): ArgumentPattern | undefined {
  const call = findCallAround(before, start);
  if (!call || !hasDistinctiveWord(call.callee)) return undefined;
  const { callee, count } = call;
  const pattern = { kind: 'argument', callee, count, text: inserted } as const;
  if (start === call.end && (count === 0 || /^\s*,/u.test(inserted)))
    return { ...pattern, position: 'last' };
  return start === call.start && inserted.trimEnd().endsWith(',')
    ? { ...pattern, position: 'first' }
    : undefined;
}

function afterWord(before: string, { start, inserted }: Difference): TextPattern | undefined {
  const left = before.slice(wordStart(before, start), start);
  if (!hasDistinctiveWord(left)) return undefined;
  const isAtEnd = before.slice(start).trim() === '';
  const right = isAtEnd ? '' : before.slice(start, start + 1);
  return { kind: 'text', left, old: '', new: inserted, right, isAtEnd };
}

function beforeWord(before: string, { start, inserted }: Difference): TextPattern | undefined {
  const end = wordEnd(before, start);
  const right = before.slice(start, end + 1);
  if (!hasDistinctiveWord(right)) return undefined;
  const previous = before[start - 1] ?? '';
  const left = isConnector(previous) ? previous : '';
  return { kind: 'text', left, old: '', new: inserted, right, isAtEnd: false };
}

/** The words that the change touches, whole. */
function ofReplacement(before: string, made: Difference): TextPattern | undefined {
  const { removed, inserted } = made;
  const changedEnd = made.start + removed.length;
  const first = isWordAt(removed, 0) || isWordAt(inserted, 0) || removed === '';
  const last =
    isWordAt(removed, removed.length - 1) ||
    isWordAt(inserted, inserted.length - 1) ||
    removed === '';
  const start = first ? wordStart(before, made.start) : made.start;
  const end = last ? wordEnd(before, changedEnd) : changedEnd;
  const old = before.slice(start, end);
  if (!hasDistinctiveWord(old) || old.split(/\s+/u).length > 2) return undefined;
  const changed = before.slice(start, made.start) + inserted + before.slice(changedEnd, end);
  return { kind: 'text', left: '', old, new: changed, right: '', isAtEnd: false };
}

/** Whether `character` ties what follows to what stands before it. */
export const isConnector = (character: string): boolean =>
  character !== '' && '.:@#\\/-\'"`'.includes(character);

/** Whether brackets and quotes are as complete as they were. */
const isWhole = ({ removed, inserted }: Difference): boolean =>
  openBrackets(removed) === openBrackets(inserted) && quotes(removed) % 2 === quotes(inserted) % 2;

const openBrackets = (text: string): string => {
  const open = { round: 0, square: 0, curly: 0 };
  for (const character of text) {
    if (character === '(') open.round++;
    else if (character === ')') open.round--;
    else if (character === '[') open.square++;
    else if (character === ']') open.square--;
    else if (character === '{') open.curly++;
    else if (character === '}') open.curly--;
  }
  return `${open.round} ${open.square} ${open.curly}`;
};

const quotes = (text: string): number => text.match(/["'`]/gu)?.length ?? 0;

const isSmall = (pattern: EditPattern): boolean =>
  pattern.kind === 'argument'
    ? pattern.text.length <= patternLimits.new
    : pattern.old.length <= patternLimits.old && pattern.new.length <= patternLimits.new;
