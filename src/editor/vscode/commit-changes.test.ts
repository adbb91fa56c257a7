import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DiffReader, filterDiff } from '../../conversation/commit-prompt.ts';
import { streamDiff } from '../../platform/git.ts';

interface TestRepository {
  readonly root: string;
  readonly runGit: (...args: readonly string[]) => string;
}

async function createRepository(): Promise<TestRepository> {
  const root = await mkdtemp(join(tmpdir(), 'commit-changes-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const runGit = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'core.compression=0', ...args], { cwd: root, encoding: 'utf8' });
  runGit('init', '--quiet');
  return { root, runGit };
}

const maxDiffLength = 40_000;

async function readStagedDiff(
  root: string,
): Promise<{ reader: DiffReader; chunkLengths: number[] }> {
  const reader = new DiffReader(maxDiffLength);
  const chunkLengths: number[] = [];
  await streamDiff({ program: 'git', root, isStaged: true }, (text) => {
    chunkLengths.push(text.length);
    reader.add(text);
  });
  return { reader, chunkLengths };
}

test('streamDiff returns a diff of 200 MB in short chunks, and DiffReader limits the total length but omits no file', async () => {
  const { root, runGit: git } = await createRepository();
  const blockText = `${'0123456789 '.repeat(9)}\n`.repeat(10_000);
  for (const name of ['a.txt', 'b.txt']) {
    await using file = await open(join(root, name), 'w');
    for (let size = 0; size < 100_000_000; size += blockText.length) await file.write(blockText);
  }
  await writeFile(join(root, '.env'), 'TOKEN=secret\n');
  await writeFile(join(root, 'z.txt'), 'last\n');
  git('add', '--force', '.');
  let turnCount = 0;
  const countEventLoopTurn = (): void => {
    turnCount += 1;
    timer = setImmediate(countEventLoopTurn);
  };
  let timer = setImmediate(countEventLoopTurn);
  const { reader, chunkLengths: chunks } = await readStagedDiff(root);
  clearImmediate(timer);
  const totalLength = chunks.reduce((sum, length) => sum + length, 0);
  expect(totalLength).toBeGreaterThan(200_000_000);
  expect(Math.max(...chunks.slice(0, 10_000))).toBeLessThanOrEqual(1_000_000);
  // Other code can run between the chunks.
  expect(turnCount).toBeGreaterThan(totalLength / 1_000_000);
  const { text, secretFileCount } = reader.finish();
  expect(secretFileCount).toBe(1);
  expect(text.length).toBeLessThanOrEqual(maxDiffLength);
  expect(text.match(/^diff --git .*$|^\[cut\]$|^\+last$/gmu)).toEqual([
    'diff --git a/a.txt b/a.txt',
    '[cut]',
    'diff --git a/b.txt b/b.txt',
    '[cut]',
    'diff --git a/z.txt b/z.txt',
    '+last',
  ]);
});

test('DiffReader returns the same text for every division of a diff into chunks', async () => {
  const { root, runGit: git } = await createRepository();
  for (const name of ['a b.txt', 'é.txt', '.env', 'long.txt'])
    await writeFile(
      join(root, name),
      `${name}\n-diff --git\n`.repeat(name === 'long.txt' ? 900 : 2),
    );
  git('add', '--force', '.');
  const diff = git('diff', '--cached');
  for (const maxLength of [500, 5_000, 50_000]) {
    for (const size of [1, 7, 8, 1_000]) {
      const reader = new DiffReader(maxLength);
      for (let start = 0; start < diff.length; start += size)
        reader.add(diff.slice(start, start + size));
      expect(reader.finish()).toEqual(filterDiff(diff, maxLength));
    }
  }
});

test('DiffReader limits the total length of the text of 30,000 files', () => {
  const reader = new DiffReader(maxDiffLength);
  for (let index = 0; index < 30_000; index += 1)
    reader.add(`diff --git a/${index} b/${index}\n@@ -0,0 +1 @@\n+${'x'.repeat(2_000)}\n`);
  expect(reader.finish().text.length).toBeLessThanOrEqual(maxDiffLength);
});

test('streamDiff reports an error of Git and stops Git if the signal is aborted', async () => {
  const { root, runGit: git } = await createRepository();
  await writeFile(join(root, 'a.txt'), 'text\n'.repeat(1_000));
  git('add', '.');
  const options = { program: 'git', root, isStaged: true };
  await expect(streamDiff({ ...options, signal: AbortSignal.abort() }, () => {})).rejects.toThrow(
    /abort/u,
  );
  await writeFile(join(root, '.git', 'index'), 'damaged');
  await expect(streamDiff(options, () => {})).rejects.toThrow(/index/u);
});
