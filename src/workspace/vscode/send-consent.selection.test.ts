import { expect, test, vi } from 'vitest';
import { editor, LinkedWorkspace } from '../../../test/support/linked-workspace.fixture.ts';
import { confirmSendSelection } from './send-consent.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../test/support/linked-workspace.fixture.ts')).editor,
);

test.each([
  ['a workspace file', 'work/deep/a.ts', true, []],
  ['a secret file', 'work/.env', true, ['.env may hold secrets']],
  ['a link to a secret file', 'work/notes.txt', true, ['notes.txt may hold secrets']],
  ['a workspace file in Restricted Mode', 'work/deep/a.ts', false, ['untrusted folder']],
  [
    'a secret file in Restricted Mode',
    'work/.env',
    false,
    ['untrusted folder', '.env may hold secrets'],
  ],
])(
  'confirmSendSelection allows sending a selection of %s only after all required confirmations',
  async (_, path, isTrusted, expectedPrompts) => {
    using workspace = new LinkedWorkspace({ 'real/notes.txt': 'home/.ssh/id_rsa' });
    editor.workspace.isTrusted = isTrusted;
    const document = { uri: workspace.getUri(path), isUntitled: false } as never;
    const buttons: Readonly<Record<string, string>> = { 'untrusted folder': 'Send' };
    const confirmations = expectedPrompts.map((question) => buttons[question] ?? 'Send Anyway');
    editor.dialogAnswers.push(...confirmations);
    expect(await confirmSendSelection(document)).toBe(true);
    expect(editor.shownDialogs.map(({ question }) => question)).toEqual(
      expectedPrompts.map((question) => expect.stringContaining(question)),
    );
    for (const [index] of expectedPrompts.entries()) {
      editor.dialogAnswers.splice(0, Infinity, ...confirmations.slice(0, index));
      expect(await confirmSendSelection(document)).toBe(false);
    }
  },
);
