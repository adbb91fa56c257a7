import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { generateDamagedCopies } from '../../../test/support/damage.ts';
import { encodeEntries } from '../gallery-journal.ts';
import type { ImageRecord } from '../image-record.ts';
import { Gallery } from './gallery.ts';

/** PNG image of one pixel. */
const pngBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  folders.push(folder);
  return folder;
}

const openGallery = (folder: string, capBytes = 1e9): Gallery =>
  new Gallery({ folder, getMaxBytes: () => capBytes });

const createRecord = (id: string, saved: readonly string[] = []): ImageRecord => ({
  id,
  createdAt: 0,
  origin: { kind: 'generate', request: { model: 'm', prompt: 'p' }, variant: 0, variants: 1 },
  format: 'png',
  width: 1,
  height: 1,
  bytes: 100,
  moderation: { blurred: false, contentViolation: false, reasons: [] },
  saved,
});

/** Adds an image as an image call does: writes the file first, then adds the record. */
async function addImage(gallery: Gallery, id: string): Promise<void> {
  mkdirSync(gallery.folder, { recursive: true });
  writeFileSync(gallery.getImagePath(createRecord(id)), id);
  await gallery.add(createRecord(id));
}

const formatImageIds = async (gallery: Gallery): Promise<string> =>
  (await gallery.list()).map(({ id }) => id).join(' ');

test('Gallery shares images between two windows with the same folder', async () => {
  const folder = createFolder();
  const [firstWindow, secondWindow] = [openGallery(folder), openGallery(folder)];
  await firstWindow.list();
  await secondWindow.list();
  const changedIds: string[] = [];
  secondWindow.onDidChange((change) => {
    if (change.type === 'image-put') changedIds.push(change.record.id);
  });
  await addImage(firstWindow, 'a');
  await addImage(secondWindow, 'b');
  await addImage(firstWindow, 'c');
  await firstWindow.recordSavedFile('b', 'file:///b.png');
  await secondWindow.remove(['a']);
  for (const gallery of [firstWindow, secondWindow, openGallery(folder)])
    expect(await formatImageIds(gallery)).toBe('c b');
  expect((await secondWindow.find('b'))?.saved).toEqual(['file:///b.png']);
  expect(new Set(changedIds)).toEqual(new Set(['a', 'b', 'c']));
});

test('Gallery keeps all entries that several windows write at the same time', async () => {
  const folder = createFolder();
  const windows = Array.from({ length: 4 }, () => openGallery(folder));
  const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
  await Promise.all(
    windows.map(async (window, firstIndex) => {
      for (let index = firstIndex; index < names.length; index += 4)
        await window.add(createRecord(`p${index}`));
    }),
  );
  for (const gallery of [...windows, openGallery(folder)]) {
    expect((await formatImageIds(gallery)).split(' ').toSorted()).toEqual(names.toSorted());
  }
});

/**
 * Creates a gallery folder whose journal has more obsolete lines than allowed. The gallery rewrites such a journal when
 * it opens the folder.
 */
function createOutdatedFolder(): { folder: string; journal: string } {
  const folder = createFolder();
  const journal = join(folder, 'gallery.jsonl');
  const line = encodeEntries([{ type: 'image-add', record: createRecord('old') }]);
  writeFileSync(journal, line.repeat(500));
  return { folder, journal };
}

test('Gallery keeps entries that other windows append during a rewrite', async () => {
  const { folder, journal } = createOutdatedFolder();
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const writingWindow = openGallery(folder);
  await Promise.all([
    ...names.map((id) => writingWindow.add(createRecord(id))),
    ...names.map(() => openGallery(folder).list()),
  ]);
  const expected = ['old', ...names].toSorted();
  expect((await formatImageIds(writingWindow)).split(' ').toSorted()).toEqual(expected);
  expect((await formatImageIds(openGallery(folder))).split(' ').toSorted()).toEqual(expected);
  expect(readFileSync(journal, 'utf8').split('\n').length).toBeLessThan(100);
  expect(readdirSync(folder)).toEqual(['gallery.jsonl']);
});

