import { setTimeout as delay } from 'node:timers/promises';
import type { Pace, TextModel } from '../catalog/model.ts';

/**
 * Output speed of all models. `natural` selects the speed that each model defines, and `instant` sends replies without
 * delays.
 */
export type PaceSetting = 'natural' | 'instant' | Pace;

const defaultPace: Pace = { firstTokenMs: 150, tokensPerSecond: 60 };

/** Yields the items at the speed that `setting` selects. Ends early if the signal is aborted. */
export async function* paceItems<T>(
  items: readonly T[],
  { setting, model, signal }: { setting: PaceSetting; model: TextModel; signal: AbortSignal },
): AsyncGenerator<T> {
  const pace = setting === 'natural' ? getModelPace(model) : setting;
  const start = performance.now();
  for (const [index, item] of items.entries()) {
    if (pace !== 'instant') {
      await pauseFor(start + getDueMs(index, pace) - performance.now(), signal);
    }
    if (signal.aborted) return;
    yield item;
  }
}

/** Returns the model's pace, or the default pace if the model defines none. */
export const getModelPace = (model: TextModel): Pace => model.pace ?? defaultPace;

/** Returns the time from the start of a stream to the item with this index (from 0), in milliseconds. */
export const getDueMs = (index: number, pace: Pace): number =>
  pace.firstTokenMs + (index * 1000) / pace.tokensPerSecond;

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
}
