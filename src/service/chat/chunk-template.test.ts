import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { fc } from '../../../test/support/property.ts';
import { EventStreamDecoder } from './chat-stream.ts';
import { ChunkTemplate } from './chunk-template.ts';

const toEvent = (json: string, lineEnd = '\n'): Buffer =>
  Buffer.from(`data: ${json}${lineEnd}${lineEnd}`);

const toChunk = (delta: object, otherFields: object = {}): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    created: 1_760_000_000,
    choices: [{ index: 0, delta, finish_reason: null, logprobs: null }],
    ...otherFields,
  });

/** Reads the event with a template of another event. Returns undefined if the template rejects the event. */
function readWithTemplate(template: ChunkTemplate | undefined, event: Buffer): unknown {
  const end = template?.read(event.toString('latin1'), event, 0) ?? -1;
  if (end === -1) return undefined;
  expect(end).toBe(event.length);
  return template?.value;
}

test.each([
  ['ASCII text', { content: 'brown fox' }],
  ['an empty text', { content: '' }],
  ['text of several bytes per character', { content: 'dög 狐 🙂' }],
  ['escapes', { content: 'a "quoted"\n\\path\u0001' }],
  ['a text that is longer than the template', { content: 'x'.repeat(5_000) }],
  ['a byte order mark', { content: '\uFEFFstart' }],
  ['an unpaired surrogate', { content: '\uD83D' }],
])('ChunkTemplate reads a chunk with %s', (_, delta) => {
  const template = ChunkTemplate.create(toEvent(toChunk({ content: 'The' })), undefined);
  const json = toChunk(delta);
  expect(readWithTemplate(template, toEvent(json))).toEqual(JSON.parse(json));
});

test.each([
  ['an additional key', toChunk({ content: 'a', role: 'assistant' })],
  [
    'a finish reason',
    toChunk({ content: 'a' }).replace('"finish_reason":null', '"finish_reason":"stop"'),
  ],
  ['null instead of a text', toChunk({ content: null })],
  ['a number instead of a text', toChunk({ content: 7 })],
  ['a control character in a text', toChunk({ content: '\t' }).replace('\\t', '\t')],
  ['an invalid escape', toChunk({ content: '@' }).replace('@', '\\x')],
  ['an escaped closing quote', toChunk({ content: '@' }).replace('@"', '@\\"')],
  ['a missing last character', toChunk({ content: 'a' }).slice(0, -1)],
])('ChunkTemplate rejects an event with %s', (_, json) => {
  const template = ChunkTemplate.create(toEvent(toChunk({ content: 'The' })), undefined);
  expect(readWithTemplate(template, toEvent(json))).toBeUndefined();
});

test.each([
  ['the number 01', '01'],
  ['the number -1', '-1'],
  ['the number 1.5', '1.5'],
  ['the number 1e3', '1e3'],
  ['the number 12345678901234567', '12345678901234567'],
  ['a missing value', ''],
  ['the string "7"', '"7"'],
  ['the value null', 'null'],
])('ChunkTemplate rejects %s where earlier events have an integer', (_name, numberText) => {
  const createNumberedEvent = (text: string): Buffer =>
    toEvent(`{"choices":[{"delta":{"content":"a"},"n":${text}}]}`);
  const template = ChunkTemplate.create(createNumberedEvent('2'), createNumberedEvent('1'));
  expect(readWithTemplate(template, createNumberedEvent('30'))).toEqual({
    choices: [{ delta: { content: 'a' }, n: 30 }],
  });
  expect(readWithTemplate(template, createNumberedEvent(numberText))).toBeUndefined();
});

test('ChunkTemplate reads an event whose texts and numbers differ from the earlier event', () => {
  const [firstChunk, secondChunk, thirdChunk] = [1, 2, 30].map((n) =>
    toChunk({ content: `t${n}` }, { created: n, obfuscation: 'x'.repeat(n) }),
  );
  const template = ChunkTemplate.create(toEvent(secondChunk ?? ''), toEvent(firstChunk ?? ''));
  expect(readWithTemplate(template, toEvent(thirdChunk ?? ''))).toEqual(
    JSON.parse(thirdChunk ?? ''),
  );
});

test.each([
  ['a repeated key', '{"choices":[{"delta":{"content":"a","content":"b"}}]}'],
  ['the key __proto__', '{"choices":[{"delta":{"__proto__":{"content":"a"}}}]}'],
  ['an escaped key', '{"choices":[{"delta":{"c\\u006fntent":"b","content":"a"}}]}'],
  ['a list of reasoning details', toChunk({ content: 'a', reasoning_details: [{ text: 'b' }] })],
  ['two choices', '{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}'],
  ['invalid JSON', '{"choices":[{"delta":{"content":"a"}}]'],
  ['no texts', '{"choices":[]}'],
  ['deep nesting', `${'{"a":'.repeat(50)}{"content":"a"}${'}'.repeat(50)}`],
  ['several lines', '{"choices":[{"delta":\ndata: {"content":"a"}}]}'],
])('ChunkTemplate creates no template from an event with %s', (_, json) => {
  expect(ChunkTemplate.create(toEvent(json), undefined)).toBeUndefined();
});

