import { expect, test, vi } from 'vitest';
import type { HostMessage } from '../../protocol/host-message.ts';
import {
  editor,
  type FakeUri,
  LinkedWorkspace,
} from '../../../../test/support/linked-workspace.fixture.ts';
import { waitUntil } from '../../../../test/support/eventually.ts';
import { readModel } from '../../../service/read-model.ts';
import { ContextMessages, offerCommitMessage } from './context-messages.ts';

vi.mock(
  'vscode',
  async () => (await import('../../../../test/support/linked-workspace.fixture.ts')).editor,
);

const auditPrompt = {
  name: 'audit',
  description: '',
  mode: '',
  model: '',
  body: '#codebase Find every apiKey.',
};
const leakPrompt = { ...auditPrompt, name: 'leak', mode: 'agent', model: 'open' };

const listedModels = [
  ['sealed', { supportsE2EE: true, supportsTeeAttestation: true }],
  ['open', {}],
].map(([id, capabilities]) =>
  readModel({ id, type: 'text', model_spec: { name: id, capabilities } }),
);
const chatSettings = {
  agents: { getMode: () => 'ask' },
  getModels: () => ({
    models: listedModels,
    allModels: listedModels,
    chatModel: listedModels[0],
    selectedName: undefined,
  }),
};

/** Message handlers of a chat page, with fake functions that record their calls. */
class FakePage {
  readonly postedMessages: HostMessage[] = [];
  /** Kind of each attached item, and the question, path or text of the item. */
  readonly attachedItems: (readonly [string, string])[] = [];
  readonly notices: string[] = [];
  /** Notice that the fake codebase search returns. Undefined for a search without a notice. */
  searchNotice: string | undefined;
  readonly chat = { attachments: [] } as never;
  readonly messages = new ContextMessages(
    {
      prompts: { prompts: Promise.resolve([auditPrompt, leakPrompt]) },
      contextAttacher: {
        attachCodebase: async (_: unknown, question: string) => {
          this.attachedItems.push(['codebase', question]);
          return this.searchNotice;
        },
        attachDroppedUri: async ({ path }: FakeUri) =>
          void this.attachedItems.push(['dropped item', path]),
      },
      // The tests use no other members of this object.
    } as never,
    {
      post: (message: HostMessage) => this.postedMessages.push(message),
      showNotice: (text: string) => this.notices.push(text),
      focus: () => {},
      chatSettings,
    } as never,
  );

  sendText(text: string): Promise<boolean> {
    return this.messages.prepareSend(text, this.chat);
  }

  async dropUris(...uris: readonly (FakeUri | string)[]): Promise<readonly string[]> {
    await this.messages.handlers['context-drop'](
      { type: 'context-drop', uris: uris.map(String) },
      this.chat,
    );
    return this.attachedItems.map(([, path]) => path);
  }
}

test('ContextMessages attaches search results when a prompt with #codebase is shown, and does not search again when the prompt is sent', async () => {
  const page = new FakePage();
  expect(await page.sendText('/audit In src.')).toBe(false);
  const text = 'codebase Find every apiKey.\n\nIn src.';
  expect(page.postedMessages).toEqual([{ type: 'draft-set', text, replace: true }]);
  expect(page.attachedItems).toEqual([['codebase', text]]);
  expect(await page.sendText(text)).toBe(true);
  expect(page.attachedItems).toHaveLength(1);
});

test('ContextMessages keeps the mode and the model if a prompt file requests Agent mode and a less protected model, and shows one notice about both requests', async () => {
  const page = new FakePage();
  page.searchNotice = 'One file is left out because it may hold secrets.';
  expect(await page.sendText('/leak')).toBe(false);
  const lastNotice = page.notices.at(-1) ?? '';
  expect(lastNotice).toContain('/leak asks for open, which protects less');
  expect(lastNotice).toContain('sealed stays');
  expect(lastNotice).toContain('/leak requires Agent mode');
  expect(lastNotice).toContain('Read the prompt, then send it.');
  expect(lastNotice).toContain(page.searchNotice);
});

test('ContextMessages searches the workspace when a message with #codebase is sent', async () => {
  const page = new FakePage();
  expect(await page.sendText('#codebase Where is apiKey?')).toBe(true);
  expect(page.attachedItems).toEqual([['codebase', '#codebase Where is apiKey?']]);
});

