import type { Disposable } from '../base/disposable.ts';
import type { Log } from './log.ts';

/** A part of the extension. Registers its resources when created and releases them when disposed. */
export interface Contribution extends Disposable {
  /** Called when the window closes, before `dispose`. Resolves once all data is saved. */
  close?(): Promise<void>;
}

/** Starts a part of the extension. Logs a failure, so that the other parts still start. */
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
