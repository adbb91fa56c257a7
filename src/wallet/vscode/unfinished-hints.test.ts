import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeWindowLock } from './window-lock.ts';
import { hasUnfinished } from './unfinished-hints.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'staking-folder-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('something is unfinished when there is a record that no window works on', async () => {
  expect(await hasUnfinished(folder)).toBe(false);
  expect(await hasUnfinished(join(folder, 'gone'))).toBe(false);
  await writeFile(join(folder, 'notes.json'), '');
  expect(await hasUnfinished(folder)).toBe(false);
  await writeFile(join(folder, `31337-0x${'1a'.repeat(20)}.json`), '');
  expect(await hasUnfinished(folder)).toBe(true);
  using lock = await takeWindowLock(folder);
  expect(lock).toBeDefined();
  expect(await hasUnfinished(folder)).toBe(false);
});
