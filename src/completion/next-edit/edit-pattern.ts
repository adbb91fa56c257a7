import {
  type LineDifference,
  findDifference,
  hasDistinctiveWord,
  isWordCharacterAt,
  findWordEnd,
  findWordStart,
} from './line-edit.ts';

/** Function call whose parentheses are on the same line. */
export interface FunctionCall {
  /** Function name before the opening parenthesis. */
  readonly callee: string;
  /** Offset directly after the opening parenthesis. */
  readonly start: number;
  /** Offset of the closing parenthesis. */
  readonly end: number;
  /** Number of arguments of the call. */
  readonly argumentCount: number;
}

/**
 * Returns the innermost call around the offset `index`; undefined if there is no call or it does not end on the same
 * line.
 */
export function findCallAround(line: string, index: number): FunctionCall | undefined {
  return findCalls(line).findLast(({ start, end }) => start <= index && index <= end);
}

/** Returns the calls of the function `callee` in a line, from left to right. */
export const findCallsOf = (line: string, callee: string): FunctionCall[] =>
  findCalls(line).filter((call) => call.callee === callee);

/** Returns all calls in a line that end on the line, in a single pass. */
function findCalls(line: string): FunctionCall[] {
  const openBrackets: { readonly index: number; commaCount: number }[] = [];
  const calls: FunctionCall[] = [];
  for (let index = 0; index < line.length; index++) {
    const character = line[index] ?? '';
    if (isQuote(character)) index = findQuoteEnd(line, index);
    else if (character === '\\') index++;
    else if ('([{'.includes(character)) openBrackets.push({ index, commaCount: 0 });
    else if (character === ',') countComma(openBrackets.at(-1));
    else if (')]}'.includes(character)) {
      const openBracket = openBrackets.pop();
      if (openBracket && character === ')') calls.push(...parseCall(line, openBracket, index));
    }
  }
  return calls.sort((first, second) => first.start - second.start);
}

function parseCall(
  line: string,
  openBracket: { index: number; commaCount: number },
  end: number,
): FunctionCall[] {
  const callee = line.slice(findWordStart(line, openBracket.index), openBracket.index);
  if (line[openBracket.index] !== '(' || callee === '') return [];
  const start = openBracket.index + 1;
  const argumentCount = line.slice(start, end).trim() === '' ? 0 : openBracket.commaCount + 1;
  return [{ callee, start, end, argumentCount }];
}

function countComma(openBracket: { commaCount: number } | undefined): void {
  if (openBracket) openBracket.commaCount++;
}

const isQuote = (character: string): boolean =>
  character === '"' || character === "'" || character === '`';

/**
 * Returns the offset of the closing quote. If the line contains no closing quote, as after an apostrophe, returns the
 * offset of the opening quote.
 */
function findQuoteEnd(line: string, quoteStart: number): number {
  for (let index = quoteStart + 1; index < line.length; index++) {
    if (line[index] === '\\') index++;
    else if (line[index] === line[quoteStart]) return index;
  }
  return quoteStart;
}

/** Word that an edit replaces in a line, and its replacement. */
export interface ReplacedWord {
  readonly oldText: string;
  readonly newText: string;
}

/**
 * Returns the word that was replaced in a line, if the same replacement explains all changes. Returns undefined for
 * equal lines, for different replacements, and for changes outside of words. Takes linear time.
 */
export function findReplacedWord(before: string, after: string): ReplacedWord | undefined {
  let replacedWord: ReplacedWord | undefined;
  let [index, afterIndex] = [0, 0];
  while (index < before.length && afterIndex < after.length) {
    if (!isWordCharacterAt(before, index) || !isWordCharacterAt(after, afterIndex)) {
      if (before[index++] !== after[afterIndex++]) return undefined;
      continue;
    }
    const [end, afterEnd] = [findWordEnd(before, index), findWordEnd(after, afterIndex)];
    const replacement = {
      oldText: before.slice(index, end),
      newText: after.slice(afterIndex, afterEnd),
    };
    [index, afterIndex] = [end, afterEnd];
    if (replacement.oldText === replacement.newText) continue;
    if (
      replacedWord &&
      (replacedWord.oldText !== replacement.oldText || replacedWord.newText !== replacement.newText)
    )
      return undefined;
    replacedWord = replacement;
  }
  return index === before.length && afterIndex === after.length ? replacedWord : undefined;
}

/** Checks whether a text contains a word that is not part of a longer word. */
export function containsWord(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index >= 0; index = text.indexOf(word, index + word.length))
    if (!isWordCharacterAt(text, index - 1) && !isWordCharacterAt(text, index + word.length))
      return true;
  return false;
}

