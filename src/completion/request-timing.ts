import type { Clock } from '../base/clock.ts';
import { positionKind, type AcceptanceStatistics } from './acceptance.ts';
import { isInComment } from './language/cursor-context.ts';
import type { PipelineRule } from './reason.ts';
import { linePrefix, lineSuffix, type Snapshot } from './snapshot.ts';

/** Maximum typing interval in milliseconds. A longer one is a pause. */
const maxIntervalMs = 1_000;
/** Weight of a new interval in the moving average. */
const weight = 0.15;

const defaultIntervalMs = 180;

/** The user's current activity at the cursor. */
export type EditActivity = 'typing' | 'deleting' | 'other';

/** Measures typing speed, and whether the user types or deletes, from consecutive snapshots. */
export class TypingRhythm {
  readonly #clock: Clock;
  #last: { readonly at: number; readonly snapshot: Snapshot } | undefined;
  #intervalMs = defaultIntervalMs;
  #activity: EditActivity = 'other';
  #deletedText = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Average time between two keys, in milliseconds. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  get activity(): EditActivity {
    return this.#activity;
  }

  /** Text that the user just deleted on this line. Empty without a deletion. */
  get deletedText(): string {
    return this.#deletedText;
  }

  /** Updates the measurements. Call it once per snapshot, in order. */
  observe(snapshot: Snapshot): void {
    const now = this.#clock.now();
    const last = this.#last;
    this.#last = { at: now, snapshot };
    if (last === undefined) return;
    this.#activity = classifyActivity(last.snapshot, snapshot, this.#activity);
    if (this.#activity === 'deleting')
      this.#deletedText = appendDeletedText(last.snapshot, snapshot, this.#deletedText);
    else if (this.#activity === 'other' || last.snapshot.position.line !== snapshot.position.line)
      this.#deletedText = '';
    const interval = now - last.at;
    if (this.#activity === 'typing' && interval <= maxIntervalMs) {
      this.#intervalMs += (interval - this.#intervalMs) * weight;
    }
  }
}

function classifyActivity(from: Snapshot, to: Snapshot, before: EditActivity): EditActivity {
  if (from.document !== to.document) return 'other';
  const lines = to.position.line - from.position.line;
  if (lines === 1) return linePrefix(to).trim() === '' ? 'typing' : 'other';
  if (lines !== 0) return 'other';
  const growth = to.position.character - from.position.character;
  if (growth < 0) return isDeletion(from, to) ? 'deleting' : 'other';
  if (growth === 0) return from.prefix === to.prefix ? before : 'typing';
  return isInsertion(from, to, growth) ? 'typing' : 'other';
}

/** Distinguishes deleted text from a cursor that moved left over unchanged text. */
function isDeletion(from: Snapshot, to: Snapshot): boolean {
  const skippedText = linePrefix(from).slice(to.position.character);
  return linePrefix(from).startsWith(linePrefix(to)) && !to.suffix.startsWith(skippedText);
}

/** Distinguishes typed text, also typed over auto-closed characters, from a cursor that moved right. */
function isInsertion(from: Snapshot, to: Snapshot, growth: number): boolean {
  const [rest, skippedText] = [to.prefix.slice(0, -growth), to.prefix.slice(-growth)];
  if (!rest.endsWith(from.prefix.slice(-64))) return false;
  return isClosers.test(skippedText) || !from.suffix.startsWith(skippedText);
}

const isClosers = /^[)\]}>"'`;,]+$/u;

function appendDeletedText(from: Snapshot, to: Snapshot, before: string): string {
  const deleted = linePrefix(from).slice(to.position.character);
  return (deleted + before).slice(0, 400);
}

/** Delays in milliseconds. */
const delays = {
  /** Added at a line start for each rejected suggestion in a row, not counting the first. */
  perRejectedLine: 300,
  maxAtLineStart: 900,
  maxAtWordStart: 25,
  maxWithinWord: 300,
  targetLatency: 600,
  afterDeletion: 300,
  /** Multiplied by the rejection rate at positions inside a line. */
  atLowAcceptance: 3_000,
};

/** Measurements that a debounce depends on. */
export interface DebounceState {
  readonly rhythm: TypingRhythm;
  readonly acceptance: AcceptanceStatistics;
  /** Average time from a request to its first text, in milliseconds. */
  readonly timeToFirstTextMs: number;
}

/**
 * Returns the delay before a suggestion is requested, in milliseconds. Zero at line starts; inside a word,
 * about one typing interval, so that a fast typist triggers no request. Grows where suggestions are rarely
 * accepted.
 */
export function debounceMs(
  snapshot: Snapshot,
  { rhythm, acceptance, timeToFirstTextMs }: DebounceState,
): number {
  const kind = positionKind(snapshot);
  if (kind === 'line-start' && rhythm.activity !== 'deleting') {
    const rejected = Math.max(0, acceptance.rejectedLines - 1);
    return Math.min(delays.maxAtLineStart, rejected * delays.perRejectedLine);
  }
  const atLowAcceptance = acceptance.rejectionRate(kind) * delays.atLowAcceptance;
  if (rhythm.activity === 'deleting') return delays.afterDeletion + atLowAcceptance;
  if (kind === 'word-start') {
    return Math.min(delays.maxAtWordStart, rhythm.intervalMs / 4) + atLowAcceptance;
  }
  // A slow service already causes a long wait, so the delay before its request is shorter.
  const remaining = Math.max(rhythm.intervalMs * 0.6, delays.targetLatency - timeToFirstTextMs);
  return Math.min(delays.maxWithinWord, rhythm.intervalMs * 1.2, remaining) + atLowAcceptance;
}

/** Maximum line length in characters. Longer lines are data or generated code. */
const maxLineLength = 600;
/**
 * Matches text after the cursor that does not block a request: auto-closed brackets and quotes, and statement ends.
 */
const closersAfterCursor = /^[\s)\]}>"'`;,]*$/u;
const endsInWord = /[\p{L}\p{N}_$]$/u;

/** Returns the rule that prevents an automatic request at the position; undefined when none does. */
export function findBlockingRule(
  snapshot: Snapshot,
  {
    activity,
    settings,
  }: { activity: EditActivity; settings: { automatic: boolean; inComments: boolean } },
): PipelineRule | undefined {
  if (!settings.automatic) return 'manual';
  const before = linePrefix(snapshot);
  const after = lineSuffix(snapshot);
  if (before.length + after.length > maxLineLength) return 'long-line';
  if (!closersAfterCursor.test(after)) return 'code-after-cursor';
  if (activity === 'deleting' && endsInWord.test(before)) return 'deleting';
  if (snapshot.prefix.trim() === '' && snapshot.suffix.trim() === '') return 'empty-document';
  return !settings.inComments && isInComment(snapshot) ? 'comment' : undefined;
}

/** Returns the rule that prevents even an explicit request; undefined when none does. */
export const findExplicitBlockingRule = (snapshot: Snapshot): PipelineRule | undefined =>
  linePrefix(snapshot).length + lineSuffix(snapshot).length > maxLineLength
    ? 'long-line'
    : undefined;
