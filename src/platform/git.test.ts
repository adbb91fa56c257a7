import type * as vscode from 'vscode';
import { expect, test } from 'vitest';
import { findFirstChangedRepository, type GitRepository, listUntrackedFiles } from './git.ts';

type State = GitRepository['state'];

const uri = (path: string): vscode.Uri => ({ path }) as vscode.Uri;
const change = (path: string, status = 5) => ({ uri: uri(path), status });
const untracked = 7;

const repository = (name: string, state: Partial<State> = {}): GitRepository => ({
  rootUri: uri(`/${name}`),
  inputBox: { value: '' },
  state: { indexChanges: [], workingTreeChanges: [], ...state },
  diff: async () => '',
  log: async () => [],
});

test.each<[string, Partial<State>, readonly string[]]>([
  ['if VS Code provides no untracked list', {}, []],
  [
    'among the working tree changes',
    { workingTreeChanges: [change('/a/old.ts'), change('/a/src/new.ts', untracked)] },
    ['src/new.ts'],
  ],
  [
    'in both lists, without duplicates and sorted',
    {
      untrackedChanges: [change('/a/b.ts', untracked), change('/a/a.ts', untracked)],
      workingTreeChanges: [change('/a/b.ts', untracked)],
    },
    ['a.ts', 'b.ts'],
  ],
  [
    'outside the repository root in a folder with the same prefix',
    { untrackedChanges: [change('/ab/c.ts', untracked)] },
    ['/ab/c.ts'],
  ],
])('lists untracked files %s', (_, state, expected) => {
  expect(listUntrackedFiles(repository('a', state))).toEqual(expected);
});

const cleanRepository = repository('clean');
const edited = repository('edited', { workingTreeChanges: [change('/edited/a.ts')] });
const repositoryWithChanges = repository('begun', {
  untrackedChanges: [change('/begun/a.ts', untracked)],
});
const staged = repository('staged', { indexChanges: [change('/staged/a.ts')] });

test.each<[string, readonly GitRepository[], boolean, GitRepository | undefined]>([
  ['as undefined without changes', [cleanRepository], false, undefined],
  ['by modified files', [cleanRepository, edited, staged], false, edited],
  [
    'by untracked files',
    [cleanRepository, repositoryWithChanges, edited],
    false,
    repositoryWithChanges,
  ],
  ['by staged changes', [cleanRepository, staged, edited], false, staged],
  ['by staged changes before other changes', [cleanRepository, edited, staged], true, staged],
  [
    'by other changes if none are staged',
    [cleanRepository, repositoryWithChanges, edited],
    true,
    repositoryWithChanges,
  ],
])('returns the first changed repository %s', (_, repositories, stagedFirst, expected) => {
  expect(findFirstChangedRepository(repositories, { stagedFirst })).toBe(expected);
});
