import { expect, test, vi } from 'vitest';
import { editor, LinkedWorkspace } from '../../../test/support/linked-workspace.fixture.ts';
import { maySendSelection } from './send-consent.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../test/support/linked-workspace.fixture.ts')).editor,
);

test.each([
  ['a file of the workspace', 'work/deep/a.ts', true, []],
  ['one of secrets', 'work/.env', true, ['.env may hold secrets']],
  ['a link to one', 'work/notes.txt', true, ['notes.txt may hold secrets']],
  ['a file of a restricted workspace', 'work/deep/a.ts', false, ['untrusted folder']],
  ['one of secrets there', 'work/.env', false, ['untrusted folder', '.env may hold secrets']],
])('of %s, a selection is sent after what must be asked', async (_, path, isTrusted, asked) => {
  using workspace = new LinkedWorkspace({ 'real/notes.txt': 'home/.ssh/id_rsa' });
  editor.workspace.isTrusted = isTrusted;
  const document = { uri: workspace.uri(path), isUntitled: false } as never;
  const buttons: Readonly<Record<string, string>> = { 'untrusted folder': 'Send' };
  const yes = asked.map((question) => buttons[question] ?? 'Send Anyway');
  editor.answers.push(...yes);
  expect(await maySendSelection(document)).toBe(true);
  expect(editor.asked.map(({ question }) => question)).toEqual(
    asked.map((question) => expect.stringContaining(question)),
  );
  for (const [index] of asked.entries()) {
    editor.answers.splice(0, Infinity, ...yes.slice(0, index));
    expect(await maySendSelection(document)).toBe(false);
  }
});
