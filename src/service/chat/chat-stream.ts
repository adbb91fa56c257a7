import * as l10n from '@vscode/l10n';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { Clock } from '../../base/clock.ts';
import { isRecord, type JsonRecord, parseJson } from '../../base/json.ts';
import { Watchdog } from '../../base/watchdog.ts';
import { ChunkReader } from './chat-chunk.ts';
import type { ChatEvent, StreamOutcome } from './chat-types.ts';
import { ChunkTemplate } from './chunk-template.ts';
import type { Bill } from './spending.ts';
import {
  isErrorReply,
  readErrorBody,
  readErrorJson,
  readStreamFailure,
} from '../http/read-failure.ts';
import { ServiceError } from '../http/failure.ts';
import {
  createInterruptedError,
  toServiceError,
  createStoppedError,
  createTimeoutError,
} from '../http/network-failure.ts';
import {
  createUnrecognizedResponseError,
  readTextStart,
  createUnexpectedResponseError,
} from '../http/response.ts';
import { type ServiceResponse, listSecrets } from '../http/request.ts';

/** Default maximum length of an event in characters. A longer event is an attack or a fault of the server. */
const defaultMaxEventLength = 8 * 1024 * 1024;
/** Minimum number of characters at the start of a stream that the decoder stores for error messages. */
const minErrorExcerptLength = 1_000;
/**
 * Maximum number of consecutive events that match no {@link ChunkTemplate}. After this number of events, the decoder
 * parses all further events and creates no more templates, because templates do not suit the stream.
 */
const maxTemplateMisses = 32;
const [newline, carriageReturn] = [0x0a, 0x0d];

/** Receives the events of an {@link EventStreamDecoder}. */
interface EventReceiver {
  /** Called for each event with the data and the event name, if any. */
  readonly onEvent: (data: string, name: string | undefined) => void;
  /**
   * Called instead of `onEvent` for an event without a name whose data has the same JSON structure as an earlier event.
   * Receives the parsed data, which is valid only during the call. If omitted, `onEvent` receives all events.
   */
  readonly onParsedData?: (data: JsonRecord) => void;
}

/**
 * Decodes the bytes of a `text/event-stream` to server-sent events. The chunk boundaries have no effect on the result.
 */
export class EventStreamDecoder {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #maxEventLength: number;
  readonly #onParsedData: EventReceiver['onParsedData'];
  #isTooLong = false;
  #streamStart = '';
  /**
   * Last three bytes (or fewer) that the parser received, as Latin-1. Needed to detect a blank line that is split
   * between two chunks.
   */
  #tail = '';
  #template: ChunkTemplate | undefined;
  #lastEvent: Buffer | undefined;
  #remainingMisses = maxTemplateMisses;

  constructor({ onEvent, onParsedData }: EventReceiver, maxEventLength = defaultMaxEventLength) {
    this.#maxEventLength = maxEventLength;
    this.#onParsedData = onParsedData;
    this.#parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: ({ data, event }) => {
        // The limit of the parser only applies to data that the parser buffers between reads.
        if (data.length > maxEventLength) this.#isTooLong = true;
        else onEvent(data, event);
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#isTooLong = true;
      },
    });
  }

  /**
   * Start of the stream, for error messages. Contains at least 1,000 characters if the stream is that long, so that a
   * key can be redacted before the text is truncated.
   */
  get streamStart(): string {
    return this.#streamStart;
  }

  /**
   * Decodes the next bytes.
   * @throws ServiceError `unexpected-response` if an event is too long.
   */
  decodeBytes(bytes: Uint8Array): void {
    const canUseTemplate = this.#onParsedData !== undefined && this.#remainingMisses > 0;
    if (canUseTemplate && this.#streamStart.length >= minErrorExcerptLength)
      this.#decodeEvents(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    else this.#parseBytes(bytes);
  }

  /** Decodes events one by one: with the {@link ChunkTemplate} if an event matches it, otherwise with the parser. */
  #decodeEvents(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    for (let offset = 0; offset < bytes.length;) {
      const isEventStart = isAfterBlankLine(this.#tail);
      if (isEventStart) offset = this.#readSimilarEvents(text, bytes, offset);
      if (offset === bytes.length) return;
      const end = findEventEnd(bytes, offset, this.#tail);
      const event = bytes.subarray(offset, end);
      this.#parseBytes(event);
      offset = end;
      if (isEventStart && isAfterBlankLine(this.#tail)) this.#updateTemplate(event);
    }
  }

  /** Reads events with the template until an event does not match. Returns the offset of that event. */
  #readSimilarEvents(text: string, bytes: Buffer, startOffset: number): number {
    const template = this.#template;
    if (template === undefined) return startOffset;
    let offset = startOffset;
    for (;;) {
      const end = template.read(text, bytes, offset);
      if (end === -1 || end - offset > this.#maxEventLength) return offset;
      this.#remainingMisses = maxTemplateMisses;
      this.#onParsedData?.(template.value);
      offset = end;
    }
  }

  #updateTemplate(event: Buffer): void {
    this.#remainingMisses--;
    this.#template = ChunkTemplate.create(event, this.#lastEvent);
    // The bytes of the transport may be reused.
    this.#lastEvent = Buffer.from(event);
  }

  #parseBytes(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#streamStart.length < minErrorExcerptLength)
      this.#streamStart += text.slice(0, minErrorExcerptLength);
    this.#parser.feed(text);
    this.#tail = (this.#tail + readTail(bytes)).slice(-3);
    if (this.#isTooLong)
      throw createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));
  }
}

