import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockContent, lockPath, staleAfterMs, acquireWindowLock } from './window-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-lock-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

/** The window that has the lock has not moved for so long. */
async function age(ms: number): Promise<void> {
  const time = new Date(Date.now() - ms);
  await utimes(lockPath(folder), time, time);
}

test('one window has it, until it lets go', async () => {
  {
    using first = await acquireWindowLock(folder);
    expect(first?.lost.aborted).toBe(false);
    expect(await acquireWindowLock(folder)).toBeUndefined();
  }
  using second = await acquireWindowLock(folder);
  expect(second).toBeDefined();
});

test('creates the folder', async () => {
  folder = join(folder, 'a', 'b');
  using lock = await acquireWindowLock(folder);
  expect(lock).toBeDefined();
  folder = join(folder, '..', '..');
});

test.each([
  ['a moment', staleAfterMs - 5_000, false],
  ['longer than a window that lives', staleAfterMs + 5_000, true],
])('a window that has not moved for %s', async (_name, ms, isTaken) => {
  await writeFile(lockPath(folder), 'another window');
  await age(ms);
  using lock = await acquireWindowLock(folder);
  expect(lock !== undefined).toBe(isTaken);
});

test.each([
  ['has ended', (text: string) => text.replace(String(process.pid), '2147483646'), true],
  ['runs', (text: string) => text, false],
  ['is on another machine', (text: string) => `${text.replace(/\d+ \S+$/u, '7 ')}other`, false],
  ['did not say who it is', () => '', false],
])('a window whose process %s, just after it moved', async (_name, change, isTaken) => {
  await writeFile(lockPath(folder), change(lockContent('another')));
  using lock = await acquireWindowLock(folder);
  expect(lock !== undefined).toBe(isTaken);
});

test('of many windows that find a dead one, one takes over', async () => {
  await writeFile(lockPath(folder), 'another window');
  await age(staleAfterMs * 2);
  const locks = await Promise.all(Array.from({ length: 8 }, () => acquireWindowLock(folder)));
  const taken = locks.filter((lock) => lock !== undefined);
  expect(taken).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['in-use.lock']);
  taken[0]?.[Symbol.dispose]();
  expect(await readdir(folder)).toEqual([]);
});

test('a window that slept while another took over is told, and leaves it alone', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const slept = await acquireWindowLock(folder);
  await age(staleAfterMs * 2);
  using other = await acquireWindowLock(folder);
  expect(other).toBeDefined();
  const told = new Promise((resolve) => slept?.lost.addEventListener('abort', resolve));
  vi.advanceTimersByTime(5_000);
  await told;
  const id = await readFile(lockPath(folder), 'utf8');
  slept?.[Symbol.dispose]();
  expect(await readFile(lockPath(folder), 'utf8')).toBe(id);
});
