/** Uses the extension in a real extension host, so that it stores data of every kind. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../../src/base/clock.ts';
import { KeyStore, saveStoredKeyInfo } from '../../../src/account/vscode/key-store.ts';
import { getSlotId } from '../../../src/account/key-state.ts';
import { ToolSelection } from '../../../src/agent/vscode/configure-tools.ts';
import { CompletionConsent } from '../../../src/completion/vscode/consent.ts';
import { writeAcceptanceRates } from '../../../src/completion/vscode/completion-runtime.ts';
import { UsageLedger } from '../../../src/completion/vscode/completion-activity.ts';
import { promptForInstruction } from '../../../src/editor/vscode/edit-command.ts';
import { Gallery } from '../../../src/image/vscode/gallery.ts';
import { getGalleryFolder } from '../../../src/image/vscode/gallery-folder.ts';
import { ImageChoice } from '../../../src/image/vscode/image-choice.ts';
import type { ImageModel } from '../../../src/image/image-model.ts';
import type { ModelCatalog } from '../../../src/models/vscode/model-catalog.ts';
import { Connection } from '../../../src/service/http/connection.ts';
import { SpendingLedger } from '../../../src/account/vscode/spending-ledger.ts';
import type { ExportedApi } from '../../../src/api/exported-api.ts';
import { recordEditorUse } from '../../../src/language-model/registration.ts';
import { KnownAccounts, StoredKeys } from '../../../src/wallet/vscode/known-accounts.ts';
import { saveRotation } from '../../../src/wallet/keys/vscode/key-rotation.ts';
import { createMintJournal } from '../../../src/wallet/mint/vscode/mint-journal.ts';
import { StakingJournalFile } from '../../../src/wallet/staking/vscode/staking-files.ts';
import { getStakingFolder } from '../../../src/wallet/vscode/unfinished-hints.ts';
import { savePayingAccount } from '../../../src/account/vscode/payment-choice.ts';
import { TopUpStore } from '../../../src/wallet/x402/vscode/top-up-store.ts';
import type { Host } from '../../../src/host.ts';
import { Control } from '../../service/control.ts';
import { waitUntil } from '../../support/eventually.ts';
import { PickerProbe } from '../picker-probe.ts';
import { ChatDriver, readPreparedHost } from './chat-driver.ts';
import { readSuiteEnvironment } from '../environment.ts';
import type { PreparedHost, StoredState } from './shared.ts';

const { service, resultsFile } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const modelId = 'assistant-large-480b';

const createAddress = (digit: string): `0x${string}` => `0x${digit.repeat(40)}`;
const createTestHash = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`;

/**
 * Entry point that VS Code calls in the extension host. Never resolves: the runner kills the extension host during an
 * answer.
 */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<ExportedApi>(
    'inference-service.inference-service',
  );
  const api = await extension?.activate();
  assert.ok(api);
  const preparedHost = readPreparedHost();
  await control.setResponsePace('instant');
  await storeKeys(preparedHost);
  const chat = await ChatDriver.open(preparedHost);
  await createMainChat(chat);
  await changeFiles(chat);
  await makeImages(chat, api, preparedHost);
  await chatWithPersona(chat);
  await storeAttestation(chat);
  await deleteChat(chat);
  await storeRecords(preparedHost);
  await interruptAnswer(chat);
  await writeFile(resultsFile, JSON.stringify(await readState(preparedHost)));
  // The runner kills the host here.
  await new Promise(() => {});
}

/** Calls `run`, and answers the dialogs that the extension opens in the meantime. */
async function withAnswers<T>(
  { vscodeApi }: PreparedHost,
  answers: { input?: string; button?: string },
  run: () => PromiseLike<T>,
): Promise<T> {
  const originalWindow = { ...vscodeApi.window };
  const press = async (_: string, ...args: unknown[]): Promise<unknown> =>
    args.find((item) => item === answers.button);
  Object.assign(vscodeApi.window, {
    showInputBox: async () => answers.input,
    showWarningMessage: press,
    showInformationMessage: press,
  });
  try {
    return await run();
  } finally {
    const { showInputBox, showWarningMessage, showInformationMessage } = originalWindow;
    Object.assign(vscodeApi.window, { showInputBox, showWarningMessage, showInformationMessage });
  }
}