test('Gallery reads and writes a journal that another window rewrote', async () => {
  const { folder } = createOutdatedFolder();
  writeFileSync(join(folder, 'gallery.jsonl.draft'), 'another window is at it');
  const otherWindow = openGallery(folder);
  await otherWindow.list();
  rmSync(join(folder, 'gallery.jsonl.draft'));
  const changeTypes: string[] = [];
  otherWindow.onDidChange((change) =>
    changeTypes.push(change.type === 'image-put' ? change.record.id : '-'),
  );
  await openGallery(folder).add(createRecord('new'));
  expect(await formatImageIds(otherWindow)).toBe('new old');
  expect(changeTypes).toEqual(['new']);
  await otherWindow.add(createRecord('newer'));
  expect(await formatImageIds(openGallery(folder))).toBe('newer new old');
});

test('Gallery writes all known records to a new journal after the journal was deleted', async () => {
  const folder = createFolder();
  const gallery = openGallery(folder);
  await addImage(gallery, 'a');
  rmSync(join(folder, 'gallery.jsonl'));
  await addImage(gallery, 'b');
  expect(await formatImageIds(gallery)).toBe('b a');
  expect(await formatImageIds(openGallery(folder))).toBe('b a');
});

test('Gallery skips only the truncated line that a crashed window left in the journal', async () => {
  const folder = createFolder();
  const gallery = openGallery(folder);
  await addImage(gallery, 'a');
  appendFileSync(join(folder, 'gallery.jsonl'), '{"type":"image-remove","id":"a"');
  expect(await formatImageIds(gallery)).toBe('a');
  await addImage(gallery, 'b');
  expect(await formatImageIds(gallery)).toBe('b a');
  expect(await formatImageIds(openGallery(folder))).toBe('b a');
});

test('Gallery keeps the file of an image whose record cannot be written', async () => {
  const folder = createFolder();
  const gallery = openGallery(folder);
  await gallery.list();
  mkdirSync(join(folder, 'gallery.jsonl'));
  const imagePath = gallery.getImagePath(createRecord('a'));
  await expect(addImage(gallery, 'a')).rejects.toMatchObject({ code: 'EISDIR' });
  expect(existsSync(imagePath)).toBe(true);
});

test('Gallery keeps the images of calls in progress, even if they exceed the size limit', async () => {
  const gallery = openGallery(createFolder(), 150);
  await addImage(gallery, 'old');
  await gallery.enforceSizeLimit(['old']);
  for (const id of ['a', 'b', 'other-call', 'c']) await addImage(gallery, id);
  expect(await formatImageIds(gallery)).toBe('c other-call b a old');
  await gallery.enforceSizeLimit(['a', 'b', 'c']);
  expect(await formatImageIds(gallery)).toBe('c other-call b a');
  expect(existsSync(gallery.getImagePath(createRecord('old')))).toBe(false);
  await gallery.enforceSizeLimit(['other-call']);
  expect(await formatImageIds(gallery)).toBe('other-call');
});

test('Gallery records the new paths of several renamed files and fires one change per image', async () => {
  const folder = createFolder();
  const gallery = openGallery(folder);
  await gallery.add(createRecord('a', ['file:///w/1.png', 'file:///w/2.png']));
  await gallery.add(createRecord('b', ['file:///w/2.png', 'file:///w/3.png']));
  const moves = new Map(
    [1, 2].map((number) => [`file:///w/${number}.png`, `file:///v/${number}.png`]),
  );
  const changes: string[] = [];
  gallery.onDidChange(({ type }) => changes.push(type));
  await gallery.recordMovedFiles(moves);
  expect(changes).toEqual(['image-put', 'image-put']);
  expect((await openGallery(folder).list()).map(({ saved }) => saved)).toEqual([
    ['file:///v/2.png', 'file:///w/3.png'],
    ['file:///v/1.png', 'file:///v/2.png'],
  ]);
});

