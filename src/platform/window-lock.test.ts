import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  formatLockContent,
  getLockPath,
  staleAfterMs,
  acquireNamedLock,
  acquireWindowLock,
  removeStaleLocks,
} from './window-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-lock-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** Sets the age of the lock file, as if its window were inactive for `ageMs` milliseconds. */
async function setLockAge(ageMs: number): Promise<void> {
  const time = new Date(Date.now() - ageMs);
  await utimes(getLockPath(folder), time, time);
}

test('acquireWindowLock lets only one window hold the lock until its release', async () => {
  {
    using firstLock = await acquireWindowLock(folder);
    expect(firstLock?.lossSignal.aborted).toBe(false);
    expect(await acquireWindowLock(folder)).toBeUndefined();
  }
  using secondLock = await acquireWindowLock(folder);
  expect(secondLock).toBeDefined();
});

test('acquireWindowLock creates the lock folder', async () => {
  folder = join(folder, 'a', 'b');
  using lock = await acquireWindowLock(folder);
  expect(lock).toBeDefined();
  folder = join(folder, '..', '..');
});

test.each([
  ['does not take over', 'a lock that is not yet stale', staleAfterMs - 5_000, false],
  ['takes over', 'a stale lock', staleAfterMs + 5_000, true],
])('acquireWindowLock %s %s', async (_result, _name, ageMs, isTaken) => {
  await writeFile(getLockPath(folder), 'another window');
  await setLockAge(ageMs);
  using lock = await acquireWindowLock(folder);
  expect(lock !== undefined).toBe(isTaken);
});

test.each([
  [
    'takes over',
    'a recent lock whose process has ended',
    (text: string) => text.replace(String(process.pid), '2147483646'),
    true,
  ],
  ['does not take over', 'a recent lock whose process is running', (text: string) => text, false],
  [
    'does not take over',
    'a recent lock from another machine',
    (text: string) => `${text.replace(/\d+ \S+$/u, '7 ')}other`,
    false,
  ],
  ['does not take over', 'a recent lock without an owner', () => '', false],
])('acquireWindowLock %s %s', async (_result, _name, changeContent, isTaken) => {
  await writeFile(getLockPath(folder), changeContent(formatLockContent('another')));
  using lock = await acquireWindowLock(folder);
  expect(lock !== undefined).toBe(isTaken);
});

test('acquireWindowLock lets only one of several windows take over a stale lock', async () => {
  await writeFile(getLockPath(folder), 'another window');
  await setLockAge(staleAfterMs * 2);
  const locks = await Promise.all(Array.from({ length: 8 }, () => acquireWindowLock(folder)));
  const heldLocks = locks.filter((lock) => lock !== undefined);
  expect(heldLocks).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['in-use.lock']);
  heldLocks[0]?.[Symbol.dispose]();
  expect(await readdir(folder)).toEqual([]);
});

test('WindowLock notifies a suspended window that another window took over its lock', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const suspendedLock = await acquireWindowLock(folder);
  await setLockAge(staleAfterMs * 2);
  using otherLock = await acquireWindowLock(folder);
  expect(otherLock).toBeDefined();
  const lockLost = new Promise((resolve) =>
    suspendedLock?.lossSignal.addEventListener('abort', resolve),
  );
  vi.advanceTimersByTime(5_000);
  await lockLost;
  const id = await readFile(getLockPath(folder), 'utf8');
  suspendedLock?.[Symbol.dispose]();
  expect(await readFile(getLockPath(folder), 'utf8')).toBe(id);
});

test('removeStaleLocks removes the locks of closed windows only', async () => {
  using lock = await acquireWindowLock(join(folder, 'c1', 'a1'));
  await acquireNamedLock(join(folder, 'c2'), 'a2', true);
  const stalePath = getLockPath(join(folder, 'c2', 'a2'));
  await utimes(stalePath, 0, 0);
  await removeStaleLocks(folder);
  expect(lock).toBeDefined();
  expect(await readdir(folder)).toEqual(['c1']);
});

test('acquireNamedLock grants no exclusive lock while another lock is held', async () => {
  const locks = join(folder, 'locks');
  // A released lock removes its empty folders in the background.
  const waitForRemoval = (): Promise<void> =>
    vi.waitFor(() => expect(existsSync(locks)).toBe(false));
  const firstLock = await acquireNamedLock(locks, 'a1', false);
  expect(await acquireNamedLock(locks, 'a2', true)).toBeUndefined();
  expect(await acquireNamedLock(locks, 'a1', false)).toBeUndefined();
  await vi.waitFor(async () => expect(await readdir(locks)).toEqual(['a1']));
  firstLock?.dispose();
  await waitForRemoval();
  const secondLock = await acquireNamedLock(locks, 'a2', true);
  expect(secondLock).toBeDefined();
  secondLock?.dispose();
  await waitForRemoval();
});
