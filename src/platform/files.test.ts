import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readRegularFile } from './files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'regular-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const writeTestFile = (bytes: Uint8Array): string => {
  const path = join(folder, 'a.png');
  writeFileSync(path, bytes);
  return path;
};

test.each([
  [{ maxFileBytes: 4 }, [1, 2, 3, 4]],
  [{ maxFileBytes: 3 }, 'too-long'],
] as const)(
  'readRegularFile, given a file of four bytes and the limits %o, returns %o',
  async (limits, expected) => {
    const content = await readRegularFile(writeTestFile(Uint8Array.of(1, 2, 3, 4)), limits);
    expect(typeof content === 'string' ? content : [...content]).toEqual(expected);
  },
);

test('readRegularFile reads the target of a symbolic link', async () => {
  const path = join(folder, 'link.png');
  symlinkSync(writeTestFile(Uint8Array.of(7)), path);
  expect(await readRegularFile(path, { maxFileBytes: 1 })).toEqual(Uint8Array.of(7));
});

test('readRegularFile rejects empty files, folders and missing files', async () => {
  expect(await readRegularFile(writeTestFile(new Uint8Array()), { maxFileBytes: 1 })).toBe('empty');
  mkdirSync(join(folder, 'b.png'));
  expect(await readRegularFile(join(folder, 'b.png'), { maxFileBytes: 1 })).toBe('no-file');
  const contentPromise = readRegularFile(join(folder, 'c.png'), { maxFileBytes: 1 });
  await expect(contentPromise).rejects.toMatchObject({ code: 'ENOENT' });
});

test('readRegularFile rejects a file of ten gigabytes before reading any of the file', async () => {
  const path = writeTestFile(new Uint8Array());
  truncateSync(path, 10_000_000_000);
  expect(await readRegularFile(path, { maxFileBytes: 25_000_000 })).toBe('too-long');
});

test.skipIf(process.platform === 'win32')(
  'readRegularFile rejects devices and pipes without opening them',
  async () => {
    for (const devicePath of ['/dev/zero', '/dev/tty']) {
      const path = join(folder, `${devicePath.split('/').join('-')}.png`);
      symlinkSync(devicePath, path);
      expect(await readRegularFile(path, { maxFileBytes: 10 })).toBe('no-file');
    }
    const pipePath = join(folder, 'pipe.png');
    execFileSync('mkfifo', [pipePath]);
    expect(await readRegularFile(pipePath, { maxFileBytes: 10 })).toBe('no-file');
  },
);