async function storeKeys(preparedHost: PreparedHost): Promise<void> {
  await withAnswers(preparedHost, { input: service.apiKey }, async () => {
    await vscode.commands.executeCommand('inferenceService.setApiKey');
    await waitUntil(
      async () => (await preparedHost.context.secrets.get(getSecretName('work'))) !== undefined,
    );
    // The command ends only when the user closes the list of models, so the test does not wait for
    // it.
    void vscode.commands.executeCommand('inferenceService.selectModel');
    await control.waitForRequest(({ path }) => path.includes('/models'));
  });
  await wait(500);
  await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  const { origin } = new URL(service.baseUrl);
  const store = new KeyStore(preparedHost.context);
  const workspace = '0123456789abcdef0123456789abcdef';
  await store.store(getSlotId('work', 'management'), { origin, key: service.adminKey });
  await store.store(getSlotId('work', { workspace }), { origin, key: service.apiKey });
  await store.store(getSlotId('spare'), {
    origin: 'https://spare.example.com',
    key: 'spare-key-0123456789',
  });
  const { globalState } = preparedHost.context;
  const newKeyInfo = {
    type: 'INFERENCE',
    id: 'key-2',
    description: 'Laptop',
    expiresAt: '2099-01-01T00:00:00.000Z',
    consumptionLimit: { usd: 5, diem: 2 },
    limitPeriod: 'MONTH',
    modelPrivacy: 'PRIVATE_TEXT',
    last6: service.apiKey.slice(-6),
    origin,
  } as const;
  await saveStoredKeyInfo(globalState, { profileId: 'work' }, newKeyInfo);
  await saveStoredKeyInfo(
    globalState,
    { profileId: 'work', slot: { workspace } },
    { ...newKeyInfo, workspace: { id: workspace, name: 'tides' } },
  );
  await saveRotation(
    globalState,
    { profileId: 'spare', slot: 'profile' },
    { newKey: newKeyInfo, oldKey: { id: 'key-1', last6: '456789' }, usesNewKey: false },
  );
}

const getSecretName = (slot: string): string => `inferenceService.key.${slot}`;

/** Creates a chat with branches, a document, an image, reasoning, sources and a draft. Its options use a preset. */
async function createMainChat(chat: ChatDriver): Promise<void> {
  chat.page.sendToHost({ type: 'model-list-request', refresh: 'yes' });
  await control.waitForRequest(({ path }) => path.includes('/models'));
  chat.page.sendToHost({ type: 'model-select', id: modelId });
  await chat.runOptionsAction({ action: 'set', name: 'temperature', value: '0.7' });
  await chat.runOptionsAction({ action: 'set', name: 'webSearch', value: 'on' });
  await chat.runOptionsAction({ action: 'keep', name: 'Calm' });
  await attachImage(chat);
  await control.addScripts({
    steps: [{ reasoning: 'The moon. ' }, { content: 'High tide is at noon.' }],
    citations: [{ title: 'Tide tables', url: 'https://tides.example.com/', content: 'Noon.' }],
  });
  const firstState = await chat.sendText('When is high tide?');
  const [question] = firstState.messages;
  assert.ok(question);
  await control.addScripts({ steps: [{ content: 'Low tide is at six.' }] });
  const editedState = await chat.runTurn({
    type: 'message-edit',
    messageId: question.id,
    text: 'When is low tide?',
  });
  await control.addScripts({ steps: [{ content: 'At six in the evening.' }] });
  const retriedState = await chat.runTurn({
    type: 'turn-retry',
    messageId: editedState.messages.at(-1)?.id ?? '',
  });
  await control.addScripts({
    steps: [{ error: { message: 'The tide is out.', code: 'overloaded' } }],
  });
  await chat.sendText('And tomorrow?');
  assert.equal(retriedState.messages.length, 2);
  await control.addScripts(
    { steps: [{ content: 'Spring tides ' }, { hold: 'spring' }] },
    { steps: [{ content: 'come at full moon.' }] },
  );
  const textDeltaPromise = chat.page.waitForMessage('text-delta');
  const stoppedTurnPromise = chat.runTurn({
    type: 'message-send',
    conversationId: retriedState.conversation.id,
    text: 'And spring tides?',
  });
  await textDeltaPromise;
  chat.page.sendToHost({ type: 'turn-stop' });
  const { messages } = await stoppedTurnPromise;
  await chat.runTurn({ type: 'turn-continue', messageId: messages.at(-1)?.id ?? '' });
  chat.page.sendToHost({ type: 'branch-select', messageId: messages[0]?.id ?? '', index: 0 });
  chat.page.sendToHost({
    type: 'draft-change',
    conversationId: retriedState.conversation.id,
    text: 'What about Friday',
  });
  await attachImage(chat);
}

