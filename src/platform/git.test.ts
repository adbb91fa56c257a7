import type * as vscode from 'vscode';
import { expect, test } from 'vitest';
import {
  findFirstChangedRepository,
  type GitRepository,
  listChangedFiles,
  listUntrackedFiles,
} from './git.ts';

type RepositoryState = GitRepository['state'];

const createUri = (path: string): vscode.Uri => ({ path, toString: () => path }) as vscode.Uri;
const createChange = (path: string, status = 5) => ({ uri: createUri(path), status });
const untrackedStatus = 7;

const createRepository = (name: string, state: Partial<RepositoryState> = {}): GitRepository => ({
  rootUri: createUri(`/${name}`),
  inputBox: { value: '' },
  state: { indexChanges: [], workingTreeChanges: [], ...state },
  log: async () => [],
});

test.each<[string, Partial<RepositoryState>, readonly string[]]>([
  ['no files if VS Code provides no list of untracked files', {}, []],
  [
    'untracked files among the working tree changes',
    {
      workingTreeChanges: [
        createChange('/a/old.ts'),
        createChange('/a/src/new.ts', untrackedStatus),
      ],
    },
    ['src/new.ts'],
  ],
  [
    'untracked files of both lists, without duplicates and sorted',
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
    'untracked files outside the repository root, in a folder with the same prefix',
    { untrackedChanges: [createChange('/ab/c.ts', untrackedStatus)] },
    ['/ab/c.ts'],
  ],
])('listUntrackedFiles lists %s', (_, state, expected) => {
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
  ['no repository if none has changes', [cleanRepository], false, undefined],
  [
    'the first repository with modified files',
    [cleanRepository, editedRepository, stagedRepository],
    false,
    editedRepository,
  ],
  [
    'the first repository with untracked files',
    [cleanRepository, repositoryWithChanges, editedRepository],
    false,
    repositoryWithChanges,
  ],
  [
    'the first repository with staged changes',
    [cleanRepository, stagedRepository, editedRepository],
    false,
    stagedRepository,
  ],
  [
    'a repository with staged changes before a repository with other changes',
    [cleanRepository, editedRepository, stagedRepository],
    true,
    stagedRepository,
  ],
  [
    'the first repository with other changes if no repository has staged changes',
    [cleanRepository, repositoryWithChanges, editedRepository],
    true,
    repositoryWithChanges,
  ],
])('findFirstChangedRepository finds %s', (_, repositories, prefersStaged, expected) => {
  expect(findFirstChangedRepository(repositories, { prefersStaged })).toBe(expected);
});

test('listChangedFiles lists staged, changed, renamed, untracked and conflicting files once', () => {
  const renamedChange = { ...createChange('/a/old.ts'), renameUri: createUri('/a/renamed.ts') };
  const repository = createRepository('a', {
    indexChanges: [createChange('/a/both.ts'), renamedChange],
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

test('listChangedFiles returns both the old path and the new path of a renamed file', () => {
  const renamedChange = {
    ...createChange('/a/notes.txt', 3),
    originalUri: createUri('/a/.env'),
    renameUri: createUri('/a/notes.txt'),
  };
  const repository = createRepository('a', {
    indexChanges: [renamedChange],
    workingTreeChanges: [createChange('/a/notes.txt')],
  });
  const changedFiles = listChangedFiles(repository).map(({ uri, locations }) => [
    uri.path,
    new Set(locations.map(({ path }) => path)),
  ]);
  expect(changedFiles).toEqual([['/a/notes.txt', new Set(['/a/notes.txt', '/a/.env'])]]);
});
