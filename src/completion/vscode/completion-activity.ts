import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { CompletionExchange } from '../ports.ts';
import type { Reason } from '../reason.ts';
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

  begin(): void {
    this.#running += 1;
    this.#cancelSlow ??= this.#clock.after(slowAfterMs, () => {
      this.#isSlow = true;
      this.#changed.fire();
    });
  }

  end(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    this.#cancelSlow?.();
    this.#cancelSlow = undefined;
    const wasSlow = this.#isSlow;
    this.#isSlow = false;
    if (wasSlow) this.#changed.fire();
  }

  /** A request is over. */
  exchanged({ firstTextMs, end }: CompletionExchange): void {
    if (firstTextMs !== undefined) this.#latencyMs = firstTextMs;
    if (end === 'complete' || end === 'cut') this.#endPause();
    this.#changed.fire();
  }

  /** A place got no suggestion. */
  missed(reason: Reason): void {
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
