import type { Clock } from '../base/clock.ts';
import { getPositionKind, type AcceptanceStatistics } from './acceptance.ts';
import { isInComment, getLinePrefix, getLineSuffix } from './language/cursor-context.ts';
import type { PipelineCause } from './reason.ts';
import type { Snapshot } from './snapshot.ts';

/** Maximum interval between two key presses that counts as typing, in milliseconds. A longer interval is a pause. */
const maxIntervalMs = 1_000;
/** Weight of the latest interval in the moving average of typing intervals. */
const latestIntervalWeight = 0.15;

const defaultIntervalMs = 180;

/** Last action of the user at the cursor. */
export type EditActivity = 'typing' | 'deleting' | 'other';

/** Derives the typing speed and the user's activity from consecutive snapshots. */
export class TypingRhythm {
  readonly #clock: Clock;
  #lastKeystroke: { readonly time: number; readonly snapshot: Snapshot } | undefined;
  #intervalMs = defaultIntervalMs;
  #activity: EditActivity = 'other';
  #deletedText = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Average interval between two key presses in milliseconds. */
  get intervalMs(): number {
    return this.#intervalMs;
  }

  get activity(): EditActivity {
    return this.#activity;
  }

  /** Text that the user has just deleted on the cursor's line. Empty if the user has deleted nothing. */
  get deletedText(): string {
    return this.#deletedText;
  }

  /** Updates the measurements. Must be called in order, once per snapshot. */
  observe(snapshot: Snapshot): void {
    const now = this.#clock.now();
    const lastKeystroke = this.#lastKeystroke;
    this.#lastKeystroke = { time: now, snapshot };
    if (lastKeystroke === undefined) return;
    this.#activity = classifyActivity(lastKeystroke.snapshot, snapshot, this.#activity);
    if (this.#activity === 'deleting')
      this.#deletedText = appendDeletedText(lastKeystroke.snapshot, snapshot, this.#deletedText);
    else if (
      this.#activity === 'other' ||
      lastKeystroke.snapshot.position.line !== snapshot.position.line
    )
      this.#deletedText = '';
    const intervalMs = now - lastKeystroke.time;
    if (this.#activity === 'typing' && intervalMs <= maxIntervalMs) {
      this.#intervalMs += (intervalMs - this.#intervalMs) * latestIntervalWeight;
    }
  }
}

function classifyActivity(
  previousSnapshot: Snapshot,
  snapshot: Snapshot,
  previousActivity: EditActivity,
): EditActivity {
  if (previousSnapshot.documentUri !== snapshot.documentUri) return 'other';
  const lineDelta = snapshot.position.line - previousSnapshot.position.line;
  if (lineDelta === 1) return getLinePrefix(snapshot).trim() === '' ? 'typing' : 'other';
  if (lineDelta !== 0) return 'other';
  const addedLength = snapshot.position.character - previousSnapshot.position.character;
  if (addedLength < 0) return isDeletion(previousSnapshot, snapshot) ? 'deleting' : 'other';
  if (addedLength === 0)
    return previousSnapshot.prefix === snapshot.prefix ? previousActivity : 'typing';
  return isInsertion(previousSnapshot, snapshot, addedLength) ? 'typing' : 'other';
}

/** Checks whether text before the cursor was deleted, as opposed to a cursor that moved left. */
function isDeletion(previousSnapshot: Snapshot, snapshot: Snapshot): boolean {
  const skippedText = getLinePrefix(previousSnapshot).slice(snapshot.position.character);
  return (
    getLinePrefix(previousSnapshot).startsWith(getLinePrefix(snapshot)) &&
    !snapshot.suffix.startsWith(skippedText)
  );
}

/**
 * Checks whether text was typed before the cursor, as opposed to a cursor that moved right. Typing over an
 * automatically inserted closing bracket also counts.
 */
function isInsertion(previousSnapshot: Snapshot, snapshot: Snapshot, addedLength: number): boolean {
  const [unchangedPrefix, skippedText] = [
    snapshot.prefix.slice(0, -addedLength),
    snapshot.prefix.slice(-addedLength),
  ];
  if (!unchangedPrefix.endsWith(previousSnapshot.prefix.slice(-64))) return false;
  return closersPattern.test(skippedText) || !previousSnapshot.suffix.startsWith(skippedText);
}

const closersPattern = /^[)\]}>"'`;,]+$/u;

