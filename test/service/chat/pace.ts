import { setTimeout as delay } from 'node:timers/promises';
import type { Pace, TextModel } from '../catalog/model.ts';

/** `natural` is each model's own pace. */
export type PaceSetting = 'natural' | 'instant' | Pace;

const defaultPace: Pace = { firstTokenMs: 150, tokensPerSecond: 60 };

/** Yields the pieces at the pace of the model, or the one that is set. Ends early when aborted. */
export async function* atPace<T>(
  pieces: readonly T[],
  { setting, model, signal }: { setting: PaceSetting; model: TextModel; signal: AbortSignal },
): AsyncGenerator<T> {
  const pace = setting === 'natural' ? modelPace(model) : setting;
  const start = performance.now();
  for (const [index, piece] of pieces.entries()) {
    if (pace !== 'instant') {
      await pause(start + dueMs(index, pace) - performance.now(), signal);
    }
    if (signal.aborted) return;
    yield piece;
  }
}

/** The model's own. */
export const modelPace = (model: TextModel): Pace => model.pace ?? defaultPace;

/** Milliseconds from the start to the piece of this index. */
export const dueMs = (index: number, pace: Pace): number =>
  pace.firstTokenMs + (index * 1000) / pace.tokensPerSecond;

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => {});
}
