import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLineRange } from './large-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lines-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();

async function readRange(
  content: string,
  firstLine: number,
  maxLines: number,
  bytes = 1e9,
): Promise<string> {
  const path = join(folder, 'file');
  await writeFile(path, content);
  const range = await readLineRange(path, {
    firstLine,
    limits: { lines: maxLines, bytes },
    signal,
  });
  return `${Buffer.from(range.bytes).toString()}|${range.lastLine}|${range.hasMore}`;
}

test.each([
  ['a\nb\nc\n', 1, 2, 'a\nb\n', 2, true],
  ['a\nb\nc\n', 2, 2, 'b\nc\n', 3, false],
  ['a\nb\nc', 2, 5, 'b\nc', 3, false],
  ['a\nb\nc\n', 2, 5, 'b\nc\n', 3, false],
  ['a\nb\n', 3, 1, '', 2, false],
  ['a\nb', 9, 1, '', 2, false],
  ['', 1, 1, '', 0, false],
])(
  'readLineRange of %j from line %d with the line limit %d returns %j, the last line number %d and hasMore = %s',
  async (content, firstLine, maxLines, text, lastLine, hasMore) => {
    expect(await readRange(content, firstLine, maxLines)).toBe(`${text}|${lastLine}|${hasMore}`);
  },
);

test('readLineRange reads lines across chunks and cuts a line at the byte limit', async () => {
  const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index + 1}`);
  const text = lines.join('\n');
  expect(text.length).toBeGreaterThan(3e6);
  for (const firstLine of [1, 90_000, 99_999, 250_000])
    expect(await readRange(text, firstLine, 30_000)).toContain(
      `line ${firstLine}\n${lines.slice(firstLine, firstLine + 29_999).join('\n')}`,
    );
  expect(await readRange(`x\n${'y'.repeat(5e6)}\nz`, 2, 10, 5)).toBe('yyyyy|2|true');
});

test('readLineRange rejects with the reason of its aborted signal', async () => {
  const path = join(folder, 'file');
  await writeFile(path, 'x');
  const abortedSignal = AbortSignal.abort(new Error('stopped'));
  const limits = { lines: 1, bytes: 1 };
  await expect(
    readLineRange(path, { firstLine: 1, limits, signal: abortedSignal }),
  ).rejects.toThrow('stopped');
});