async function attachImage(chat: ChatDriver): Promise<void> {
  const { conversation } = await chat.readState();
  const attachmentsChangePromise = chat.page.waitForMessage('attachments-change');
  chat.page.sendToHost({
    type: 'media-add',
    conversationId: conversation.id,
    name: 'tide.png',
    bytes: new Uint8Array(Buffer.from(pngBase64, 'base64')),
  });
  await attachmentsChangePromise;
}

/** Starts a chat with the first persona in the service's list. */
async function chatWithPersona(chat: ChatDriver): Promise<void> {
  await chat.waitForOtherChat(() => vscode.commands.executeCommand('inferenceService.newChat'));
  const personaRequestPromise = control.waitForRequest(({ path }) => path.includes('/characters'));
  void vscode.commands.executeCommand('inferenceService.chatWithPersona', '');
  await personaRequestPromise;
  await wait(2_000);
  await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
  await wait(500);
  await control.addScripts({ steps: [{ content: 'Ahoy.' }] });
  await chat.sendText('Hello there');
}

/** Runs tools that read, change, create and delete files. Also runs a command that the user always allows. */
async function changeFiles(chat: ChatDriver): Promise<void> {
  await chat.waitForOtherChat(() => vscode.commands.executeCommand('inferenceService.newChat'));
  const createCallScript = (name: string, args: Readonly<Record<string, unknown>>, id: string) => ({
    steps: [{ call: { name, arguments: args as never, id } }],
  });
  await control.addScripts(
    createCallScript('read_file', { path: 'src/tide.ts' }, 'call_read'),
    createCallScript(
      'edit_file',
      {
        path: 'package.json',
        edits: [{ search: '"private": true', replace: '"private": false' }],
      },
      'call_edit',
    ),
    createCallScript('create_file', { path: 'docs/tides.md', content: '# Tides\n' }, 'call_create'),
    createCallScript('delete_file', { path: 'scripts/import_stations.py' }, 'call_delete'),
    createCallScript('run_command', { command: 'mkdir reports' }, 'call_run'),
    { steps: [{ content: 'The files are changed.' }] },
  );
  await withApprovals(chat, () => chat.sendText('Change the files.'));
  await control.addScripts(
    createCallScript(
      'edit_file',
      { path: 'README.md', edits: [{ search: '#', replace: '##', occurrence: 1 }] },
      'call_title',
    ),
    { steps: [{ content: 'The title is changed.' }] },
  );
  const acceptedState = await withApprovals(chat, () => chat.sendText('Change the title.'));
  await decideCall(chat, {
    turnId: acceptedState.changes.at(-1)?.turnId ?? '',
    decision: 'accept',
  });
  await control.addScripts(
    createCallScript(
      'create_file',
      { path: 'lib/gauges/gauge.ts', content: 'export {};\n' },
      'call_gauge',
    ),
    createCallScript(
      'rename_file',
      { from: 'docs/tides.md', to: 'docs/tide-guide.md' },
      'call_rename',
    ),
    { steps: [{ content: 'The guide has another name.' }] },
  );
  const undoneState = await withApprovals(chat, () => chat.sendText('Rename the guide.'));
  await decideCall(chat, { turnId: undoneState.changes.at(-1)?.turnId ?? '', decision: 'undo' });
  chat.page.sendToHost({ type: 'mode-select', mode: 'ask' });
}

/**
 * Calls `run`, and approves every tool call in the meantime. If the approval card offers to always allow the call,
 * selects this option.
 */
async function withApprovals<T>(chat: ChatDriver, run: () => Promise<T>): Promise<T> {
  const answeredIds = new Set<string>();
  const interval = setInterval(() => {
    for (const message of chat.page.receivedMessages) {
      for (const { id, ...approval } of message.type === 'pending-change' ? message.pending : []) {
        if (approval.kind !== 'approval' || answeredIds.has(id)) continue;
        answeredIds.add(id);
        const answer = approval.remember.includes('always') ? 'always' : 'once';
        chat.page.sendToHost({ type: 'approval-answer', id, answer, reason: '' });
      }
    }
  }, 100);
  try {
    return await run();
  } finally {
    clearInterval(interval);
  }
}

