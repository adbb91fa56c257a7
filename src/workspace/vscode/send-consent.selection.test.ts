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
  'sends a selection of %s after the required confirmations',
  async (_, path, isTrusted, asked) => {
    using workspace = new LinkedWorkspace({ 'real/notes.txt': 'home/.ssh/id_rsa' });
    editor.workspace.isTrusted = isTrusted;
    const document = { uri: workspace.uri(path), isUntitled: false } as never;
    const buttons: Readonly<Record<string, string>> = { 'untrusted folder': 'Send' };
    const yes = asked.map((question) => buttons[question] ?? 'Send Anyway');
    editor.answers.push(...yes);
    expect(await confirmSendSelection(document)).toBe(true);
    expect(editor.asked.map(({ question }) => question)).toEqual(
      asked.map((question) => expect.stringContaining(question)),
    );
    for (const [index] of asked.entries()) {
      editor.answers.splice(0, Infinity, ...yes.slice(0, index));
      expect(await confirmSendSelection(document)).toBe(false);
    }
  },
);
