import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { choosePersona } from '../../src/chat/vscode/persona-pick.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { Control } from '../service/control.ts';
import { waitUntil } from '../support/eventually.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signedInOptions = { environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } };

async function chooseFromPicker(
  fixture: ChatFixture,
  picker: PickerProbe,
  name: string,
): Promise<void> {
  const { host, chats, chatWebview } = fixture;
  const choicePromise = choosePersona(
    { host, chats, getVisibleChat: async () => chatWebview },
    name,
  );
  await waitUntil(() => picker.isOpen && picker.listLabels().includes(name));
  picker.acceptItems(picker.findItem(name));
  await choicePromise;
}

suite('the personas', () => {
  test('are listed with descriptions and photos, which are requested without the API key', async () => {
    using fixture = createChatFixture(signedInOptions);
    using picker = new PickerProbe();
    const { host, chats, chatWebview } = fixture;
    const choicePromise = choosePersona(
      { host, chats, getVisibleChat: async () => chatWebview },
      'zen philosopher',
    );
    await waitUntil(() => picker.isOpen && picker.listLabels().includes('Alan Watts'));
    const item = picker.findItem('Alan Watts');
    assert.match(item.description ?? '', /of 5 · philosophy, zen, wisdom/u);
    assert.match(item.detail ?? '', /A philosopher/u);
    await waitUntil(() => picker.findItem('Alan Watts').iconPath instanceof vscode.Uri);
    const icon = picker.findItem('Alan Watts').iconPath as vscode.Uri;
    assert.equal(icon.scheme, 'file');
    const photoRequests = (await control.getRequests()).filter(({ path }) =>
      path.includes('/photos/'),
    );
    assert.ok(photoRequests.length > 0);
    assert.ok(photoRequests.every(({ headers }) => headers['authorization'] === undefined));
    picker.quickPick.hide();
    await choicePromise;
  });

  test('exclude personas for adults, and the list reports a search without results', async () => {
    using fixture = createChatFixture(signedInOptions);
    using picker = new PickerProbe();
    const { host, chats, chatWebview } = fixture;
    const choicePromise = choosePersona(
      { host, chats, getVisibleChat: async () => chatWebview },
      'velvet',
    );
    await waitUntil(
      () => picker.isOpen && picker.listLabels().some((label) => label === 'No results'),
    );
    picker.quickPick.hide();
    await choicePromise;
  });

  test('apply to a single chat, and can be removed', async () => {
    using fixture = createChatFixture(signedInOptions);
    using picker = new PickerProbe();
    await fixture.host.models.refresh();
    const statePromise = fixture.page.waitForMessage('state-set');
    fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
    await statePromise;
    const personaMessagePromise = fixture.page.waitForMessage(
      'voice-change',
      (message) => message.type === 'voice-change' && message.voice.persona === 'Alan Watts',
    );
    await chooseFromPicker(fixture, picker, 'Alan Watts');
    await personaMessagePromise;
    const { chat } = fixture.chatWebview;
    await chat.session.send('What is a queue?', []);
    const answer = chat.session.conversation.head;
    assert.match(answer?.text ?? '', /^You see, my friend/u);
    const chatRequest = (await control.getRequests()).findLast(({ path }) =>
      path.endsWith('/chat/completions'),
    );
    assert.match(JSON.stringify(chatRequest?.body), /"character_slug":"alan-watts"/u);
    const closedMessagePromise = fixture.page.waitForMessage(
      'voice-change',
      (message) => message.type === 'voice-change' && message.voice.persona === null,
    );
    fixture.page.sendToHost({ type: 'voice-command', command: 'remove-persona' });
    await closedMessagePromise;
  });

  test('are listed among the features that an encrypted chat lacks', async () => {
    using fixture = createChatFixture(signedInOptions);
    const { host, page, chat } = fixture;
    await host.models.refresh();
    await host.models.selectChatModel('sealed-letter-70b');
    const statePromise = page.waitForMessage('state-set');
    page.sendToHost({ type: 'ready', version: protocolVersion });
    const stateMessage = await statePromise;
    assert.ok(stateMessage.type === 'state-set');
    assert.match(stateMessage.state.model?.encryption ?? '', /personas/u);
    const modelMessagePromise = page.waitForMessage('model-change');
    await chat.session.setOptions({ character: { slug: 'alan-watts', name: 'Alan Watts' } });
    await modelMessagePromise;
    const modeMessage = page.receivedMessages.findLast(({ type }) => type === 'mode-change');
    assert.match(JSON.stringify(modeMessage), /encrypted end to end/u);
  });

  test('are replaced with an error and a retry entry if they cannot be loaded', async () => {
    using fixture = createChatFixture(signedInOptions);
    using picker = new PickerProbe();
    await control.injectFault({
      match: { path: '/characters' },
      fault: { kind: 'status', status: 400, body: { error: 'No' } },
      times: 1,
    });
    const { host, chats, chatWebview } = fixture;
    const choicePromise = choosePersona(
      { host, chats, getVisibleChat: async () => chatWebview },
      '',
    );
    await waitUntil(
      () => picker.isOpen && picker.listLabels().some((label) => label.startsWith('$(error)')),
    );
    picker.acceptItems(picker.quickPick.items.at(-1) as vscode.QuickPickItem);
    await waitUntil(() => picker.listLabels().includes('Alan Watts'));
    picker.quickPick.hide();
    await choicePromise;
    await control.reset();
  });
});
