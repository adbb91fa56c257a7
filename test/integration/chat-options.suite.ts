import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { exportMarkdown } from '../../src/conversation/export.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import { Control } from '../service/control.ts';
import { eventually } from '../support/eventually.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);

type OptionDetailsMessage = Extract<HostMessage, { type: 'option-details' }>;

suite('chat with options', () => {
  test('shows the options that the model supports, and sends the selected options', async () => {
    using fixture = await openChat();
    const names = (await runOptionsAction(fixture, 'show')).fields.map(({ name }) => name);
    const { capabilities } = fixture.host.models.chatModel ?? {};
    assert.equal(names.includes('webSearch'), capabilities?.supportsWebSearch);
    assert.equal(names.includes('xSearch'), capabilities?.supportsXSearch);
    assert.equal(names.includes('reasoningEffort'), capabilities?.supportsReasoningEffort);
    await runOptionsAction(fixture, 'set', 'temperature', '0,3');
    await runOptionsAction(fixture, 'set', 'stop', 'END\nSTOP');
    await runOptionsAction(fixture, 'set', 'webSearch', 'on');
    const state = fixture.page.receivedMessages.findLast(({ type }) => type === 'options-change');
    assert.deepEqual(state?.type === 'options-change' && state.options, {
      webSearch: 'on',
      searchDisabledReason: '',
      suffix: '',
      changed: true,
    });
    await sendMessage(fixture, 'What is new today?');
    const body = await readLastBody();
    assert.deepEqual([body['temperature'], body['stop']], [0.3, ['END', 'STOP']]);
    const parameters = getParameters(body);
    assert.equal(parameters['enable_web_search'], 'on');
    assert.equal(parameters['enable_web_citations'], true);
    assert.equal(parameters['include_search_results_in_stream'], true);
  });

  test('changes the permission level of this chat, but not the setting or the level of new chats', async () => {
    using fixture = await openChat();
    const { page, chat, chats } = fixture;
    const changeMessagePromise = page.waitForMessage('permissions-change');
    page.sendToHost({ type: 'permissions-select', level: 'runCommands' });
    assert.deepEqual(await changeMessagePromise, {
      type: 'permissions-change',
      permissionLevel: 'runCommands',
    });
    assert.equal(chat.session.conversation.permissionLevel, 'runCommands');
    const configuration = vscode.workspace.getConfiguration('inferenceService.agent');
    assert.equal(configuration.get('permissions'), 'applyEdits');
    assert.equal(chats.create().session.conversation.permissionLevel, 'applyEdits');
  });

  test('shows the reason for an invalid option value at its field, and changes no option', async () => {
    using fixture = await openChat();
    const { fields } = await runOptionsAction(fixture, 'set', 'topP', '7');
    const field = fields.find(({ name }) => name === 'topP');
    assert.deepEqual([field?.value, field?.problem], ['7', 'This must be a number from 0 to 1.']);
    assert.deepEqual(fixture.chat.session.conversation.options, {});
    await runOptionsAction(fixture, 'set', '__proto__', 'x');
    await runOptionsAction(fixture, 'set', 'character', 'x');
    assert.deepEqual(fixture.chat.session.conversation.options, {});
  });

  test('stores, applies and deletes presets, and starts a new chat with the most recently used options', async () => {
    using fixture = await openChat();
    const initialDetails = await runOptionsAction(fixture, 'show');
    assert.deepEqual(
      initialDetails.presets.map(({ name }) => name),
      ['Precise', 'Creative'],
    );
    await runOptionsAction(fixture, 'set', 'webSearch', 'auto');
    assert.equal((await runOptionsAction(fixture, 'choose', 'precise')).preset, 'precise');
    assert.deepEqual(fixture.chat.session.conversation.options, {
      webSearch: 'auto',
      temperature: 0.2,
      topP: 0.9,
    });
    await runOptionsAction(fixture, 'set', 'seed', '7');
    const storedDetails = await runOptionsAction(fixture, 'keep', 'Same again');
    const storedPreset = storedDetails.presets.find(({ name }) => name === 'Same again');
    assert.equal(storedDetails.preset, storedPreset?.id);
    assert.deepEqual((await runOptionsAction(fixture, 'reset')).preset, '');
    assert.equal(
      (await runOptionsAction(fixture, 'choose', storedPreset?.id ?? '')).preset,
      storedPreset?.id,
    );
    const newConversation = fixture.chats.create().session.conversation;
    assert.deepEqual(newConversation.options, {
      webSearch: 'auto',
      temperature: 0.2,
      topP: 0.9,
      seed: 7,
    });
    const remainingDetails = await runOptionsAction(fixture, 'remove', storedPreset?.id ?? '');
    assert.equal(remainingDetails.presets.length, 2);
    await runOptionsAction(fixture, 'reset');
    assert.deepEqual(fixture.chats.create().session.conversation.options, {});
  });

  test('stores the options and web sources of each conversation', async () => {
    using fixture = await openChat();
    const { chats, chat, page } = fixture;
    await runOptionsAction(fixture, 'set', 'webSearch', 'on');
    await sendMessage(fixture, 'What is new today?');
    await chat.session.waitUntilSettled();
    const conversation = await chats.files.load(chat.id);
    assert.deepEqual(conversation?.options, { webSearch: 'on' });
    const answer = conversation?.listPath().at(-1);
    const citations = answer?.role === 'assistant' ? (answer.result.citations ?? []) : [];
    assert.ok(citations.length > 0, 'the service searched');
    const citationsMessage = page.receivedMessages.findLast(({ type }) => type === 'citations-put');
    assert.equal(
      citationsMessage?.type === 'citations-put' && citationsMessage.citations.length,
      citations.length,
    );

    await vscode.env.clipboard.writeText('');
    page.sendToHost({ type: 'message-copy', messageId: answer?.id });
    const copiedText = await waitForCopiedText();
    assert.match(copiedText, /\[\^1\]/);
    assert.match(copiedText, /\n\[\^1\]: \[.+\]\(<https?:\/\/.+>\), /);
    assert.match(exportMarkdown(chat.session.conversation), /\n\[\^2-1\]: \[/);
    await runOptionsAction(fixture, 'reset');
  });
});

async function openChat(): Promise<ChatFixture> {
  await control.reset();
  await control.setResponsePace('instant');
  const fixture = createChatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
  fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
  await fixture.host.models.refresh();
  const searchModel = fixture.host.models.models.find(
    ({ type, offline, capabilities }) =>
      type === 'text' && !offline && capabilities.supportsWebSearch,
  );
  if (searchModel !== undefined) await fixture.host.models.selectChatModel(searchModel.id);
  return fixture;
}

async function runOptionsAction(
  { page }: ChatFixture,
  action: string,
  name = '',
  value = '',
): Promise<OptionDetailsMessage> {
  const detailsPromise = page.waitForMessage('option-details');
  page.sendToHost({ type: 'options-action', action, name, value });
  const details = await detailsPromise;
  assert.ok(details.type === 'option-details');
  return details;
}

function sendMessage({ page, chat }: ChatFixture, text: string): Promise<HostMessage> {
  const turnEndPromise = page.waitForMessage('turn-end');
  page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
  return turnEndPromise;
}

async function readLastBody(): Promise<Record<string, unknown>> {
  const requests = await control.getRequests();
  const request = requests.findLast(({ path }) => path.endsWith('/chat/completions'));
  return request?.body as Record<string, unknown>;
}

/**
 * Returns the parameters in a request body that are specific to the service. The name of their field is the prefix of
 * the deployment, followed by `_parameters`.
 */
function getParameters(body: Record<string, unknown>): Record<string, unknown> {
  const name = Object.keys(body).find((key) => key.endsWith('_parameters')) ?? '';
  return body[name] as Record<string, unknown>;
}

/** Waits until the extension copies a text to the clipboard, and returns this text. */
async function waitForCopiedText(): Promise<string> {
  return eventually(async () => {
    const text = await vscode.env.clipboard.readText();
    assert.notEqual(text, '');
    return text;
  });
}
