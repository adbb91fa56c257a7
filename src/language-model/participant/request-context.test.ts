import { expect, test, vi } from 'vitest';
import {
  editor,
  type FakeUri,
  LinkedWorkspace,
} from '../../../test/support/linked-workspace.fixture.ts';
import { buildRequestContext } from './request-context.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../test/support/linked-workspace.fixture.ts')).editor,
);

/** Builds the context of a request. Returns two texts: the context, and the notes about it that the answer shows. */
async function buildContext(
  values: readonly (FakeUri | string)[],
): Promise<{ readonly contextJson: string; readonly notes: string }> {
  const notes: string[] = [];
  const stream = {
    markdown: (messageText: string | { readonly value: string }) =>
      notes.push(typeof messageText === 'string' ? messageText : messageText.value),
    reference: () => {},
  };
  const request = { command: 'fix', references: values.map((value) => ({ value })) };
  const options = { stream, supportsVision: true };
  const parts = await buildRequestContext(request as never, options as never);
  return { contextJson: JSON.stringify(parts), notes: notes.join('') };
}

test('buildRequestContext attaches the content and the problems of a file', async () => {
  using workspace = new LinkedWorkspace();
  const { contextJson, notes } = await buildContext([workspace.getUri('work/deep/a.ts')]);
  expect(contextJson).toMatch(/attachment: deep\/a\.ts.*Problems of deep\/a\.ts/u);
  expect(notes).toBe('');
});

test('buildRequestContext labels a file outside the workspace by name only, without the user name in its path', async () => {
  using workspace = new LinkedWorkspace();
  const { contextJson } = await buildContext([workspace.getUri('home/notes.md')]);
  expect(contextJson).toMatch(/attachment: notes\.md.*Problems of notes\.md/u);
  expect(contextJson).not.toContain(workspace.toPath('home'));
});

test.each([
  ['the file .env', 'work/.env'],
  ['a link to a private key', 'work/notes.txt'],
  ['a link to a file outside the workspace', 'work/out.md'],
])(
  'buildRequestContext omits %s from the request, and reports the omission',
  async (_name, path) => {
    using workspace = new LinkedWorkspace({
      'real/notes.txt': 'home/.ssh/id_rsa',
      'real/out.md': 'home/notes.md',
    });
    const { contextJson, notes } = await buildContext([workspace.getUri(path)]);
    expect(contextJson).toBe('[]');
    expect(notes).toContain('Files not sent, because they may hold secrets');
  },
);

test('buildRequestContext sends neither files nor text in an untrusted workspace', async () => {
  using workspace = new LinkedWorkspace();
  editor.workspace.isTrusted = false;
  const { contextJson, notes } = await buildContext([
    workspace.getUri('work/deep/a.ts'),
    'Files: deep/a.ts',
  ]);
  expect(contextJson).toBe('[]');
  expect(notes).toContain('until you trust the workspace');
});
