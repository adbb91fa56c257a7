import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { ImageRecord } from '../image-record.ts';
import type { Gallery } from './gallery.ts';
import type { ImageChoice } from './image-choice.ts';
import type { ImageFailure } from './image-failure.ts';
import type { UndoneReferences } from './insert-reference.ts';
import type { ImageTask } from './plan-image.ts';
import type { ImageOutcome, ImageProgress } from './run-image-task.ts';
import type { ImageSaver } from './save-image.ts';
import type { Log } from '../../platform/log.ts';
import { showCancellable } from '../../platform/notifications.ts';

/** What every way to a picture is built from. */
export interface ImageServices {
  readonly log: Log;
  readonly clock: Clock;
  readonly gallery: Gallery;
  readonly saver: ImageSaver;
  readonly choice: ImageChoice;
  readonly undoneReferences: UndoneReferences;
  /** Makes a call, tells the account what came of it, and never throws. */
  run(
    task: ImageTask,
    options: { signal: AbortSignal; onProgress: (progress: ImageProgress) => void },
  ): Promise<ImageOutcome>;
  /** A seed of our own for every picture, so that it can be made again. */
  randomSeed(): number;
  newId(): string;
  /** Asks the service for its models when none for images is known. Never throws, and tells nobody. */
  loadModels(): Promise<void>;
  /** Whether there is a model for images; when not, the person was told why. */
  ensureModels(): Promise<boolean>;
  chooseModel(): Promise<void>;
  /** Tells a failure with what can be done about it; a cancelled call is no failure. */
  showFailure(failure: ImageFailure, ways: FailureHandlers): Promise<void>;
  /** The service's website, for what only it can do. */
  openWebsite(): Promise<void>;
  /** @param prompt Goes into the form. */
  openStudio(prompt?: string): void;
  /** Shows a picture of the gallery large. */
  showImage(record: ImageRecord): void;
  openGallery(): void;
}

export interface FailureHandlers {
  readonly retry: () => unknown;
  /** Absent where there is no model to choose. */
  readonly chooseModel?: () => unknown;
}

/** Makes a call behind a notification that says how long it takes, and can be cancelled. */
export function runWithProgress(
  parts: ImageServices,
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
