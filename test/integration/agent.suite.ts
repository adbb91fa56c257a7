import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { protocolVersion } from '../../src/protocol/host-message.ts';
import { Control } from '../service/control.ts';
import { type ChatFixture, chatFixture } from './chat-fixture.ts';
import { suiteEnvironment } from './environment.ts';

const { service } = suiteEnvironment();
const control = new Control(service.controlUrl);
const model = 'assistant-large-480b';

suite('agent', () => {
  test('a page that shows another chat hears no more of what the first one changed', async () => {
    using fixture = await openChat();
    const { agents, page, shown, chats } = fixture;
    const file = folder('told.txt');
    try {
      await turnThatCreates(fixture, 'told.txt');
      const { changes } = await agents.runtime();
      const loaded = Promise.withResolvers<void>();
      const load = changes.load.bind(changes);
      changes.load = (id) => loaded.promise.then(() => load(id));
      // Shown anew, it begins to follow; before it has read what there is, it is replaced.
      const first = fixture.chat;
      shown.show(first);
      shown.show(chats.create());
      const told = page.told.length;
      loaded.resolve();
      await changes.load(first.id);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(typesOf(page.told.slice(told), 'changes-put'), []);
      shown.show(first);
      await page.hears('changes-put');
    } finally {
      await vscode.workspace.fs.delete(file, { useTrash: false });
    }
  });

  test('a file outside the workspace is not opened from a row, and the person is told', async () => {
    using fixture = await openChat();
    const { page, chat } = fixture;
    const calls = [
      { id: 't1', type: 'function', function: { name: 'read_file', arguments: '{}' } },
    ];
    await control.script({ steps: [{ content: 'Hi.' }] });
    const end = page.hears('turn-end');
    page.say({ type: 'message-send', conversationId: chat.id, text: 'Hello' });
    await end;
    const answer = chat.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    Object.assign(answer.result, { toolCalls: calls });
    const run = { callId: 't1', status: 'done', verb: 'Read', target: 'x', output: '' } as const;
    chat.session.conversation.apply({
      type: 'tool-run',
      id: answer.id,
      run: { ...run, uri: 'file:///etc/hostname', readOnly: true, startedAt: 0 },
    });
    const notice = page.hears('notice-show');
    page.say({ type: 'tool-open', messageId: answer.id, callId: 't1' });
    assert.match(JSON.stringify(await notice), /outside the workspace/);
  });
});

/** A chat whose page has its first state, with a model that calls tools. */
async function openChat(): Promise<ChatFixture> {
  await control.reset();
  await control.pace('instant');
  const fixture = chatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
  fixture.page.say({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  await fixture.host.models.selectChatModel(model);
  return fixture;
}

/** A turn that creates a file, as the person allows, and says another word. */
async function turnThatCreates(fixture: ChatFixture, path: string): Promise<void> {
  await control.script({ steps: [callOf('create_file', { path, content: 'new\n' })] });
  await control.script({ steps: [{ content: 'Done.' }] });
  const { chat } = fixture;
  const turn = chat.session.send('Create it', []);
  await Promise.race([allowed(fixture), turn]);
  await turn;
  const runs = chat.session.conversation.path().flatMap((each) => (each.role === 'assistant' ? each.toolRuns : []));
  assert.deepEqual(runs.map(({ status, output }) => [status, output]), [['done', 'x']], JSON.stringify(chat.session.conversation.path()));
}

/** Resolves when the first thing that waits was allowed. */
function allowed({ agents, chat }: ChatFixture): Promise<void> {
  const { pending } = agents.of(chat.id);
  return new Promise((resolve) => {
    const look = (): void => {
      const [first] = pending.all;
      if (first === undefined) return;
      waiting.dispose();
      pending.answerApproval(first.id, { answer: 'once' });
      resolve();
    };
    const waiting = pending.onDidChange(look);
    look();
  });
}

const callOf = (name: string, args: object) => ({
  toolCall: { index: 0, id: 'call-1', name, arguments: JSON.stringify(args) },
});

const typesOf = (told: readonly { readonly type: string }[], type: string): string[] =>
  told.map((message) => message.type).filter((each) => each === type);

function folder(path: string): vscode.Uri {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first);
  return vscode.Uri.joinPath(first.uri, path);
}