/** Returns the last three bytes of a chunk as Latin-1 text. */
const readTail = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1', Math.max(0, length - 3));

const isAfterBlankLine = (tail: string): boolean => tail.endsWith('\n\n') || tail === '\n\r\n';

/**
 * Returns the offset after the next blank line, or the length of `bytes` if there is no blank line.
 * @param tail Bytes that precede `bytes` in the stream, as Latin-1.
 */
function findEventEnd(bytes: Buffer, startOffset: number, tail: string): number {
  const getByte = (index: number): number =>
    index < 0 ? tail.charCodeAt(tail.length + index) : (bytes[index] ?? 0);
  let end = bytes.indexOf(newline, startOffset);
  for (; end !== -1; end = bytes.indexOf(newline, end + 1)) {
    const lineEnd = getByte(end - 1) === carriageReturn ? end - 2 : end - 1;
    if (getByte(lineEnd) === newline) return end + 1;
  }
  return bytes.length;
}

export interface StreamLimits {
  /** Maximum number of bytes of one answer. */
  readonly maxBytes: number;
  /** Maximum number of characters of one event. */
  readonly maxEventLength: number;
  /**
   * Maximum number of milliseconds between two events. Bytes without an event, such as keep-alive comments, do not
   * restart the timeout.
   */
  readonly progressMs: number;
}

export const streamLimits: StreamLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxEventLength: 8 * 1024 * 1024,
  progressMs: 180_000,
};

/** Usage and cost of an answer, and the number of bytes in the response body. */
export interface StreamTotals extends Bill {
  /** Number of body bytes read; 0 if the body contained no part of an answer. */
  readonly answerBytes: number;
}

/** Maximum number of milliseconds to wait for the end of the body after a complete answer. */
const maxWaitAfterEndMs = 250;

/**
 * Reads the events of a streamed completion. Each batch contains the events of one network read. The last event is
 * always `stream-end`. Never throws.
 * @param options.cancel Closes the connection with the given reason.
 * @param options.onEnd Called once after the last read.
 */
export async function* readChatStream(
  response: ServiceResponse,
  options: {
    clock: Clock;
    limits: StreamLimits;
    cancel: (reason: ServiceError) => void;
    onEnd?: (totals: StreamTotals) => void;
  },
): AsyncGenerator<readonly ChatEvent[]> {
  const stream = new ChatStream(response, options.limits);
  const watchdog = new Watchdog(options.clock, options.limits.progressMs, () =>
    options.cancel(createTimeoutError('progress')),
  );
  const bytes = response.body[Symbol.asyncIterator]();
  try {
    yield [
      {
        type: 'stream-start',
        info: response.info,
        baseUrl: response.endpoint.baseUrl.href,
      },
    ];
    await stream.requireEventStream();
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
      const events = stream.readBytes(next.value);
      if (events.length > 0) {
        watchdog.feed();
        yield events;
      }
      if (stream.isComplete) break;
    }
    if (stream.isComplete) void drainBody(bytes, options);
    yield stream.endStream();
  } catch (error) {
    yield stream.endStream(toServiceError(error));
  } finally {
    watchdog.stop();
    options.onEnd?.(stream.totals);
    if (!stream.isComplete) options.cancel(createStoppedError());
  }
}

/**
 * Reads the remaining body after a complete answer, so that the connection can be reused. Closes the connection after
 * `maxWaitAfterEndMs`.
 */
async function drainBody(
  bytes: AsyncIterator<Uint8Array>,
  { clock, cancel }: { clock: Clock; cancel: (reason: ServiceError) => void },
): Promise<void> {
  const stopWaiting = clock.after(maxWaitAfterEndMs, () => cancel(createStoppedError()));
  try {
    while (!(await bytes.next()).done);
  } catch {
    // The answer is complete, so a connection failure has no effect.
  }
  stopWaiting();
}

