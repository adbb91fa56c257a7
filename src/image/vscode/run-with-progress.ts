import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { showCancellable } from '../../platform/notifications.ts';
import type { ImageParts } from './image-parts.ts';
import type { ImageTask } from './image-task.ts';
import type { ImageOutcome, ImageProgress } from './run-image-task.ts';

/** Makes a call behind a notification that says how long it takes, and can be cancelled. */
export function runWithProgress(
  parts: ImageParts,
  { title, task }: { title: string; task: ImageTask },
): Promise<ImageOutcome> {
  return showCancellable(title, async (signal, report) => {
    const ticker = new Ticker(parts.clock, report);
    try {
      return await parts.run(task, { signal, onProgress: (step) => ticker.take(step) });
    } finally {
      ticker.stop();
    }
  });
}

/** Says every second how far it is. */
class Ticker {
  readonly #clock: Clock;
  readonly #tell: (message: string) => void;
  readonly #startedAt: number;
  #waiting: Extract<ImageProgress, { type: 'retry-wait' }> | undefined;
  #retryAt = 0;
  #cancel: () => void;

  constructor(clock: Clock, tell: (message: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
    this.#startedAt = clock.now();
    this.#cancel = clock.after(1_000, () => this.#tick());
  }

  take(step: ImageProgress): void {
    this.#waiting = step.type === 'retry-wait' ? step : undefined;
    if (step.type === 'retry-wait') this.#retryAt = this.#clock.now() + step.delayMs;
    this.#say();
  }

  stop(): void {
    this.#cancel();
  }

  #tick(): void {
    this.#say();
    this.#cancel = this.#clock.after(1_000, () => this.#tick());
  }

  #say(): void {
    const now = this.#clock.now();
    const left = Math.ceil((this.#retryAt - now) / 1_000);
    if (this.#waiting !== undefined && left > 0) {
      const { attempt, failure } = this.#waiting;
      return this.#tell(vscode.l10n.t('{0} Try {1} in {2} s', failure.message, attempt, left));
    }
    this.#tell(vscode.l10n.t('{0} s', Math.floor((now - this.#startedAt) / 1_000)));
  }
}