/** Edit that can be repeated at similar positions. */
export type EditPattern = TextPattern | ArgumentPattern;

/**
 * Replacement of the text `oldText` with `newText` between the texts `leftContext` and `rightContext`. At least one of
 * `oldText`, `leftContext` and `rightContext` contains a distinctive word.
 */
export interface TextPattern {
  readonly kind: 'text';
  readonly leftContext: string;
  readonly oldText: string;
  readonly newText: string;
  readonly rightContext: string;
  /** True if the pattern only matches at the end of a line. */
  readonly isAtEnd: boolean;
}

/** Insertion of an argument into calls of `callee` that have `argumentCount` arguments. */
export interface ArgumentPattern {
  readonly kind: 'argument';
  readonly callee: string;
  readonly argumentCount: number;
  readonly position: 'first' | 'last';
  /** Argument to insert, including its comma. */
  readonly text: string;
}

/** Maximum lengths in UTF-16 code units. `line`: line to compare or search. `oldText`: replaced text. */
export const patternLimits = { line: 500, oldText: 60, newText: 120 } as const;

/**
 * Returns the pattern of an edit: a replaced word, text added next to a word, or an added argument. Returns undefined
 * for deletions, and for patterns that would match too often.
 */
export function deriveEditPattern(before: string, after: string): EditPattern | undefined {
  if (Math.max(before.length, after.length) > patternLimits.line) return undefined;
  const change = alignToWordStart(before, findDifference(before, after));
  if (change.insertedText.trim() === '' || !preservesBalance(change)) return undefined;
  const pattern =
    change.removedText === ''
      ? createInsertionPattern(before, change)
      : createReplacementPattern(before, change);
  return pattern && isWithinLimits(pattern) ? pattern : undefined;
}

/**
 * Returns the pattern of a rename: the same word was replaced on all changed lines. Returns undefined for other
 * changes.
 * @param otherLines current text of the other changed lines
 */
export function deriveRename(
  { before, after }: { readonly before: string; readonly after: string },
  otherLines: readonly string[],
): TextPattern | undefined {
  if (Math.max(before.length, after.length) > patternLimits.line) return undefined;
  const word = findReplacedWord(before, after);
  if (!word || !hasDistinctiveWord(word.oldText)) return undefined;
  if (!otherLines.every((line) => containsWord(line, word.newText))) return undefined;
  const pattern = {
    kind: 'text',
    leftContext: '',
    ...word,
    rightContext: '',
    isAtEnd: false,
  } as const;
  return isWithinLimits(pattern) ? pattern : undefined;
}

/** Checks whether one pattern undoes the other. */
export const isReversePattern = (pattern: EditPattern, otherPattern: EditPattern): boolean =>
  pattern.kind === 'text' &&
  otherPattern.kind === 'text' &&
  pattern.leftContext + pattern.oldText + pattern.rightContext ===
    otherPattern.leftContext + otherPattern.newText + otherPattern.rightContext &&
  pattern.leftContext + pattern.newText + pattern.rightContext ===
    otherPattern.leftContext + otherPattern.oldText + otherPattern.rightContext;

/**
 * Moves an insertion to the start of a word. From `aa(` to `await aa(`, the insertion is `await ` before the word, not
 * `wait a` inside the word.
 */
function alignToWordStart(lineBefore: string, change: LineDifference): LineDifference {
  if (change.removedText !== '') return change;
  let { start, insertedText } = change;
  while (isWordCharacterAt(lineBefore, start - 1) && isWordCharacterAt(insertedText, 0)) {
    if (lineBefore[start - 1] !== insertedText.at(-1)) return change;
    insertedText = insertedText.slice(-1) + insertedText.slice(0, -1);
    start--;
  }
  return { start, removedText: '', insertedText };
}

function createInsertionPattern(
  lineBefore: string,
  change: LineDifference,
): EditPattern | undefined {
  const { start, insertedText } = change;
  const argument = createArgumentPattern(lineBefore, change);
  if (argument) return argument;
  const isAfterWord = isWordCharacterAt(lineBefore, start - 1);
  const isBeforeWord = isWordCharacterAt(lineBefore, start);
  if (isAfterWord && (isBeforeWord || isWordCharacterAt(insertedText, 0)))
    return createReplacementPattern(lineBefore, change);
  if (isBeforeWord && isWordCharacterAt(insertedText, insertedText.length - 1))
    return createReplacementPattern(lineBefore, change);
  // An added list item belongs only to its list, so the edit is not repeated elsewhere.
  if (/^\s*,|,\s*$/u.test(insertedText)) return undefined;
  if (isAfterWord) return createPatternAfterWord(lineBefore, change);
  return isBeforeWord ? createPatternBeforeWord(lineBefore, change) : undefined;
}

