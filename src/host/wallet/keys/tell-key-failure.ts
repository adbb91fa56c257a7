import * as vscode from 'vscode';
import { ServiceError } from '../../../service/failure.ts';
import { showProgress, tellError } from '../../tell.ts';

/**
 * Does something about a key that can be cancelled, and says why it failed.
 * @returns whether it was done
 */
export function tellingFailure(
  title: string,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  return withCancel(title, async (signal) => {
    try {
      await run(signal);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.failure.code !== 'stopped') void tellError(sentence(error));
      return false;
    }
  });
}

/** Shows that something runs; the person can stop it. */
export const withCancel = <T>(
  title: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  showProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_report, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return run(stop.signal);
    },
  );

/** What the service itself said is what is known best about a key. */
function sentence({ failure: { message, detail } }: ServiceError): string {
  return detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
}
