import { expect, test, vi } from 'vitest';
import { editor, LinkedWorkspace } from '../../../test/support/linked-workspace.fixture.ts';
import { authorizeSending } from './editor-target.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../test/support/linked-workspace.fixture.ts')).editor,
);

test.each([
  ['work/.env', 'work/.env'],
  ['a link to a key', 'work/notes.txt'],
])('authorizeSending requires the user’s consent for %s', async (_, path) => {
  using workspace = new LinkedWorkspace({ 'real/notes.txt': 'home/.ssh/id_rsa' });
  const document = { uri: workspace.getUri(path) } as never;
  expect(await authorizeSending(document)).toBe('no');
  editor.dialogAnswers.push('Send Anyway');
  expect(await authorizeSending(document)).toBe('yes');
  expect(editor.shownDialogs.map(({ question }) => question)).toEqual(
    Array.from({ length: 2 }, () => expect.stringContaining('may hold secrets')),
  );
});

test('authorizeSending permits a file without a prompt if the file is unlikely to contain secrets', async () => {
  using workspace = new LinkedWorkspace();
  expect(await authorizeSending({ uri: workspace.getUri('work/deep/a.ts') } as never)).toBe('yes');
  expect(editor.shownDialogs).toEqual([]);
});
