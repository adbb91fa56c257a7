import {
  type ArgumentPattern,
  type FunctionCall,
  findCallsOf,
  type EditPattern,
  isConnector,
  patternLimits,
  type TextPattern,
} from './edit-pattern.ts';
import { findDifference, isSubsequence, isWordCharacterAt } from './line-edit.ts';

/** Line in which an edit can be repeated. The user may already have started the edit. */
export interface EditedLine {
  /** Current text of the line. */
  readonly text: string;
  /** Text of the line before the user changed it. Equal to `text` if the line is unchanged. */
  readonly originalText: string;
  /** Cursor offset in `text`. */
  readonly character: number;
}

/**
 * Suggested change to a line. `text` replaces the range and contains all replaced characters in the same order, as
 * ghost text requires.
 */
export interface Insertion {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Text of the line after the change. */
  readonly resultLine: string;
}

/**
 * Returns the insertion that repeats an edit at the first matching position of a line. If the user has typed a part of
 * the edit, returns the remaining part. Returns undefined if no position matches.
 */
export function findInsertion(pattern: EditPattern, line: EditedLine): Insertion | undefined {
  if (Math.max(line.text.length, line.originalText.length) > patternLimits.line) return undefined;
  for (const target of findTargets(pattern, line.originalText)) {
    const insertion = createInsertion(target, line);
    if (insertion) return insertion;
  }
  return undefined;
}

/** Range of a line and the text that replaces the range. */
export interface InsertionTarget {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function createInsertion(target: InsertionTarget, line: EditedLine): Insertion | undefined {
  if (!isTargetReachable(target, line)) return undefined;
  const { text, originalText } = line;
  const end = text.length - (originalText.length - target.end);
  const { start, removedText, insertedText } = findDifference(
    text.slice(target.start, end),
    target.text,
  );
  if (insertedText === '') return undefined;
  const insertionStart = target.start + start;
  const result = text.slice(0, target.start) + target.text + text.slice(end);
  return {
    start: insertionStart,
    end: insertionStart + removedText.length,
    text: insertedText,
    resultLine: result,
  };
}

/**
 * Checks whether the user can still make the insertion: the cursor is before the target, or inside the target after
 * typed text that matches the start of the new text.
 */
function isTargetReachable(
  target: InsertionTarget,
  { originalText, text, character }: EditedLine,
): boolean {
  if (character < target.start)
    return (
      text === originalText &&
      isSubsequence(originalText.slice(target.start, target.end), target.text)
    );
  const tail = originalText.slice(target.end);
  const end = text.length - tail.length;
  if (character > end || !text.endsWith(tail)) return false;
  if (!text.startsWith(originalText.slice(0, target.start))) return false;
  const typedText = text.slice(target.start, character);
  const remainingText = text.slice(character, end);
  return (
    target.text.startsWith(typedText) &&
    isSubsequence(remainingText, target.text.slice(typedText.length))
  );
}

/** Returns the ranges of a line where an edit can be repeated, from left to right. */
export const findTargets = (pattern: EditPattern, line: string): InsertionTarget[] =>
  pattern.kind === 'argument' ? findArgumentTargets(pattern, line) : findTextTargets(pattern, line);

function findArgumentTargets(pattern: ArgumentPattern, line: string): InsertionTarget[] {
  return findCallsOf(line, pattern.callee)
    .filter(
      (call) => call.argumentCount === pattern.argumentCount && !hasArgument(line, call, pattern),
    )
    .map((call) => {
      const index = pattern.position === 'first' ? call.start : call.end;
      return { start: index, end: index, text: pattern.text };
    });
}

/** Checks whether the call already contains the argument as its first or last argument, depending on `position`. */
function hasArgument(
  line: string,
  call: FunctionCall,
  { text, position }: ArgumentPattern,
): boolean {
  const existingText = line.slice(call.start, call.end).trim();
  const addedText = text.trim();
  if (call.argumentCount === 0) return false;
  return position === 'first'
    ? `${existingText},`.startsWith(addedText)
    : `,${existingText}`.replaceAll(/\s/gu, '').endsWith(addedText.replaceAll(/\s/gu, ''));
}

function findTextTargets(pattern: TextPattern, line: string): InsertionTarget[] {
  const { leftContext, oldText } = pattern;
  const searchText = leftContext + oldText + pattern.rightContext;
  const targets: InsertionTarget[] = [];
  for (
    let index = line.indexOf(searchText);
    index >= 0;
    index = line.indexOf(searchText, index + 1)
  ) {
    if (!isStandaloneMatch(pattern, line, index) || isPatternApplied(pattern, line, index))
      continue;
    const start = index + leftContext.length;
    targets.push({ start, end: start + oldText.length, text: pattern.newText });
  }
  return targets;
}

/**
 * Checks whether a match is a separate word, as opposed to a part of a longer word or of an expression such as `a.b`.
 */
function isStandaloneMatch(pattern: TextPattern, line: string, index: number): boolean {
  const searchText = pattern.leftContext + pattern.oldText + pattern.rightContext;
  const end = index + searchText.length;
  if (isWordCharacterAt(searchText, 0) && isWordCharacterAt(line, index - 1)) return false;
  if (isWordCharacterAt(searchText, searchText.length - 1) && isWordCharacterAt(line, end))
    return false;
  if (pattern.isAtEnd && line.slice(end).trim() !== '') return false;
  const isInsertionBeforeWord = pattern.leftContext === '' && pattern.oldText === '';
  return !(isInsertionBeforeWord && isConnector(line[index - 1] ?? ''));
}

/** Checks whether the line already contains the edited text around the match at `index`. */
function isPatternApplied(
  { leftContext, oldText, rightContext, newText: text }: TextPattern,
  line: string,
  index: number,
): boolean {
  const searchText = leftContext + oldText + rightContext;
  const result = leftContext + text + rightContext;
  for (
    let matchIndex = result.indexOf(searchText);
    matchIndex >= 0;
    matchIndex = result.indexOf(searchText, matchIndex + 1)
  )
    if (index >= matchIndex && line.startsWith(result, index - matchIndex)) return true;
  return false;
}
