import type { Disposable } from '../base/disposable.ts';
import type { Log } from './log.ts';

/** A part of the extension: registers what it needs and lets it go again. */
export interface Contribution extends Disposable {
  /** Called when the window closes, before `dispose`: resolves when nothing can be lost any more. */
  close?(): Promise<void>;
}

/** Starts a part. One that fails is logged; the others start all the same. */
export function registerSafely<Args extends readonly unknown[]>(
  log: Log,
  contribute: (...args: Args) => Contribution,
  ...args: Args
): Contribution {
  try {
    return contribute(...args);
  } catch (error) {
    log.error(`${contribute.name} failed`, error);
    return { dispose: () => {} };
  }
}
