import type { ChatBody } from '../chat/body.ts';
import { lastUserMessage, lastUserText, textOf } from '../chat/messages.ts';
import { type Habits, misbehave } from './completion/habits.ts';
import { type Hole, hasHole, readHole } from './completion/hole.ts';
import { type Shift, shifted } from './completion/indentation.ts';
import { type Copy, longestCopy } from './completion/longest-copy.ts';
import { scopeLength } from './completion/scope.ts';

const mostLines = 60;
/** Of one that goes on where it should end. */
const mostLinesBeyond = 200;

export const isCompletionPrompt = (text: string): boolean => hasHole(text);

/** What the code model says to a chat, in the way of its habits. */
export function completeCode(body: ChatBody, habits: Habits = {}): string {
  const last = lastUserMessage(body);
  const earlier = body.messages.filter((message) => message !== last).map(textOf);
  const hole = readHole(lastUserText(body), earlier);
  return misbehave(fill(hole, habits.goesOn), hole, habits);
}

/**
 * Continues the prefix the way the longest copy of its end goes on, to the end of the scope. Nothing when no copy
 * exists.
 */
export function fill(hole: Hole, goesOn = false): string {
  const { context, prefix, suffix } = hole;
  const copy = longestCopy(prefix, [...context, suffix]);
  if (copy === undefined) return '';
  const written = prefix.slice(prefix.lastIndexOf('\n') + 1);
  const lines = placed(copy, written);
  if (goesOn) return lines.slice(0, mostLinesBeyond).join('\n');
  const scope = upToSuffix(lines.slice(0, scopeOf(copy)), suffix);
  return scope.slice(0, scope.findLastIndex((line) => line.trim() !== '') + 1).join('\n');
}

function scopeOf({ line, rest }: Copy): number {
  const [, ...lines] = rest.split('\n');
  return scopeLength([line, ...lines], mostLines);
}

/** The lines that follow in the copy, indented as they are where the cursor stands. */
function placed({ line, rest, shift }: Copy, written: string): string[] {
  const [first = '', ...lines] = rest.split('\n');
  return [
    first === line ? unwritten(line, written, shift) : first,
    ...lines.map((each) => shifted(each, shift)),
  ];
}

/** A whole line, without the indentation that is there already. */
function unwritten(line: string, written: string, shift: Shift): string {
  const whole = shifted(line, shift);
  return whole.startsWith(written) ? whole.slice(written.length) : whole.trimStart();
}

/** Leaves out what stands behind the cursor already. */
function upToSuffix(lines: readonly string[], suffix: string): readonly string[] {
  const [rest = '', ...others] = suffix.split('\n');
  const [first = ''] = lines;
  if (rest.trim() !== '') {
    return [first.endsWith(rest) ? first.slice(0, -rest.length) : first];
  }
  const next = others.find((line) => line.trim() !== '');
  if (next === undefined) return lines;
  const isNext = (line: string): boolean =>
    line.trimEnd() === next.trimEnd() || (next.trim().length > 7 && line.trim() === next.trim());
  const end = lines.findIndex((line, index) => index > 0 && isNext(line));
  return end < 0 ? lines : lines.slice(0, end);
}
