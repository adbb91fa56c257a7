import { createParser, type EventSourceParser } from 'eventsource-parser';
import * as l10n from '@vscode/l10n';
import { unexpectedResponse } from '../http/reply.ts';

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
