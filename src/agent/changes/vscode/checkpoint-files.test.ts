import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TurnRecord } from '../turn-record.ts';
import { BlobFiles, hashBlob, CheckpointFiles } from './checkpoint-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkpoints-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const startRecord: TurnRecord = { type: 'turn-start', version: 1, turnId: 't1' };
const createDeleteRecord = (name: string): TurnRecord => ({
  type: 'delete',
  uri: `file:///w/${name}`,
});

test('CheckpointFiles loads a turn that another window wrote', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord, createDeleteRecord('a')]);
  await files.append('c1', 't1', [createDeleteRecord('b')]);
  const turns = await new CheckpointFiles(folder, 1_000_000).load('c1');
  expect([...turns]).toEqual([
    ['t1', [startRecord, createDeleteRecord('a'), createDeleteRecord('b')]],
  ]);
});

const damageRecord: TurnRecord = { type: 'damage' };

test('CheckpointFiles loads a record after a truncated line, and reports the damage', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord]);
  await writeFile(join(folder, 'c1', 't1.jsonl'), '{"type":"del', { flag: 'a' });
  await files.append('c1', 't1', [createDeleteRecord('b')]);
  expect((await files.load('c1')).get('t1')).toEqual([
    startRecord,
    damageRecord,
    createDeleteRecord('b'),
  ]);
});

test('CheckpointFiles ignores a file whose name is not a turn id, and a copy of the journal of another turn', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord, createDeleteRecord('a')]);
  const journalTexts = { 't2.jsonl': `${JSON.stringify(startRecord)}\n`, 'x y.jsonl': '' };
  for (const [name, text] of Object.entries(journalTexts))
    await writeFile(join(folder, 'c1', name), text);
  expect([...(await files.load('c1')).keys()]).toEqual(['t1']);
});

test('CheckpointFiles reports damage for a journal whose start is unreadable, and keeps the journal', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord, createDeleteRecord('a')]);
  const path = join(folder, 'c1', 't1.jsonl');
  const content = (await readFile(path, 'utf8')).replace('turn-start', 'turn"start');
  await writeFile(path, content);
  await writeFile(join(folder, 'c1', 't2.jsonl'), '');
  await mkdir(join(folder, 'c1', 't3.jsonl'));
  const turns = await files.load('c1');
  expect(turns.get('t1')).toContainEqual(createDeleteRecord('a'));
  for (const id of ['t1', 't2', 't3']) expect(turns.get(id)).toContainEqual(damageRecord);
  await files.append('c1', 't1', [createDeleteRecord('b')]);
  expect(await readFile(path, 'utf8')).toBe(
    `${content}${JSON.stringify(createDeleteRecord('b'))}\n`,
  );
});

test('CheckpointFiles reports damage if the journal of a turn was renamed to a different turn id', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord, createDeleteRecord('a')]);
  await rename(join(folder, 'c1', 't1.jsonl'), join(folder, 'c1', 't2.jsonl'));
  expect((await files.load('c1')).get('t2')).toEqual([
    damageRecord,
    startRecord,
    createDeleteRecord('a'),
  ]);
});

test('CheckpointFiles keeps a copy of an existing journal when a turn starts', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord, createDeleteRecord('a')]);
  const path = join(folder, 'c1', 't1.jsonl');
  const content = await readFile(path, 'utf8');
  await files.append('c1', 't1', [startRecord]);
  const copyNames = (await readdir(join(folder, 'c1'))).filter((name) => name.includes('.kept-'));
  expect(await readFile(join(folder, 'c1', copyNames[0] ?? ''), 'utf8')).toBe(content);
});

test('CheckpointFiles rejects records for a removed conversation until it is restored', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord]);
  await files.removeConversationData('c1');
  await expect(files.append('c1', 't1', [createDeleteRecord('a')])).rejects.toThrow('ENOENT');
  expect([...(await files.load('c1')).keys()]).toEqual([]);
  await files.restoreConversationData('c1');
  expect([...(await files.load('c1')).keys()]).toEqual(['t1']);
  await files.removeConversationData('unknown');
});

test('CheckpointFiles lists the ids of all conversations except removed ones', async () => {
  const files = new CheckpointFiles(join(folder, 'checkpoints'), 1_000_000);
  expect(await files.listConversationIds()).toEqual([]);
  for (const id of ['c1', 'c2', 'c3']) await files.append(id, 't1', [startRecord]);
  await files.removeConversationData('c2');
  expect([...(await files.listConversationIds())].toSorted()).toEqual(['c1', 'c3']);
});

test('CheckpointFiles lists journals with their sizes', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  await files.append('c1', 't1', [startRecord]);
  await files.storeBlob('c1', toBytes('text'));
  await writeFile(join(folder, 'c1', 'x y.jsonl'), '');
  const [journal, ...otherJournals] = await files.listJournals('c1');
  expect(journal).toMatchObject({
    turnId: 't1',
    sizeBytes: JSON.stringify(startRecord).length + 1,
  });
  expect(otherJournals).toEqual([]);
  expect(await files.listJournals('c2')).toEqual([]);
});

test.each(['..', 'a/b', '', 'a'.repeat(65)])(
  'CheckpointFiles rejects %j as id of a conversation or a turn',
  async (id) => {
    const files = new CheckpointFiles(folder, 1_000_000);
    await expect(files.append(id, 't1', [startRecord])).rejects.toThrow('Invalid chat id');
    await expect(files.append('c1', id, [startRecord])).rejects.toThrow('Invalid turn id');
    await expect(files.removeConversationData(id)).rejects.toThrow('Invalid chat id');
    expect([...(await files.load(id)).keys()]).toEqual([]);
  },
);

