import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PathFacts } from '../../../workspace/path-rules.ts';
import { findSecretNameReason, type SearchPorts, UnsafeFileSearch } from './unsafe-file-search.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

let root = '';
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'unsafe-files-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function writeFolderFile(path: string, text: string | Buffer = ''): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function inspectPath(path: string): Promise<PathFacts> {
  const realPath = relative(root, await realpath(path));
  return {
    path: relative(root, path),
    isInWorkspace: true,
    realPath,
    isRealPathInWorkspace: !realPath.startsWith('..'),
    isLink: true,
    kind: 'directory',
  };
}

const createSearch = (ports: Partial<SearchPorts> = {}): UnsafeFileSearch =>
  new UnsafeFileSearch({ inspectPath, ...ports });

/** Returns the code of the first reason found in the folder and its subfolders; undefined if none exists. */
const findReasonCode = async (
  name: string,
  { includeLinks = false, ...ports }: Partial<SearchPorts> & { includeLinks?: boolean } = {},
): Promise<string | undefined> =>
  (await createSearch(ports).findUnsafeFileReason(join(root, name), name, includeLinks))?.code;

const createFileEntry = (name: string) => ({
  name,
  isDirectory: () => false,
  isFile: () => true,
  isSymbolicLink: () => false,
});

describe('UnsafeFileSearch for secret files', () => {
  test('finds a secret file at any depth, and nothing in a folder that contains no secret file', async () => {
    await writeFolderFile('plain/a.txt');
    await writeFolderFile('mixed/deep/deeper/.env');
    expect(await findReasonCode('plain')).toBeUndefined();
    expect(await findReasonCode('mixed')).toBe('secret');
  });

  test('follows links to folders, even through a second link, only if the command follows links', async () => {
    await writeFolderFile('start/a.txt');
    await writeFolderFile('first/b.txt');
    await writeFolderFile('second/.env');
    await symlink('../first', join(root, 'start/link'));
    await symlink('../second', join(root, 'first/link'));
    expect(await findReasonCode('start')).toBeUndefined();
    expect(await findReasonCode('start', { includeLinks: true })).toBe('secret');
  });

  test('finds a secret file behind a link with a harmless name only if the command follows links', async () => {
    await writeFolderFile('.env');
    await writeFolderFile('start/a.txt');
    await symlink('../.env', join(root, 'start/notes'));
    expect(await findReasonCode('start')).toBeUndefined();
    expect(await findReasonCode('start', { includeLinks: true })).toBe('secret');
  });

  test('reports a link that leads out of the workspace through a second link', async () => {
    await writeFolderFile('start/a.txt');
    await writeFolderFile('first/b.txt');
    await symlink('../first', join(root, 'start/link'));
    await symlink(tmpdir(), join(root, 'first/link'));
    expect(await findReasonCode('start', { includeLinks: true })).toBe('outside-workspace');
  });

  test('ends even if the links form a cycle', async () => {
    await writeFolderFile('start/a.txt');
    await symlink('../start', join(root, 'start/link'));
    expect(await findReasonCode('start', { includeLinks: true })).toBeUndefined();
  });
});

test('findSecretNameReason finds no secret file among the names of ordinary files', () => {
  expect(findSecretNameReason(['a.txt', 'src/b.ts', 'HEAD:src/c.ts'])?.code).toBeUndefined();
});

test.each([
  [['a.txt', 'src/.env']],
  [['HEAD:.env']],
  [['main:config/id_rsa']],
  [['HEAD:odd:name/.env']],
  [['a/.ssh/known']],
])('findSecretNameReason finds the name of a secret file in %j', (names) => {
  expect(findSecretNameReason(names)?.code).toBe('secret');
});

