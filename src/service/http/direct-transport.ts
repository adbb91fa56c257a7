import { pipeline } from 'node:stream';
import * as zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { type Clock, systemClock } from '../../base/clock.ts';
import { Watchdog } from '../../base/watchdog.ts';
import { type ConnectionSettings, createServiceConnector } from './connector.ts';
import type { ServiceError } from './failure.ts';
import {
  createAbortError,
  createConnectTimeoutError,
  toBodyError,
  toServiceError,
  createRedirectError,
  createTimeoutError,
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

/** Creates a transport with its own sockets, separate from the global dispatcher of the process. */
export function createDirectTransport(
  settings: ConnectionSettings = {},
  clock: Clock = systemClock,
): Transport {
  const connections = new SpareConnections(createServiceConnector(settings));
  const agent = new Agent({
    connect: connections.connect,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    allowH2: true,
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (request.signal.aborted) return reject(createAbortError(request.signal));
        const handler = new ReplyHandler(request, {
          clock,
          resolve,
          reject,
          onConnectionAborted: () => connections.openSpareConnection(request.url),
          onConnectTimeout: (error) => connections.abandonAttempts(request.url, error),
        });
        agent.dispatch(createDispatchOptions(request), handler);
      }),
    close: () => {
      connections.close();
      return agent.close();
    },
  };
}

