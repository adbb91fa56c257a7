import * as l10n from '@vscode/l10n';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { Clock } from '../../base/clock.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { Watchdog } from '../../base/watchdog.ts';
import { ChunkReader } from './chat-chunk.ts';
import type { ChatEvent, StreamOutcome } from './chat-types.ts';
import type { Bill } from './spending.ts';
import { readErrorBody, readErrorJson, readStreamFailure } from '../http/failure-reading.ts';
import { ServiceError } from '../http/failure.ts';
import { interrupted, networkFailure, stopped, timedOut } from '../http/network-failure.ts';
import { notUnderstood, readTextStart, unexpectedResponse } from '../http/reply.ts';
import { type Reply, secretsOf } from '../http/request.ts';

/** Most characters one event may have; more is an attack or a fault, never an answer. */
const defaultMaxEventLength = 8 * 1024 * 1024;

/** Cuts the bytes of a `text/event-stream` into events, whatever the chunking. */
export class EventStream {
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  #tooLong = false;
  #start = '';

  /** @param onEvent is given the data of each event and its name, when it has one */
  constructor(
    onEvent: (data: string, name: string | undefined) => void,
    maxEventLength = defaultMaxEventLength,
  ) {
    this.#parser = createParser({
      maxBufferSize: maxEventLength,
      onEvent: ({ data, event }) => {
        // The parser's own limit is for what it holds between reads.
        if (data.length > maxEventLength) this.#tooLong = true;
        else onEvent(data, event);
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#tooLong = true;
      },
    });
  }

  /** The first 1,000 characters or more: enough that no key is cut in two before it is found and taken out. */
  get start(): string {
    return this.#start;
  }

  /** @throws ServiceError `unexpected-response` when an event is too long */
  feed(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#start.length < 1_000) this.#start += text.slice(0, 1_000);
    this.#parser.feed(text);
    if (this.#tooLong) throw unexpectedResponse(l10n.t('A part of the answer is too large.'));
  }
}

export interface StreamLimits {
  /** Most bytes of one answer. */
  readonly maxBytes: number;
  /** Most characters of one event. */
  readonly maxEventLength: number;
  /** Milliseconds without an event, however many other bytes arrive. */
  readonly progressMs: number;
}

export const streamLimits: StreamLimits = {
  maxBytes: 256 * 1024 * 1024,
  maxEventLength: 8 * 1024 * 1024,
  progressMs: 180_000,
};

/** What an answer came to. */
export interface StreamTotals extends Bill {
  /** Of the body, up to where it was read; 0 when there was nothing of an answer in it. */
  readonly answerBytes: number;
}

/** Time for the end of the body to come after the end of the answer. */
const lingerMs = 250;

/**
 * The events of a streamed completion, in batches as they arrive; the last event is the one `stream-end`. Never throws.
 * Nothing is held back: a batch is what one read of the network brought.
 * @param how.cancel closes the connection with a reason
 * @param how.onEnd is called once, when nothing more is read
 */
export async function* readChatStream(
  reply: Reply,
  how: {
    clock: Clock;
    limits: StreamLimits;
    cancel: (reason: ServiceError) => void;
    onEnd?: (totals: StreamTotals) => void;
  },
): AsyncGenerator<readonly ChatEvent[]> {
  const stream = new ChatStream(reply, how.limits);
  const watchdog = new Watchdog(how.clock, how.limits.progressMs, () =>
    how.cancel(timedOut('progress')),
  );
  const bytes = reply.body[Symbol.asyncIterator]();
  try {
    yield [{ type: 'stream-start', info: reply.info }];
    await stream.refuseOtherContent();
    for (let next = await bytes.next(); !next.done; next = await bytes.next()) {
      const events = stream.feed(next.value);
      if (events.length > 0) {
        watchdog.feed();
        yield events;
      }
      if (stream.isDone) break;
    }
    if (stream.isDone) void finish(bytes, how);
    yield stream.end();
  } catch (error) {
    yield stream.end(networkFailure(error));
  } finally {
    watchdog.stop();
    how.onEnd?.(stream.totals);
    if (!stream.isDone) how.cancel(stopped());
  }
}

