import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { eventually } from '../support/eventually.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { selectModel } from '../../src/models/vscode/select-model.ts';
import {
  type AttestationDocuments,
  showAttestation,
} from '../../src/privacy/vscode/show-attestation.ts';
import { createPrivacyPorts } from '../../src/privacy/vscode/contribute.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { streamChat } from '../../src/service/chat/stream-chat.ts';
import { flattenBatches } from '../support/batches.ts';
import type { ChatEvent } from '../../src/service/chat/chat-types.ts';
import type { ServiceContext } from '../../src/service/http/client.ts';
import { selectModelOfChat } from '../../src/models/vscode/selected-model.ts';
import { Control } from '../service/control.ts';
import { waitForEvent } from '../support/eventually.ts';
import {
  type AccountFixture,
  createAccountFixture,
  Dialogs,
  withSettings,
} from './account-fixture.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signal = new AbortController().signal;
const keyEnvironment = { INFERENCE_SERVICE_API_KEY: service.apiKey };
const secretText = 'Lanternfish';
const encryptedModelId = 'sealed-letter-70b';
const attestedModelId = 'enclave-quiet-32b';

/**
 * Creates a service client like that of the extension: it enforces the private-only setting, and applies the protection
 * that each model requires, such as encryption.
 */
function createGuardedContext(fixture: AccountFixture): ServiceContext {
  const { context, account, log } = fixture;
  const models = createModelCatalog({ context, account, log });
  return { ...account.service, ...createPrivacyPorts({ account, models }) };
}

/**
 * Creates a chat like those of the extension: it enforces the private-only setting, and applies the protection that
 * each model requires, such as encryption.
 */
function createProtectedChatFixture(): ChatFixture {
  const fixture = createChatFixture({ environment: keyEnvironment });
  const { host } = fixture;
  Object.assign(host, { service: { ...host.service, ...createPrivacyPorts(host) } });
  return fixture;
}

const streamChatEvents = (
  context: ServiceContext,
  model: string,
  isBackground = false,
): Promise<ChatEvent[]> =>
  Array.fromAsync(
    flattenBatches(
      streamChat(
        context,
        { model, messages: [{ role: 'user', content: `Say ${secretText}` }] },
        { signal, isBackground },
      ),
    ),
  );

const readChatRequests = async (): Promise<string> =>
  JSON.stringify((await control.getRequests()).filter(({ path }) => path.includes('/chat/')));

