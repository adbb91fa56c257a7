import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, suiteSetup, test } from 'mocha';
import * as vscode from 'vscode';
import { encodeRecords } from '../../src/conversation/journal.ts';
import { getSetting, type UserSetting } from '../../src/platform/settings.ts';
import { formatLocalDate } from '../../src/account/spending-day.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { CompletionConsent } from '../../src/completion/vscode/consent.ts';
import { SpendingLedger } from '../../src/account/vscode/spending-ledger.ts';
import { ToolSelection } from '../../src/agent/vscode/configure-tools.ts';
import { readAcceptanceRates } from '../../src/completion/vscode/completion-runtime.ts';
import { UsageLedger } from '../../src/completion/vscode/completion-activity.ts';
import type { ExportedApi } from '../../src/api/exported-api.ts';
import { Gallery } from '../../src/image/vscode/gallery.ts';
import { ModelCacheFile } from '../../src/models/vscode/model-catalog.ts';
import { AttestationReports } from '../../src/privacy/vscode/attestations.ts';
import { isUsedInEditor } from '../../src/language-model/registration.ts';
import { KnownAccounts, StoredKeys } from '../../src/wallet/vscode/known-accounts.ts';
import { readRotation } from '../../src/wallet/keys/vscode/key-rotation.ts';
import { readUnfinishedRecords } from '../../src/wallet/staking/vscode/staking-files.ts';
import { getPayingAddress } from '../../src/account/vscode/payment-choice.ts';
import { TopUpStore } from '../../src/wallet/x402/vscode/top-up-store.ts';
import type { MessageView } from '../../src/chat/protocol/view-state.ts';
import { Control } from '../service/control.ts';
import { createTextAnswer, createUserMessage } from '../support/conversation-builder.ts';
import { waitUntil } from '../support/eventually.ts';
import { readSuiteEnvironment } from './environment.ts';
import { ChatDriver, readPreparedHost } from './stored-data/chat-driver.ts';
import { HistoryProbe } from './stored-data/history-probe.ts';
import { canHavePlaceholders } from './stored-data/placeholders.ts';
import type { PreparedHost } from './stored-data/shared.ts';
import {
  readStoredConversation,
  type StoredConversation,
  type StoredMessage,
} from './stored-data/stored-journal.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);

/**
 * Setting whose default value has changed since the fixture was recorded. The fixture's value is now equal to the
 * default.
 */
const settingWithChangedDefault = 'inferenceService.agent.allowReadingCommands';

/**
 * Settings that the manifest no longer declares, so that they have no default. The extension still reads their stored
 * values.
 */
const undeclaredSettings: ReadonlySet<string> = new Set([
  'inferenceService.vendorWord',
  'inferenceService.agent.maxRequests',
  'inferenceService.agent.maxTokens',
  'inferenceService.agent.maxToolCalls',
  'inferenceService.completion.automatic',
  'inferenceService.completion.inComments',
  'inferenceService.completion.nextEdit',
  'inferenceService.completion.prefetch',
  'inferenceService.completion.respectGitignore',
  'inferenceService.completion.route',
  'inferenceService.image.gallerySize',
  'inferenceService.wallet.topUpCeiling',
]);

/**
 * Matches the ids of settings that the manifest no longer declares, but whose stored values still have an effect, such
 * as `inferenceService.agent.maxTokens`.
 */
const removedSettingsPattern =
  /\.(?:max(?:Requests|Tokens|ToolCalls)|automatic|inComments|nextEdit|prefetch|respectGitignore|route|gallerySize|topUpCeiling)$/u;

