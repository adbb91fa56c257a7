import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Watchdog } from '../../base/watchdog.ts';
import { ByteBody, decompress } from './byte-body.ts';
import { type ConnectionSettings, serviceConnector } from './connector.ts';
import type { ServiceError } from './failure.ts';
import {
  abortError,
  toBodyError,
  toServiceError,
  redirectError,
  timeoutError,
} from './network-failure.ts';
import { SpareConnections } from './spare-connections.ts';
import type { Transport, TransportRequest, TransportResponse } from './client.ts';

/** Milliseconds to keep an idle connection open. A `Keep-Alive` header of the server takes precedence. */
const keepAliveMs = 30_000;

/**
 * Maximum size of the response headers in bytes. A header can contain a percent-encoded prompt of up to 32,768
 * characters.
 */
const maxHeaderBytes = 512 * 1024;

/** Creates a transport with separate sockets. Does not use the global dispatcher of the process. */
export function createDirectTransport(
  settings: ConnectionSettings = {},
  clock: Clock = systemClock,
): Transport {
  const connections = new SpareConnections(serviceConnector(settings));
  const agent = new Agent({
    connect: connections.connect,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    allowH2: true,
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (request.signal.aborted) return reject(abortError(request.signal));
        const handler = new ReplyHandler(request, {
          clock,
          resolve,
          reject,
          onAborted: () => connections.openAhead(request.url),
        });
        agent.dispatch(dispatchOptions(request), handler);
      }),
    close: () => {
      connections.close();
      return agent.close();
    },
  };
}

function dispatchOptions({
  method,
  url,
  headers,
  body,
}: TransportRequest): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { 'accept-encoding': 'gzip, br', ...headers },
    body: body ?? null,
    // `ReplyHandler` applies the timeouts of the request instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/**
 * Handles the events of one request. Resolves with the response, fills the body, and applies the timeouts and the abort
 * signal.
 */
class ReplyHandler implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: ServiceError) => void;
  readonly #watchdog: Watchdog;
  readonly #body: ByteBody;
  readonly #onAborted: () => void;
  readonly #onAbort = (): void => this.#cancel();
  #phase: 'connect' | 'headers' | 'idle' = 'connect';
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;

  constructor(
    request: TransportRequest,
    callbacks: {
      clock: Clock;
      resolve: (response: TransportResponse) => void;
      reject: (error: ServiceError) => void;
      /** Called if the request is aborted after it was started on a connection. */
      onAborted: () => void;
    },
  ) {
    this.#request = request;
    this.#resolve = callbacks.resolve;
    this.#reject = callbacks.reject;
    this.#onAborted = callbacks.onAborted;
    this.#watchdog = new Watchdog(callbacks.clock, request.timeouts.connect, () =>
      this.#handleTimeout(),
    );
    this.#body = new ByteBody({
      onDrained: () => this.#resume(),
      onAbandoned: () => this.#cancel(),
    });
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(abortError(this.#request.signal));
    else this.#enter('headers');
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    if (status < 400 && status >= 300) return this.#fail(redirectError(status));
    this.#enter('idle');
    const flatHeaders = flatten(headers);
    this.#resolve({
      status,
      headers: flatHeaders,
      body: decompress(this.#body, flatHeaders['content-encoding']),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    // Feeding the watchdog reads the clock, which is slow for many small chunks of one socket read.
    if (this.#body.isEmpty) this.#watchdog.feed();
    this.#body.push(chunk);
    if (this.#body.isFull) controller.pause();
  }

  onResponseEnd(): void {
    this.#settle();
    this.#body.end('clean');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(this.#phase === 'idle' ? toBodyError(error) : toServiceError(error));
  }

  #enter(phase: 'headers' | 'idle'): void {
    this.#phase = phase;
    this.#watchdog.restart(this.#request.timeouts[phase]);
  }

  #handleTimeout(): void {
    // The sender is paused because the reader is slow, which must not end the request.
    if (this.#controller?.paused === true) this.#enter('idle');
    else this.#fail(timeoutError(this.#phase));
  }

  #resume(): void {
    if (this.#controller?.paused !== true) return;
    this.#watchdog.feed();
    this.#controller.resume();
  }

  /** Aborts the request, because the caller no longer needs the response. */
  #cancel(): void {
    if (this.#isSettled) return;
    this.#fail(abortError(this.#request.signal));
    if (this.#controller !== undefined) this.#onAborted();
  }

  #fail(failure: ServiceError): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#reject(failure);
    this.#body.end(failure);
    this.#controller?.abort(failure);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#watchdog.stop();
    this.#request.signal.removeEventListener('abort', this.#onAbort);
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}