describe('gallery with a damaged journal', () => {
  const getJournalPath = (folder: string): string => join(folder, 'gallery.jsonl');

  /** Creates a gallery with images `a`, `b` and `c`, then removes `b`. Returns the path of its folder. */
  async function createGallery(): Promise<string> {
    const folder = createFolder();
    const gallery = openGallery(folder);
    for (const id of ['a', 'b', 'c']) {
      writeFileSync(gallery.getImagePath(createRecord(id)), pngBytes);
      await gallery.add(createRecord(id));
    }
    await gallery.remove(['b']);
    return folder;
  }

  test('lists an image whose line is damaged, with the size of its file', async () => {
    const folder = await createGallery();
    const text = readFileSync(getJournalPath(folder), 'utf8');
    writeFileSync(getJournalPath(folder), text.replace('{', '\0'));
    const gallery = openGallery(folder);
    expect((await formatImageIds(gallery)).split(' ').toSorted()).toEqual(['a', 'c']);
    expect(await gallery.find('a')).toMatchObject({ width: 1, height: 1, bytes: pngBytes.length });
    expect(readFileSync(getJournalPath(folder), 'utf8').startsWith(text.replace('{', '\0'))).toBe(
      true,
    );
    expect((await formatImageIds(openGallery(folder))).split(' ').toSorted()).toEqual(['a', 'c']);
  });

  test.each([
    ['missing', (path: string) => rmSync(path)],
    ['empty', (path: string) => writeFileSync(path, '')],
    ['zeroed', (path: string) => writeFileSync(path, Buffer.alloc(100))],
  ])('lists all images if the journal is %s', async (_, damage) => {
    const folder = await createGallery();
    damage(getJournalPath(folder));
    expect((await formatImageIds(openGallery(folder))).split(' ').toSorted()).toEqual(['a', 'c']);
  });

  test('does not list files that are not complete images of the gallery', async () => {
    const folder = await createGallery();
    rmSync(getJournalPath(folder));
    writeFileSync(join(folder, 'cut.png'), pngBytes.subarray(0, 40));
    writeFileSync(join(folder, 'notes.png'), 'notes');
    writeFileSync(join(folder, 'no id.png'), pngBytes);
    expect((await formatImageIds(openGallery(folder))).split(' ').toSorted()).toEqual(['a', 'c']);
  });

  test('lists every image and keeps every byte of the journal, regardless of where the journal is damaged', async () => {
    const folder = await createGallery();
    const intactBytes = readFileSync(getJournalPath(folder));
    for (const { bytes, kind, offset } of generateDamagedCopies(intactBytes, 40)) {
      writeFileSync(getJournalPath(folder), bytes);
      const listedIds = (await formatImageIds(openGallery(folder))).split(' ');
      const label = `${kind} at ${offset}`;
      const isRenamed =
        kind === 'flip' && intactBytes.toString('utf8', offset - 6, offset) === '"id":"';
      for (const id of isRenamed ? [] : ['a', 'c']) expect(listedIds, label).toContain(id);
      expect(
        readFileSync(getJournalPath(folder)).subarray(0, bytes.length).equals(bytes),
        label,
      ).toBe(true);
    }
  });

  test('keeps a copy of a damaged journal before rewriting the journal', async () => {
    const { folder, journal: path } = createOutdatedFolder();
    appendFileSync(path, 'damaged\n');
    const content = readFileSync(path, 'utf8');
    await openGallery(folder).list();
    const copies = readdirSync(folder).filter((name) => name.includes('.damaged-'));
    expect(readFileSync(join(folder, copies[0] ?? ''), 'utf8')).toBe(content);
    expect(readFileSync(path, 'utf8').length).toBeLessThan(content.length);
  });
});