test('ContextMessages attaches a dropped file of the workspace, and shows no confirmation', async () => {
  using workspace = new LinkedWorkspace();
  const file = workspace.getUri('work/deep/a.ts');
  expect(await new FakePage().dropUris(file)).toEqual([file.path]);
  expect(editor.shownDialogs).toEqual([]);
});

test('ContextMessages requests confirmation of dropped files from outside the workspace, and shows their full paths', async () => {
  using workspace = new LinkedWorkspace();
  const insideUri = workspace.getUri('work/deep/a.ts');
  const outsideUri = workspace.getUri('home/notes.md');
  const outsideByPath = workspace.getUri('work/../home/.ssh/id_rsa');
  const droppedUris = [
    insideUri,
    outsideUri,
    outsideByPath,
    'not an address',
    'https://tide.example/a',
  ];
  expect(await new FakePage().dropUris(...droppedUris)).toEqual([insideUri.path]);
  editor.dialogAnswers.push('Attach');
  const key = workspace.getUri('home/.ssh/id_rsa');
  expect(await new FakePage().dropUris(...droppedUris)).toEqual([
    insideUri.path,
    outsideUri.path,
    key.path,
  ]);
  const question = 'Attach what lies outside of the workspace?';
  const expectedPrompt = { question, detail: `${outsideUri.path}\n${key.path}` };
  expect(editor.shownDialogs).toEqual([expectedPrompt, expectedPrompt]);
});

test('ContextMessages attaches files of the remote host on which the extension runs, and ignores files of another remote host', async () => {
  using workspace = new LinkedWorkspace();
  const { path } = workspace.getUri('work/deep/a.ts');
  const draggedUri = `vscode-remote://ssh-remote%2Btide${path}`;
  expect(await new FakePage().dropUris(draggedUri)).toEqual([]);
  editor.env.remoteName = 'ssh-remote';
  const otherRemoteUri = `vscode-remote://wsl%2Btide${path}`;
  expect(await new FakePage().dropUris(draggedUri, otherRemoteUri)).toEqual([path]);
  expect(editor.shownDialogs).toEqual([]);
});

test('ContextMessages shows a notice if the dropped URIs contain no files', async () => {
  const page = new FakePage();
  await page.dropUris('https://tide.example/a', 'not an address');
  expect(page.notices).toEqual(['Only files and folders can be dropped here.']);
});

test('ContextMessages removes hidden characters from the path of a dropped file in the confirmation', async () => {
  using workspace = new LinkedWorkspace();
  await new FakePage().dropUris(workspace.getUri('home/%0A%0A\u{202E}notes.md'));
  expect(editor.shownDialogs[0]?.detail).toBe(workspace.toPath('home/ notes.md'));
});

test('ContextMessages attaches nothing and shows no confirmation in an untrusted workspace', async () => {
  using workspace = new LinkedWorkspace();
  editor.workspace.isTrusted = false;
  expect(await new FakePage().dropUris(workspace.getUri('home/notes.md'))).toEqual([]);
  expect(editor.shownDialogs).toEqual([]);
});

test('offerCommitMessage offers only an answer to /commit that is complete and contains a commit message', async () => {
  using _ = new LinkedWorkspace();
  const answers = [
    ['length', 'Add rows'],
    ['stop', 'fix: add <|mask|> rows'],
    ['stop', 'I need to see the diff first.'],
    ['stop', 'Here it is:\n```\nAdd rows\n```'],
  ] as const;
  for (const [finishReason, text] of answers) simulateCommitReply(text, finishReason);
  await waitUntil(() => editor.shownDialogs.length > 0);
  expect(editor.shownDialogs.map(({ question }) => question)).toEqual([
    'The commit message is written.',
  ]);
});

/** Simulates the end of a turn in which the model answers `/commit` with `text`. */
function simulateCommitReply(text: string, finishReason: string): void {
  let endTurn = (): void => {};
  offerCommitMessage({
    onDidChange: (listener: (event: object) => void) => {
      endTurn = () => listener({ type: 'work-end' });
      return { dispose() {} };
    },
    conversation: {
      head: { role: 'assistant', status: 'complete', text, result: { finishReason } },
      findTurnStartId: () => 'a',
      findMessage: () => ({ text: '/commit' }),
    },
    // The function uses no other members of the session.
  } as never);
  endTurn();
}
