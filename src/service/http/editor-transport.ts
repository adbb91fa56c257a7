import { systemClock, type Clock } from '../../base/clock.ts';
import { Watchdog } from '../../base/watchdog.ts';
import {
  createAbortError,
  toBodyError,
  toServiceError,
  createRedirectError,
  createStoppedError,
  createTimeoutError,
} from './network-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from './client.ts';

/**
 * Creates a transport that uses the `fetch` of VS Code, which supports certificates and proxies that Node.js does not
 * support, such as PAC files and Kerberos. `fetch` does not report when a connection opens, so the sum of the connect
 * and headers timeouts applies until the headers arrive.
 */
export function createEditorTransport(
  fetch: typeof globalThis.fetch,
  clock: Clock = systemClock,
): Transport {
  return {
    send: (request) => sendWithFetch(fetch, clock, request),
    close: () => Promise.resolve(),
  };
}

async function sendWithFetch(
  fetch: typeof globalThis.fetch,
  clock: Clock,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { signal, timeouts } = request;
  if (signal.aborted) throw createAbortError(signal);
  const abortController = new AbortController();
  const onAbort = (): void => abortController.abort(createAbortError(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  let phase: 'headers' | 'idle' = 'headers';
  const watchdog = new Watchdog(clock, timeouts.connectMs + timeouts.headersMs, () =>
    abortController.abort(createTimeoutError(phase)),
  );
  const finishRequest = (): void => {
    watchdog.stop();
    signal.removeEventListener('abort', onAbort);
  };
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body as BodyInit }),
      redirect: 'manual',
      signal: abortController.signal,
    });
    if (isRedirect(response)) throw createRedirectError(response.status);
    phase = 'idle';
    watchdog.restart(timeouts.idleMs);
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: readBody(response.body, {
        canceller: abortController,
        watchdog,
        settle: finishRequest,
      }),
    };
  } catch (error) {
    finishRequest();
    abortController.abort(createStoppedError());
    throw toServiceError(error);
  }
}

const isRedirect = ({ status, type }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400);

async function* readBody(
  body: ReadableStream<Uint8Array> | null,
  request: { canceller: AbortController; watchdog: Watchdog; settle: () => void },
): AsyncGenerator<Uint8Array> {
  const { canceller, watchdog, settle } = request;
  try {
    if (body === null) return;
    for await (const bytes of body) {
      watchdog.feed();
      yield bytes;
      watchdog.feed();
    }
  } catch (error) {
    throw toBodyError(error);
  } finally {
    settle();
    canceller.abort(createStoppedError());
  }
}