suite('the extension with data of its first version', () => {
  let preparedHost: PreparedHost;
  let chat: ChatDriver;
  let conversations: readonly StoredConversation[];
  let storageFolder: string;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<ExportedApi>(
      'inference-service.inference-service',
    );
    await extension?.activate();
    preparedHost = readPreparedHost();
    storageFolder = preparedHost.context.globalStorageUri.fsPath;
    conversations = await readStoredConversations(preparedHost.storedFiles);
    chat = await ChatDriver.open(preparedHost);
  });

  const openChat = async (title: string) => {
    using history = new HistoryProbe(preparedHost.vscodeApi);
    const { conversation } = await chat.readState();
    if (conversation.title === title) return chat.readState();
    const items = await history.open();
    const item = items.find(({ label }) => label === title);
    assert.ok(item, `${title} is not among ${items.map(({ label }) => label).join(', ')}`);
    return chat.waitForOtherChat(async () => history.acceptItem(item));
  };

  test('shows the last chat with its interrupted answer', async () => {
    const { conversation, messages, streaming } = await chat.readState();
    assert.equal(conversation.title, 'Why are there tides?');
    assert.equal(streaming, null);
    const answer = messages.at(-1);
    assert.deepEqual([answer?.status, answer?.text], ['interrupted', 'The moon pulls the ']);
  });

  test('shows in the chat a notice about edits without approval', async () => {
    await waitUntil(async () => (await chat.readState()).editsNotice);
  });

  test('lists every chat in the history except deleted ones', async () => {
    using history = new HistoryProbe(preparedHost.vscodeApi);
    const items = await history.open();
    assert.deepEqual(
      items.map(({ label }) => label).toSorted(),
      conversations.map(({ title }) => title).toSorted(),
    );
    assert.ok(conversations.length >= 6);
  });

  test('opens every chat with all messages, branches, calls, images and documents', async () => {
    for (const storedConversation of conversations) {
      await openChat(storedConversation.title);
      const visibleMessages = await collectMessages(chat, storedConversation);
      assert.deepEqual(
        [...visibleMessages.keys()].toSorted(),
        [...storedConversation.messages.keys()].toSorted(),
      );
      for (const message of storedConversation.messages.values()) {
        const view = visibleMessages.get(message.id);
        assert.ok(view);
        assert.deepEqual(
          toComparableMessage(view),
          toExpectedMessage(message),
          storedConversation.title,
        );
      }
    }
  });

  test('shows the outputs of tool calls', async () => {
    const storedConversation = conversations.find(({ title }) => title === 'Change the files.');
    assert.ok(storedConversation);
    await openChat(storedConversation.title);
    let outputCount = 0;
    for (const message of storedConversation.messages.values()) {
      for (const [callId, { output }] of message.calls) {
        const messagePromise = chat.page.waitForMessage('tool-output');
        chat.page.sendToHost({ type: 'tool-output-request', messageId: message.id, callId });
        const outputMessage = await messagePromise;
        assert.ok(outputMessage.type === 'tool-output');
        assert.equal(outputMessage.output.trim(), output.trim());
        outputCount += 1;
      }
    }
    assert.ok(outputCount >= 8);
  });

  test('restores images and documents with the same bytes', async () => {
    const files = [...preparedHost.storedFiles].filter(
      ([path]) => !canHavePlaceholders(path) && !path.startsWith('checkpoints/'),
    );
    assert.ok(files.length >= 5);
    for (const [path, bytes] of files)
      assert.deepEqual(await readFile(join(storageFolder, path)), Buffer.from(bytes), path);
    const { messages, media } = await openChat('When is high tide?');
    const thumbnail = messages.flatMap(({ attachments }) => attachments)[0]?.thumbnail;
    assert.ok(thumbnail && media !== '');
    assert.ok(existsSync(join(storageFolder, 'media', thumbnail)));
  });

  test('restores drafts with their attachments, options and presets', async () => {
    const { draft, attachments } = await openChat('When is high tide?');
    assert.equal(draft, 'What about Friday');
    assert.deepEqual(
      attachments.map(({ kind, label, bytes }) => ({ kind, label, bytes })),
      [{ kind: 'image', label: 'tide.png', bytes: 72 }],
    );
    const { fields, presets } = await chat.runOptionsAction({ action: 'show' });
    assert.equal(fields.find(({ name }) => name === 'temperature')?.value, '0.7');
    assert.deepEqual(
      presets.filter(({ own }) => own).map(({ name }) => name),
      ['Calm'],
    );
    const { mode } = await chat.readState();
    assert.equal(mode, 'ask');
  });

  test('restores the list of changed files of a turn, and can undo the turn', async () => {
    await openChat('Change the files.');
    let { changes } = await chat.readState();
    // The changes arrive after the messages.
    await waitUntil(async () => {
      ({ changes } = await chat.readState());
      return changes.length >= 3;
    });
    assert.deepEqual(
      changes.map(({ files, undone }) => [
        undone,
        ...files.map(({ label, review }) => `${label} ${review}`),
      ]),
      [
        [
          false,
          'package.json pending',
          'docs/tides.md pending',
          'scripts/import_stations.py pending',
        ],
        [false, 'README.md accepted'],
        [true, 'lib/gauges/gauge.ts pending', 'docs/tides.md → docs/tide-guide.md pending'],
      ],
    );
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const readText = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
    assert.match(await readText('package.json'), /"private": false/u);
    const changesMessagePromise = chat.page.waitForMessage(
      'changes-put',
      (message) => message.type === 'changes-put' && message.changes.undone,
    );
    chat.page.sendToHost({
      type: 'changes-decide',
      turnId: changes[0]?.turnId,
      decision: 'undo',
    });
    await changesMessagePromise;
    assert.match(await readText('package.json'), /"private": true/u);
    assert.match(await readText('scripts/import_stations.py'), /\S/u);
    assert.ok(!existsSync(join(folder, 'docs', 'tides.md')));
  });

  test('keeps the gallery with the source and the saved file of each image', async () => {
    const { context, storedFiles } = preparedHost;
    const journalPath =
      [...storedFiles.keys()].find((path) => path.endsWith('gallery.jsonl')) ?? '';
    const folder = join(context.globalStorageUri.fsPath, journalPath, '..');
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
    const gallery = new Gallery({ folder, getMaxBytes: () => 1e9, listFolderUris: () => folders });
    const images = await gallery.list();
    assert.deepEqual(
      images.map(({ origin, saved, modelName }) => ({
        prompt: origin.kind === 'generate' && origin.request.prompt,
        seeded: origin.kind === 'generate' && typeof origin.request.seed === 'number',
        modelName,
        saved: saved.map((uri) => uri.split('/').at(-1)),
      })),
      [
        {
          prompt: 'a harbor seal',
          seeded: true,
          modelName: 'Painter Turbo',
          saved: ['harbor-seal.webp'],
        },
        {
          prompt: 'a lighthouse at low tide',
          seeded: true,
          modelName: 'Painter Turbo',
          saved: [],
        },
      ],
    );
    for (const image of images) assert.ok(existsSync(gallery.getImagePath(image)));
    assert.deepEqual(await gallery.listThumbnailIds(), [images[0]?.id]);
  });

  test('adds stored costs to the spending of the month', async () => {
    const spendingFiles = [...preparedHost.storedFiles].filter(([path]) =>
      path.startsWith('spending/'),
    );
    const lines = spendingFiles.flatMap(([, bytes]) => Buffer.from(bytes).toString().split('\n'));
    const amounts = lines
      .filter((line) => line.includes('"usd"'))
      .map((line) => Number((JSON.parse(line) as { usd: string }).usd));
    assert.ok(amounts.length >= 14);
    const sum = amounts.reduce((total, item) => total + item, 0);
    const [, day = ''] = /(\d{4}-\d\d-\d\d)\.jsonl$/u.exec(spendingFiles[0]?.[0] ?? '') ?? [];
    const clock = createClock(day);
    const ledger = new SpendingLedger({ folder: join(storageFolder, 'spending'), clock });
    const { spentAmount, today } = await ledger.getMonthlySpending();
    assert.ok(Math.abs(Number(spentAmount) / 1e9 - sum) < 1e-6, `${spentAmount} ${sum}`);
    assert.deepEqual([...today.warnedPeriods], ['daily']);
    assert.deepEqual([...today.continuedPeriods], ['monthly']);
    assert.equal((await ledger.readUsageRecords()).length, amounts.length);
  });

  test('restores cached models, attestations and unfinished stakes', async () => {
    const { context } = preparedHost;
    const cachedModels = await new ModelCacheFile(join(storageFolder, 'models')).read('work');
    assert.ok((cachedModels?.models.length ?? 0) > 20);
    assert.equal(cachedModels?.baseUrl.startsWith(new URL(service.baseUrl).origin), true);
    const journalFile = [...preparedHost.storedFiles].find(([, bytes]) =>
      Buffer.from(bytes).includes('"answer-protect"'),
    );
    const [, line = ''] =
      /"answer-protect".*"protection":(\{.*?\})/u.exec(
        Buffer.from(journalFile?.[1] ?? []).toString(),
      ) ?? [];
    const attestedKey = JSON.parse(line) as { checkedAt: number; publicKey: string };
    assert.match(await new AttestationReports(context).readReport(attestedKey), /\S/u);
    const [stakeRecord] = await readUnfinishedRecords(join(storageFolder, 'staking'));
    assert.equal(stakeRecord?.amount, 10n ** 21n);
    assert.equal(stakeRecord.sending?.step, 'approve');
  });

  test('keeps all stored settings, and still defines the ID of each setting', async () => {
    const configuration = vscode.workspace.getConfiguration();
    assert.ok(Object.keys(preparedHost.settings).length >= 37);
    for (const [id, value] of Object.entries(preparedHost.settings)) {
      const inspection = configuration.inspect(id);
      assert.deepEqual(inspection?.globalValue, value, id);
      if (removedSettingsPattern.test(id))
        assert.deepEqual(getSetting(id as UserSetting), value, id);
      if (undeclaredSettings.has(id)) continue;
      assert.notEqual(inspection?.defaultValue, undefined, `${id} is no setting`);
      if (id !== settingWithChangedDefault)
        assert.notDeepEqual(inspection?.defaultValue, value, `${id} has its default value`);
    }
    const { account, wrapCode } = await chat.readState();
    assert.deepEqual([account.profile, wrapCode], ['work', true]);
  });

  test('signs in with the stored key of the profile', async () => {
    await control.reset();
    await vscode.commands.executeCommand('inferenceService.refreshModels');
    const { headers } = await control.waitForRequest(({ path }) => path.includes('/models'));
    assert.equal(headers['authorization'], `Bearer ${service.apiKey}`);
  });

  test('reads all stored secrets and state values, and does not change them', async () => {
    const { context, state } = preparedHost;
    const { globalState, workspaceState, secrets } = context;
    for (const [key, value] of Object.entries(state.secrets))
      assert.equal(await secrets.get(key), value, key);
    for (const [key, value] of Object.entries(state.workspaceState))
      assert.deepEqual(workspaceState.get(key), value, key);
    for (const [key, value] of Object.entries(state.globalState))
      if (!changedStateKeysPattern.test(key)) assert.deepEqual(globalState.get(key), value, key);
    assert.deepEqual(
      new KnownAccounts(context).accounts.map(({ kind }) => kind),
      ['private-key', 'mnemonic', 'keystore', 'browser'],
    );
    assert.match(await new StoredKeys(context).read(`0x${'4'.repeat(40)}`), /^0x1{64}$/u);
    assert.equal(getPayingAddress(globalState, 'https://pay.example.com'), `0x${'4'.repeat(40)}`);
    assert.deepEqual(
      new TopUpStore(globalState).list().map(({ value, symbol }) => [value, symbol]),
      [[12_500_000n, 'USDC']],
    );
    const rotation = readRotation(globalState, { profileId: 'spare', slot: 'profile' });
    assert.deepEqual([rotation?.oldKey.id, rotation?.newKey.limitPeriod], ['key-1', 'MONTH']);
    assert.deepEqual(readAcceptanceRates(globalState), {
      'line-start': 0.81,
      'word-start': 0.42,
      word: 0.13,
    });
    const { day } = state.globalState['completion.use'] as { day: string };
    assert.equal(new UsageLedger(globalState, createClock(day)).today.usd, 0.25);
    const tools = [{ name: 'search_text' }, { name: 'read_file' }] as never;
    assert.deepEqual([...new ToolSelection(globalState).listDisabledNames(tools)], ['search_text']);
    assert.ok(isUsedInEditor(context));
    const storedConsents = state.globalState['completion.agreedAddresses'] as { baseUrl: string }[];
    assert.ok(storedConsents.length > 0);
    for (const consent of storedConsents)
      assert.ok(new CompletionConsent(globalState).hasConsent(consent));
    const encryptingEntries = Object.entries(state.globalState['encryptingModels'] as object);
    assert.ok(encryptingEntries.length > 0);
    const currentEntries: Record<string, unknown> = globalState.get('encryptingModels') ?? {};
    for (const [baseUrl, ids] of encryptingEntries)
      for (const id of ids as string[])
        assert.ok((currentEntries[baseUrl] as string[] | undefined)?.includes(id), id);
  });

  test('moves and deletes no stored file', async () => {
    for (const path of preparedHost.storedFiles.keys())
      assert.ok(existsSync(join(storageFolder, path)), path);
  });
});