function appendDeletedText(
  previousSnapshot: Snapshot,
  snapshot: Snapshot,
  previousText: string,
): string {
  const deletedText = getLinePrefix(previousSnapshot).slice(snapshot.position.character);
  return (deletedText + previousText).slice(0, 400);
}

/** Measurements that determine the delay of a request. */
export interface RequestState {
  readonly rhythm: TypingRhythm;
  readonly acceptance: AcceptanceStatistics;
  /** Average time from a request to the first text in milliseconds. */
  readonly timeToFirstTextMs: number;
  /** True if the newest answer was requested on the cursor's line and was empty. */
  readonly isLastAnswerEmpty: boolean;
}

/** Determines when requests are sent, and thereby the number of requests and the latency of suggestions. */
export interface RequestPolicy {
  /** Returns the delay before a request in milliseconds. A change of the text during the delay prevents the request. */
  readonly getDelayMs: (snapshot: Snapshot, state: RequestState) => number;
  /**
   * Returns the delay in milliseconds between showing a suggestion and requesting the text after this suggestion.
   * Undefined to request this text only after the user accepts the suggestion.
   * @param acceptedCount number of suggestions that the user accepted since the last rejected suggestion
   */
  readonly getPrefetchDelayMs: (acceptedCount: number) => number | undefined;
  /** Maximum number of lines to read after the requested line. They become the suggestions after the first one. */
  readonly maxLinesAhead: number;
}

/**
 * Delay in milliseconds that is longer than typical typing intervals. A request after this delay is sent only if the
 * user pauses.
 */
const pauseMs = 350;
const shortPauseMs = 200;

/**
 * Returns a function that delays requests only at positions where the answer is rarely useful.
 * @param delayMs delay at these positions in milliseconds
 */
export function createDelayFunction(delayMs: number): RequestPolicy['getDelayMs'] {
  return (snapshot, { rhythm, isLastAnswerEmpty }) => {
    const isUsuallyUseful =
      rhythm.activity !== 'deleting' && !isLastAnswerEmpty && isBeforeNewText(snapshot);
    return isUsuallyUseful ? 0 : delayMs;
  };
}

/**
 * Checks whether a word, a block or a paragraph begins at the cursor. Returns false at the start of a line that follows
 * a complete statement.
 */
function isBeforeNewText(snapshot: Snapshot): boolean {
  const kind = getPositionKind(snapshot);
  if (kind !== 'line-start') return kind === 'word-start';
  const end = snapshot.prefix.lastIndexOf('\n');
  const previousLine = snapshot.prefix.slice(snapshot.prefix.lastIndexOf('\n', end - 1) + 1, end);
  return previousLine.trim() === '' || textOpeningPattern.test(previousLine);
}

