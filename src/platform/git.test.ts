import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  findFirstChangedRepository,
  type GitRepository,
  listChangedFiles,
  listUntrackedFiles,
  readDiff,
} from './git.ts';

const editor = vi.hoisted(() => ({ gitPath: '' }));

vi.mock('vscode', () => {
  const git = { getAPI: () => ({ git: { path: editor.gitPath } }), enabled: true };
  return { extensions: { getExtension: () => ({ activate: () => Promise.resolve(git) }) } };
});

type State = GitRepository['state'];

const createUri = (path: string): vscode.Uri => ({ path, toString: () => path }) as vscode.Uri;
const createChange = (path: string, status = 5) => ({ uri: createUri(path), status });
const untrackedStatus = 7;

const createRepository = (name: string, state: Partial<State> = {}): GitRepository => ({
  rootUri: createUri(`/${name}`),
  inputBox: { value: '' },
  state: { indexChanges: [], workingTreeChanges: [], ...state },
  diff: async () => '',
  log: async () => [],
});

test.each<[string, Partial<State>, readonly string[]]>([
  ['if VS Code provides no untracked list', {}, []],
  [
    'among the working tree changes',
    {
      workingTreeChanges: [
        createChange('/a/old.ts'),
        createChange('/a/src/new.ts', untrackedStatus),
      ],
    },
    ['src/new.ts'],
  ],
  [
    'in both lists, without duplicates and sorted',
    {
      untrackedChanges: [
        createChange('/a/b.ts', untrackedStatus),
        createChange('/a/a.ts', untrackedStatus),
      ],
      workingTreeChanges: [createChange('/a/b.ts', untrackedStatus)],
    },
    ['a.ts', 'b.ts'],
  ],
  [
    'outside the repository root in a folder with the same prefix',
    { untrackedChanges: [createChange('/ab/c.ts', untrackedStatus)] },
    ['/ab/c.ts'],
  ],
])('listUntrackedFiles lists untracked files %s', (_, state, expected) => {
  expect(listUntrackedFiles(createRepository('a', state))).toEqual(expected);
});

const cleanRepository = createRepository('clean');
const editedRepository = createRepository('edited', {
  workingTreeChanges: [createChange('/edited/a.ts')],
});
const repositoryWithChanges = createRepository('begun', {
  untrackedChanges: [createChange('/begun/a.ts', untrackedStatus)],
});
const stagedRepository = createRepository('staged', {
  indexChanges: [createChange('/staged/a.ts')],
});

test.each<[string, readonly GitRepository[], boolean, GitRepository | undefined]>([
  ['as undefined without changes', [cleanRepository], false, undefined],
  [
    'by modified files',
    [cleanRepository, editedRepository, stagedRepository],
    false,
    editedRepository,
  ],
  [
    'by untracked files',
    [cleanRepository, repositoryWithChanges, editedRepository],
    false,
    repositoryWithChanges,
  ],
  [
    'by staged changes',
    [cleanRepository, stagedRepository, editedRepository],
    false,
    stagedRepository,
  ],
  [
    'by staged changes before other changes',
    [cleanRepository, editedRepository, stagedRepository],
    true,
    stagedRepository,
  ],
  [
    'by other changes if none are staged',
    [cleanRepository, repositoryWithChanges, editedRepository],
    true,
    repositoryWithChanges,
  ],
])(
  'findFirstChangedRepository returns the first changed repository %s',
  (_, repositories, stagedFirst, expected) => {
    expect(findFirstChangedRepository(repositories, { stagedFirst })).toBe(expected);
  },
);

test('listChangedFiles lists staged, changed, renamed, untracked and conflicting files once', () => {
  const renamed = { ...createChange('/a/old.ts'), renameUri: createUri('/a/renamed.ts') };
  const repository = createRepository('a', {
    indexChanges: [createChange('/a/both.ts'), renamed],
    workingTreeChanges: [createChange('/a/both.ts'), createChange('/a/changed.ts')],
    untrackedChanges: [createChange('/a/new.ts', untrackedStatus)],
    mergeChanges: [createChange('/a/conflict.ts')],
  });
  expect(listChangedFiles(repository).map(({ uri }) => uri.path)).toEqual([
    '/a/both.ts',
    '/a/renamed.ts',
    '/a/changed.ts',
    '/a/new.ts',
    '/a/conflict.ts',
  ]);
});

test('listChangedFiles returns every location of a renamed file', () => {
  const renamed = {
    ...createChange('/a/notes.txt', 3),
    originalUri: createUri('/a/.env'),
    renameUri: createUri('/a/notes.txt'),
  };
  const repository = createRepository('a', {
    indexChanges: [renamed],
    workingTreeChanges: [createChange('/a/notes.txt')],
  });
  const files = listChangedFiles(repository).map(({ uri, locations }) => [
    uri.path,
    new Set(locations.map(({ path }) => path)),
  ]);
  expect(files).toEqual([['/a/notes.txt', new Set(['/a/notes.txt', '/a/.env'])]]);
});

test.skipIf(process.platform === 'win32')(
  'readDiff stops Git when the diff exceeds the maximum length',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'endless-git-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    editor.gitPath = join(folder, 'git');
    await writeFile(editor.gitPath, '#!/bin/sh\nexec yes +line\n');
    await chmod(editor.gitPath, 0o700);
    const uri = { fsPath: folder } as vscode.Uri;
    const limits = { maxLength: 100_000, signal: new AbortController().signal };
    expect(await readDiff({ rootUri: uri }, uri, limits)).toBeUndefined();
  },
);

test('readDiff starts no program that the repository configures for diffs or for watching files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'configured-git-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  editor.gitPath = 'git';
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder }).toString();
  git('init', '--quiet');
  await writeFile(join(folder, 'file.txt'), 'old\n');
  await writeFile(join(folder, '.gitattributes'), '*.txt diff=own\n');
  git('add', '.');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  git(...identity, 'commit', '--quiet', '--message=first');
  for (const name of ['core.fsmonitor', 'diff.external', 'diff.own.command', 'diff.own.textconv'])
    git('config', name, `touch ${name}.ran`);
  await writeFile(join(folder, 'file.txt'), 'new\n');
  const limits = { maxLength: 100_000, signal: new AbortController().signal };
  const file = { fsPath: join(folder, 'file.txt') } as vscode.Uri;
  const diff = await readDiff({ rootUri: { fsPath: folder } as vscode.Uri }, file, limits);
  expect(diff).toContain('-old\n+new\n');
  expect((await readdir(folder)).filter((name) => name.endsWith('.ran'))).toEqual([]);
});