suite('a chat of a newer version', () => {
  const id = 'newer-version-chat';
  const text = [
    `{"type":"conversation-start","version":2,"id":"${id}","at":5,"folder":null}`,
    '{"type":"title-set","title":"Neap tides"}',
    '{"type":"thought-add","thought":"Later."}',
    '',
  ].join('\n');
  const message =
    'Created by a newer version of Inference Service. Update the extension to open it.';
  let preparedHost: PreparedHost;
  let path: string;

  suiteSetup(async () => {
    preparedHost = readPreparedHost();
    path = join(preparedHost.context.globalStorageUri.fsPath, 'conversations', `${id}.jsonl`);
    await writeFile(path, text);
  });

  test('is listed but not opened, and its files stay unchanged', async () => {
    const chat = await ChatDriver.open(preparedHost);
    const stateBefore = await chat.readState();
    using history = new HistoryProbe(preparedHost.vscodeApi);
    const items = await history.open();
    const item = items.find(({ label }) => label.includes('Neap tides'));
    assert.equal(item?.description, message);
    assert.deepEqual(
      item.buttons?.map(({ tooltip }) => tooltip),
      ['Delete'],
    );
    const noticePromise = chat.page.waitForMessage('notice-show');
    history.acceptItem(item);
    assert.ok(JSON.stringify(await noticePromise).includes(message));
    assert.equal((await chat.readState()).conversation.id, stateBefore.conversation.id);
    assert.equal(await readFile(path, 'utf8'), text);
  });

  test('without a title is listed as “Chat from a newer version”', async () => {
    await writeFile(path, `${text.split('\n', 1)[0]}\n`);
    try {
      await ChatDriver.open(preparedHost);
      using history = new HistoryProbe(preparedHost.vscodeApi);
      const labels = (await history.open()).map(({ label }) => label);
      assert.ok(labels.includes('$(circle-slash) Chat from a newer version'), labels.join());
    } finally {
      await writeFile(path, text);
    }
  });

  test('shows a notice if the user selects Open Chat in Editor, unlike a corrupt chat', async () => {
    const folder = join(path, '..');
    const chat = await ChatDriver.open(preparedHost);
    const listNotices = (): readonly unknown[] =>
      chat.page.receivedMessages.filter(({ type }) => type === 'notice-show');
    const openReplacedChat = async (name: string, journal: string): Promise<void> => {
      const file = join(folder, `${name}.jsonl`);
      const recordsText = encodeRecords([
        { type: 'conversation-start', version: 1, id: name, at: 5, folder: null },
        { type: 'title-set', title: name },
        { type: 'message-add', message: createUserMessage('u1', null, 'Why?') },
      ]);
      await writeFile(file, recordsText);
      using history = new HistoryProbe(preparedHost.vscodeApi);
      const item = (await history.open()).find(({ label }) => label.includes(name));
      assert.ok(item);
      await writeFile(file, journal);
      await history.pressItemButton(item, 'Open Chat in Editor');
    };
    await openReplacedChat('corrupt-chat', 'no journal');
    assert.equal(await readFile(join(folder, 'corrupt-chat.jsonl'), 'utf8'), 'no journal');
    await rm(join(folder, 'corrupt-chat.jsonl'));
    const messagePromise = chat.page.waitForMessage('notice-show');
    await openReplacedChat('newer-chat', text.replace(id, 'newer-chat'));
    await messagePromise;
    assert.equal(listNotices().length, 1, 'a corrupt chat shows no notice here');
    assert.ok(JSON.stringify(listNotices()).includes(message));
    await rm(join(folder, 'newer-chat.jsonl'));
  });

  test('is not overwritten when it is the current chat', async () => {
    const folder = join(preparedHost.context.globalStorageUri.fsPath, 'current');
    const firstChat = await ChatDriver.open(preparedHost);
    const { conversation } = await firstChat.readState();
    const [name = ''] = await readdir(folder);
    const currentPath = join(folder, name);
    await waitUntil(async () => (await readFile(currentPath, 'utf8')) === conversation.id);
    await writeFile(currentPath, id);
    const chat = await ChatDriver.open(preparedHost);
    assert.notEqual((await chat.readState()).conversation.id, id);
    await control.addScripts({ steps: [{ content: 'Hello.' }] });
    await chat.sendText('Hello');
    assert.equal(await readFile(path, 'utf8'), text);
  });

  test('can be deleted by the user', async () => {
    await ChatDriver.open(preparedHost);
    using history = new HistoryProbe(preparedHost.vscodeApi);
    const items = await history.open();
    const item = items.find(({ label }) => label.includes('Neap tides'));
    assert.ok(item);
    await history.pressItemButton(item, 'Delete');
    await waitUntil(() => !existsSync(path));
    assert.equal(await readFile(`${path}.deleted`, 'utf8'), text);
  });
});

