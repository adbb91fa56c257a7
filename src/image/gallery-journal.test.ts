import { fc } from '../../test/support/property.ts';
import { expect, test } from 'vitest';
import {
  decodeEntries,
  encodeEntries,
  replayEntries,
  selectEvictedIds,
} from './gallery-journal.ts';
import type { ImageOrigin, ImageRecord } from './image-record.ts';

const generationOrigin: ImageOrigin = {
  kind: 'generate',
  request: {
    model: 'm',
    prompt: 'a boat',
    seed: 0,
    width: 256,
    height: 512,
    safeMode: false,
    enableWebSearch: true,
  },
  variant: 1,
  variants: 4,
};

const createRecord = (id: string, change: Partial<ImageRecord> = {}): ImageRecord => ({
  id,
  createdAt: 5,
  origin: generationOrigin,
  subject: 'a boat',
  modelName: 'M',
  format: 'webp',
  width: 256,
  height: 512,
  bytes: 100,
  moderation: { blurred: true, contentViolation: false, reasons: ['adult-content'] },
  price: { usd: 0.01, diem: 0.01 },
  durationMs: 1_200,
  saved: [],
  ...change,
});

const allOrigins: readonly ImageOrigin[] = [
  generationOrigin,
  { kind: 'edit', model: 'e', prompt: 'night', sources: [{ type: 'gallery', id: 'a' }] },
  {
    kind: 'combine',
    prompt: 'both',
    aspectRatio: '1:1',
    resolution: '2K',
    sources: [
      { type: 'gallery', id: 'a' },
      { type: 'file', uri: 'file:///b.png' },
    ],
  },
  { kind: 'upscale', scale: 4, sources: [{ type: 'gallery', id: 'a' }] },
  { kind: 'remove-background', sources: [] },
];

test('decodeEntries decodes an encoded entry of each kind of image unchanged', () => {
  const entries = allOrigins.map(
    (origin, index) =>
      ({ type: 'image-add', record: createRecord(`r${index}`, { origin }) }) as const,
  );
  expect(decodeEntries(encodeEntries(entries))).toEqual(entries);
});

test('replayEntries returns the remaining records after all entries, newest first, with their saved files', () => {
  const remainingRecords = replayEntries([
    { type: 'image-add', record: createRecord('a') },
    { type: 'image-add', record: createRecord('b') },
    { type: 'image-add', record: createRecord('c') },
    { type: 'image-save', id: 'a', uri: 'file:///one.png' },
    { type: 'image-save', id: 'a', uri: 'file:///two.png' },
    { type: 'image-move', id: 'a', from: 'file:///one.png', to: 'file:///1.png' },
    { type: 'image-remove', id: 'b' },
    { type: 'image-save', id: 'b', uri: 'file:///gone.png' },
  ]);
  expect(remainingRecords.map(({ id, saved }) => [id, saved])).toEqual([
    ['c', []],
    ['a', ['file:///1.png', 'file:///two.png']],
  ]);
});

test('decodeEntries skips only the truncated last line, wherever the journal is truncated', () => {
  const text = encodeEntries([
    { type: 'image-add', record: createRecord('a') },
    { type: 'image-add', record: createRecord('b') },
  ]);
  for (let length = 0; length < text.length; length++) {
    const ids = replayEntries(decodeEntries(text.slice(0, length))).map(({ id }) => id);
    expect(['', 'a', 'b,a']).toContain(ids.join());
  }
});

test.each([
  ['a path as its id', { id: '../../etc' }],
  ['an unsupported format', { format: 'svg' }],
  ['a width of zero', { width: 0 }],
  ['a fractional height', { height: 1.5 }],
  ['an origin without a request', { origin: { kind: 'generate' } }],
  ['an unsupported scale', { origin: { kind: 'upscale', scale: 3, sources: [] } }],
  ['an unknown origin', { origin: { kind: 'constructor' } }],
])('decodeEntries rejects a record with %s', (_description, change) => {
  const line = JSON.stringify({ type: 'image-add', record: { ...createRecord('a'), ...change } });
  expect(decodeEntries(`${line}\n`)).toEqual([]);
});

test('decodeEntries decodes any text without throwing', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => {
      replayEntries(decodeEntries(lines.join('\n')));
    }),
  );
});

test('decodeEntries accepts saved files only on local file systems and in workspace folders', () => {
  const entries = [
    { type: 'image-save', id: 'a', uri: 'command:workbench.action.quit' },
    { type: 'image-move', id: 'a', from: 'file:///a.png', to: 'https://elsewhere.test/a.png' },
    { type: 'image-save', id: 'a', uri: 'sftp://home/w/a.png' },
    { type: 'image-move', id: 'a', from: 'file:///a.png', to: 'sftp://home/w/b.png' },
  ] as const;
  expect(decodeEntries(encodeEntries(entries))).toEqual([]);
  expect(decodeEntries(encodeEntries(entries), ['sftp://home/w'])).toEqual(entries.slice(2));
});

test.each([
  [300, []],
  [299, ['old-saved']],
  [150, ['old-saved', 'new-saved']],
  [99, ['old-saved', 'new-saved', 'unsaved']],
] as const)(
  'selectEvictedIds, given a limit of %i bytes and three images of 100 bytes each, selects the images %j',
  (maxBytes, evictedIds) => {
    const saved = ['file:///x.png'];
    const records = [
      createRecord('unsaved'),
      createRecord('new-saved', { saved }),
      createRecord('old-saved', { saved }),
    ];
    expect(selectEvictedIds(records, maxBytes)).toEqual(evictedIds);
  },
);
