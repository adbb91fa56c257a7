import { describe, expect, test } from 'vitest';
import { generateDamagedCopies } from '../../../test/support/damage.ts';
import { decodeTurnRecords, encodeTurnRecords, type TurnRecord } from './turn-record.ts';

const contentHash = 'a'.repeat(64);
const fileState = {
  uri: 'file:///w/a.ts',
  kept: {
    blob: contentHash,
    encoding: 'utf8',
    lines: 9,
    mode: 0o755,
    link: 'b.ts',
    realPath: '/w/a.ts',
  },
};

const allRecords: readonly TurnRecord[] = [
  { type: 'turn-start', version: 1, turnId: 't-1', folders: ['file:///w'] },
  { type: 'folder', uri: 'file:///w/d', existed: false },
  { type: 'before', ...fileState },
  { type: 'create', uri: 'file:///w/d/b' },
  { type: 'delete', uri: 'file:///w/c' },
  { type: 'rename', from: 'file:///w/a.ts', to: 'file:///w/d/a.ts' },
  { type: 'after', ...fileState, added: 3, removed: 0 },
  { type: 'mixed', uri: 'file:///w/a.ts' },
  { type: 'review', file: 0, state: 'accepted', reviewed: contentHash },
  { type: 'review', file: 0, state: 'rejected' },
  { type: 'undo', files: [{ file: 0, done: fileState, undone: null }] },
  { type: 'redo', files: [] },
];

test('decodeTurnRecords returns the records that encodeTurnRecords encoded', () => {
  expect(decodeTurnRecords(encodeTurnRecords(allRecords))).toEqual(allRecords);
});

describe('decodeTurnRecords between valid lines', () => {
  const validRecords = allRecords.slice(0, 2);
  const validJournal = encodeTurnRecords(validRecords);
  const damageRecord = { type: 'damage' };

  test.each([
    ['an empty line', ''],
    ['an unknown type', '{"type":"format-disk"}'],
  ])('skips %s without reporting damage', (_, line) => {
    expect(decodeTurnRecords(`${validJournal}${line}\n${validJournal}`)).toEqual([
      ...validRecords,
      ...validRecords,
    ]);
  });

  test.each([
    ['a truncated line', '{"type":"before","uri":"file:///w/a'],
    ['a value other than an object', '"undo"'],
    ['a blob that is a path', `{"type":"before","uri":"file:///a","kept":{"blob":"../../x"}}`],
    ['a missing blob', `{"type":"before","uri":"file:///a","kept":{}}`],
    ['a path instead of a URI', `{"type":"delete","uri":"/etc/passwd"}`],
    ['a URI with a line break', `{"type":"delete","uri":"file:///a\\nb"}`],
    ['an overlong URI', `{"type":"delete","uri":"file:///${'a'.repeat(9_000)}"}`],
    ['a number instead of a URI', '{"type":"delete","uri":5}'],
    ['an incomplete rename', '{"type":"rename","from":"file:///a"}'],
    ['an incomplete folder record', '{"type":"folder","uri":"file:///a"}'],
    ['an unknown review state', '{"type":"review","file":0,"state":"great"}'],
    ['a negative file index', '{"type":"review","file":-1,"state":"accepted"}'],
    ['an incomplete undo', `{"type":"undo","files":[{"file":0,"done":null}]}`],
    ['an undo without an array', '{"type":"undo","files":{"0":1}}'],
    ['an id that is a path', '{"type":"turn-start","version":1,"turnId":"../x"}'],
  ])('reports damage for %s', (_, line) => {
    expect(decodeTurnRecords(`${validJournal}${line}\n${validJournal}`)).toEqual([
      ...validRecords,
      damageRecord,
      ...validRecords,
    ]);
  });
});

test('decodeTurnRecords reports damage if the start record is missing', () => {
  const damage = { type: 'damage' };
  expect(decodeTurnRecords('')).toEqual([damage]);
  expect(decodeTurnRecords(encodeTurnRecords(allRecords.slice(1)))).toEqual([
    damage,
    ...allRecords.slice(1),
  ]);
});

test('decodeTurnRecords reports damage for every changed byte that makes a line unreadable', () => {
  const intactBytes = Buffer.from(encodeTurnRecords(allRecords));
  for (const { kind, offset, bytes } of generateDamagedCopies(intactBytes)) {
    const decodedRecords = decodeTurnRecords(bytes);
    const isReadable = bytes
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .every((line) => isJson(line));
    if (isReadable || intactBytes[offset] === 0x0a) continue;
    expect(decodedRecords, `${kind} at ${offset}`).toContainEqual({ type: 'damage' });
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('decodeTurnRecords replaces invalid line counts with 0, and removes invalid permission bits', () => {
  const line = `{"type":"after","uri":"file:///a","kept":{"blob":"${contentHash}","mode":4095},"added":-1,"removed":1e99}`;
  expect(decodeTurnRecords(line)).toContainEqual({
    type: 'after',
    uri: 'file:///a',
    kept: { blob: contentHash, mode: 0o777 },
    added: 0,
    removed: 0,
  });
});

test('decodeTurnRecords omits the workspace folders if the record contains no list of URIs', () => {
  const lines = ['5', '["/w"]', '[5]'].map(
    (foldersJson) => `{"type":"turn-start","version":1,"turnId":"t","folders":${foldersJson}}`,
  );
  const startRecord = { type: 'turn-start', version: 1, turnId: 't' };
  expect(decodeTurnRecords(lines.join('\n'))).toEqual([startRecord, startRecord, startRecord]);
});

test('decodeTurnRecords returns undefined for a journal of a newer version', () => {
  const text =
    '{"type":"turn-start","version":2,"turnId":"t"}\n{"type":"delete","uri":"file:///a"}';
  expect(decodeTurnRecords(text)).toBeUndefined();
});