function createArgumentPattern(
  lineBefore: string,
  { start, insertedText }: LineDifference,
): ArgumentPattern | undefined {
  const call = findCallAround(lineBefore, start);
  if (!call || !hasDistinctiveWord(call.callee)) return undefined;
  const { callee, argumentCount } = call;
  const pattern = { kind: 'argument', callee, argumentCount, text: insertedText } as const;
  if (start === call.end && (argumentCount === 0 || /^\s*,/u.test(insertedText)))
    return { ...pattern, position: 'last' };
  return start === call.start && insertedText.trimEnd().endsWith(',')
    ? { ...pattern, position: 'first' }
    : undefined;
}

function createPatternAfterWord(
  lineBefore: string,
  { start, insertedText }: LineDifference,
): TextPattern | undefined {
  const leftContext = lineBefore.slice(findWordStart(lineBefore, start), start);
  if (!hasDistinctiveWord(leftContext)) return undefined;
  const isAtEnd = lineBefore.slice(start).trim() === '';
  const rightContext = isAtEnd ? '' : lineBefore.slice(start, start + 1);
  return {
    kind: 'text',
    leftContext,
    oldText: '',
    newText: insertedText,
    rightContext,
    isAtEnd,
  };
}

function createPatternBeforeWord(
  lineBefore: string,
  { start, insertedText }: LineDifference,
): TextPattern | undefined {
  const end = findWordEnd(lineBefore, start);
  const rightContext = lineBefore.slice(start, end + 1);
  if (!hasDistinctiveWord(rightContext)) return undefined;
  const previousCharacter = lineBefore[start - 1] ?? '';
  const leftContext = isConnector(previousCharacter) ? previousCharacter : '';
  return {
    kind: 'text',
    leftContext,
    oldText: '',
    newText: insertedText,
    rightContext,
    isAtEnd: false,
  };
}

/** Returns a pattern that replaces the whole words affected by the change. */
function createReplacementPattern(
  lineBefore: string,
  change: LineDifference,
): TextPattern | undefined {
  const { removedText, insertedText } = change;
  const changedEnd = change.start + removedText.length;
  const isStartInWord =
    isWordCharacterAt(removedText, 0) || isWordCharacterAt(insertedText, 0) || removedText === '';
  const isEndInWord =
    isWordCharacterAt(removedText, removedText.length - 1) ||
    isWordCharacterAt(insertedText, insertedText.length - 1) ||
    removedText === '';
  const start = isStartInWord ? findWordStart(lineBefore, change.start) : change.start;
  const end = isEndInWord ? findWordEnd(lineBefore, changedEnd) : changedEnd;
  const oldText = lineBefore.slice(start, end);
  if (!hasDistinctiveWord(oldText) || oldText.split(/\s+/u).length > 2) return undefined;
  const changedText =
    lineBefore.slice(start, change.start) + insertedText + lineBefore.slice(changedEnd, end);
  return {
    kind: 'text',
    leftContext: '',
    oldText,
    newText: changedText,
    rightContext: '',
    isAtEnd: false,
  };
}

/** Checks whether a character connects an identifier to the text before it, like the dot in `a.b`. */
export const isConnector = (character: string): boolean =>
  character !== '' && '.:@#\\/-\'"`'.includes(character);

/**
 * Checks whether a change preserves the balance of the brackets in a line, and whether the number of quotes stays even
 * or odd.
 */
const preservesBalance = ({ removedText, insertedText }: LineDifference): boolean =>
  getBracketBalance(removedText) === getBracketBalance(insertedText) &&
  countQuotes(removedText) % 2 === countQuotes(insertedText) % 2;

const getBracketBalance = (text: string): string => {
  const openCounts = { round: 0, square: 0, curly: 0 };
  for (const character of text) {
    if (character === '(') openCounts.round++;
    else if (character === ')') openCounts.round--;
    else if (character === '[') openCounts.square++;
    else if (character === ']') openCounts.square--;
    else if (character === '{') openCounts.curly++;
    else if (character === '}') openCounts.curly--;
  }
  return `${openCounts.round} ${openCounts.square} ${openCounts.curly}`;
};

const countQuotes = (text: string): number => text.match(/["'`]/gu)?.length ?? 0;

const isWithinLimits = (pattern: EditPattern): boolean =>
  pattern.kind === 'argument'
    ? pattern.text.length <= patternLimits.newText
    : pattern.oldText.length <= patternLimits.oldText &&
      pattern.newText.length <= patternLimits.newText;