test('CheckpointFiles stores equal bytes in one file that only the owner can read, and does not return corrupted bytes', async () => {
  const blobFiles = new BlobFiles(folder);
  const blob = hashBlob(toBytes('text'));
  expect([
    await blobFiles.writeBlob(toBytes('text')),
    await blobFiles.writeBlob(toBytes('text')),
  ]).toEqual([4, 0]);
  expect(await readdir(folder)).toEqual([blob]);
  expect((await stat(join(folder, blob))).mode & 0o777).toBe(0o600);
  expect(await blobFiles.get(blob)).toEqual(Buffer.from('text'));
  await writeFile(join(folder, blob), 'evil');
  expect(await blobFiles.get(blob)).toBeUndefined();
  await writeFile(join(folder, blob), 'cut');
  await blobFiles.writeBlob(toBytes('text'));
  expect(await blobFiles.get(blob)).toEqual(Buffer.from('text'));
});

/** Sets the modification times of a conversation's files to `seconds` ago. */
async function setModificationAge(id: string, seconds: number): Promise<void> {
  const date = new Date(Date.now() - seconds * 1_000);
  const blobFolder = join(folder, id, 'blobs');
  const blobPaths = (await readdir(blobFolder)).map((name) => join(blobFolder, name));
  for (const path of [...blobPaths, blobFolder, join(folder, id)]) await utimes(path, date, date);
}

test('CheckpointFiles deletes the oldest conversations until the size is within the limit, but never the current one', async () => {
  const files = new CheckpointFiles(folder, 1_000);
  for (const [index, id] of ['newest', 'older', 'oldest', 'current'].entries()) {
    await new CheckpointFiles(folder, 1e9).storeBlob(id, new Uint8Array(400).fill(index));
    await setModificationAge(id, 100 * (index + 1));
  }
  await files.prune('current');
  expect((await readdir(folder)).toSorted()).toEqual(['current', 'newest']);
  await files.storeBlob('current', new Uint8Array(400).fill(9));
  expect(await readdir(folder)).toEqual(['current']);
});

test('CheckpointFiles deletes the checkpoints of a removed conversation after a day', async () => {
  const files = new CheckpointFiles(folder, 1e9);
  for (const id of ['a', 'b']) {
    await files.storeBlob(id, toBytes(id));
    await setModificationAge(id, 100_000);
    await files.removeConversationData(id);
  }
  await setModificationAge('a.deleted', 100_000);
  await files.prune();
  expect(await readdir(folder)).toEqual(['b.deleted']);
});

test('CheckpointFiles permanently deletes removed conversations on request, and no other conversations', async () => {
  const files = new CheckpointFiles(folder, 1_000_000);
  for (const id of ['c1', 'c2']) await files.append(id, 't1', [startRecord]);
  await files.removeConversationData('c1');
  await files.deleteOrphans();
  expect(await readdir(folder)).toEqual(['c2']);
});

test('CheckpointFiles deletes the oldest turns of a conversation that exceeds the size limit', async () => {
  const unlimitedFiles = new CheckpointFiles(folder, 1e9);
  const contents = [1, 2, 3].map((fillByte) => new Uint8Array(1_000).fill(fillByte));
  for (const [index, content] of contents.entries()) {
    const turnId = `t${index + 1}`;
    await unlimitedFiles.storeBlob('c1', content);
    const storedContent = { blob: hashBlob(content) };
    await unlimitedFiles.append('c1', turnId, [
      { type: 'turn-start', version: 1, turnId },
      { type: 'before', uri: 'file:///w/a', kept: storedContent },
    ]);
    const date = new Date(Date.now() - 1_000_000 + index * 1_000);
    await utimes(join(folder, 'c1', `${turnId}.jsonl`), date, date);
    await utimes(join(folder, 'c1', 'blobs', storedContent.blob), date, date);
  }
  const files = new CheckpointFiles(folder, 2_500);
  await files.prune('c1');
  expect([...(await files.load('c1')).keys()]).toEqual(['t3']);
  expect(await readdir(join(folder, 'c1', 'blobs'))).toEqual([
    hashBlob(contents[2] ?? toBytes('')),
  ]);
});

test('CheckpointFiles deletes no stored bytes of a conversation with an unreadable journal', async () => {
  const oldBytes = toBytes('x'.repeat(900));
  await new CheckpointFiles(folder, 1e9).storeBlob('c1', oldBytes);
  await setModificationAge('c1', 100_000);
  // Reading a link to itself fails with ELOOP.
  await symlink('t1.jsonl', join(folder, 'c1', 't1.jsonl'));
  await new CheckpointFiles(folder, 1_000).storeBlob('c1', toBytes('y'.repeat(900)));
  expect(await readdir(join(folder, 'c1', 'blobs'))).toContain(hashBlob(oldBytes));
});

test('CheckpointFiles does not delete a conversation whose folder cannot be listed', async () => {
  const files = new CheckpointFiles(folder, 1_000);
  await files.storeBlob('current', toBytes('y'.repeat(1_001)));
  // Listing a link to itself fails with ELOOP.
  await symlink('c1', join(folder, 'c1'));
  await files.prune('current');
  expect((await readdir(folder)).toSorted()).toEqual(['c1', 'current']);
});
