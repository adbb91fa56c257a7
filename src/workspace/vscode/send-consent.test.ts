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
  ['work/.env', true],
  ['work/.ＥＮＶ', true],
  ['work/key.txt', true],
  ['work/env.txt', true],
  ['work/twice.txt', true],
  ['work/out.md', true],
  ['work/nowhere.md', true],
  ['work/loop.md', true],
  ['work/home/notes.md', true],
  ['work/../home/notes.md', true],
  ['work/deep/a.ts', false],
  ['work/same.ts', false],
  ['work/not-there-yet.ts', false],
  ['real/deep/a.ts', false],
  ['home/mine.txt', true],
  ['home/plain.txt', false],
  ['home/notes.md', false],
])('mayContainSecrets checks whether %s may contain secrets: %s', async (path, expected) => {
  using workspace = new LinkedWorkspace(fakeLinks);
  expect(await canContainSecrets(workspace.getUri(path))).toBe(expected);
});

test.each([
  ['/pack/a.ts', false],
  ['/pack/.env', true],
  ['/pack/link.ts', true],
  ['/pack/linked/a.ts', true],
])(
  'mayContainSecrets checks whether %s may contain secrets in a virtual workspace: %s',
  async (path, expected) => {
    editor.workspace.workspaceFolders = [{ uri: new FakeUri('memory', '/pack'), name: 'pack' }];
    editor.statTypes = {
      '/pack/a.ts': 1,
      '/pack/link.ts': 65,
      '/pack/linked': 66,
      '/pack/linked/a.ts': 1,
    };
    expect(await canContainSecrets(new FakeUri('memory', path))).toBe(expected);
  },
);

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
