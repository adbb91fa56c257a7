import { expect, test, vi } from 'vitest';
import {
  editor,
  FakeUri,
  LinkedWorkspace,
} from '../../../test/support/linked-workspace.fixture.ts';
import { mayContainSecrets } from './send-consent.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../test/support/linked-workspace.fixture.ts')).editor,
);

const canContainSecrets = (uri: FakeUri): Promise<boolean> => mayContainSecrets(uri as never);

const fakeLinks = {
  'real/key.txt': 'home/.ssh/id_rsa',
  'real/env.txt': 'real/.env',
  'real/twice.txt': 'real/key.txt',
  'real/out.md': 'home/notes.md',
  'real/nowhere.md': '/nowhere/notes.md',
  'real/loop.md': 'loop.md',
  'real/home': 'home',
  'real/same.ts': 'real/deep/a.ts',
  'home/mine.txt': 'home/.ssh/id_rsa',
  'home/plain.txt': 'home/notes.md',
};

test.each([
  ['an environment file', 'work/.env', true],
  ['an environment file in full-width letters', 'work/.ＥＮＶ', true],
  ['a link to a private key', 'work/key.txt', true],
  ['a link to an environment file', 'work/env.txt', true],
  ['a link to a link to a private key', 'work/twice.txt', true],
  ['a link to a file outside the workspace', 'work/out.md', true],
  ['a link to a missing file outside the workspace', 'work/nowhere.md', true],
  ['a link to itself', 'work/loop.md', true],
  ['a file in a linked folder outside the workspace', 'work/home/notes.md', true],
  ['a path that leaves the workspace through a parent folder', 'work/../home/notes.md', true],
  ['a workspace file', 'work/deep/a.ts', false],
  ['a link to a workspace file', 'work/same.ts', false],
  ['a workspace file that does not exist yet', 'work/not-there-yet.ts', false],
  ['a workspace file at its real path', 'real/deep/a.ts', false],
  ['a link to a private key outside the workspace', 'home/mine.txt', true],
  ['a link to a plain file outside the workspace', 'home/plain.txt', false],
  ['a plain file outside the workspace', 'home/notes.md', false],
])('mayContainSecrets returns $2 for $0', async (_file, path, expected) => {
  using workspace = new LinkedWorkspace(fakeLinks);
  expect(await canContainSecrets(workspace.getUri(path))).toBe(expected);
});

test.each([
  ['a plain file', '/pack/a.ts', false],
  ['an environment file', '/pack/.env', true],
  ['a linked file', '/pack/link.ts', true],
  ['a file in a linked folder', '/pack/linked/a.ts', true],
])('mayContainSecrets returns $2 for $0 in a virtual workspace', async (_file, path, expected) => {
  editor.workspace.workspaceFolders = [{ uri: new FakeUri('memory', '/pack'), name: 'pack' }];
  editor.statTypes = {
    '/pack/a.ts': 1,
    '/pack/link.ts': 65,
    '/pack/linked': 66,
    '/pack/linked/a.ts': 1,
  };
  expect(await canContainSecrets(new FakeUri('memory', path))).toBe(expected);
});

test('mayContainSecrets checks only the name of a document that is not a file', async () => {
  using _ = new LinkedWorkspace();
  expect(await canContainSecrets(new FakeUri('untitled', 'Untitled-1'))).toBe(false);
  expect(await canContainSecrets(new FakeUri('untitled', '/work/.env'))).toBe(true);
});

test('mayContainSecrets checks the notebook file for the URI of a notebook cell', async () => {
  using workspace = new LinkedWorkspace({ 'real/notes.ipynb': 'home/notes.md' });
  const uri = new FakeUri('vscode-notebook-cell', workspace.getUri('work/notes.ipynb').path);
  const notebook = { uri: workspace.getUri('work/notes.ipynb'), getCells: () => [cell] };
  const cell = { index: 0, notebook, document: { uri } };
  editor.workspace.notebookDocuments = [notebook];
  expect(await canContainSecrets(uri)).toBe(true);
});
