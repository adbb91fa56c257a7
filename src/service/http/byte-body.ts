import { pipeline } from 'node:stream';
import * as zlib from 'node:zlib';
import type { ServiceError } from './failure.ts';
import { bodyFailure } from './network-failure.ts';

/** Bytes that may wait to be read before the sender is asked to pause. */
const highWaterBytes = 64 * 1024;
/** Bytes handed over in a row before everything else in the process gets its turn. */
const turnBytes = 1024 * 1024;

/**
 * The bytes of a reply on their way from a socket that pushes to a reader that pulls. Chunks that arrive together are
 * read together, so that a stream of tiny chunks costs one turn of the reader for each read of the socket.
 */
export class ByteBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #onDrained: () => void;
  readonly #onLeft: () => void;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #inTurn = 0;
  #end: 'clean' | ServiceError | undefined;
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | undefined;

  /**
   * @param on.drained all that waited was read; the sender may go on
   * @param on.left the reader does not want the rest
   */
  constructor(on: { drained: () => void; left: () => void }) {
    this.#onDrained = on.drained;
    this.#onLeft = on.left;
  }

  /** Whether so much waits that the sender should pause. */
  get isFull(): boolean {
    return this.#size >= highWaterBytes;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#wake();
  }

  /** No more bytes come: `clean`, or the failure the reader meets after the bytes that did. Only the first call counts. */
  end(end: 'clean' | ServiceError): void {
    this.#end ??= end;
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#reader = Promise.withResolvers();
    const { promise } = this.#reader;
    this.#wake();
    return promise;
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#chunks = [];
    this.#end ??= 'clean';
    this.#onLeft();
    return Promise.resolve({ done: true, value: undefined });
  }

  #wake(): void {
    const reader = this.#reader;
    if (reader === undefined || (this.#size === 0 && this.#end === undefined)) return;
    this.#reader = undefined;
    if (this.#size > 0) this.#handOver(reader);
    else if (this.#end === 'clean') reader.resolve({ done: true, value: undefined });
    else reader.reject(this.#end);
  }

  #handOver(reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>>): void {
    const give = (): void => reader.resolve({ done: false, value: this.#take() });
    if (this.#inTurn < turnBytes) {
      // One read of the socket pushes many chunks in one go; by the next microtask all of them are here.
      queueMicrotask(give);
    } else {
      this.#inTurn = 0;
      setImmediate(give);
    }
  }

  #take(): Uint8Array {
    this.#inTurn += this.#size;
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

/** The body without its `Content-Encoding`; one that ends early fails as `interrupted`. */
export function decompressed(
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
  // The error reaches the reader through the decoder.
  pipeline(body, decoder, () => {});
  try {
    for await (const bytes of decoder) yield bytes;
  } catch (error) {
    throw bodyFailure(error);
  }
}
