import { ServiceError } from '../../../service/http/failure.ts';
import { showCancellable, tellError } from '../../../platform/notifications.ts';

/**
 * Does something about a key that can be cancelled, and says why it failed.
 * @returns whether it was done
 */
export function tellingFailure(
  title: string,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  return showCancellable(title, async (signal) => {
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

/** What the service itself said is what is known best about a key. */
function sentence({ failure: { message, detail } }: ServiceError): string {
  return detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
}
