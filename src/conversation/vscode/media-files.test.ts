import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MediaFiles } from './media-files.ts';

let root: string;
let folder: string;
let mediaFiles: MediaFiles;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'media-files-'));
  folder = join(root, 'media');
  mediaFiles = new MediaFiles(folder);
});

afterEach(() => rm(root, { recursive: true }));

const imageBytes = Buffer.from('an image');

async function setFileAge(name: string, hours: number): Promise<void> {
  const time = new Date(Date.now() - hours * 3_600_000);
  await utimes(join(folder, name), time, time);
}

test('MediaFiles stores files with equal content as one file with the content hash as name', async () => {
  const name = await mediaFiles.storeFile(imageBytes, '.png');
  expect(name).toMatch(/^[0-9a-f]{64}\.png$/u);
  expect(await mediaFiles.storeFile(imageBytes, '.png')).toBe(name);
  expect(await readdir(folder)).toEqual([name]);
  expect(Buffer.from((await mediaFiles.get(name)) ?? [])).toEqual(imageBytes);
});

test('MediaFiles replaces a stored file whose content was truncated', async () => {
  const name = await mediaFiles.storeFile(imageBytes, '.png');
  await writeFile(join(folder, name), 'an im');
  expect(await mediaFiles.get(name)).toBeUndefined();
  await mediaFiles.storeFile(imageBytes, '.png');
  expect(await mediaFiles.get(name)).toBeDefined();
});

test.each(['../../secret.png', '/etc/passwd', 'image.png', '', `${'a'.repeat(64)}.exe`])(
  'MediaFiles returns undefined for the file name %j',
  async (name) => {
    await writeFile(join(root, 'secret.png'), 'secret');
    expect(await mediaFiles.get(name)).toBeUndefined();
  },
);

test('MediaFiles returns undefined for a deleted file and for a link', async () => {
  const name = await mediaFiles.storeFile(imageBytes, '.png');
  await rm(join(folder, name));
  expect(await mediaFiles.get(name)).toBeUndefined();
  await writeFile(join(root, 'secret'), 'secret');
  await symlink(join(root, 'secret'), join(folder, name));
  expect(await mediaFiles.get(name)).toBeUndefined();
});

test('MediaFiles removes unreferenced files that are older than a day', async () => {
  const textsFolder = join(root, 'texts');
  await mkdir(textsFolder);
  const [referencedFile, deletedFile, recentFile, unusedFile] = await Promise.all(
    ['used', 'deleted', 'young', 'unused'].map((text) =>
      mediaFiles.storeFile(Buffer.from(text), '.pdf'),
    ),
  );
  await writeFile(join(textsFolder, 'c1.jsonl'), `{"media":{"file":"${referencedFile}"}}\n`);
  await writeFile(join(textsFolder, 'c2.jsonl.deleted'), `{"file":"${deletedFile}"}`);
  for (const name of [referencedFile, deletedFile, unusedFile]) await setFileAge(name ?? '', 25);
  await setFileAge(recentFile ?? '', 23);
  await mediaFiles.removeUnusedFiles([textsFolder, join(root, 'nowhere')]);
  expect(new Set(await readdir(folder))).toEqual(
    new Set([referencedFile, deletedFile, recentFile]),
  );
});

test('MediaFiles removes no files if a conversation is damaged, because the conversation may refer to the files', async () => {
  const name = await mediaFiles.storeFile(imageBytes, '.png');
  await setFileAge(name, 25);
  const texts = join(root, 'texts');
  await mkdir(texts);
  await writeFile(join(texts, 'c1.jsonl'), '{"media":{"fi\n');
  await mediaFiles.removeUnusedFiles([texts]);
  expect(await readdir(folder)).toEqual([name]);
});

test('MediaFiles removes no files if it cannot list a folder whose files may refer to media files', async () => {
  const name = await mediaFiles.storeFile(imageBytes, '.png');
  await setFileAge(name, 25);
  await writeFile(join(root, 'texts'), 'a file in the place of the folder');
  await mediaFiles.removeUnusedFiles([join(root, 'nowhere'), join(root, 'texts')]);
  expect(await readdir(folder)).toEqual([name]);
});

test('MediaFiles keeps an old file for another day if the same content is stored again', async () => {
  const name = await mediaFiles.storeFile(imageBytes, '.png');
  await setFileAge(name, 48);
  await mediaFiles.storeFile(imageBytes, '.png');
  await mediaFiles.removeUnusedFiles([]);
  expect(await readdir(folder)).toEqual([name]);
});

test('MediaFiles keeps files whose names are not content hashes', async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'notes.txt'), '');
  await setFileAge('notes.txt', 48);
  await mediaFiles.removeUnusedFiles([]);
  expect(await readdir(folder)).toEqual(['notes.txt']);
});