function createDispatchOptions({
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
 * Handles the events of one undici request. Resolves with the response, fills its body, and applies the timeouts and
 * the abort signal.
 */
class ReplyHandler implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: ServiceError) => void;
  readonly #watchdog: Watchdog;
  readonly #body: ByteBody;
  readonly #onConnectionAborted: () => void;
  readonly #onConnectTimeout: (error: ServiceError) => void;
  readonly #handleAbort = (): void => this.#cancelRequest();
  #phase: 'connect' | 'headers' | 'idle' = 'connect';
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;

  constructor(
    request: TransportRequest,
    callbacks: {
      clock: Clock;
      resolve: (response: TransportResponse) => void;
      reject: (error: ServiceError) => void;
      /** Called if the request is aborted after undici has assigned it to a connection. */
      onConnectionAborted: () => void;
      onConnectTimeout: (error: ServiceError) => void;
    },
  ) {
    this.#request = request;
    this.#resolve = callbacks.resolve;
    this.#reject = callbacks.reject;
    this.#onConnectionAborted = callbacks.onConnectionAborted;
    this.#onConnectTimeout = callbacks.onConnectTimeout;
    this.#watchdog = new Watchdog(callbacks.clock, request.timeouts.connectMs, () =>
      this.#handleTimeout(),
    );
    this.#body = new ByteBody({
      onDrained: () => this.#resumeBody(),
      onAbandoned: () => this.#cancelRequest(),
    });
    request.signal.addEventListener('abort', this.#handleAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(createAbortError(this.#request.signal));
    else this.#enterPhase('headers');
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    if (status < 400 && status >= 300) return this.#failRequest(createRedirectError(status));
    this.#enterPhase('idle');
    const flatHeaders = joinHeaderValues(headers);
    this.#resolve({
      status,
      headers: flatHeaders,
      body: decompressBody(this.#body, flatHeaders['content-encoding']),
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    // Feeding the watchdog reads the clock, which is slow for many small chunks of one socket read.
    if (this.#body.isEmpty) this.#watchdog.feed();
    this.#body.push(chunk);
    if (this.#body.isFull) controller.pause();
  }

  onResponseEnd(): void {
    this.#settleRequest();
    this.#body.end('clean');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#failRequest(this.#phase === 'idle' ? toBodyError(error) : toServiceError(error));
  }

  #enterPhase(phase: 'headers' | 'idle'): void {
    this.#phase = phase;
    this.#watchdog.restart(this.#request.timeouts[`${phase}Ms`]);
  }

  #handleTimeout(): void {
    // The sender is paused because the caller reads slowly, which must not end the request.
    if (this.#controller?.paused === true) this.#enterPhase('idle');
    else if (this.#phase === 'connect') this.#failConnecting(createConnectTimeoutError());
    else this.#failRequest(createTimeoutError(this.#phase));
  }

  #failConnecting(failure: ServiceError): void {
    this.#failRequest(failure);
    this.#onConnectTimeout(failure);
  }

  #resumeBody(): void {
    if (this.#controller?.paused !== true) return;
    this.#watchdog.feed();
    this.#controller.resume();
  }

  /** Aborts the request, because the caller no longer needs the response. */
  #cancelRequest(): void {
    if (this.#isSettled) return;
    this.#failRequest(createAbortError(this.#request.signal));
    if (this.#controller !== undefined) this.#onConnectionAborted();
  }

  #failRequest(failure: ServiceError): void {
    if (this.#isSettled) return;
    this.#settleRequest();
    this.#reject(failure);
    this.#body.end(failure);
    this.#controller?.abort(failure);
  }

  #settleRequest(): void {
    this.#isSettled = true;
    this.#watchdog.stop();
    this.#request.signal.removeEventListener('abort', this.#handleAbort);
  }
}

function joinHeaderValues(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

/** Number of buffered response bytes at which the transport stops reading from the server. */
const highWaterBytes = 256 * 1024;
/**
 * Minimum length in bytes of a chunk that the iterator returns on its own. Smaller chunks are combined. Combining
 * larger ones would be slower than separate reads, because it copies the bytes.
 */
const minUncombinedBytes = 16 * 1024;
/** Maximum number of bytes that the caller receives in a row before the body yields to the event loop. */
const maxBytesBeforeYield = 256 * 1024;

/**
 * Response body as an async iterator over buffered chunks. Combines all chunks of one socket read, so that streams of
 * tiny chunks need few iterations.
 */
class ByteBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #onDrained: () => void;
  readonly #onAbandoned: () => void;
  #chunks: Uint8Array[] = [];
  #bufferedBytes = 0;
  #bytesInTurn = 0;
  #outcome: 'clean' | ServiceError | undefined;
  #pendingRead: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | undefined;

  /**
   * @param callbacks.onDrained Called when the buffer becomes empty, so that reading from the server can resume.
   * @param callbacks.onAbandoned Called when the caller ends the iteration early.
   */
  constructor(callbacks: { onDrained: () => void; onAbandoned: () => void }) {
    this.#onDrained = callbacks.onDrained;
    this.#onAbandoned = callbacks.onAbandoned;
  }

  /** True if the buffer is full, so that reading from the server must pause. */
  get isFull(): boolean {
    return this.#bufferedBytes >= highWaterBytes;
  }

  get isEmpty(): boolean {
    return this.#bufferedBytes === 0;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    this.#deliverBytes();
  }

  /**
   * Ends the body after the buffered bytes: normally (`clean`), or by throwing a failure. Later calls have no effect.
   */
  end(outcome: 'clean' | ServiceError): void {
    this.#outcome ??= outcome;
    this.#deliverBytes();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#pendingRead = Promise.withResolvers();
    const { promise } = this.#pendingRead;
    this.#deliverBytes();
    return promise;
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    this.#outcome ??= 'clean';
    this.#onAbandoned();
    return Promise.resolve({ done: true, value: undefined });
  }

  #deliverBytes(): void {
    const pendingRead = this.#pendingRead;
    if (pendingRead === undefined || (this.#bufferedBytes === 0 && this.#outcome === undefined))
      return;
    this.#pendingRead = undefined;
    if (this.#bufferedBytes > 0) this.#scheduleDelivery(pendingRead);
    else if (this.#outcome === 'clean') pendingRead.resolve({ done: true, value: undefined });
    else pendingRead.reject(this.#outcome);
  }

  #scheduleDelivery(
    pendingRead: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>>,
  ): void {
    const resolveRead = (): void => pendingRead.resolve({ done: false, value: this.#takeBytes() });
    if (this.#bytesInTurn < maxBytesBeforeYield) {
      // One socket read pushes several chunks before the next microtask. The microtask delivers them together.
      queueMicrotask(resolveRead);
    } else {
      this.#bytesInTurn = 0;
      setImmediate(resolveRead);
    }
  }

  #takeBytes(): Uint8Array {
    const bytes = this.#takeChunks();
    this.#bufferedBytes -= bytes.length;
    this.#bytesInTurn += bytes.length;
    if (this.#bufferedBytes === 0) this.#onDrained();
    return bytes;
  }

  /**
   * Removes and returns the first chunk if it is large or the only chunk; otherwise removes all chunks and returns them
   * combined.
   */
  #takeChunks(): Uint8Array {
    const [firstChunk = new Uint8Array()] = this.#chunks;
    if (this.#chunks.length === 1 || firstChunk.length >= minUncombinedBytes) {
      this.#chunks.shift();
      return firstChunk;
    }
    const bytes = Buffer.concat(this.#chunks, this.#bufferedBytes);
    this.#chunks = [];
    return bytes;
  }
}

const decoderFactories = new Map<string, () => zlib.Gunzip | zlib.BrotliDecompress>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** Decompresses a body according to its `Content-Encoding`. A truncated body fails as `interrupted`. */
function decompressBody(
  body: AsyncIterable<Uint8Array>,
  encoding = 'identity',
): AsyncIterable<Uint8Array> {
  const createDecoder = decoderFactories.get(encoding.trim().toLowerCase());
  return createDecoder === undefined ? body : decodeContent(body, createDecoder());
}

async function* decodeContent(
  body: AsyncIterable<Uint8Array>,
  decoder: zlib.Gunzip | zlib.BrotliDecompress,
): AsyncGenerator<Uint8Array> {
  // Errors reach the reader through the decoder, so the callback is empty.
  pipeline(body, decoder, () => {});
  try {
    for await (const bytes of decoder) yield bytes;
  } catch (error) {
    throw toBodyError(error);
  }
}