/** Object keys in generated events, including `__proto__` and keys with non-ASCII characters or escapes. */
const fieldNames = [
  'content',
  'reasoning_content',
  'text',
  'arguments',
  'n',
  '__proto__',
  'ключ',
  'a"b',
];
const scalarArbitrary = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', 'a', '\n', '"', '\\', '狐', '\uD83D', '\u2028'),
  fc.integer(),
  fc.constantFrom(null, true, 0.5, 1e21, -0),
);
const fieldsArbitrary = fc.dictionary(fc.constantFrom(...fieldNames), scalarArbitrary, {
  maxKeys: 4,
});
const chunkArbitrary = fc
  .record(
    {
      id: fc.constantFrom('a', 'b'),
      created: fc.nat(),
      choices: fc.array(
        fc.record(
          {
            index: fc.nat(2),
            delta: fieldsArbitrary,
            finish_reason: fc.constantFrom(null, 'stop'),
          },
          { requiredKeys: ['delta'] },
        ),
        { minLength: 1, maxLength: 2 },
      ),
      usage: fieldsArbitrary,
    },
    { requiredKeys: ['choices'] },
  )
  .map((chunk) => JSON.stringify(chunk));
/** Pairs of an event and a similar event: the same keys with other values, or with damaged bytes. */
const similarEventsArbitrary = fc
  .tuple(
    chunkArbitrary,
    fc.array(fc.tuple(scalarArbitrary, scalarArbitrary), { maxLength: 3 }),
    fc.option(fc.nat()),
  )
  .map(([json, changes, damageSeed]) => {
    let changedJson = json;
    for (const [oldValue, newValue] of changes)
      changedJson = changedJson.replace(JSON.stringify(oldValue), JSON.stringify(newValue));
    const bytes = Buffer.from(changedJson);
    if (damageSeed !== null && bytes.length > 0)
      bytes[damageSeed % bytes.length] = (damageSeed * 31) % 256;
    return [Buffer.from(json), bytes] as const;
  });

test('ChunkTemplate never returns a value that differs from the result of JSON.parse', () => {
  fc.assert(
    fc.property(similarEventsArbitrary, ([firstJson, otherJson]) => {
      const toBytes = (json: Buffer): Buffer =>
        Buffer.concat([Buffer.from('data: '), json, Buffer.from('\n\n')]);
      const event = toBytes(otherJson);
      const template = ChunkTemplate.create(toBytes(firstJson), event);
      const value = readWithTemplate(template, event);
      if (value !== undefined) expect(value).toEqual(JSON.parse(otherJson.toString()));
    }),
    { numRuns: 3_000 },
  );
});

/** Decodes bytes with `eventsource-parser`, to compare the results with those of `EventStreamDecoder`. */
function decodeWithParser(bytes: Uint8Array): unknown[] {
  const events: unknown[] = [];
  const parser = createParser({
    onEvent: ({ data, event }) => events.push([tryParse(data), event]),
  });
  parser.feed(new TextDecoder().decode(bytes));
  return events;
}

function decodeInChunks(bytes: Buffer, chunkEnds: readonly number[]): unknown[] {
  const events: unknown[] = [];
  const decoder = new EventStreamDecoder({
    onEvent: (data, name) => events.push([tryParse(data), name]),
    onParsedData: (data) => events.push([structuredClone(data), undefined]),
  });
  for (const [index, end] of [...chunkEnds, bytes.length].entries())
    decoder.decodeBytes(bytes.subarray(chunkEnds[index - 1] ?? 0, end));
  return events;
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Generated event streams that contain answer chunks, other events and other lines. */
const streamArbitrary = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: scalarArbitrary.map((content) => `data: ${toChunk({ content })}\n\n`),
      },
      { weight: 2, arbitrary: chunkArbitrary.map((json) => `data: ${json}\r\n\r\n`) },
      fc.constantFrom(
        ...[': comment\n\n', '\n', '\r\n', 'event: error\ndata: {}\n\n', 'id: 7\n', 'data: x\n'],
        ...['data: {"a":\ndata: 1}\n\n', 'data:{"content":"a"}\n\n', '\r', 'data: [DONE]\n\n'],
      ),
    ),
    { minLength: 8, maxLength: 40 },
  )
  .map((eventTexts) =>
    Buffer.from(`${`data: ${toChunk({ content: 'start' })}\n\n`.repeat(9)}${eventTexts.join('')}`),
  );

test('EventStreamDecoder decodes the same events as eventsource-parser with any chunk boundaries', () => {
  fc.assert(
    fc.property(streamArbitrary, fc.array(fc.nat(4_000), { maxLength: 20 }), (bytes, positions) => {
      const ends = positions.filter((end) => end <= bytes.length).toSorted((a, b) => a - b);
      expect(decodeInChunks(bytes, ends)).toEqual(decodeWithParser(bytes));
    }),
    { numRuns: 1_000 },
  );
});

test('EventStreamDecoder decodes a stream of similar chunks mostly without its parser', () => {
  const contents = Array.from({ length: 200 }, (_, index) => `word ${index}\n`);
  const bytes = Buffer.from(
    contents.map((content) => `data: ${toChunk({ content })}\n\n`).join(''),
  );
  let parsedCount = 0;
  const texts: unknown[] = [];
  const readText = (chunk: unknown): unknown =>
    (chunk as { choices: { delta: { content: string } }[] }).choices[0]?.delta.content;
  const decoder = new EventStreamDecoder({
    onEvent: (data) => texts.push(readText(JSON.parse(data))),
    onParsedData: (data) => {
      parsedCount++;
      texts.push(readText(data));
    },
  });
  for (let offset = 0; offset < bytes.length; offset += 4_096)
    decoder.decodeBytes(bytes.subarray(offset, offset + 4_096));
  expect(texts).toEqual(contents);
  expect(parsedCount).toBeGreaterThan(150);
});
