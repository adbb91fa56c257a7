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

/** Functions and state that image commands, image tools and the studio share. */
export interface ImageServices {
  readonly log: Log;
  readonly clock: Clock;
  readonly gallery: Gallery;
  readonly saver: ImageSaver;
  readonly choice: ImageChoice;
  readonly undoneReferences: UndoneReferences;
  /** Runs an image call and reports the result to the account. Never throws. */
  run(
    task: ImageTask,
    options: { signal: AbortSignal; onProgress: (progress: ImageProgress) => void },
  ): Promise<ImageOutcome>;
  /** Returns a random seed. With a known seed, the user can generate the same image again. */
  generateSeed(): number;
  /** Loads the model list if it contains no image model. Never throws and shows no message. */
  loadModels(): Promise<void>;
  /**
   * Checks whether an image model is available, after loading the list if necessary. Shows an error message if none is.
   */
  ensureModels(): Promise<boolean>;
  chooseModel(): Promise<void>;
  /**
   * Omits the rejected option from further requests to the service that rejected it. Call this function only after the
   * user has agreed. Returns false if another service has become active; the request must then not be repeated.
   */
  omitRefusedField(failure: ImageFailure): boolean;
  /** Shows a failure with its suggested actions. Ignores canceled calls. */
  showFailure(failure: ImageFailure, handlers: FailureHandlers): Promise<void>;
  /**
   * Opens the studio.
   * @param prompt New prompt for the create form.
   */
  openStudio(prompt?: string): void;
  /** Opens the studio with an image in the large view. */
  showImage(record: ImageRecord): void;
  openGallery(): void;
}

export interface FailureHandlers {
  readonly retry: () => unknown;
  /** Opens the model selection. Absent if the user cannot select a model for this call. */
  readonly chooseModel?: () => unknown;
}

/** Runs an image call. Shows a cancelable notification with the elapsed time. */
export function runWithProgress(
  services: ImageServices,
  { title, task }: { title: string; task: ImageTask },
): Promise<ImageOutcome> {
  return showCancellable(title, async (signal, report) => {
    const ticker = new ProgressTicker(services.clock, report);
    try {
      return await services.run(task, { signal, onProgress: (step) => ticker.update(step) });
    } finally {
      ticker.stop();
    }
  });
}

/** Reports the time since the start of the request each second, or the remaining seconds before a retry. */
class ProgressTicker {
  readonly #clock: Clock;
  readonly #report: (message: string) => void;
  #startedAt: number | undefined;
  #retryWait: Extract<ImageProgress, { type: 'retry-wait' }> | undefined;
  #retryAt = 0;
  #cancel: () => void;

  constructor(clock: Clock, report: (message: string) => void) {
    this.#clock = clock;
    this.#report = report;
    this.#cancel = clock.after(1_000, () => this.#reportTime());
  }

  update(step: ImageProgress): void {
    if (step.type === 'request-start') this.#startedAt = this.#clock.now();
    this.#retryWait = step.type === 'retry-wait' ? step : undefined;
    if (step.type === 'retry-wait') this.#retryAt = this.#clock.now() + step.delayMs;
    this.#reportProgress();
  }

  stop(): void {
    this.#cancel();
  }

  #reportTime(): void {
    this.#reportProgress();
    this.#cancel = this.#clock.after(1_000, () => this.#reportTime());
  }

  #reportProgress(): void {
    const now = this.#clock.now();
    const secondsLeft = Math.ceil((this.#retryAt - now) / 1_000);
    if (this.#retryWait !== undefined && secondsLeft > 0) {
      const { attempt, failure } = this.#retryWait;
      return this.#report(
        vscode.l10n.t('{0} Try {1} in {2} s', failure.message, attempt, secondsLeft),
      );
    }
    // Omits the time while a dialog asks the user.
    if (this.#startedAt !== undefined)
      this.#report(vscode.l10n.t('{0} s', Math.floor((now - this.#startedAt) / 1_000)));
  }
}