/**
 * Matches the keys of stored state that the extension changes or removes when it reads the state, such as
 * `keysForgotten`. Tests do not compare the values of these keys.
 */
const changedStateKeysPattern =
  /^(?:mint\.|keysForgotten$|keyExpiryTold\.|encryptingModels$|completion\.agreed)/u;

/**
 * Returns a clock that stays at noon on `day`, the day for which the spending is stored. A test that runs past midnight
 * then still reads the same records.
 */
function createClock(day: string): Clock {
  const noonMs = new Date(`${day}T12:00:00`).getTime();
  assert.equal(formatLocalDate(noonMs), day);
  return { ...systemClock, now: () => noonMs };
}

async function readStoredConversations(
  files: PreparedHost['storedFiles'],
): Promise<readonly StoredConversation[]> {
  return [...files]
    .filter(([path]) => path.startsWith('conversations/') && path.endsWith('.jsonl'))
    .map(([, bytes]) => readStoredConversation(Buffer.from(bytes).toString('utf8')));
}

/** Visits every branch of the open chat. Returns all messages by id. */
async function collectMessages(
  chat: ChatDriver,
  { messages: storedMessages }: StoredConversation,
): Promise<ReadonlyMap<string, MessageView>> {
  const views = new Map<string, MessageView>();
  const visitedIds = new Set<string>();
  for (;;) {
    const { messages } = await chat.readState();
    for (const message of messages) {
      views.set(message.id, message);
      visitedIds.add(`${storedMessages.get(message.id)?.parentId} ${message.branch.index}`);
    }
    const nextMatch = messages
      .flatMap(({ id, branch }) =>
        Array.from({ length: branch.count }, (_, index) => ({ id, index })),
      )
      .find(({ id, index }) => !visitedIds.has(`${storedMessages.get(id)?.parentId} ${index}`));
    if (nextMatch === undefined) return views;
    const transcriptChangePromise = chat.page.waitForMessage('transcript-splice');
    chat.page.sendToHost({
      type: 'branch-select',
      messageId: nextMatch.id,
      index: nextMatch.index,
    });
    await transcriptChangePromise;
  }
}

