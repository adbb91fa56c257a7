import type { Disposable } from '../base/disposable.ts';
import type { Log } from './log.ts';

/**
 * Feature of the extension. Registers its resources when it is created and releases them when it is
 * disposed.
 */
export interface Contribution extends Disposable {
  /** Saves data when the window closes, before `dispose`. Resolves when all data is saved. */
  close?(): Promise<void>;
}

/** Creates a contribution. Logs a failure, so that the other contributions are still created. */
export function registerSafely<Args extends readonly unknown[]>(
  log: Log,
  contribute: (...args: Args) => Contribution,
  ...args: Args
): Contribution {
  try {
    return contribute(...args);
  } catch (error) {
    log.error(`Could not run ${contribute.name}`, error);
    return { dispose: () => {} };
  }
}
