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
  /** Runs an image call, and updates the status of the account according to the result. Never throws. */
  run(
    task: ImageTask,
    options: { signal: AbortSignal; onProgress: (progress: ImageProgress) => void },
  ): Promise<ImageOutcome>;
  /** Returns a random seed. The extension always sends a seed, so that the user can generate the same image again. */
  generateSeed(): number;
  /** Loads the model list if the current list contains no image model. Never throws and shows no message. */
  loadModels(): Promise<void>;
  /**
   * Loads the model list if necessary, and checks whether it contains an image model. Shows an error message if it does
   * not.
   */
  ensureModels(): Promise<boolean>;
  chooseModel(): Promise<void>;
  /**
   * Omits the rejected option from all further requests to the service that rejected it. Call it only after the user
   * has agreed. Returns false if another service is now active; the caller must then not repeat the request.
   */
  omitRefusedField(failure: ImageFailure): boolean;
  /** Shows a failure with its suggested actions. Does nothing for a canceled call. */
  showFailure(failure: ImageFailure, handlers: FailureHandlers): Promise<void>;
  /**
   * Opens the studio.
   * @param prompt prompt to put into the create form
   */
  openStudio(prompt?: string): void;
  /** Opens the studio with an image in the large view. */
  showImage(record: ImageRecord): void;
  openGallery(): void;
}

export interface FailureHandlers {
  readonly retry: () => unknown;
  /** Opens the model picker. Absent if the user cannot choose the model of this call. */
  readonly chooseModel?: () => unknown;
}

/** Runs an image call, with a notification that shows the elapsed time and can cancel the call. */
export function runWithProgress(
  services: ImageServices,
  { title, task }: { title: string; task: ImageTask },
): Promise<ImageOutcome> {
  return showCancellable(title, async (signal, report) => {
    const ticker = new ProgressTicker(services.clock, report);
    try {
      return await services.run(task, {
        signal,
        onProgress: (progress) => ticker.showStep(progress),
      });
    } finally {
      ticker.stop();
    }
  });
}

/** Reports progress every second: the time since the start of the request, or the seconds until a retry. */
class ProgressTicker {
  readonly #clock: Clock;
  readonly #showMessage: (message: string) => void;
  #startedAt: number | undefined;
  #retryWait: Extract<ImageProgress, { type: 'retry-wait' }> | undefined;
  #retryAt = 0;
  #cancelTimer: () => void;

  constructor(clock: Clock, report: (message: string) => void) {
    this.#clock = clock;
    this.#showMessage = report;
    this.#cancelTimer = clock.after(1_000, () => this.#reportTime());
  }

  showStep(step: ImageProgress): void {
    if (step.type === 'request-start') this.#startedAt = this.#clock.now();
    this.#retryWait = step.type === 'retry-wait' ? step : undefined;
    if (step.type === 'retry-wait') this.#retryAt = this.#clock.now() + step.delayMs;
    this.#reportProgress();
  }

  stop(): void {
    this.#cancelTimer();
  }

  #reportTime(): void {
    this.#reportProgress();
    this.#cancelTimer = this.#clock.after(1_000, () => this.#reportTime());
  }

  #reportProgress(): void {
    const now = this.#clock.now();
    const secondsLeft = Math.ceil((this.#retryAt - now) / 1_000);
    if (this.#retryWait !== undefined && secondsLeft > 0) {
      const { attempt, failure } = this.#retryWait;
      return this.#showMessage(
        vscode.l10n.t('{0} Try {1} in {2} s', failure.message, attempt, secondsLeft),
      );
    }
    // Omits the time while a dialog asks the user.
    if (this.#startedAt !== undefined)
      this.#showMessage(vscode.l10n.t('{0} s', Math.floor((now - this.#startedAt) / 1_000)));
  }
}