suite('the privacy protection', () => {
  test('encrypts requests to a model that offers encryption', async () => {
    await control.reset();
    using fixture = createAccountFixture({ environment: keyEnvironment });
    await control.addScripts({ steps: [{ content: secretText }] });
    const events = await streamChatEvents(createGuardedContext(fixture), encryptedModelId);
    assert.deepEqual(
      events.slice(-2).map((event) => ('protection' in event ? event.protection.kind : event)),
      ['encrypted', { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } }],
    );
    assert.ok(!(await readChatRequests()).includes(secretText));
  });

  test('labels answers of a model without encryption as attested, and checks the attestation only once', async () => {
    await control.reset();
    using fixture = createAccountFixture({ environment: keyEnvironment });
    const context = createGuardedContext(fixture);
    for (let count = 0; count < 2; count++) {
      const events = await streamChatEvents(context, attestedModelId);
      assert.equal(
        events.find((event) => event.type === 'protection')?.protection.kind,
        'attested',
      );
    }
    const attestationRequests = (await control.getRequests()).filter(({ path }) =>
      path.includes('/tee/'),
    );
    assert.equal(attestationRequests.length, 1);
  });

  const attestationFaults = [
    'nonce',
    'key',
    'debug',
    'expired',
    'root',
    'quoting-enclave',
    'refuses',
  ] as const;
  for (const attestation of attestationFaults) {
    test(`sends nothing to an enclave whose attestation has the fault “${attestation}”`, async () => {
      await control.reset();
      await control.setEnclaveMisbehavior({ attestation });
      using fixture = createAccountFixture({ environment: keyEnvironment });
      using dialogs = new Dialogs();
      const events = await streamChatEvents(createGuardedContext(fixture), encryptedModelId);
      const end = events.at(-1);
      assert.ok(end?.type === 'stream-end' && end.outcome.kind === 'failed');
      assert.equal(end.outcome.failure.code, 'protection-failed');
      assert.match(dialogs.shownMessages.join(), /could not be verified/u);
      assert.equal(await readChatRequests(), '[]');
    });
  }

  test('sends one request unencrypted after confirmation, and labels its answer as unprotected', async () => {
    await control.reset();
    await control.setEnclaveMisbehavior({ attestation: 'debug' });
    using fixture = createAccountFixture({ environment: keyEnvironment });
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Send Anyway');
    const events = await streamChatEvents(createGuardedContext(fixture), encryptedModelId);
    assert.deepEqual(events.at(-2), { type: 'protection', protection: { kind: 'none' } });
    assert.match(await readChatRequests(), /Lanternfish/u);
  });

  test('fails a background request without a dialog if the attestation of the enclave is invalid', async () => {
    await control.reset();
    await control.setEnclaveMisbehavior({ attestation: 'debug' });
    using fixture = createAccountFixture({ environment: keyEnvironment });
    using dialogs = new Dialogs();
    const events = await streamChatEvents(createGuardedContext(fixture), encryptedModelId, true);
    assert.equal(events.length, 1);
    assert.deepEqual(dialogs.shownMessages, []);
  });

  test('hides non-private models and refuses requests to them while the private-only setting is on', async () => {
    await control.reset();
    using fixture = createAccountFixture({ environment: keyEnvironment });
    await withSettings({ 'inferenceService.privateModelsOnly': true }, async () => {
      const { context, account, log } = fixture;
      const models = createModelCatalog({ context, account, log });
      await models.refresh();
      assert.ok(models.models.length > 3 && models.models.length < models.allModels.length);
      assert.ok(!models.models.some(({ id }) => id === 'search-scout-24b'));
      using picker = new PickerProbe();
      selectModel({ models });
      assert.equal(picker.listLabels()[0], 'Private models only');
      assert.notEqual(picker.quickPick.activeItems[0]?.label, 'Private models only');
      using dialogs = new Dialogs();
      picker.acceptItems(picker.findItem('Private models only'));
      assert.deepEqual(dialogs.executedCommands, ['workbench.action.openSettings']);
      const searchModels = models.allModels.filter(({ id }) => id === 'search-scout-24b');
      Object.defineProperty(models, 'allModels', { get: () => searchModels });
      selectModel({ models });
      await waitForEvent(() => !models.isLoading, models.onDidChange);
      assert.match(picker.listLabels().join(), /^Private models only,.*no private models/u);
      const events = await streamChatEvents(createGuardedContext(fixture), 'search-scout-24b');
      const end = events.at(-1);
      assert.ok(end?.type === 'stream-end' && end.outcome.kind === 'failed');
      assert.equal(end.outcome.failure.code, 'private-only');
      assert.equal(await readChatRequests(), '[]');
    });
  });

  test('sends an encrypted chat to a model without encryption only after confirmation', async () => {
    await control.reset();
    await control.addScripts({ steps: [{ content: secretText }] });
    using fixture = createProtectedChatFixture();
    const { chat, host, page } = fixture;
    await host.models.refresh();
    const statePromise = page.waitForMessage('state-set');
    page.sendToHost({ type: 'ready', version: protocolVersion });
    await statePromise;
    await host.models.selectChatModel(encryptedModelId);
    await chat.session.send(`What does the ${secretText} do?`, []);
    await selectModelOfChat(host.models, chat.session, 'search-scout-24b');
    using dialogs = new Dialogs();
    const draftMessagePromise = page.waitForMessage('draft-set');
    const sendText = (text: string): void =>
      page.sendToHost({ type: 'message-send', conversationId: chat.id, text });
    const attachment = {
      id: 'n1',
      kind: 'file',
      label: 'night.ts',
      language: 'typescript',
    } as const;
    chat.attach({ ...attachment, text: 'night()' });
    sendText('And at night?');
    assert.deepEqual(await draftMessagePromise, {
      type: 'draft-set',
      text: 'And at night?',
      replace: false,
    });
    assert.match(dialogs.shownMessages.splice(0).join(), /with less protection/u);
    assert.equal(chat.session.conversation.listPath().length, 2);
    assert.ok(!(await readChatRequests()).includes(secretText));

    const draftPromise = page.waitForMessage('draft-set');
    const [firstMessage] = chat.session.conversation.listPath();
    page.sendToHost({ type: 'message-edit', messageId: firstMessage?.id ?? '', text: 'Other' });
    assert.deepEqual(await draftPromise, { type: 'draft-set', text: 'Other', replace: false });
    assert.equal(dialogs.shownMessages.splice(0).length, 1);
    assert.equal(chat.attachments.length, 1);

    dialogs.buttonsToPress.push('Send Anyway');
    for (const text of ['And at night?', 'By day?']) {
      const turnEndPromise = page.waitForMessage('turn-end');
      sendText(text);
      await turnEndPromise;
      await chat.session.waitUntilSettled();
    }
    assert.equal(dialogs.shownMessages.length, 1);
    assert.match(await readChatRequests(), /search-scout-24b.*Lanternfish.*night\(\)/u);
    assert.deepEqual(chat.attachments, []);
  });

  test('stops a turn when its model no longer runs in an enclave', async () => {
    await control.reset();
    await control.addScripts(
      { steps: [{ toolCall: { index: 0, id: 'c1', name: 'look', arguments: '{}' } }] },
      { steps: [{ content: secretText }] },
    );
    using fixture = createProtectedChatFixture();
    const { chat, host } = fixture;
    await host.models.refresh();
    await host.models.selectChatModel(attestedModelId);
    const changedModels = host.models.allModels.map((model) => ({
      ...model,
      capabilities: { ...model.capabilities, supportsE2EE: false, supportsTeeAttestation: false },
    }));
    chat.session.onDidChange((event) => {
      if (event.type !== 'turn-event' || event.event.type !== 'turn-end') return;
      Object.defineProperty(host.models, 'allModels', { get: () => changedModels });
    });
    await chat.session.send(`What does the ${secretText} do?`, []);
    const [, firstMessage, lastMessage] = chat.session.conversation.listPath();
    assert.ok(
      firstMessage?.role === 'assistant' && firstMessage.result.protection?.kind === 'attested',
    );
    assert.ok(lastMessage?.role === 'assistant');
    assert.equal(lastMessage.result.failure?.code, 'protection-failed');
    const chatRequests = (await control.getRequests()).filter(({ path }) =>
      path.includes('/chat/'),
    );
    assert.equal(chatRequests.length, 1);
    assert.equal(await control.countRemainingReplies(), 1);
  });

  test('shows one dialog if the model of a chat no longer offers encryption', async () => {
    await control.reset();
    using fixture = createProtectedChatFixture();
    const { chat, host } = fixture;
    await host.models.refresh();
    await host.models.selectChatModel(encryptedModelId);
    await chat.session.send('Hello', []);
    const changedModels = host.models.allModels.map((model) => ({
      ...model,
      capabilities: { ...model.capabilities, supportsE2EE: false, supportsTeeAttestation: false },
    }));
    Object.defineProperty(host.models, 'allModels', { get: () => changedModels });
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Send Anyway');
    await chat.session.send(secretText, []);
    assert.deepEqual(dialogs.shownMessages, ['Send this chat with less protection?']);
    const answer = chat.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    assert.deepEqual([answer.status, answer.result.protection], ['complete', { kind: 'none' }]);
    assert.match(await readChatRequests(), /Lanternfish/u);
  });

  test('shows the attestation check that preceded an answer, and labels a later check as new', async () => {
    await control.reset();
    using fixture = createProtectedChatFixture();
    const { chat, context, host } = fixture;
    await host.models.refresh();
    await host.models.selectChatModel(encryptedModelId);
    await chat.session.send('Hello', []);
    const answer = chat.session.conversation.head;
    assert.ok(answer?.role === 'assistant');
    let text = '';
    const openDocument = async (content: string): Promise<void> => void (text = content);
    const documents = { openDocument } as unknown as AttestationDocuments;
    const show = async (protection: unknown): Promise<number> => {
      await control.reset();
      await showAttestation({ host, documents }, encryptedModelId, protection);
      assert.match(text, /Verified: genuine Intel hardware/u);
      return (await control.getRequests()).filter(({ path }) => path.includes('/tee/')).length;
    };
    assert.equal(await show(answer.result.protection), 0);
    assert.match(text, /^Checked before the answer was requested/u);
    rmSync(vscode.Uri.joinPath(context.globalStorageUri, 'attestations').fsPath, {
      recursive: true,
    });
    assert.equal(await show(answer.result.protection), 1);
    assert.match(text, /^This is a new check, not the one before the answer/u);
    assert.equal(await show({ kind: 'none' }), 1);
    assert.match(text, /^This is a new check, not the one before the answer/u);
    assert.equal(await show(undefined), 1);
    assert.match(text, /^Attestation of/u);
    using dialogs = new Dialogs();
    await showAttestation({ host, documents }, 'search-scout-24b', { kind: 'none' });
    assert.match(dialogs.shownMessages.join(), /no enclave of Search Scout/u);
  });

  test('shows an attestation as a rendered page', async () => {
    await control.reset();
    await vscode.commands.executeCommand('inferenceService.showAttestation', encryptedModelId);
    const { input, label } = await eventually(async () => {
      const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
      if (!(tab?.input instanceof vscode.TabInputWebview)) throw new Error('No page is shown.');
      return tab;
    });
    assert.ok(input instanceof vscode.TabInputWebview);
    assert.match(input.viewType, /markdown\.preview/u);
    assert.match(label ?? '', /Attestation of/u);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
