import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { ImageRecord } from '../image-record.ts';
import type { Gallery } from './gallery.ts';
import type { ImageChoice } from './image-choice.ts';
import type { ImageFailure } from './image-failure.ts';
import type { ImageTask } from './image-task.ts';
import type { DeletionOffers } from './offer-deletion.ts';
import type { ImageOutcome, ImageProgress } from './run-image-task.ts';
import type { PictureSaver } from './save-image.ts';

/** What every way to a picture is built from. */
export interface ImageParts {
  readonly log: Log;
  readonly clock: Clock;
  readonly gallery: Gallery;
  readonly saver: PictureSaver;
  readonly choice: ImageChoice;
  readonly deletionOffers: DeletionOffers;
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
  tellFailure(failure: ImageFailure, ways: FailureWays): Promise<void>;
  /** The service's website, for what only it can do. */
  openWebsite(): Promise<void>;
  /** @param prompt Goes into the form. */
  openStudio(prompt?: string): void;
  /** Shows a picture of the gallery large. */
  showImage(record: ImageRecord): void;
  openGallery(): void;
}

export interface FailureWays {
  readonly retry: () => unknown;
  /** Absent where there is no model to choose. */
  readonly chooseModel?: () => unknown;
}
