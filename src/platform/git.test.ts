import type * as vscode from 'vscode';
import { expect, test } from 'vitest';
import { firstChangedRepository, type GitRepository, untrackedFiles } from './git.ts';

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
  ['an editor that does not list them apart', {}, []],
  [
    'new files among the changed ones',
    { workingTreeChanges: [change('/a/old.ts'), change('/a/src/new.ts', untracked)] },
    ['src/new.ts'],
  ],
  [
    'new files in both places, once each and in order',
    {
      untrackedChanges: [change('/a/b.ts', untracked), change('/a/a.ts', untracked)],
      workingTreeChanges: [change('/a/b.ts', untracked)],
    },
    ['a.ts', 'b.ts'],
  ],
  [
    'a folder that only begins like the root',
    { untrackedChanges: [change('/ab/c.ts', untracked)] },
    ['/ab/c.ts'],
  ],
])('lists untracked files: %s', (_, state, expected) => {
  expect(untrackedFiles(repository('a', state))).toEqual(expected);
});

const clean = repository('clean');
const edited = repository('edited', { workingTreeChanges: [change('/edited/a.ts')] });
const begun = repository('begun', { untrackedChanges: [change('/begun/a.ts', untracked)] });
const staged = repository('staged', { indexChanges: [change('/staged/a.ts')] });

test.each<[string, readonly GitRepository[], boolean, GitRepository | undefined]>([
  ['none has', [clean], false, undefined],
  ['in its files', [clean, edited, staged], false, edited],
  ['new files', [clean, begun, edited], false, begun],
  ['staged', [clean, staged, edited], false, staged],
  ['what is staged is meant', [clean, edited, staged], true, staged],
  ['what is staged is meant, and nothing is', [clean, begun, edited], true, begun],
])('finds the first changed repository: %s', (_, repositories, stagedFirst, expected) => {
  expect(firstChangedRepository(repositories, { stagedFirst })).toBe(expected);
});
