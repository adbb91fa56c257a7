import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TurnRecord } from '../turn-record.ts';
import { CheckpointFiles } from './checkpoint-files.ts';
import { UnreviewedEdits } from './turn-changes.ts';

let folder = '';
let checkpointFiles: CheckpointFiles;
/** Second instance for the same checkpoint folder. Represents another window. */
let otherWindowFiles: CheckpointFiles;
const logError = vi.fn();
let unreviewedEdits: UnreviewedEdits;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unreviewed-edits-'));
  checkpointFiles = new CheckpointFiles(folder, 1e9);
  otherWindowFiles = new CheckpointFiles(folder, 1e9);
  logError.mockClear();
  unreviewedEdits = new UnreviewedEdits({
    checkpoints: checkpointFiles,
    log: { error: logError },
    formatUri: (uri) => (uri.startsWith('file:///w/') ? uri.slice('file:///w/'.length) : undefined),
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const createStartRecord = (turnId: string): TurnRecord => ({
  type: 'turn-start',
  version: 1,
  turnId,
});
const createHash = (digit: string): string => digit.repeat(64);
const createEditRecord = (name: string, digit = 'a'): TurnRecord => ({
  type: 'after',
  uri: `file:///w/${name}`,
  kept: { blob: createHash(digit) },
  added: 1,
  removed: 0,
});
const listLabels = async (): Promise<readonly string[]> =>
  (await unreviewedEdits.list()).map(({ label }) => label).toSorted();

test('UnreviewedEdits lists pending edits of several turns and chats, but only in open folders', async () => {
  await checkpointFiles.append('c1', 't1', [createStartRecord('t1'), createEditRecord('a.ts')]);
  await checkpointFiles.append('c1', 't2', [createStartRecord('t2'), createEditRecord('b.ts')]);
  await checkpointFiles.append('c2', 't3', [createStartRecord('t3'), createEditRecord('c.ts')]);
  await checkpointFiles.append('c3', 't4', [
    createStartRecord('t4'),
    { ...createEditRecord('e.ts'), uri: 'file:///other/e.ts' } as TurnRecord,
  ]);
  expect(await listLabels()).toEqual(['a.ts', 'b.ts', 'c.ts']);
  expect(await unreviewedEdits.list()).toContainEqual({
    key: `file:///w/a.ts ${createHash('a')}`,
    label: 'a.ts',
  });
});

test('UnreviewedEdits omits reviewed and undone edits, and removed chats', async () => {
  await checkpointFiles.append('c1', 't1', [
    createStartRecord('t1'),
    createEditRecord('a.ts'),
    createEditRecord('b.ts'),
    { type: 'review', file: 0, state: 'accepted' },
  ]);
  await checkpointFiles.append('c2', 't2', [
    createStartRecord('t2'),
    createEditRecord('c.ts'),
    { type: 'undo', files: [] },
  ]);
  await checkpointFiles.append('c3', 't3', [createStartRecord('t3'), createEditRecord('d.ts')]);
  await checkpointFiles.removeConversationData('c3');
  expect(await listLabels()).toEqual(['b.ts']);
});

test('UnreviewedEdits lists edits and reviews that another window stored after the first call', async () => {
  await checkpointFiles.append('c1', 't1', [createStartRecord('t1'), createEditRecord('a.ts')]);
  expect(await listLabels()).toEqual(['a.ts']);
  await otherWindowFiles.append('c1', 't1', [createEditRecord('b.ts')]);
  await otherWindowFiles.append('c2', 't2', [createStartRecord('t2'), createEditRecord('c.ts')]);
  expect(await listLabels()).toEqual(['a.ts', 'b.ts', 'c.ts']);
  await otherWindowFiles.append('c1', 't1', [{ type: 'review', file: 0, state: 'accepted' }]);
  expect(await listLabels()).toEqual(['b.ts', 'c.ts']);
});

test('UnreviewedEdits reads only journals that changed since the last call', async () => {
  for (const [id, turnId] of [
    ['c1', 't1'],
    ['c2', 't2'],
  ] as const)
    await checkpointFiles.append(id, turnId, [
      createStartRecord(turnId),
      createEditRecord(`${id}.ts`),
    ]);
  const readTurn = vi.spyOn(checkpointFiles, 'readTurn');
  await unreviewedEdits.list();
  expect(readTurn).toHaveBeenCalledTimes(2);
  await unreviewedEdits.list();
  expect(readTurn).toHaveBeenCalledTimes(2);
  await otherWindowFiles.append('c2', 't2', [createEditRecord('more.ts')]);
  await unreviewedEdits.list();
  expect(readTurn).toHaveBeenCalledTimes(3);
  expect(readTurn).toHaveBeenLastCalledWith('c2', 't2');
});

test('UnreviewedEdits lists one edit for each chat with unreadable journals, logs the error, and tries again on the next call', async () => {
  await checkpointFiles.append('c1', 't1', [createStartRecord('t1'), createEditRecord('a.ts')]);
  await checkpointFiles.append('c1', 't2', [createStartRecord('t2'), createEditRecord('b.ts')]);
  // Listing a file fails with ENOTDIR.
  await writeFile(join(folder, 'c2'), '');
  const readTurn = vi.spyOn(checkpointFiles, 'readTurn').mockRejectedValueOnce(new Error('EIO'));
  const unreadableLabel = 'edits of a chat that cannot be read';
  expect((await listLabels()).filter((label) => label === unreadableLabel)).toHaveLength(2);
  expect(logError).toHaveBeenCalledTimes(2);
  readTurn.mockRestore();
  await rm(join(folder, 'c2'));
  expect(await listLabels()).toEqual(['a.ts', 'b.ts']);
});

test('UnreviewedEdits lists a chat with a damaged turn, because the turn may contain more edits', async () => {
  await checkpointFiles.append('c1', 't1', [createStartRecord('t1'), createEditRecord('a.ts')]);
  await appendFile(join(folder, 'c1', 't1.jsonl'), '{"type":"aft\n');
  expect(await listLabels()).toEqual(['edits of a chat that cannot be read']);
});

test('UnreviewedEdits lists nothing without stored turns', async () => {
  await rm(folder, { recursive: true });
  expect(await unreviewedEdits.list()).toEqual([]);
});
