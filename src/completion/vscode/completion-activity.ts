import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import { isRecord, type JsonRecord, numberOr } from '../../base/json.ts';
import type { CompletionExchange } from '../ports.ts';
import type { Reason } from '../reason.ts';
import type { Cost } from '../../service/chat/chat-types.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';

type Pause = Omit<Extract<Reason, { kind: 'paused' }>, 'kind'>;

/** What the status shows of requests for suggestions. It outlives the part that makes them. */
export class CompletionActivity implements Disposable {
  readonly #clock: Clock;
  readonly #changed = new Emitter<void>();
  #running = 0;
  #isSlow = false;
  #cancelSlow: (() => void) | undefined;
  #latencyMs: number | undefined;
  #pause: Pause | undefined;
  #cancelPause = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly onDidChange = this.#changed.event;

  /** Whether a request has been running long enough that a sign for it does not flicker. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Milliseconds to the first text of the last answer. */
  get latencyMs(): number | undefined {
    return this.#latencyMs;
  }

  /** Why no requests are made for a while. */
  get pausedBy(): ServiceFailure | undefined {
    return this.#pause?.failure;
  }

  startRequest(): void {
    this.#running += 1;
    this.#cancelSlow ??= this.#clock.after(slowAfterMs, () => {
      this.#isSlow = true;
      this.#changed.fire();
    });
  }

  endRequest(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    this.#cancelSlow?.();
    this.#cancelSlow = undefined;
    const wasSlow = this.#isSlow;
    this.#isSlow = false;
    if (wasSlow) this.#changed.fire();
  }

  /** A request is over. */
  recordExchange({ timeToFirstTextMs: firstTextMs, end }: CompletionExchange): void {
    if (firstTextMs !== undefined) this.#latencyMs = firstTextMs;
    if (end === 'complete' || end === 'cut') this.#endPause();
    this.#changed.fire();
  }

  /** A place got no suggestion. */
  recordMiss(reason: Reason): void {
    if (reason.kind !== 'paused') return;
    const { until, failure } = reason;
    if (until === this.#pause?.until && failure === this.#pause.failure) return;
    this.#endPause();
    this.#pause = { until, failure };
    const ms = Math.min(Math.max(0, until - this.#clock.now()), longestTimerMs);
    this.#cancelPause = this.#clock.after(ms, () => this.forgetFailure());
    this.#changed.fire();
  }

  /** What went wrong lies behind: the pause is over, or there is another account, model or setting. */
  forgetFailure(): void {
    if (this.#pause === undefined) return;
    this.#endPause();
    this.#changed.fire();
  }

  dispose(): void {
    this.#cancelSlow?.();
    this.#cancelPause();
    this.#changed.dispose();
  }

  #endPause(): void {
    this.#cancelPause();
    this.#pause = undefined;
  }
}

/** A shorter sign would only flicker. */
const slowAfterMs = 300;
/** A timer takes no longer time; a service may name any. */
const longestTimerMs = 2 ** 31 - 1;

/** What inline suggestions used. */
export interface CompletionUsage {
  readonly requests: number;
  readonly usd: number;
  readonly diem: number;
  /** Whether a part of it is our own count. */
  readonly isEstimate: boolean;
}

/** Where the use of a day is kept for all windows: the editor's state. */
export interface UsageState {
  get(name: string): unknown;
  update(name: string, value: unknown): PromiseLike<void>;
}

/** Counts what is used, in this window and, over all windows, today. Writes seldom, and adds to what others wrote. */
export class UsageLedger {
  readonly #state: UsageState;
  readonly #clock: Clock;
  #session = nothing;
  /** Counted here and not written yet, and the day it belongs to. */
  #unwritten = nothing;
  #unwrittenDay = '';
  #cancelWrite: (() => void) | undefined;

  constructor(state: UsageState, clock: Clock) {
    this.#state = state;
    this.#clock = clock;
  }

  /** Since this window was opened. */
  get session(): CompletionUsage {
    return this.#session;
  }

  /** Since midnight, in all windows, as far as they have written it. */
  get today(): CompletionUsage {
    const day = dayOf(this.#clock);
    const kept = readKept(this.#state.get(name), day);
    return this.#unwrittenDay === day ? sum(kept, this.#unwritten) : kept;
  }

  add({ cost, isEstimate }: Pick<CompletionExchange, 'cost' | 'isEstimate'>): void {
    const use = useOf(cost ?? {}, isEstimate);
    const day = dayOf(this.#clock);
    if (day !== this.#unwrittenDay) void this.flush();
    this.#session = sum(this.#session, use);
    this.#unwritten = sum(this.#unwritten, use);
    this.#unwrittenDay = day;
    this.#cancelWrite ??= this.#clock.after(writeAfterMs, () => void this.flush());
  }

  /** Writes what is not written. A refusal costs the count, nothing else. */
  async flush(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#unwritten.requests === 0) return;
    const day = this.#unwrittenDay;
    const all = sum(readKept(this.#state.get(name), day), this.#unwritten);
    this.#unwritten = nothing;
    await Promise.resolve(this.#state.update(name, { day, ...all })).catch(() => {});
  }
}

const name = 'completion.use';
const writeAfterMs = 5_000;
const nothing: CompletionUsage = { requests: 0, usd: 0, diem: 0, isEstimate: false };

/** What one request may cost, in either currency: a suggestion costs less than a cent. More is a false figure. */
const mostPerRequest = 10;

function useOf({ usd = 0, diem = 0 }: Cost, isEstimate: boolean): CompletionUsage {
  const isRight = (amount: number): boolean => amount >= 0 && amount <= mostPerRequest;
  return {
    requests: 1,
    usd: isRight(usd) ? usd : 0,
    diem: isRight(diem) ? diem : 0,
    isEstimate: isEstimate || !isRight(usd) || !isRight(diem),
  };
}

const sum = (a: CompletionUsage, b: CompletionUsage): CompletionUsage => ({
  requests: a.requests + b.requests,
  usd: a.usd + b.usd,
  diem: a.diem + b.diem,
  isEstimate: a.isEstimate || b.isEstimate,
});

function readKept(kept: unknown, day: string): CompletionUsage {
  if (!isRecord(kept) || kept['day'] !== day) return nothing;
  return {
    requests: amount(kept, 'requests'),
    usd: amount(kept, 'usd'),
    diem: amount(kept, 'diem'),
    isEstimate: kept['isEstimate'] === true,
  };
}

const amount = (kept: JsonRecord, field: string): number => Math.max(0, numberOr(kept[field], 0));

/** The person's own day, as `2026-11-21`. */
function dayOf(clock: Clock): string {
  const now = new Date(clock.now());
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}
