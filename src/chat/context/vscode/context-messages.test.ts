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
const followers = {
  agents: { mode: 'ask' },
  models: { models, all: models, chatModel: models[0], chosenName: undefined },
};

/** The messages of a page over parts that only note what they are asked for. */
class Page {
  readonly posted: HostMessage[] = [];
  /** What was attached, as the kind and what it is about. */
  readonly attached: (readonly [string, string])[] = [];
  readonly notices: string[] = [];
  /** What the search says. */
  found: string | undefined;
  readonly chat = { attachments: [] } as never;
  readonly messages = new ContextMessages(
    {
      prompts: { all: Promise.resolve([audit, leak]) },
      attach: {
        codebase: async (_: unknown, question: string) => {
          this.attached.push(['codebase', question]);
          return this.found;
        },
        place: async ({ path }: FakeUri) => void this.attached.push(['place', path]),
      },
      // No more of them is used.
    } as never,
    {
      post: (message: HostMessage) => this.posted.push(message),
      notice: (text: string) => this.notices.push(text),
      focus: () => {},
      followers,
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

test('what a prompt of the workspace wants searched is there before it is sent, and not searched again', async () => {
  const page = new Page();
  expect(await page.send('/audit In src.')).toBe(false);
  const text = 'codebase Find every apiKey.\n\nIn src.';
  expect(page.posted).toEqual([{ type: 'draft-set', text, replace: true }]);
  expect(page.attached).toEqual([['codebase', text]]);
  expect(await page.send(text)).toBe(true);
  expect(page.attached).toHaveLength(1);
});

test('a prompt changes neither to a weaker model nor to a mode that acts, and the last notice says all of it', async () => {
  const page = new Page();
  page.found = 'One file is left out because it may hold secrets.';
  expect(await page.send('/leak')).toBe(false);
  const said = page.notices.at(-1) ?? '';
  expect(said).toContain('/leak asks for open, which protects less');
  expect(said).toContain('sealed stays');
  expect(said).toContain('/leak is for Agent mode');
  expect(said).toContain('Read the prompt, then send it.');
  expect(said).toContain(page.found);
});

test('a mention that a person types is searched for when it is sent', async () => {
  const page = new Page();
  expect(await page.send('#codebase Where is apiKey?')).toBe(true);
  expect(page.attached).toEqual([['codebase', '#codebase Where is apiKey?']]);
});

test('what is dropped from the workspace goes along without a question', async () => {
  using workspace = new LinkedWorkspace();
  const file = workspace.uri('work/deep/a.ts');
  expect(await new Page().drop(file)).toEqual([file.path]);
  expect(editor.asked).toEqual([]);
});

test('what is dropped from elsewhere goes along when the person says so, who is told all of it', async () => {
  using workspace = new LinkedWorkspace();
  const inside = workspace.uri('work/deep/a.ts');
  const outside = workspace.uri('home/notes.md');
  const above = workspace.uri('work/../home/.ssh/id_rsa');
  const dropped = [inside, outside, above, 'not an address', 'https://tide.example/a'];
  expect(await new Page().drop(...dropped)).toEqual([inside.path]);
  editor.answers.push('Attach');
  const key = workspace.uri('home/.ssh/id_rsa');
  expect(await new Page().drop(...dropped)).toEqual([inside.path, outside.path, key.path]);
  const question = 'Attach what lies outside of the workspace?';
  const asked = { question, detail: `${outside.path}\n${key.path}` };
  expect(editor.asked).toEqual([asked, asked]);
});

test('files of another machine go along where this runs there, and nowhere else', async () => {
  using workspace = new LinkedWorkspace();
  const { path } = workspace.uri('work/deep/a.ts');
  const dragged = `vscode-remote://ssh-remote%2Btide${path}`;
  expect(await new Page().drop(dragged)).toEqual([]);
  editor.env.remoteName = 'ssh-remote';
  const elsewhere = `vscode-remote://wsl%2Btide${path}`;
  expect(await new Page().drop(dragged, elsewhere)).toEqual([path]);
  expect(editor.asked).toEqual([]);
});

test('what is no file is said to be none', async () => {
  const page = new Page();
  await page.drop('https://tide.example/a', 'not an address');
  expect(page.notices).toEqual(['Only files and folders can be dropped here.']);
});

test('the name of what is dropped cannot look like another one', async () => {
  using workspace = new LinkedWorkspace();
  await new Page().drop(workspace.uri('home/%0A%0A\u{202E}notes.md'));
  expect(editor.asked[0]?.detail).toBe(workspace.place('home/ notes.md'));
});

test('in a workspace that is not trusted nothing is asked or taken', async () => {
  using workspace = new LinkedWorkspace();
  editor.workspace.isTrusted = false;
  expect(await new Page().drop(workspace.uri('home/notes.md'))).toEqual([]);
  expect(editor.asked).toEqual([]);
});
