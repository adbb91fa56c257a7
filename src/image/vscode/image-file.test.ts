import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { maxHeaderBytes } from '../image-header.ts';
import { removeLeftovers } from '../../platform/atomic-file.ts';
import { createId } from '../../base/ids.ts';
import { ImageFile, recoverRecord, type UnstoredImageError } from './image-file.ts';

const disk = vi.hoisted(() => ({ isFull: false, maxWriteBytes: Infinity }));

/**
 * Replaces the file system with one that a test can make full. A write to a full disk stores half of the bytes, then
 * fails.
 */
vi.mock('node:fs/promises', () => {
  const realFs = process.getBuiltinModule('node:fs').promises;
  const open = async (...openArguments: Parameters<typeof realFs.open>) => {
    const file = await realFs.open(...openArguments);
    const originalWritev = file.writev.bind(file);
    const writev = async (chunks: readonly Uint8Array[]): Promise<{ bytesWritten: number }> => {
      const bytes = Buffer.concat(chunks);
      if (!disk.isFull) return originalWritev([bytes.subarray(0, disk.maxWriteBytes)]);
      await originalWritev([bytes.subarray(0, bytes.length / 2)]);
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    return Object.assign(file, { writev });
  };
  return { ...realFs, open };
});

let folder: string;

beforeEach(() => {
  disk.isFull = false;
  disk.maxWriteBytes = Infinity;
  folder = mkdtempSync(join(tmpdir(), 'image-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const createImage = (format: 'png' | 'jpeg' | 'webp'): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#357' } })
    .toFormat(format)
    .toBuffer();

/** Writes an image in chunks of `size` bytes, like a network response. */
async function writeInChunks(file: ImageFile, bytes: Uint8Array, size = 7): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += size)
    await file.write(bytes.subarray(offset, offset + size));
}

