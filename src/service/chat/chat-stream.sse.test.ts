import { fc } from '../../../test/support/property.ts';
import { expect, test } from 'vitest';
import { EventStreamDecoder } from './chat-stream.ts';

/**
 * Event stream with every special case of the format: a BOM, all line ends, events of several data lines, missing
 * spaces, comments, unknown fields, NUL, and characters of 2 to 4 bytes.
 */
const corpus = Buffer.from(
  [
    '\uFEFFdata: {"a":"ä狐🙂"}\r\n\r\n',
    ': comment\n\n',
    'data:no space\n\n',
    'data: one\ndata: two\r\ndata:  three\n\n',
    'event: error\ndata: named\n\n',
    'id: 7\nretry: 100\nunknown: x\ndata: fields\n\n',
    'data: lone\rdata: return\r\r',
    'data: nul\0inside\n\n',
    'data\n\n',
    'data: [DONE]\n\n',
    'data: never ended',
  ].join(''),
);

const expectedEvents = [
  ['{"a":"ä狐🙂"}', undefined],
  ['no space', undefined],
  ['one\ntwo\n three', undefined],
  ['named', 'error'],
  ['fields', undefined],
  ['lone\nreturn', undefined],
  ['nul\0inside', undefined],
  ['', undefined],
  ['[DONE]', undefined],
];

function decodeAllEvents(...chunks: readonly Uint8Array[]): unknown[] {
  const events: unknown[] = [];
  const stream = new EventStreamDecoder({
    onEvent: (data, name) => events.push([data, name]),
  });
  for (const chunk of chunks) stream.decodeBytes(chunk);
  return events;
}

test('EventStreamDecoder decodes events in one chunk and byte by byte', () => {
  expect(decodeAllEvents(corpus)).toEqual(expectedEvents);
  expect(decodeAllEvents(...Array.from(corpus, (byte) => Uint8Array.of(byte)))).toEqual(
    expectedEvents,
  );
});

test('EventStreamDecoder decodes events that are split into two chunks at any position', () => {
  for (let splitIndex = 0; splitIndex <= corpus.length; splitIndex++) {
    expect(
      decodeAllEvents(corpus.subarray(0, splitIndex), corpus.subarray(splitIndex)),
      `split at ${splitIndex}`,
    ).toEqual(expectedEvents);
  }
});

test('EventStreamDecoder decodes events with any chunk boundaries', () => {
  const splitPositions = fc.array(fc.nat(corpus.length), { maxLength: 40 });
  fc.assert(
    fc.property(splitPositions, (positions) => {
      const chunkEnds = [...positions.toSorted((a, b) => a - b), corpus.length];
      const chunks = chunkEnds.map((end, index) => corpus.subarray(chunkEnds[index - 1] ?? 0, end));
      expect(decodeAllEvents(...chunks)).toEqual(expectedEvents);
    }),
  );
});

test('EventStreamDecoder rejects an overlong event before it is complete', () => {
  const longEvent = Buffer.from(`data: ${'x'.repeat(2_000)}`);
  const createDecodeRun = (chunkLength: number) => () => {
    const stream = new EventStreamDecoder({ onEvent: () => {} }, 1_000);
    for (let offset = 0; offset < longEvent.length; offset += chunkLength)
      stream.decodeBytes(longEvent.subarray(offset, offset + chunkLength));
  };
  expect(createDecodeRun(100)).toThrow('larger than expected');
  expect(createDecodeRun(5_000)).toThrow('larger than expected');
});

test('EventStreamDecoder rejects an overlong event that arrives complete in one chunk', () => {
  const receivedEvents: string[] = [];
  const stream = new EventStreamDecoder({ onEvent: (data) => receivedEvents.push(data) }, 100);
  const bytes = new TextEncoder().encode(`data: ${'x'.repeat(101)}\n\n`);
  expect(() => stream.decodeBytes(bytes)).toThrow(/larger than expected/);
  expect(receivedEvents).toEqual([]);
});
