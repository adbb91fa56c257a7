import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { StoredTexts } from './stored-texts.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('StoredTexts combines several changes into one write of the latest text', async () => {
  const clock = new ManualClock();
  const texts = new StoredTexts(folder, clock, () => {});
  for (const text of ['H', 'He', 'Hel']) texts.set('a', text);
  expect(clock.pendingTimerCount).toBe(1);
  expect(await texts.get('a')).toBe('Hel');
  expect(await readdir(folder)).toEqual([]);
  await clock.advance(300);
  await texts.flush();
  expect(await readFile(join(folder, 'a'), 'utf8')).toBe('Hel');
  expect(await new StoredTexts(folder, clock, () => {}).get('a')).toBe('Hel');
});

test('StoredTexts renames the file of a text that cannot be decoded, so that the next text does not overwrite the file', async () => {
  await writeFile(join(folder, 'a'), '[{"damaged');
  const texts = new StoredTexts(folder, new ManualClock(), () => {});
  await texts.renameUnreadableText('a');
  texts.set('a', 'x');
  await texts.flush();
  const [name, copyName = ''] = (await readdir(folder)).toSorted();
  expect(name).toBe('a');
  expect(await readFile(join(folder, copyName), 'utf8')).toBe('[{"damaged');
});

test('StoredTexts deletes the file of a text that becomes empty', async () => {
  const texts = new StoredTexts(folder, new ManualClock(), () => {});
  texts.set('a', 'x');
  await texts.flush();
  texts.set('a', '');
  await texts.flush();
  expect(await readdir(folder)).toEqual([]);
  expect(await texts.get('a')).toBe('');
});

test('StoredTexts reports a failed write, and still returns the text from memory', async () => {
  const blockedFolder = join(folder, 'file');
  await writeFile(blockedFolder, '');
  const errors: unknown[] = [];
  const texts = new StoredTexts(blockedFolder, new ManualClock(), (error) => errors.push(error));
  texts.set('a', 'kept in memory');
  await texts.flush();
  expect(errors).toHaveLength(1);
  expect(await texts.get('a')).toBe('kept in memory');
});

test('StoredTexts returns the time of the last change', async () => {
  const clock = new ManualClock();
  const texts = new StoredTexts(folder, clock, () => {});
  expect(await texts.getChangeTime('a')).toBe(0);
  await writeFile(join(folder, 'a'), 'x');
  await utimes(join(folder, 'a'), 5, 5);
  expect(await texts.getChangeTime('a')).toBe(5_000);
  texts.set('a', 'y');
  expect(await texts.getChangeTime('a')).toBe(clock.now());
});
