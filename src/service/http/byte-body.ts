import { pipeline } from 'node:stream';
import * as zlib from 'node:zlib';
import type { ServiceError } from './failure.ts';
import { toBodyError } from './network-failure.ts';

/** Number of buffered bytes at which the sender is paused. */
const highWaterBytes = 64 * 1024;
/** Number of bytes that the reader receives before the body yields to the event loop. */
const maxTurnBytes = 1024 * 1024;

/**
 * Response body as an async iterator over buffered chunks. Combines all chunks of one socket read, so that streams of
 * tiny chunks need few iterations.
 */
export class ByteBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #onDrained: () => void;
  readonly #onAbandoned: () => void;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #bytesInTurn = 0;
  #ending: 'clean' | ServiceError | undefined;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | undefined;

  /**
   * @param callbacks.onDrained Called when the buffer becomes empty, so that the sender can resume.
   * @param callbacks.onAbandoned Called when the reader leaves the iteration before the end.
   */
  constructor(callbacks: { onDrained: () => void; onAbandoned: () => void }) {
    this.#onDrained = callbacks.onDrained;
    this.#onAbandoned = callbacks.onAbandoned;
  }

  /** True if the buffer is full, so that the sender must pause. */
  get isFull(): boolean {
    return this.#size >= highWaterBytes;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#deliver();
  }

  /**
   * Ends the body after the buffered bytes: normally (`clean`), or by throwing a failure. Later calls have no effect.
   */
  end(end: 'clean' | ServiceError): void {
    this.#ending ??= end;
    this.#deliver();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#deliver();
    return promise;
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    this.#ending ??= 'clean';
    this.#onAbandoned();
    return Promise.resolve({ done: true, value: undefined });
  }

  #deliver(): void {
    const reader = this.#reader;
    if (reader === undefined || (this.#size === 0 && this.#ending === undefined)) return;
    this.#reader = undefined;
    if (this.#size > 0) this.#scheduleDelivery(reader);
    else if (this.#ending === 'clean') reader.resolve({ done: true, value: undefined });
    else reader.reject(this.#ending);
  }

  #scheduleDelivery(reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>>): void {
    const resolveRead = (): void => reader.resolve({ done: false, value: this.#take() });
    if (this.#bytesInTurn < maxTurnBytes) {
      // One socket read pushes several chunks before the next microtask. The microtask delivers them together.
      queueMicrotask(resolveRead);
    } else {
      this.#bytesInTurn = 0;
      setImmediate(resolveRead);
    }
  }

  #take(): Uint8Array {
    this.#bytesInTurn += this.#size;
    const [first = new Uint8Array()] = this.#chunks;
    const bytes = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [];
    this.#size = 0;
    this.#onDrained();
    return bytes;
  }
}

const decoders = new Map<string, () => zlib.Gunzip | zlib.BrotliDecompress>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** Decompresses a body according to its `Content-Encoding`. A truncated body fails as `interrupted`. */
export function decompress(
  body: AsyncIterable<Uint8Array>,
  encoding = 'identity',
): AsyncIterable<Uint8Array> {
  const createDecoder = decoders.get(encoding.trim().toLowerCase());
  return createDecoder === undefined ? body : decode(body, createDecoder());
}

async function* decode(
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