const toComparableMessage = (view: MessageView) => ({
  role: view.role,
  text: view.text,
  reasoning: view.reasoning,
  status: view.status,
  calls: Object.fromEntries(view.toolCalls.map(({ id, status }) => [id, status])),
  images: view.generatedImages?.images.map(({ id }) => id) ?? [],
  attachments: view.attachments.map(({ label }) => label),
});

const toExpectedMessage = (message: StoredMessage): ReturnType<typeof toComparableMessage> => ({
  role: message.role as 'user',
  text: message.text,
  reasoning: message.reasoning,
  status: message.status as 'complete',
  calls: Object.fromEntries([...message.calls].map(([id, { status }]) => [id, status as 'done'])),
  images: message.images,
  attachments: [...message.attachments],
});

suite('a damaged chat', () => {
  const id = 'damaged-chat';
  const records = encodeRecords([
    { type: 'conversation-start', version: 1, id, at: 5, folder: null },
    { type: 'message-add', message: createUserMessage('u1', null, 'Why are there tides?') },
    { type: 'title-set', title: 'Damaged tides' },
    { type: 'message-add', message: createTextAnswer('a1', 'u1', 'The moon pulls.') },
    { type: 'message-add', message: createUserMessage('u2', 'a1', 'And the sun?') },
    { type: 'message-add', message: createTextAnswer('a2', 'u2', 'It pulls as well.') },
  ]);
  const damagedText = records.replace('{', '\u0000').replace('"u2","parentId"', '"u2,"parentId"');
  let damagedHost: PreparedHost;
  let path: string;

  setup(async () => {
    damagedHost = readPreparedHost();
    path = join(damagedHost.context.globalStorageUri.fsPath, 'conversations', `${id}.jsonl`);
    await writeFile(path, damagedText);
  });
  teardown(() => rm(path));

  test('is listed as damaged, and shows its readable messages', async () => {
    const chat = await ChatDriver.open(damagedHost);
    using history = new HistoryProbe(damagedHost.vscodeApi);
    const item = (await history.open()).find(({ label }) => label.includes('Damaged tides'));
    assert.equal(item?.label, '$(warning) Damaged tides');
    assert.deepEqual(
      item.buttons?.map(({ tooltip }) => tooltip),
      ['Show What Is Left', 'Keep the File', 'Delete'],
    );
    await history.pressItemButton(item, 'Show What Is Left');
    await waitUntil(async () => (await chat.readState()).conversation.id === id);
    const { messages } = await chat.readState();
    assert.deepEqual(
      messages.map(({ text, isIncomplete = false }) => [text, isIncomplete]),
      [
        ['Why are there tides?', false],
        ['The moon pulls.', false],
        ['', true],
        ['It pulls as well.', false],
      ],
    );
    assert.equal(await readFile(path, 'utf8'), damagedText);
  });

  test('shows that a turn with a damaged record cannot be undone', async () => {
    const turnChatId = 'damaged-turn-chat';
    const turnPath = join(path, '..', `${turnChatId}.jsonl`);
    const run = { callId: 'c', status: 'done', verb: 'Edit', target: 'a.ts', readOnly: false };
    const toolRun = { type: 'tool-run', id: 'a1', run: { ...run, output: '', startedAt: 1 } };
    const text = `${records}${JSON.stringify(toolRun)}\n`;
    await writeFile(turnPath, text.replaceAll(id, turnChatId).replaceAll('tides', 'turns'));
    const turnsFolder = join(
      damagedHost.context.globalStorageUri.fsPath,
      'checkpoints',
      turnChatId,
    );
    await mkdir(turnsFolder, { recursive: true });
    await writeFile(join(turnsFolder, 'u1.jsonl'), '{"type":"turn-start","version":1,"turnI');
    const chat = await ChatDriver.open(damagedHost);
    using history = new HistoryProbe(damagedHost.vscodeApi);
    const item = (await history.open()).find(({ label }) => label.includes('Damaged turns'));
    assert.ok(item);
    history.acceptItem(item);
    await waitUntil(async () => (await chat.readState()).conversation.id === turnChatId);
    await waitUntil(async () => (await chat.readState()).changes.length > 0);
    const { changes } = await chat.readState();
    assert.deepEqual(changes, [{ turnId: 'u1', undone: false, files: [], isDamaged: true }]);
    const noticePromise = chat.page.waitForMessage('notice-show');
    chat.page.sendToHost({ type: 'changes-decide', turnId: 'u1', decision: 'undo' });
    assert.ok(JSON.stringify(await noticePromise).includes('The record of this turn is damaged.'));
    await rm(turnsFolder, { recursive: true });
    await rm(turnPath);
  });

  test('without a readable message cannot be opened, but its file can be copied', async () => {
    await writeFile(path, 'no journal');
    await ChatDriver.open(damagedHost);
    const target = join(damagedHost.context.globalStorageUri.fsPath, 'kept.jsonl');
    const { window, Uri } = damagedHost.vscodeApi;
    const { showSaveDialog } = window;
    Object.assign(window, { showSaveDialog: () => Promise.resolve(Uri.file(target)) });
    try {
      using history = new HistoryProbe(damagedHost.vscodeApi);
      const item = (await history.open()).find(({ label }) => label === '$(warning) Damaged chat');
      assert.ok(item);
      history.acceptItem(item);
      await waitUntil(() => existsSync(target));
      await waitUntil(async () => (await readFile(target, 'utf8')) === 'no journal');
      assert.equal(await readFile(path, 'utf8'), 'no journal');
    } finally {
      Object.assign(window, { showSaveDialog });
      await rm(target, { force: true });
    }
  });
});

