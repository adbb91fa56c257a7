import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { isRecord, type JsonRecord, readNumberOr } from '../../base/json.ts';
import type { CompletionExchange } from '../ports.ts';
import type { Reason } from '../reason.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';

type Pause = Omit<Extract<Reason, { kind: 'paused' }>, 'kind'>;

/** Tracks the request activity that the status bar shows. Remains available when the completion runtime is stopped. */
export class CompletionActivity implements Disposable {
  readonly #clock: Clock;
  readonly #onDidChangeEmitter = new Emitter<void>();
  #runningCount = 0;
  #isSlow = false;
  #cancelSlowTimer: (() => void) | undefined;
  #latencyMs: number | undefined;
  #pause: Pause | undefined;
  #cancelPause = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly onDidChange = this.#onDidChangeEmitter.event;

  /** True if a request has been open for so long that the status bar shows a progress icon. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /**
   * Time to first text of the last request that received text, in milliseconds. Undefined before the first such
   * request.
   */
  get latencyMs(): number | undefined {
    return this.#latencyMs;
  }

  /** Failure that caused the current pause; undefined if requests are not paused. */
  get pausedBy(): ServiceFailure | undefined {
    return this.#pause?.failure;
  }

  recordRequestStart(): void {
    this.#runningCount += 1;
    this.#cancelSlowTimer ??= this.#clock.after(slowAfterMs, () => {
      this.#isSlow = true;
      this.#onDidChangeEmitter.fire();
    });
  }

  recordRequestEnd(): void {
    this.#runningCount -= 1;
    if (this.#runningCount > 0) return;
    this.#cancelSlowTimer?.();
    this.#cancelSlowTimer = undefined;
    const wasSlow = this.#isSlow;
    this.#isSlow = false;
    if (wasSlow) this.#onDidChangeEmitter.fire();
  }

  /** Records the outcome of a request. */
  recordExchange({ timeToFirstTextMs: firstTextMs, outcome }: CompletionExchange): void {
    if (firstTextMs !== undefined) this.#latencyMs = firstTextMs;
    if (outcome === 'complete' || outcome === 'cut') this.#endPause();
    this.#onDidChangeEmitter.fire();
  }

  /** Records the reason why a provider call returned no suggestion. */
  recordMiss(reason: Reason): void {
    if (reason.kind !== 'paused') return;
    const { until, failure } = reason;
    if (until === this.#pause?.until && failure === this.#pause.failure) return;
    this.#endPause();
    this.#pause = { until, failure };
    const remainingMs = Math.min(Math.max(0, until - this.#clock.now()), maxTimerMs);
    this.#cancelPause = this.#clock.after(remainingMs, () => this.clearFailure());
    this.#onDidChangeEmitter.fire();
  }

  /**
   * Clears the failure that paused requests. Called at the end of the pause and after a change of account, model or
   * settings.
   */
  clearFailure(): void {
    if (this.#pause === undefined) return;
    this.#endPause();
    this.#onDidChangeEmitter.fire();
  }

  dispose(): void {
    this.#cancelSlowTimer?.();
    this.#cancelPause();
    this.#onDidChangeEmitter.dispose();
  }

  #endPause(): void {
    this.#cancelPause();
    this.#pause = undefined;
  }
}

/** Time in milliseconds after which an open request shows the progress icon. A shorter time would cause flicker. */
const slowAfterMs = 300;
/** Maximum delay of a timer in milliseconds. A longer pause, which a service may request, ends after this time. */
const maxTimerMs = 2 ** 31 - 1;

/** Number of requests for inline suggestions, and their cost. */
export interface CompletionUsage {
  readonly requests: number;
  readonly usd: number;
  readonly diem: number;
  /** True if the cost includes estimates. */
  readonly isEstimate: boolean;
}

/**
 * Storage for the usage of the current day, shared by all windows. A `Memento` of VS Code implements this interface.
 */
export interface UsageState {
  get(storageKey: string): unknown;
  update(storageKey: string, value: unknown): PromiseLike<void>;
}

/**
 * Counts the usage of this window, and the usage of the current day in all windows. Writes at intervals and adds to the
 * usage that other windows wrote.
 */
export class UsageLedger {
  readonly #state: UsageState;
  readonly #clock: Clock;
  #sessionUsage = noUsage;
  #unwrittenUsage = noUsage;
  #unwrittenDay = '';
  #cancelWrite: (() => void) | undefined;

  constructor(state: UsageState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Usage in this window since the extension started. */
  get session(): CompletionUsage {
    return this.#sessionUsage;
  }

  /** Usage in all windows since midnight. Excludes usage that other windows have not written yet. */
  get today(): CompletionUsage {
    const day = getLocalDate(this.#clock);
    const storedUsage = readStoredUsage(this.#state.get(storageKey), day);
    return this.#unwrittenDay === day ? sumUsage(storedUsage, this.#unwrittenUsage) : storedUsage;
  }

  add({ cost, isCostEstimate }: Pick<CompletionExchange, 'cost' | 'isCostEstimate'>): void {
    const usage = toUsage(cost ?? {}, isCostEstimate);
    const day = getLocalDate(this.#clock);
    if (day !== this.#unwrittenDay) void this.flush();
    this.#sessionUsage = sumUsage(this.#sessionUsage, usage);
    this.#unwrittenUsage = sumUsage(this.#unwrittenUsage, usage);
    this.#unwrittenDay = day;
    this.#cancelWrite ??= this.#clock.after(writeAfterMs, () => void this.flush());
  }

  /** Writes the unwritten usage to the storage. If the storage fails, this usage is lost. */
  async flush(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#unwrittenUsage.requests === 0) return;
    const day = this.#unwrittenDay;
    const totalUsage = sumUsage(
      readStoredUsage(this.#state.get(storageKey), day),
      this.#unwrittenUsage,
    );
    this.#unwrittenUsage = noUsage;
    await Promise.resolve(this.#state.update(storageKey, { day, ...totalUsage })).catch(() => {});
  }
}

const storageKey = 'completion.use';
const writeAfterMs = 5_000;
const noUsage: CompletionUsage = { requests: 0, usd: 0, diem: 0, isEstimate: false };

/**
 * Maximum plausible cost of one request, in USD or DIEM. A request costs less than a cent, so a higher cost is an
 * error.
 */
const maxCostPerRequest = 10;

function toUsage({ usd = 0, diem = 0 }: Cost, isEstimate: boolean): CompletionUsage {
  const isPlausible = (amount: number): boolean => amount >= 0 && amount <= maxCostPerRequest;
  return {
    requests: 1,
    usd: isPlausible(usd) ? usd : 0,
    diem: isPlausible(diem) ? diem : 0,
    isEstimate: isEstimate || !isPlausible(usd) || !isPlausible(diem),
  };
}

const sumUsage = (a: CompletionUsage, b: CompletionUsage): CompletionUsage => ({
  requests: a.requests + b.requests,
  usd: a.usd + b.usd,
  diem: a.diem + b.diem,
  isEstimate: a.isEstimate || b.isEstimate,
});

function readStoredUsage(storedValue: unknown, day: string): CompletionUsage {
  if (!isRecord(storedValue) || storedValue['day'] !== day) return noUsage;
  return {
    requests: readAmount(storedValue, 'requests'),
    usd: readAmount(storedValue, 'usd'),
    diem: readAmount(storedValue, 'diem'),
    isEstimate: storedValue['isEstimate'] === true,
  };
}

const readAmount = (storedRecord: JsonRecord, fieldName: string): number =>
  Math.max(0, readNumberOr(storedRecord[fieldName], 0));

/** Returns the local date, such as `2026-11-21`. */
function getLocalDate(clock: Clock): string {
  const now = new Date(clock.now());
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((dateField) => String(dateField).padStart(2, '0'))
    .join('-');
}