test.each([
  ['png', 'a.png'],
  ['jpeg', 'a.jpg'],
  ['webp', 'a.webp'],
] as const)(
  'ImageFile stores a %s unchanged with the matching file extension',
  async (format, name) => {
    const bytes = await createImage(format);
    const file = await ImageFile.create(folder);
    await writeInChunks(file, bytes);
    const imageFile = await file.completeAs('a');
    expect(imageFile).toMatchObject({ format, width: 40, height: 30, byteCount: bytes.length });
    expect(imageFile.path).toBe(join(folder, name));
    expect(readFileSync(imageFile.path)).toEqual(bytes);
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test.each([
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['an empty file', ''],
  ['a GIF', 'GIF89a\u0001\u0000\u0001\u0000'],
])('ImageFile rejects %s and leaves no file', async (_description, text) => {
  const file = await ImageFile.create(folder);
  await writeInChunks(file, Buffer.from(text, 'latin1'));
  await expect(file.completeAs('a')).rejects.toMatchObject({ name: 'InvalidImageError' });
  await file.deleteTemporaryFile();
  expect(readdirSync(folder)).toEqual([]);
});

test('ImageFile rejects a long stream that has no image header, without waiting for the stream to end', async () => {
  const file = await ImageFile.create(folder);
  const pageBytes = Buffer.alloc(maxHeaderBytes, '<p>');
  await expect(file.write(pageBytes)).rejects.toMatchObject({ name: 'InvalidImageError' });
  await file.deleteTemporaryFile();
  expect(readdirSync(folder)).toEqual([]);
});

const getRejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Creates a JPEG whose frame header follows metadata segments of 64 KB each. */
async function createJpegWithMetadata(segmentCount: number): Promise<Buffer> {
  const jpeg = await createImage('jpeg');
  const segment = Buffer.concat([Buffer.from('ffebffff', 'hex'), Buffer.alloc(65_533, 1)]);
  const segments = Array.from({ length: segmentCount }, () => segment);
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

test.each([5, 40].flatMap((count) => [16_384, 1_000_000].map((size) => [count, size] as const)))(
  'ImageFile stores a JPEG with %d metadata segments of 64 KB that arrives in chunks of %d bytes, and recovers its record',
  async (segmentCount, size) => {
    const bytes = await createJpegWithMetadata(segmentCount);
    const file = await ImageFile.create(folder);
    await writeInChunks(file, bytes, size);
    const id = createId();
    const { path, ...image } = await file.completeAs(id);
    const header = { format: 'jpeg', width: 40, height: 30 };
    expect(image).toEqual({ ...header, byteCount: bytes.length });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(await recoverRecord(folder, `${id}.jpg`)).toMatchObject(header);
  },
);

test('ImageFile keeps a JPEG with large metadata in memory for the user if the disk is full', async () => {
  const bytes = await createJpegWithMetadata(20);
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes.subarray(0, 700_000), 16_384);
  disk.isFull = true;
  await writeInChunks(file, bytes.subarray(700_000), 16_384);
  const error = await getRejection(file.completeAs('a'));
  expect(error).toMatchObject({ name: 'UnstoredImageError', code: 'ENOSPC', format: 'jpeg' });
  expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
  await file.deleteTemporaryFile();
});

test('ImageFile keeps a JPEG in memory for the user if a huge size follows large metadata', async () => {
  const bytes = await createJpegWithMetadata(5);
  const sizeOffset = bytes.indexOf(Buffer.from('001e0028', 'hex'));
  bytes.writeUInt32BE(0x7fff_7fff, sizeOffset);
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes, 16_384);
  expect(await getRejection(file.completeAs('a'))).toMatchObject({ reason: 'too-large' });
  await file.deleteTemporaryFile();
});

test.each([
  ['that has no frame header', 'ffd8ffda0008010100003f00'],
  ['whose frame header does not arrive', 'ffd8ffe1ffff'],
])('ImageFile keeps the received bytes of a JPEG %s for the user', async (_, start) => {
  for (const length of [1_000, 2 * maxHeaderBytes]) {
    const bytes = Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(length, 1)]);
    const file = await ImageFile.create(folder);
    await writeInChunks(file, bytes, 16_384);
    const image = await file.takePartialImage();
    expect(image?.content.length).toBe(bytes.length);
    const error = await getRejection(file.completeAs('a'));
    expect(error).toMatchObject({ reason: 'cut-off', format: 'jpeg' });
    expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
    await file.deleteTemporaryFile();
  }
  expect(readdirSync(folder)).toEqual([]);
});

test('ImageFile keeps a file only in memory, and not on disk, if its header declares a huge image', async () => {
  const bytes = Buffer.from(await createImage('png'));
  bytes.writeUInt32BE(20_000, 16);
  bytes.writeUInt32BE(20_000, 20);
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes);
  const error = await getRejection(file.completeAs('a'));
  expect(error).toMatchObject({ name: 'UnstoredImageError', reason: 'too-large', format: 'png' });
  expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
  await file.deleteTemporaryFile();
  expect(readdirSync(folder)).toEqual([]);
});