async function decideCall(
  chat: ChatDriver,
  decision: { readonly turnId: string; readonly decision: 'accept' | 'undo' },
): Promise<void> {
  const messagePromise = chat.page.waitForMessage('changes-put');
  chat.page.sendToHost({ type: 'changes-decide', ...decision });
  await messagePromise;
  await wait(500);
}

async function makeImages(
  chat: ChatDriver,
  api: ExportedApi,
  preparedHost: PreparedHost,
): Promise<void> {
  await chat.waitForOtherChat(() => vscode.commands.executeCommand('inferenceService.newChat'));
  await chat.sendText('/image a lighthouse at low tide');
  const firstImage = await withAnswers(preparedHost, { button: 'Always Allow' }, () =>
    api.generateImage({ prompt: 'a harbor seal', caller: 'vscode.git' }),
  );
  assert.ok(firstImage.ok, JSON.stringify(firstImage));
  const secondImage = await api.generateImage({ prompt: 'a crab', caller: 'vscode.git' });
  assert.ok(secondImage.ok);
  const { globalState, globalStorageUri } = preparedHost.context;
  const gallery = new Gallery({
    folder: getGalleryFolder(preparedHost as unknown as Host).fsPath,
    getMaxBytes: () => 1e9,
    listFolderUris: () =>
      (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()),
  });
  const [crabImage, sealImage, lighthouseImage] = await gallery.list();
  assert.ok(crabImage && sealImage && lighthouseImage);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? globalStorageUri;
  const getImageUri = (name: string): string =>
    vscode.Uri.joinPath(folder, 'images', name).toString();
  await gallery.recordSavedFile(sealImage.id, getImageUri('seal.webp'));
  await gallery.recordMovedFiles(
    new Map([[getImageUri('seal.webp'), getImageUri('harbor-seal.webp')]]),
  );
  await gallery.storeThumbnail(sealImage.id, await readFile(gallery.getImagePath(sealImage)));
  await gallery.remove([crabImage.id]);
  gallery.dispose();
  await new ImageChoice(globalState, {} as ModelCatalog, () => new Connection()).storeChoice(
    { id: 'painter-turbo' } as ImageModel,
    {
      format: 'png',
      hideWatermark: true,
      safeMode: false,
    },
  );
}

/**
 * Requests the attestation of a model that runs in a trusted execution environment, so that the extension stores it.
 */
async function storeAttestation(chat: ChatDriver): Promise<void> {
  await chat.waitForOtherChat(() => vscode.commands.executeCommand('inferenceService.newChat'));
  chat.page.sendToHost({ type: 'model-select', id: 'enclave-quiet-32b' });
  await control.addScripts({ steps: [{ content: 'This stays between us.' }] });
  await chat.sendText('Keep a secret.');
  chat.page.sendToHost({ type: 'model-select', id: modelId });
}

async function deleteChat(chat: ChatDriver): Promise<void> {
  await chat.waitForOtherChat(() => vscode.commands.executeCommand('inferenceService.newChat'));
  await control.addScripts({ steps: [{ content: 'Goodbye.' }] });
  await chat.sendText('Delete this chat.');
  await chat.waitForOtherChat(() => vscode.commands.executeCommand('inferenceService.deleteChat'));
}

/**
 * Stores records with the extension's own classes. Used for records for which the UI would need a wallet, a chain or
 * many steps.
 */
