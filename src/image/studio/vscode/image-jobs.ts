import type { Clock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { Emitter, type Event } from '../../../base/event.ts';
import type { ImageFailure } from '../../vscode/image-failure.ts';
import type { ImageTask } from '../../vscode/plan-image.ts';
import type { ImageOutcome, ImageProgress } from '../../vscode/run-image-task.ts';

/** Call of the image API in the studio: queued, running or completed. */
export interface ImageJob {
  readonly id: string;
  readonly task: ImageTask;
  readonly status: 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'canceled';
  /**
   * Start of the request in milliseconds since the epoch. Absent while the job is queued or waits for the user's answer
   * in a dialog.
   */
  readonly startedAt?: number;
  readonly durationMs?: number;
  /** Expected width in pixels; the actual width after the first image is received. */
  readonly width: number;
  readonly height: number;
  /** Ids of the images, one entry per requested image. Null until the image is received. */
  readonly images: readonly (string | null)[];
  readonly retry?: {
    readonly next: number;
    readonly at: number;
    readonly reason: string;
  };
  readonly failure?: ImageFailure;
}

export interface ImageJobsOptions {
  readonly clock: Clock;
  readonly createId: () => string;
  readonly run: (
    task: ImageTask,
    options: { signal: AbortSignal; onProgress: (progress: ImageProgress) => void },
  ) => Promise<ImageOutcome>;
}

export type ImageJobChange =
  | { readonly type: 'job-put'; readonly job: ImageJob }
  | { readonly type: 'job-remove'; readonly id: string };

/**
 * Maximum number of calls that run at the same time. Limited, because services allow only a few image requests per
 * minute.
 */
const maxRunningCalls = 3;
const maxJobs = 50;
/** Maximum number of running and queued calls in total. A request for more calls is probably a costly mistake. */
export const maxUnfinishedCalls = 20;

/** Thrown if {@link maxUnfinishedCalls} calls are already running or queued. */
export class QueueFullError extends Error {
  constructor() {
    super(`${maxUnfinishedCalls} calls are not over.`);
    this.name = 'QueueFullError';
  }
}

/** Queue of the studio's image calls. Calls continue after the page is closed. */
export class ImageJobs implements Disposable {
  readonly #options: ImageJobsOptions;
  readonly #onDidChangeEmitter = new Emitter<ImageJobChange>();
  readonly #jobs = new Map<string, ImageJob>();
  readonly #cancellers = new Map<string, AbortController>();

  constructor(options: ImageJobsOptions) {
    this.#options = options;
  }

  readonly onDidChange: Event<ImageJobChange> = (listener) =>
    this.#onDidChangeEmitter.event(listener);

  /** Jobs, newest first. */
  get list(): readonly ImageJob[] {
    return [...this.#jobs.values()].toReversed();
  }

  findJob(id: string): ImageJob | undefined {
    return this.#jobs.get(id);
  }

  /**
   * Starts a call, or queues it if {@link maxRunningCalls} calls are running.
   * @param shape expected size of the images in pixels
   * @throws QueueFullError if the queue is full; the call is then neither started nor queued
   */
  startJob(task: ImageTask, shape: { width: number; height: number }): ImageJob {
    const unfinishedJobs = [...this.#jobs.values()].filter((job) => !isCompleted(job));
    if (unfinishedJobs.length >= maxUnfinishedCalls) throw new QueueFullError();
    const { width, height } = shape;
    const count = task.operation.kind === 'generate' ? task.operation.variants : 1;
    const images = Array.from({ length: count }, () => null);
    const id = this.#options.createId();
    const job: ImageJob = { id, task, status: 'queued', width, height, images };
    this.#storeJob(job);
    this.#cancellers.set(id, new AbortController());
    this.#startNextJob();
    this.#dropOldestJobs();
    return job;
  }

  cancelJob(id: string): void {
    const job = this.#jobs.get(id);
    this.#cancellers.get(id)?.abort();
    if (job?.status === 'queued') this.#storeJob({ ...job, status: 'canceled' });
  }

  /** Removes a completed job from the list. */
  dismissJob(id: string): void {
    const job = this.#jobs.get(id);
    if (job === undefined || !isCompleted(job)) return;
    this.#jobs.delete(id);
    this.#onDidChangeEmitter.fire({ type: 'job-remove', id });
  }

  dispose(): void {
    for (const canceller of this.#cancellers.values()) canceller.abort();
    this.#onDidChangeEmitter.dispose();
  }

  #startNextJob(): void {
    const jobs = [...this.#jobs.values()];
    const runningJobs = jobs.filter(({ status }) => status === 'running' || status === 'waiting');
    const [nextJob] = jobs.filter(({ status }) => status === 'queued');
    if (nextJob === undefined || runningJobs.length >= maxRunningCalls) return;
    void this.#runJob(nextJob);
    this.#startNextJob();
  }

  async #runJob(queuedJob: ImageJob): Promise<void> {
    const { clock, run } = this.#options;
    const { id, task } = queuedJob;
    this.#storeJob({ ...queuedJob, status: 'running' });
    const { signal } = this.#cancellers.get(id) ?? new AbortController();
    const { failure } = await run(task, {
      signal,
      onProgress: (progress) => this.#applyProgress(id, progress),
    });
    this.#cancellers.delete(id);
    const job = this.#jobs.get(id);
    if (job !== undefined) {
      const { retry: _, ...rest } = job;
      const durationMs = clock.now() - (job.startedAt ?? clock.now());
      this.#storeJob({ ...rest, durationMs, ...getCompletedState(failure) });
    }
    this.#startNextJob();
  }

  #applyProgress(id: string, step: ImageProgress): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    const { retry: _, ...rest } = job;
    switch (step.type) {
      case 'retry-wait': {
        const retryAt = this.#options.clock.now() + step.delayMs;
        const retry = { next: step.attempt, at: retryAt, reason: step.failure.message };
        return this.#storeJob({ ...job, status: 'waiting', retry });
      }
      case 'request-start':
        return this.#storeJob({ ...job, startedAt: this.#options.clock.now() });
      case 'reply-start':
        return this.#storeJob({ ...rest, status: 'running' });
      case 'image-end': {
        const { id: imageId, width, height } = step.record;
        const imageIndex = job.images.indexOf(null);
        return this.#storeJob({
          ...rest,
          status: 'running',
          width,
          height,
          images: job.images.map((currentId, index) =>
            index === imageIndex ? imageId : currentId,
          ),
        });
      }
    }
  }

  #storeJob(job: ImageJob): void {
    this.#jobs.set(job.id, job);
    this.#onDidChangeEmitter.fire({ type: 'job-put', job });
  }

  #dropOldestJobs(): void {
    const completedJobs = [...this.#jobs.values()].filter(isCompleted);
    for (const { id } of completedJobs.slice(0, Math.max(0, this.#jobs.size - maxJobs)))
      this.dismissJob(id);
  }
}

const isCompleted = ({ status }: ImageJob): boolean =>
  status === 'done' || status === 'failed' || status === 'canceled';

function getCompletedState(
  failure: ImageFailure | undefined,
): Pick<ImageJob, 'status' | 'failure'> {
  if (failure === undefined) return { status: 'done' };
  return failure.code === 'stopped' ? { status: 'canceled' } : { status: 'failed', failure };
}
