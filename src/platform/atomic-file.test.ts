import { spawnSync } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTemporaryPath, removeLeftovers, writeFileAtomically } from './atomic-file.ts';

/** Function that runs a file operation or makes it fail, depending on the name of the operation (`step`). */
type InjectFault = (step: string, run: () => Promise<unknown>) => Promise<unknown>;

const disk = vi.hoisted(() => ({
  injectFault: undefined as InjectFault | undefined,
  openedFiles: [] as FileHandle[],
}));

/** Uses the real file system, but passes every file operation to the injected function that can make it fail. */
vi.mock('node:fs/promises', () => {
  const realFs = process.getBuiltinModule('node:fs').promises;
  const runStep = <T>(name: string, run: () => Promise<T>): Promise<T> =>
    (disk.injectFault === undefined ? run() : disk.injectFault(name, run)) as Promise<T>;
  const createFaultyFile = (file: FileHandle) => ({
    writeFile: (text: string) => runStep('write', () => file.writeFile(text)),
    sync: () => runStep('sync', () => file.sync()),
    close: () => runStep('close', () => file.close()),
  });
  return {
    ...realFs,
    mkdir: (...args: Parameters<typeof realFs.mkdir>) =>
      runStep('mkdir', () => realFs.mkdir(...args)),
    open: (...args: Parameters<typeof realFs.open>) =>
      runStep('open', async () => {
        const file = await realFs.open(...args);
        disk.openedFiles.push(file);
        return createFaultyFile(file);
      }),
    rename: (oldPath: string, newPath: string) =>
      runStep('rename', () => realFs.rename(oldPath, newPath)),
    rm: (path: string, options: fs.RmOptions) => runStep('rm', () => realFs.rm(path, options)),
  };
});

let folder: string;
let path: string;

beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'atomic-'));
  path = join(folder, 'file');
  fs.writeFileSync(path, 'old');
});
afterEach(async () => {
  disk.injectFault = undefined;
  // A process that ends releases its handles in the same way.
  for (const file of disk.openedFiles.splice(0)) await file.close();
  fs.rmSync(folder, { recursive: true });
});

const fileOperations = ['mkdir', 'open', 'write', 'sync', 'close', 'rename'];
const createError = (code: string): Error => Object.assign(new Error(code), { code });
const readText = (): string => fs.readFileSync(path, 'utf8');

test('writeFileAtomically creates the folder, writes, syncs, closes and renames the file in this order', async () => {
  const startedSteps: string[] = [];
  disk.injectFault = (step, run) => {
    startedSteps.push(step);
    return run();
  };
  await writeFileAtomically(path, 'new');
  expect(startedSteps).toEqual(fileOperations);
  expect(readText()).toBe('new');
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
});

describe.each(fileOperations)('writeFileAtomically in a file system that fails at %s', (step) => {
  test('keeps the old file and leaves no temporary file', async () => {
    disk.injectFault = (operation, run) =>
      operation === step ? Promise.reject(createError('ENOSPC')) : run();
    await expect(writeFileAtomically(path, 'new')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(readText()).toBe('old');
    expect(fs.readdirSync(folder)).toEqual(['file']);
  });
});

/** Creates a function that makes one file operation and all later ones fail, including the cleanup. */
const createCrash = (failingStep: string, moment: 'before' | 'during' | 'after'): InjectFault => {
  let hasCrashed = false;
  return async (step, run) => {
    if (hasCrashed) throw createError('EIO');
    if (step !== failingStep) return run();
    hasCrashed = true;
    if (moment === 'after') await run();
    if (moment === 'during') {
      const [temporaryFile = ''] = fs.readdirSync(folder).filter((name) => name.endsWith('.tmp'));
      fs.writeFileSync(join(folder, temporaryFile), 'n');
    }
    throw createError('EIO');
  };
};

describe('a crash of writeFileAtomically', () => {
  test.each([
    ...fileOperations.map((step) => ['before', step, 'old'] as const),
    ['during', 'write', 'old'] as const,
    ...fileOperations.map((step) => ['after', step, step === 'rename' ? 'new' : 'old'] as const),
  ])(
    '%s the step "%s" leaves the %s text and only files that the cleanup removes',
    async (...row) => {
      const [moment, step, text] = row;
      disk.injectFault = createCrash(step, moment);
      await expect(writeFileAtomically(path, 'new')).rejects.toThrow();
      disk.injectFault = undefined;
      expect(readText()).toBe(text);
      await removeLeftovers(folder, -1_000);
      expect(fs.readdirSync(folder)).toEqual(['file']);
      await writeFileAtomically(path, 'next');
      expect(readText()).toBe('next');
    },
  );
});

describe('a locked file', () => {
  test.each(['EPERM', 'EBUSY', 'EACCES'])(
    'is replaced in a later attempt after the error %s',
    async (code) => {
      let attemptCount = 0;
      disk.injectFault = (step, run) =>
        step === 'rename' && ++attemptCount < 3 ? Promise.reject(createError(code)) : run();
      await writeFileAtomically(path, 'new');
      expect([attemptCount, readText()]).toEqual([3, 'new']);
    },
  );

  test('keeps its text if all attempts to replace the file fail', async () => {
    let attemptCount = 0;
    disk.injectFault = (step, run) => {
      if (step !== 'rename') return run();
      attemptCount++;
      return Promise.reject(createError('EBUSY'));
    };
    await expect(writeFileAtomically(path, 'new')).rejects.toMatchObject({ code: 'EBUSY' });
    expect([attemptCount, readText()]).toEqual([5, 'old']);
    expect(fs.readdirSync(folder)).toEqual(['file']);
  });
});

describe('removeLeftovers for temporary files whose names contain a process id', () => {
  const createLeftover = (pid: number, name = 'file'): string => {
    const leftoverPath = createTemporaryPath(join(folder, name)).replace(
      `-${process.pid}.`,
      `-${pid}.`,
    );
    fs.mkdirSync(dirname(leftoverPath), { recursive: true });
    fs.writeFileSync(leftoverPath, 'new');
    return leftoverPath;
  };
  const getEndedProcessId = (): number => spawnSync(process.execPath, ['-e', '']).pid;

  test('removes a recent file in every folder if the process has ended', async () => {
    const leftovers = [
      createLeftover(getEndedProcessId()),
      createLeftover(getEndedProcessId(), 'a/b'),
    ];
    await removeLeftovers(folder, 60_000, { recursive: true });
    expect(leftovers.map((leftoverPath) => fs.existsSync(leftoverPath))).toEqual([false, false]);
    expect(readText()).toBe('old');
  });

  test('keeps a recent file if the process is running or is on another machine', async () => {
    const ownLeftover = createLeftover(process.pid);
    const otherLeftover = createLeftover(getEndedProcessId()).replace(
      /\.[0-9a-f]{8}-/u,
      '.00000000-',
    );
    fs.writeFileSync(otherLeftover, 'new');
    await removeLeftovers(folder, 60_000);
    expect([ownLeftover, otherLeftover].map((leftoverPath) => fs.existsSync(leftoverPath))).toEqual(
      [true, true],
    );
  });
});