/** Reads one streamed answer: decodes bytes to events, and detects completion and failures. */
class ChatStream {
  readonly #response: ServiceResponse;
  readonly #secrets: readonly string[];
  readonly #chunkReader: ChunkReader;
  readonly #eventDecoder: EventStreamDecoder;
  readonly #maxBytes: number;
  #hasAnswer = false;
  #batch: ChatEvent[] = [];
  #remainingBytes: number;
  #failure: ServiceError | undefined;
  isComplete = false;

  constructor(response: ServiceResponse, limits: StreamLimits) {
    this.#response = response;
    this.#secrets = listSecrets(response.endpoint);
    this.#maxBytes = limits.maxBytes;
    this.#remainingBytes = limits.maxBytes;
    this.#chunkReader = new ChunkReader(response.endpoint, (event) => this.#batch.push(event));
    this.#eventDecoder = new EventStreamDecoder(
      {
        onEvent: (data, name) => this.#handleEvent(data, name),
        onParsedData: (chunk) => {
          if (!this.isComplete) this.#handleChunk(chunk);
        },
      },
      limits.maxEventLength,
    );
  }

  get totals(): StreamTotals {
    const answerBytes = this.#hasAnswer ? this.#maxBytes - this.#remainingBytes : 0;
    return { ...this.#chunkReader.totals, answerBytes };
  }

  /**
   * Rejects a response that is not an event stream, such as a web page or an error with status 200.
   * @throws ServiceError for such a response
   */
  async requireEventStream(): Promise<void> {
    const type = this.#response.headers['content-type'] ?? 'text/event-stream';
    if (/^\s*text\/event-stream\b/i.test(type)) return;
    const text = await readTextStart(this.#response.body, 64 * 1024);
    const json = parseJson(text);
    throw isRecord(json) && isErrorReply(json)
      ? this.#toServerError(text)
      : createUnrecognizedResponseError(text, this.#secrets);
  }

  readBytes(bytes: Uint8Array): readonly ChatEvent[] {
    this.#batch = [];
    this.#remainingBytes -= bytes.length;
    if (this.#remainingBytes < 0)
      throw createUnexpectedResponseError(l10n.t('The reply is larger than expected.'));
    this.#eventDecoder.decodeBytes(bytes);
    return this.#batch;
  }

  endStream(failure?: ServiceError): readonly ChatEvent[] {
    this.#batch = [];
    this.#chunkReader.emitWithheldText();
    return [...this.#batch, { type: 'stream-end', outcome: this.#createOutcome(failure) }];
  }

  #createOutcome(failure: ServiceError | undefined): StreamOutcome {
    const { finishReason } = this.#chunkReader;
    if (this.#failure !== undefined) return { kind: 'failed', failure: this.#failure.failure };
    // The finish reason proves that the answer is complete, even if the connection fails afterwards.
    if (finishReason !== undefined) return { kind: 'complete', finishReason };
    if (this.isComplete) return { kind: 'complete', finishReason: 'stop' };
    return { kind: 'failed', failure: (failure ?? this.#createEarlyEndFailure()).failure };
  }

  /** Returns the failure for a connection that closed without an error before the answer was complete. */
  #createEarlyEndFailure(): ServiceError {
    const { streamStart } = this.#eventDecoder;
    const isEventStream = streamStart === '' || /^(?:data|event|id|retry)?:/.test(streamStart);
    return isEventStream
      ? createInterruptedError()
      : createUnrecognizedResponseError(streamStart, this.#secrets);
  }

  #handleEvent(data: string, name: string | undefined): void {
    const trimmedData = data.trim();
    // Some gateways send empty events so that the connection stays open.
    if (this.isComplete || trimmedData === '') return;
    if (trimmedData === '[DONE]') {
      this.isComplete = true;
      return;
    }
    const chunk = parseJson(data);
    if (name === 'error') this.#failStream(this.#toServerError(data));
    else if (!isRecord(chunk))
      this.#failStream(createUnrecognizedResponseError(data, this.#secrets));
    else this.#handleChunk(chunk);
  }

  #handleChunk(chunk: JsonRecord): void {
    if (isErrorReply(chunk)) {
      this.#failStream(new ServiceError(readStreamFailure(readErrorJson(chunk), this.#secrets)));
    } else {
      this.#hasAnswer = true;
      this.#chunkReader.readChunk(chunk);
    }
  }

  #toServerError(text: string): ServiceError {
    return new ServiceError(readStreamFailure(readErrorBody(text), this.#secrets));
  }

  #failStream(failure: ServiceError): void {
    this.#failure = failure;
    this.isComplete = true;
  }
}