/** Reads the end of a body whose answer is over, so that its connection can be used again; soon gives up. */
async function finish(
  bytes: AsyncIterator<Uint8Array>,
  { clock, cancel }: { clock: Clock; cancel: (reason: ServiceError) => void },
): Promise<void> {
  const stopWaiting = clock.after(lingerMs, () => cancel(stopped()));
  try {
    while (!(await bytes.next()).done);
  } catch {
    // The answer is complete; how its connection ends does not matter.
  }
  stopWaiting();
}

/** One answer as it is read. */
class ChatStream {
  readonly #reply: Reply;
  readonly #secrets: readonly string[];
  readonly #chunks: ChunkReader;
  readonly #events: EventStream;
  readonly #maxBytes: number;
  #hasAnswer = false;
  #batch: ChatEvent[] = [];
  #leftBytes: number;
  #failure: ServiceError | undefined;
  isDone = false;

  constructor(reply: Reply, limits: StreamLimits) {
    this.#reply = reply;
    this.#secrets = secretsOf(reply.endpoint);
    this.#maxBytes = limits.maxBytes;
    this.#leftBytes = limits.maxBytes;
    this.#chunks = new ChunkReader(reply.endpoint.vendorWord, (event) => this.#batch.push(event));
    this.#events = new EventStream((data, name) => this.#read(data, name), limits.maxEventLength);
  }

  get totals(): StreamTotals {
    const answerBytes = this.#hasAnswer ? this.#maxBytes - this.#leftBytes : 0;
    return { ...this.#chunks.totals, answerBytes };
  }

  /** A reply that is no event stream is a page, or an error the service sent with status 200. */
  async refuseOtherContent(): Promise<void> {
    const type = this.#reply.headers['content-type'] ?? 'text/event-stream';
    if (/^\s*text\/event-stream\b/i.test(type)) return;
    const text = await readTextStart(this.#reply.body, 64 * 1024);
    const json = parseJson(text);
    throw isRecord(json) && 'error' in json ? this.#said(text) : notUnderstood(text, this.#secrets);
  }

  feed(bytes: Uint8Array): readonly ChatEvent[] {
    this.#batch = [];
    this.#leftBytes -= bytes.length;
    if (this.#leftBytes < 0)
      throw unexpectedResponse(l10n.t('The answer does not end; it was cut off.'));
    this.#events.feed(bytes);
    return this.#batch;
  }

  end(failure?: ServiceError): readonly ChatEvent[] {
    this.#batch = [];
    this.#chunks.end();
    return [...this.#batch, { type: 'stream-end', outcome: this.#outcome(failure) }];
  }

  #outcome(failure: ServiceError | undefined): StreamOutcome {
    const { finishReason } = this.#chunks;
    if (this.#failure !== undefined) return { kind: 'failed', failure: this.#failure.failure };
    // After its finish reason an answer is whole, however the connection ends.
    if (finishReason !== undefined) return { kind: 'complete', finishReason };
    if (this.isDone) return { kind: 'complete', finishReason: 'stop' };
    return { kind: 'failed', failure: (failure ?? this.#cleanEnd()).failure };
  }

  /** A connection that closes in good order, but too early, or after something else than events. */
  #cleanEnd(): ServiceError {
    const { start } = this.#events;
    const isEvents = start === '' || /^(?:data|event|id|retry)?:/.test(start);
    return isEvents ? interrupted() : notUnderstood(start, this.#secrets);
  }

  #read(data: string, name: string | undefined): void {
    if (this.isDone) return;
    if (data === '[DONE]') {
      this.isDone = true;
      return;
    }
    const chunk = parseJson(data);
    if (name === 'error') this.#fail(this.#said(data));
    else if (!isRecord(chunk)) this.#fail(notUnderstood(data, this.#secrets));
    else if (chunk['error'] != null) {
      this.#fail(new ServiceError(readStreamFailure(readErrorJson(chunk), this.#secrets)));
    } else {
      this.#hasAnswer = true;
      this.#chunks.read(chunk);
    }
  }

  #said(text: string): ServiceError {
    return new ServiceError(readStreamFailure(readErrorBody(text), this.#secrets));
  }

  #fail(failure: ServiceError): void {
    this.#failure = failure;
    this.isDone = true;
  }
}
