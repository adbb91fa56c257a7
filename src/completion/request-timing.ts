import type { Clock } from '../base/clock.ts';
import { positionKind, type AcceptanceStatistics } from './acceptance.ts';
import { isInComment } from './language/cursor-context.ts';
import type { CompletionSettings } from './ports.ts';
import type { PipelineRule } from './reason.ts';
import { linePrefix, lineSuffix, type Snapshot } from './snapshot.ts';

/** Milliseconds. A longer time between two keys is a pause, not rhythm. */
const longestInterval = 1_000;
/** How much of what is known a new figure replaces. */
const weight = 0.15;

const usualInterval = 180;

/** What the person does with the text at this moment. */
export type EditActivity = 'typing' | 'deleting' | 'other';

/**
 * How the person types: how fast, and whether text is growing or going. Learns from snapshot to snapshot.
 */
export class TypingRhythm {
  readonly #clock: Clock;
  #last: { readonly at: number; readonly snapshot: Snapshot } | undefined;
  #interval = usualInterval;
  #motion: EditActivity = 'other';
  #erased = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds between two keys, lately. */
  get interval(): number {
    return this.#interval;
  }

  get motion(): EditActivity {
    return this.#motion;
  }

  /** What the person deleted directly before this moment, on this line; empty when nothing. */
  get erased(): string {
    return this.#erased;
  }

  /** Each snapshot, in their order. */
  saw(snapshot: Snapshot): void {
    const now = this.#clock.now();
    const last = this.#last;
    this.#last = { at: now, snapshot };
    if (last === undefined) return;
    this.#motion = motionBetween(last.snapshot, snapshot, this.#motion);
    if (this.#motion === 'deleting')
      this.#erased = erasedBetween(last.snapshot, snapshot, this.#erased);
    else if (this.#motion === 'other' || last.snapshot.position.line !== snapshot.position.line)
      this.#erased = '';
    const interval = now - last.at;
    if (this.#motion === 'typing' && interval <= longestInterval) {
      this.#interval += (interval - this.#interval) * weight;
    }
  }
}

function motionBetween(from: Snapshot, to: Snapshot, before: EditActivity): EditActivity {
  if (from.document !== to.document) return 'other';
  const lines = to.position.line - from.position.line;
  if (lines === 1) return linePrefix(to).trim() === '' ? 'typing' : 'other';
  if (lines !== 0) return 'other';
  const grown = to.position.character - from.position.character;
  if (grown < 0) return isErased(from, to) ? 'deleting' : 'other';
  if (grown === 0) return from.prefix === to.prefix ? before : 'typing';
  return isTyped(from, to, grown) ? 'typing' : 'other';
}

/** Whether text went away, rather than that the cursor moved over it. */
function isErased(from: Snapshot, to: Snapshot): boolean {
  const passed = linePrefix(from).slice(to.position.character);
  return linePrefix(from).startsWith(linePrefix(to)) && !to.suffix.startsWith(passed);
}

/** Whether text came, or was typed over what the editor had closed, rather than that the cursor moved over it. */
function isTyped(from: Snapshot, to: Snapshot, grown: number): boolean {
  const [rest, passed] = [to.prefix.slice(0, -grown), to.prefix.slice(-grown)];
  if (!rest.endsWith(from.prefix.slice(-64))) return false;
  return onlyClosers.test(passed) || !from.suffix.startsWith(passed);
}

const onlyClosers = /^[)\]}>"'`;,]+$/u;

function erasedBetween(from: Snapshot, to: Snapshot, before: string): string {
  const gone = linePrefix(from).slice(to.position.character);
  return (gone + before).slice(0, 400);
}

/** All in milliseconds. */
const waits = {
  /** At the start of a line, for each line after the first whose answer was not used. */
  missedLine: 300,
  mostAtLineStart: 900,
  mostAtWordStart: 25,
  mostWithinWord: 300,
  untilShown: 600,
  afterErasing: 300,
  /** Within a line, where no answer was used for long. */
  inDoubt: 3_000,
};

/** Measurements that a debounce depends on. */
export interface DebounceState {
  readonly rhythm: TypingRhythm;
  readonly usefulness: AcceptanceStatistics;
  /** Average time from a request to its first text, in milliseconds. */
  readonly firstTextMs: number;
}

/**
 * Milliseconds to wait before a question, so that none is made where a key is about to follow. None at the start of a
 * line, hardly any where a word begins; within a word as long as it takes to see that no further key follows. Where
 * answers are not used, longer, until only who rests is given one.
 */
export function debounceMs(
  snapshot: Snapshot,
  { rhythm, usefulness, firstTextMs }: DebounceState,
): number {
  const place = positionKind(snapshot);
  if (place === 'line-start' && rhythm.motion !== 'deleting') {
    const missed = Math.max(0, usefulness.rejectedLines - 1);
    return Math.min(waits.mostAtLineStart, missed * waits.missedLine);
  }
  const inDoubt = usefulness.rejectionRate(place) * waits.inDoubt;
  if (rhythm.motion === 'deleting') return waits.afterErasing + inDoubt;
  if (place === 'word-start') {
    return Math.min(waits.mostAtWordStart, rhythm.interval / 4) + inDoubt;
  }
  // Who waits long for an answer shall not wait long for the question.
  const left = Math.max(rhythm.interval * 0.6, waits.untilShown - firstTextMs);
  return Math.min(waits.mostWithinWord, rhythm.interval * 1.2, left) + inDoubt;
}

/** Longer lines are data, or were written by a program. */
const longestLine = 600;
/** What may stand behind the cursor: brackets and quotes that the editor closed, and what ends a statement. */
const closersBehindCursor = /^[\s)\]}>"'`;,]*$/u;
const endsInWord = /[\p{L}\p{N}_$]$/u;

/** Why typing at this place is not worth a question; undefined when it is. */
export function findBlockingRule(
  snapshot: Snapshot,
  { motion, settings }: { motion: EditActivity; settings: CompletionSettings },
): PipelineRule | undefined {
  if (!settings.automatic) return 'manual';
  const before = linePrefix(snapshot);
  const behind = lineSuffix(snapshot);
  if (before.length + behind.length > longestLine) return 'long-line';
  if (!closersBehindCursor.test(behind)) return 'code-after-cursor';
  if (motion === 'deleting' && endsInWord.test(before)) return 'deleting';
  if (snapshot.prefix.trim() === '' && snapshot.suffix.trim() === '') return 'empty-document';
  return !settings.inComments && isInComment(snapshot) ? 'comment' : undefined;
}

/** Why not even a command asks here. */
export const findExplicitBlockingRule = (snapshot: Snapshot): PipelineRule | undefined =>
  linePrefix(snapshot).length + lineSuffix(snapshot).length > longestLine ? 'long-line' : undefined;
