import { expect, test, vi } from 'vitest';
import type { HostMessage } from '../../protocol/host-message.ts';
import {
  editor,
  type FakeUri,
  LinkedWorkspace,
} from '../../../../test/support/linked-workspace.fixture.ts';
import { readModel } from '../../../service/read-model.ts';
import { ContextMessages } from './context-messages.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../../test/support/linked-workspace.fixture.ts')).editor,
);

const audit = {
  name: 'audit',
  description: '',
  mode: '',
  model: '',
  body: '#codebase Find every apiKey.',
};
const leak = { ...audit, name: 'leak', mode: 'agent', model: 'open' };

const models = [
  ['sealed', { supportsE2EE: true, supportsTeeAttestation: true }],
  ['open', {}],
].map(([id, capabilities]) =>
  readModel({ id, type: 'text', model_spec: { name: id, capabilities } }),
);
const chatSettings = {
  agents: { mode: 'ask' },
  models: { models, allModels: models, chatModel: models[0], selectedName: undefined },
};

/** Creates a page's message handlers with ports that record calls. */
class Page {
  readonly posted: HostMessage[] = [];
  /** Attached content, as kind and subject. */
  readonly attached: (readonly [string, string])[] = [];
  readonly notices: string[] = [];
  /** Notice of the codebase search. */
  found: string | undefined;
  readonly chat = { attachments: [] } as never;
  readonly messages = new ContextMessages(
    {
      prompts: { all: Promise.resolve([audit, leak]) },
      attach: {
        attachCodebase: async (_: unknown, question: string) => {
          this.attached.push(['codebase', question]);
          return this.found;
        },
        attachDropped: async ({ path }: FakeUri) => void this.attached.push(['place', path]),
      },
      // The tests use no other members.
    } as never,
    {
      post: (message: HostMessage) => this.posted.push(message),
      notice: (text: string) => this.notices.push(text),
      focus: () => {},
      chatSettings,
    } as never,
  );

  send(text: string): Promise<boolean> {
    return this.messages.prepareSend(text, this.chat);
  }

  async drop(...uris: readonly (FakeUri | string)[]): Promise<readonly string[]> {
    await this.messages.handlers['context-drop'](
      { type: 'context-drop', uris: uris.map(String) },
      this.chat,
    );
    return this.attached.map(([, path]) => path);
  }
}

test('attaches search results before a prompt is sent, and does not search again', async () => {
  const page = new Page();
  expect(await page.send('/audit In src.')).toBe(false);
  const text = 'codebase Find every apiKey.\n\nIn src.';
  expect(page.posted).toEqual([{ type: 'draft-set', text, replace: true }]);
  expect(page.attached).toEqual([['codebase', text]]);
  expect(await page.send(text)).toBe(true);
  expect(page.attached).toHaveLength(1);
});

test('keeps the model and the mode when a prompt asks for weaker protection or Agent mode, and shows one notice', async () => {
  const page = new Page();
  page.found = 'One file is left out because it may hold secrets.';
  expect(await page.send('/leak')).toBe(false);
  const lastNotice = page.notices.at(-1) ?? '';
  expect(lastNotice).toContain('/leak asks for open, which protects less');
  expect(lastNotice).toContain('sealed stays');
  expect(lastNotice).toContain('/leak is for Agent mode');
  expect(lastNotice).toContain('Read the prompt, then send it.');
  expect(lastNotice).toContain(page.found);
});

test('searches the workspace for a typed mention when the message is sent', async () => {
  const page = new Page();
  expect(await page.send('#codebase Where is apiKey?')).toBe(true);
  expect(page.attached).toEqual([['codebase', '#codebase Where is apiKey?']]);
});

test('attaches files dropped from the workspace without asking', async () => {
  using workspace = new LinkedWorkspace();
  const file = workspace.uri('work/deep/a.ts');
  expect(await new Page().drop(file)).toEqual([file.path]);
  expect(editor.asked).toEqual([]);
});

test('asks for confirmation with the full paths before it attaches files from outside the workspace', async () => {
  using workspace = new LinkedWorkspace();
  const inside = workspace.uri('work/deep/a.ts');
  const outside = workspace.uri('home/notes.md');
  const outsideByPath = workspace.uri('work/../home/.ssh/id_rsa');
  const dropped = [inside, outside, outsideByPath, 'not an address', 'https://tide.example/a'];
  expect(await new Page().drop(...dropped)).toEqual([inside.path]);
  editor.answers.push('Attach');
  const key = workspace.uri('home/.ssh/id_rsa');
  expect(await new Page().drop(...dropped)).toEqual([inside.path, outside.path, key.path]);
  const question = 'Attach what lies outside of the workspace?';
  const expectedPrompt = { question, detail: `${outside.path}\n${key.path}` };
  expect(editor.asked).toEqual([expectedPrompt, expectedPrompt]);
});

test('attaches files of the remote machine that the extension runs on, and of no other', async () => {
  using workspace = new LinkedWorkspace();
  const { path } = workspace.uri('work/deep/a.ts');
  const dragged = `vscode-remote://ssh-remote%2Btide${path}`;
  expect(await new Page().drop(dragged)).toEqual([]);
  editor.env.remoteName = 'ssh-remote';
  const elsewhere = `vscode-remote://wsl%2Btide${path}`;
  expect(await new Page().drop(dragged, elsewhere)).toEqual([path]);
  expect(editor.asked).toEqual([]);
});

test('reports a drop without files', async () => {
  const page = new Page();
  await page.drop('https://tide.example/a', 'not an address');
  expect(page.notices).toEqual(['Only files and folders can be dropped here.']);
});

test('shows the full name of a dropped file without hidden characters', async () => {
  using workspace = new LinkedWorkspace();
  await new Page().drop(workspace.uri('home/%0A%0A\u{202E}notes.md'));
  expect(editor.asked[0]?.detail).toBe(workspace.place('home/ notes.md'));
});

test('attaches nothing and asks nothing in an untrusted workspace', async () => {
  using workspace = new LinkedWorkspace();
  editor.workspace.isTrusted = false;
  expect(await new Page().drop(workspace.uri('home/notes.md'))).toEqual([]);
  expect(editor.asked).toEqual([]);
});