suite('a chat that another window deleted', () => {
  test('is stored again with its next turn if the user chooses Keep', async () => {
    const prepared = readPreparedHost();
    const { window } = prepared.vscodeApi;
    const id = 'deleted-elsewhere';
    const path = join(prepared.context.globalStorageUri.fsPath, 'conversations', `${id}.jsonl`);
    const records = encodeRecords([
      { type: 'conversation-start', version: 1, id, at: 5, folder: null },
      { type: 'message-add', message: createUserMessage('u1', null, 'Deleted elsewhere?') },
      { type: 'title-set', title: 'Deleted elsewhere' },
      { type: 'message-add', message: createTextAnswer('a1', 'u1', 'Not yet.') },
    ]);
    await writeFile(path, records);
    const chat = await ChatDriver.open(prepared);
    using history = new HistoryProbe(prepared.vscodeApi);
    const item = (await history.open()).find(({ label }) => label === 'Deleted elsewhere');
    assert.ok(item);
    history.acceptItem(item);
    await waitUntil(async () => (await chat.readState()).conversation.id === id);
    const { showWarningMessage } = window;
    const warnings: string[] = [];
    const choose = (text: string): Promise<string> => {
      warnings.push(text);
      return Promise.resolve('Keep');
    };
    Object.assign(window, { showWarningMessage: choose });
    try {
      await rename(path, `${path}.deleted`);
      await chat.sendText('And now?');
      await waitUntil(async () =>
        (await readFile(path, 'utf8').catch(() => '')).includes('answer-end'),
      );
      assert.deepEqual(warnings, ['This chat was deleted in another window.']);
      const text = await readFile(path, 'utf8');
      assert.ok(text.startsWith(records) && text.includes('And now?'));
    } finally {
      Object.assign(window, { showWarningMessage });
      await rm(path, { force: true });
    }
  });
});
