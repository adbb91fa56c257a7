import {
  type ArgumentPattern,
  type Call,
  findCallsOf,
  type EditPattern,
  isConnector,
  patternLimits,
  type TextPattern,
} from './edit-pattern.ts';
import { findDifference, isSubsequence, isWordAt } from './line-edit.ts';

/** A line and how far the person has come in it. */
export interface EditedLine {
  /** As it is now. */
  readonly text: string;
  /** As it was before the person began to change it; as it is now when they did not. */
  readonly before: string;
  /** The cursor's place in `text`. */
  readonly character: number;
}

/** What ghost text can show: `text` in place of a stretch of the line that is a subsequence of it. */
export interface Insertion {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The line with it. */
  readonly result: string;
}

/**
 * How the edit can be made at the cursor's line by inserting at or behind the cursor: at the first place like the one
 * where it was made. Where the person has begun, by erasing the old text or by typing the new, what is left of it.
 * Nothing where it was made already.
 */
export function findInsertion(pattern: EditPattern, line: EditedLine): Insertion | undefined {
  if (Math.max(line.text.length, line.before.length) > patternLimits.line) return undefined;
  for (const place of placesOf(pattern, line.before)) {
    const insertion = insertionAt(place, line);
    if (insertion) return insertion;
  }
  return undefined;
}

/** A stretch of a line, and what is to stand there. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function insertionAt(place: Place, line: EditedLine): Insertion | undefined {
  if (!isWithinReach(place, line)) return undefined;
  const { text, before } = line;
  const end = text.length - (before.length - place.end);
  const { start, removed, inserted } = findDifference(text.slice(place.start, end), place.text);
  if (inserted === '') return undefined;
  const from = place.start + start;
  const result = text.slice(0, place.start) + place.text + text.slice(end);
  return { start: from, end: from + removed.length, text: inserted, result };
}

/** Whether the edit only inserts from the cursor on, after what the person has done at the place. */
function isWithinReach(place: Place, { before, text, character }: EditedLine): boolean {
  if (character < place.start)
    return text === before && isSubsequence(before.slice(place.start, place.end), place.text);
  const tail = before.slice(place.end);
  const end = text.length - tail.length;
  if (character > end || !text.endsWith(tail)) return false;
  if (!text.startsWith(before.slice(0, place.start))) return false;
  const typed = text.slice(place.start, character);
  const rest = text.slice(character, end);
  return place.text.startsWith(typed) && isSubsequence(rest, place.text.slice(typed.length));
}

const placesOf = (pattern: EditPattern, line: string): Place[] =>
  pattern.kind === 'argument' ? argumentPlaces(pattern, line) : textPlaces(pattern, line);

function argumentPlaces(pattern: ArgumentPattern, line: string): Place[] {
  return findCallsOf(line, pattern.callee)
    .filter((call) => call.count === pattern.count && !hasArgument(line, call, pattern))
    .map((call) => {
      const at = pattern.position === 'first' ? call.start : call.end;
      return { start: at, end: at, text: pattern.text };
    });
}

/** Whether the argument that is to be added stands at its end of the call already. */
function hasArgument(line: string, call: Call, { text, position }: ArgumentPattern): boolean {
  const present = line.slice(call.start, call.end).trim();
  const added = text.trim();
  if (call.count === 0) return false;
  return position === 'first'
    ? `${present},`.startsWith(added)
    : `,${present}`.replaceAll(/\s/gu, '').endsWith(added.replaceAll(/\s/gu, ''));
}

function textPlaces(pattern: TextPattern, line: string): Place[] {
  const { left, old } = pattern;
  const sought = left + old + pattern.right;
  const places: Place[] = [];
  for (let at = line.indexOf(sought); at >= 0; at = line.indexOf(sought, at + 1)) {
    if (!standsAlone(pattern, line, at) || isDone(pattern, line, at)) continue;
    const start = at + left.length;
    places.push({ start, end: start + old.length, text: pattern.new });
  }
  return places;
}

/** Whether what was found at `at` is no part of a longer word or of something that is tied together. */
function standsAlone(pattern: TextPattern, line: string, at: number): boolean {
  const sought = pattern.left + pattern.old + pattern.right;
  const end = at + sought.length;
  if (isWordAt(sought, 0) && isWordAt(line, at - 1)) return false;
  if (isWordAt(sought, sought.length - 1) && isWordAt(line, end)) return false;
  if (pattern.isAtEnd && line.slice(end).trim() !== '') return false;
  const putsBeforeWord = pattern.left === '' && pattern.old === '';
  return !(putsBeforeWord && isConnector(line[at - 1] ?? ''));
}

/** Whether the line reads at `at` as it would after the edit. */
function isDone({ left, old, right, new: text }: TextPattern, line: string, at: number): boolean {
  const sought = left + old + right;
  const result = left + text + right;
  for (let from = result.indexOf(sought); from >= 0; from = result.indexOf(sought, from + 1))
    if (at >= from && line.startsWith(result, at - from)) return true;
  return false;
}
