import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/event.ts';
import type { CompletionExchange } from '../../completion/completion-ports.ts';
import type { Reason } from '../../completion/reason.ts';
import type { ServiceFailure } from '../../service/failure.ts';

/** What the status shows of requests for suggestions. It outlives the part that makes them. */
export class CompletionActivity {
  readonly #clock: Clock;
  readonly #changed = new Emitter<void>();
  #running = 0;
  #isSlow = false;
  #cancelSlow: (() => void) | undefined;
  #latencyMs: number | undefined;
  #paused: ServiceFailure | undefined;

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
    return this.#paused;
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
    if (end === 'complete' || end === 'cut') this.#paused = undefined;
    this.#changed.fire();
  }

  /** A place got no suggestion. */
  missed(reason: Reason): void {
    if (reason.kind !== 'paused' || reason.failure === this.#paused) return;
    this.#paused = reason.failure;
    this.#changed.fire();
  }

  /** What went wrong lies behind: another account, model or setting. */
  forgetFailure(): void {
    if (this.#paused === undefined) return;
    this.#paused = undefined;
    this.#changed.fire();
  }
}

/** A shorter sign would only flicker. */
const slowAfterMs = 300;