test.each(['png', 'jpeg', 'webp'] as const)(
  'ImageFile keeps a truncated %s in memory for the user, and leaves no file on disk',
  async (format) => {
    const bytes = (await createImage(format)).subarray(0, -5);
    const file = await ImageFile.create(folder);
    await writeInChunks(file, bytes);
    const error = await getRejection(file.completeAs('a'));
    expect(error).toMatchObject({ name: 'UnstoredImageError', reason: 'cut-off', format });
    expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
    await file.deleteTemporaryFile();
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('ImageFile keeps a complete image in memory for the user if the folder was deleted during the download', async () => {
  const bytes = await createLargeImage();
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes, 10_000);
  rmSync(folder, { recursive: true });
  const error = await getRejection(file.completeAs('a'));
  expect(error).toMatchObject({ name: 'UnstoredImageError', code: 'ENOENT', format: 'png' });
  expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
  await file.deleteTemporaryFile();
  mkdirSync(folder);
});

test('ImageFile.createInMemory keeps a complete image for the user', async () => {
  const bytes = await createLargeImage();
  const file = ImageFile.createInMemory(folder, { code: 'EROFS' });
  await writeInChunks(file, bytes, 10_000);
  const error = await getRejection(file.completeAs('a'));
  expect(error).toMatchObject({ name: 'UnstoredImageError', code: 'EROFS', format: 'png' });
  expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
  await file.deleteTemporaryFile();
  expect(readdirSync(folder)).toEqual([]);
});

test('takePartialImage returns the received bytes of an image, but undefined if the bytes are not an image', async () => {
  const bytes = (await createImage('png')).subarray(0, 50);
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes);
  const image = await file.takePartialImage();
  expect(image).toMatchObject({ reason: 'cut-off', format: 'png' });
  expect(Buffer.compare(image?.content ?? Buffer.alloc(0), bytes)).toBe(0);
  await file.deleteTemporaryFile();
  const page = await ImageFile.create(folder);
  await writeInChunks(page, Buffer.from('<html>'));
  expect(await page.takePartialImage()).toBeUndefined();
  await page.deleteTemporaryFile();
});

/** Creates a PNG file that is larger than one write block of an image file. */
const createLargeImage = (): Promise<Buffer> =>
  sharp({ create: { width: 700, height: 700, channels: 3, background: '#357' } })
    .png({ compressionLevel: 0 })
    .toBuffer();

test('ImageFile stores small and large chunks in order of arrival', async () => {
  const bytes = await createLargeImage();
  const file = await ImageFile.create(folder);
  const sizes = [100, 20_000, 9_000, 50_000, 3, 15_000, 15_000, 15_000, 15_000, 15_000];
  for (let [offset, chunkIndex] = [0, 0]; offset < bytes.length; chunkIndex++) {
    const end = offset + (sizes[chunkIndex % sizes.length] ?? 1);
    await file.write(bytes.subarray(offset, end));
    offset = end;
  }
  const { path } = await file.completeAs('mixed');
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('ImageFile stores a complete image even if the disk accepts only a part of each write', async () => {
  const bytes = await createLargeImage();
  disk.maxWriteBytes = 100_001;
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes, 40_000);
  const { path } = await file.completeAs('partial');
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test.each(
  [0, 20, 300_000, 700_000, 1_400_000].flatMap((length) =>
    [10_000, 60_000].map((chunkSize) => [length, chunkSize] as const),
  ),
)(
  'ImageFile keeps a complete image in memory if the disk is full after %d bytes in chunks of %d, and leaves no partial file',
  async (length, chunk) => {
    const bytes = await createLargeImage();
    const file = await ImageFile.create(folder);
    await writeInChunks(file, bytes.subarray(0, length), chunk);
    disk.isFull = true;
    await writeInChunks(file, bytes.subarray(length), chunk);
    const error = await getRejection(file.completeAs('a'));
    expect(error).toMatchObject({ name: 'UnstoredImageError', code: 'ENOSPC', format: 'png' });
    expect(Buffer.compare((error as UnstoredImageError).content, bytes)).toBe(0);
    await file.deleteTemporaryFile();
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('ImageFile.discard does not delete a complete file, even if called repeatedly', async () => {
  const bytes = await createImage('png');
  const file = await ImageFile.create(folder);
  await writeInChunks(file, bytes);
  await file.completeAs('a');
  await file.deleteTemporaryFile();
  await file.deleteTemporaryFile();
  expect(readdirSync(folder)).toEqual(['a.png']);
});

test('the cleanup after a crash removes the temporary file of an ImageFile', async () => {
  const file = await ImageFile.create(folder);
  await writeInChunks(file, (await createImage('png')).subarray(0, 20));
  expect(readdirSync(folder)).toHaveLength(1);
  await removeLeftovers(folder, -1);
  expect(readdirSync(folder)).toEqual([]);
  await file.deleteTemporaryFile();
});