/** Matches a line after which a block, a list of arguments or the content of an element begins, such as `if (a) {`. */
const textOpeningPattern = /[{([:>]\s*$/u;

/** Delays of the economical policy in milliseconds. */
const delays = {
  /** Delay at a line start for each consecutive rejected suggestion, except the first. */
  perRejectedLine: 300,
  maxAtLineStart: 900,
  maxAtWordStart: 25,
  maxWithinWord: 300,
  targetLatency: 600,
  afterDeletion: 300,
  /**
   * Delay at positions inside a line if all suggestions were rejected. Multiplied by the result of
   * {@link AcceptanceStatistics.getAcceptanceShortfall}.
   */
  atLowAcceptance: 3_000,
};

/**
 * Returns the delay before a request in milliseconds. Longer where the user rarely accepts suggestions. Usually zero at
 * line starts. Inside a word, about one typing interval, so that fast typing causes no requests.
 */
function computeEconomicalDelay(
  snapshot: Snapshot,
  { rhythm, acceptance, timeToFirstTextMs }: RequestState,
): number {
  const kind = getPositionKind(snapshot);
  if (kind === 'line-start' && rhythm.activity !== 'deleting') {
    const rejectionCount = Math.max(0, acceptance.consecutiveRejectionCount - 1);
    return Math.min(delays.maxAtLineStart, rejectionCount * delays.perRejectedLine);
  }
  const lowAcceptanceMs = acceptance.getAcceptanceShortfall(kind) * delays.atLowAcceptance;
  if (rhythm.activity === 'deleting') return delays.afterDeletion + lowAcceptanceMs;
  if (kind === 'word-start') {
    return Math.min(delays.maxAtWordStart, rhythm.intervalMs / 4) + lowAcceptanceMs;
  }
  // With a slow service, the user already waits for the answer, so the delay is shorter.
  const remainingMs = Math.max(rhythm.intervalMs * 0.6, delays.targetLatency - timeToFirstTextMs);
  return Math.min(delays.maxWithinWord, rhythm.intervalMs * 1.2, remainingMs) + lowAcceptanceMs;
}

/**
 * Request policies by setting value: `eager` requests suggestions almost everywhere, `balanced` everywhere after a
 * pause, and `economical` mainly where the user accepts suggestions.
 */
export const requestPolicies = {
  eager: {
    getDelayMs: createDelayFunction(shortPauseMs),
    getPrefetchDelayMs: () => 0,
    maxLinesAhead: 6,
  },
  balanced: {
    getDelayMs: createDelayFunction(pauseMs),
    getPrefetchDelayMs: (acceptedCount) => (acceptedCount > 0 ? 0 : 1_000),
    maxLinesAhead: 6,
  },
  economical: {
    getDelayMs: computeEconomicalDelay,
    getPrefetchDelayMs: (acceptedCount) => (acceptedCount > 1 ? 150 : undefined),
    maxLinesAhead: 0,
  },
} as const satisfies Record<string, RequestPolicy>;

/** Line length in characters above which no suggestion is requested. Longer lines are rarely written by hand. */
const maxLineLength = 600;
/**
 * Matches text after the cursor that allows a request: only white space, closing brackets, quotes, commas and
 * semicolons.
 */
const closersAfterCursorPattern = /^[\s)\]}>"'`;,]*$/u;
const endsInWordPattern = /[\p{L}\p{N}_$]$/u;

/** Returns the rule that prevents an automatic request at the cursor; undefined if a request is allowed. */
export function findBlockingRule(
  snapshot: Snapshot,
  {
    activity,
    settings,
  }: { activity: EditActivity; settings: { isAutomatic: boolean; canSuggestInComments: boolean } },
): PipelineCause | undefined {
  if (!settings.isAutomatic) return 'manual';
  const before = getLinePrefix(snapshot);
  const after = getLineSuffix(snapshot);
  if (before.length + after.length > maxLineLength) return 'long-line';
  if (!closersAfterCursorPattern.test(after)) return 'code-after-cursor';
  if (activity === 'deleting' && endsInWordPattern.test(before)) return 'deleting';
  if (snapshot.prefix.trim() === '' && snapshot.suffix.trim() === '') return 'empty-document';
  return !settings.canSuggestInComments && isInComment(snapshot) ? 'comment' : undefined;
}

/**
 * Returns the rule that prevents a request even if the user triggers a suggestion with a command; undefined if a
 * request is allowed.
 */
export const findExplicitBlockingRule = (snapshot: Snapshot): PipelineCause | undefined =>
  getLinePrefix(snapshot).length + getLineSuffix(snapshot).length > maxLineLength
    ? 'long-line'
    : undefined;