describe('the search of a .git folder', () => {
  const credentials = '[remote "origin"]\n\turl = https://user:token@example.test/x.git\n';

  test.each([
    '.git/config',
    '.git/config.worktree',
    '.git/worktrees/w1/config.worktree',
    '.git/modules/lib/config',
    '.git/modules/libs/foo/config',
    '.git/modules/libs/foo/modules/deep/er/config',
    '.git/modules/objects/config',
  ])('finds credentials in %s', async (path) => {
    for (const name of ['.git', '.git/modules/libs/foo', '.git/modules/lib']) {
      await writeFolderFile(`app/${name}/HEAD`, 'ref: refs/heads/main\n');
      await writeFolderFile(`app/${name}/config`, '[core]\n\tbare = false\n');
    }
    expect(await findReasonCode('app')).toBeUndefined();
    await writeFolderFile(`app/${path}`, credentials);
    expect(await findReasonCode('app')).toBe('secret');
  });

  test.each(['rebase-merge', 'rebase-apply', 'sequencer'])(
    'reports the changes that an interrupted Git command stores in %s',
    async (folder) => {
      await writeFolderFile('app/.git/HEAD', 'ref: refs/heads/main\n');
      expect(await findReasonCode('app')).toBeUndefined();
      await writeFolderFile(`app/.git/${folder}/patch`, '+text\n');
      expect(await findReasonCode('app')).toBe('secret');
    },
  );

  test.each([
    ['a secret', 'text', 'secret', Buffer.from('KEY=value\n')],
    ['a secret', 'UTF-16 text', 'secret', Buffer.from('\ufeffKEY=value\n', 'utf16le')],
    ['no secret', 'binary content', undefined, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])],
    ['no secret', 'no content', undefined, Buffer.alloc(0)],
  ])('finds %s in a Git LFS object with %s', async (_result, _kind, code, content) => {
    for (const name of ['.git', '.git/modules/lib']) {
      await writeFolderFile(`${name}/HEAD`, 'ref: refs/heads/main\n');
      const path = `${name}/lfs/objects/4a/1b/4a1b${'0'.repeat(60)}`;
      await writeFolderFile(path, content);
      expect(await findReasonCode('')).toBe(code);
      await rm(join(root, path));
    }
  });

  test('skips the folders of Git objects and references', async () => {
    await writeFolderFile('app/.git/HEAD');
    await writeFolderFile('app/.git/objects/ab/config', credentials);
    await writeFolderFile('app/.git/refs/heads/config', credentials);
    expect(await findReasonCode('app')).toBeUndefined();
  });
});

describe('UnsafeFileSearch for large or unreadable folders', () => {
  test('reports that the searched folders together contain too many files', async () => {
    const readFolder: SearchPorts['readFolder'] = () =>
      Promise.resolve(
        Array.from({ length: 20_000 }, (_, index) => createFileEntry(`${index}.txt`)),
      );
    const search = createSearch({ readFolder });
    expect(await search.findUnsafeFileReason('/a', 'a', false)).toBeUndefined();
    expect(await search.findUnsafeFileReason('/b', 'b', false)).toBeUndefined();
    expect(await search.findUnsafeFileReason('/c', 'c', false)).toMatchObject({ code: 'too-long' });
  });

  test('searches each folder only once', async () => {
    const readFolder = vi.fn(() => Promise.resolve([createFileEntry('a.txt')]));
    const search = createSearch({ readFolder });
    for (let count = 0; count < 3; count += 1) await search.findUnsafeFileReason('/a', 'a', false);
    expect(readFolder).toHaveBeenCalledOnce();
  });

  test('ends after three seconds', async () => {
    await writeFolderFile('a/b/c/d.txt');
    let time = 0;
    expect(await findReasonCode('a', { now: () => (time += 500) })).toBeUndefined();
    expect(await findReasonCode('a', { now: () => (time += 2_000) })).toBe('too-long');
  });

  test('ends after the signal aborts', async () => {
    await writeFolderFile('a/b.txt');
    expect(await findReasonCode('a', { signal: AbortSignal.abort() })).toBe('too-long');
  });

  test.each(['EACCES', 'ENOENT', 'EIO'])('reports a folder that fails with %s', async (code) => {
    await writeFolderFile('a/b/c.txt');
    const readFolder: SearchPorts['readFolder'] = (path) =>
      path.endsWith('b')
        ? Promise.reject(Object.assign(new Error(code), { code }))
        : Promise.resolve([{ ...createFileEntry('b'), isDirectory: () => true }]);
    expect(await findReasonCode('a', { readFolder })).toBe('unreadable');
    expect(await findReasonCode('missing')).toBe('unreadable');
  });
});
