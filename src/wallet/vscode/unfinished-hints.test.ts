import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireWindowLock } from '../../platform/window-lock.ts';
import { hasUnfinishedStake, listUnfinishedAddresses } from './unfinished-hints.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'staking-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('listUnfinishedAddresses lists the accounts of staking records, even while a stake is in progress', async () => {
  expect(await listUnfinishedAddresses(join(folder, 'gone'))).toEqual([]);
  await writeFile(join(folder, 'notes.json'), '');
  await writeFile(join(folder, `31337-0x${'1a'.repeat(20)}.json`), '');
  using lock = await acquireWindowLock(folder);
  expect(lock).toBeDefined();
  expect(await listUnfinishedAddresses(folder)).toEqual(['0x1a1a…1a1a']);
});

test('hasUnfinishedStake reports an unfinished stake only if a record exists and no window holds the lock', async () => {
  expect(await hasUnfinishedStake(folder)).toBe(false);
  expect(await hasUnfinishedStake(join(folder, 'gone'))).toBe(false);
  await writeFile(join(folder, 'notes.json'), '');
  expect(await hasUnfinishedStake(folder)).toBe(false);
  await writeFile(join(folder, `31337-0x${'1a'.repeat(20)}.json`), '');
  expect(await hasUnfinishedStake(folder)).toBe(true);
  using lock = await acquireWindowLock(folder);
  expect(lock).toBeDefined();
  expect(await hasUnfinishedStake(folder)).toBe(false);
});