async function storeRecords({ context }: PreparedHost): Promise<void> {
  const { globalState, workspaceState } = context;
  await new ToolSelection(globalState).setEnabledTools(
    [{ name: 'search_text' } as never, { name: 'speak' } as never],
    new Set(['speak']),
  );
  await new CompletionConsent(globalState).add({ baseUrl: service.baseUrl, price: 0.0004 });
  await globalState.update('completion.offered', true);
  await globalState.update('keysForgotten', false);
  await globalState.update('keyExpiryTold.work', { last6: service.apiKey.slice(-6), days: 7 });
  const spending = new SpendingLedger({
    folder: join(context.globalStorageUri.fsPath, 'spending'),
    clock: systemClock,
  });
  await spending.appendEntry({ kind: 'told', period: 'daily' });
  await spending.appendEntry({ kind: 'continued', period: 'monthly' });
  await writeAcceptanceRates(globalState, { 'line-start': 0.81, 'word-start': 0.42, word: 0.13 });
  const ledger = new UsageLedger(globalState, systemClock);
  ledger.add({ cost: { usd: 0.25, diem: 0.5 }, isCostEstimate: true });
  await ledger.flush();
  await recordEditorUse(context);
  {
    using picker = new PickerProbe();
    const instructionPromise = promptForInstruction('tide.ts', workspaceState);
    picker.quickPick.value = 'Sort the stations';
    picker.quickPick.items = [{ label: 'Sort the stations' }];
    picker.acceptItems();
    await wait(0);
    picker.quickPick.hide();
    await instructionPromise;
  }
  const accounts = new KnownAccounts(context);
  await accounts.setCurrent({
    kind: 'browser',
    address: '0x1111111111111111111111111111111111111111',
  });
  await accounts.setCurrent({
    kind: 'keystore',
    address: '0x2222222222222222222222222222222222222222',
    file: 'file:///home/user/keystore.json',
  });
  await accounts.setCurrent({ kind: 'mnemonic', address: createAddress('3') });
  await accounts.setCurrent({ kind: 'private-key', address: createAddress('4') });
  assert.ok(await new StoredKeys(context).store(createAddress('4'), createTestHash('1')));
  await savePayingAccount(globalState, {
    address: createAddress('4'),
    origin: 'https://pay.example.com',
  });
  await new TopUpStore(globalState).add({
    origin: 'https://pay.example.com',
    chainId: 8453,
    asset: createAddress('5'),
    symbol: 'USDC',
    decimals: 6,
    from: createAddress('4'),
    to: createAddress('6'),
    value: 12_500_000n,
    nonce: createTestHash('7'),
    validBefore: 4_000_000_000n,
    block: 123n,
  });
  await createMintJournal(globalState, 'pay.example.com').storeEntry({
    address: createAddress('4'),
    tokenHash: createTestHash('8'),
    time: Date.parse('2026-11-22T12:00:00Z'),
  });
  const folder = getStakingFolder({ context });
  await new StakingJournalFile(folder, { chainId: 8453, from: createAddress('4') }).write({
    purpose: 'stake',
    chainId: 8453,
    from: createAddress('4'),
    token: createAddress('5'),
    staking: createAddress('6'),
    amount: 10n ** 21n,
    allowanceBefore: 0n,
    measureBefore: 5n,
    form: 'amount',
    fee: 21_000n,
    time: Date.parse('2026-11-22T12:00:00Z'),
    sending: {
      step: 'approve',
      to: createAddress('5'),
      data: `0x095ea7b3${'0'.repeat(128)}`,
      nonce: 3,
      block: 99n,
      hash: createTestHash('9'),
    },
  });
}

/** Starts an answer, and returns before the answer is complete. */
async function interruptAnswer(chat: ChatDriver): Promise<void> {
  await control.addScripts({
    steps: [{ content: 'The moon pulls the ' }, { hold: 'for ever' }, { content: 'sea.' }],
  });
  const { conversation } = await chat.readState();
  const textDeltaPromise = chat.page.waitForMessage('text-delta');
  chat.page.sendToHost({
    type: 'message-send',
    conversationId: conversation.id,
    text: 'Why are there tides?',
  });
  await textDeltaPromise;
  // Waits, because the product writes journals, drafts and states with a delay.
  await wait(8_000);
}

async function readState({ context }: PreparedHost): Promise<StoredState> {
  const readAllValues = (memento: vscode.Memento): Record<string, unknown> =>
    Object.fromEntries(
      memento
        .keys()
        .toSorted()
        .map((key) => [key, memento.get(key)]),
    );
  const keys = await context.secrets.keys();
  const secrets = await Promise.all(
    keys.toSorted().map(async (key) => [key, (await context.secrets.get(key)) ?? ''] as const),
  );
  return {
    globalState: readAllValues(context.globalState),
    workspaceState: readAllValues(context.workspaceState),
    secrets: Object.fromEntries(secrets),
  };
}

/** A PNG of 64 × 64 pixels in one color. */
const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAD0lEQVR4nGNgGAWjgHwAAAJAAAFZNqEDAAAAAElFTkSuQmCC';
