import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite, test } from 'mocha';
import { createModelCatalog, type ModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { toModelView } from '../../src/models/vscode/model-view.ts';
import { selectModel } from '../../src/models/vscode/select-model.ts';
import { modelSchema } from '../../src/models/protocol.ts';
import { isSignedIn } from '../../src/account/vscode/account.ts';
import { streamChat } from '../../src/service/chat/stream-chat.ts';
import type { PlainServerSettings } from '../foreign/plain-server.mjs';
import { Control } from '../service/control.ts';
import { startHttpServer, type LoopbackServer } from '../support/loopback.ts';
import { waitForEvent } from '../support/eventually.ts';
import { parse } from 'valibot';
import {
  type AccountFixture,
  createAccountFixture,
  withSettings,
  withWorkspaceSettings,
} from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);

suite('the models', () => {
  test('are loaded from the service and cached in one file', async () => {
    using fixture = createAccountFixture();
    const models = createCatalog(fixture);
    assert.deepEqual(
      [models.models.length, models.chatModel, models.staleReason],
      [0, undefined, undefined],
    );
    await models.refresh();
    assert.ok(models.models.length > 5);
    assert.ok(models.chatModel?.traits.includes('default'));
    assert.deepEqual([models.staleReason, models.isLoading], [undefined, false]);
    assert.deepEqual(readdirSync(getModelsFolder(fixture)), ['default.json']);
    for (const model of models.models) parse(modelSchema, toModelView(model));
  });

  test('are loaded from the cache file if the service does not return the list', async () => {
    using fixture = createAccountFixture();
    await createCatalog(fixture).refresh();
    const models = createCatalog(fixture);
    await control.injectFault({
      match: { path: '/models' },
      fault: { kind: 'status', status: 404 },
    });
    await models.refresh({ force: true });
    assert.ok(models.chatModel);
    assert.match(
      models.staleReason ?? '',
      /^Models as of .*\. The service has nothing at this address/,
    );
    assert.equal(models.failure?.code, 'not-found');
  });

  test('are not read from the cache file of another service address', async () => {
    using fixture = createAccountFixture();
    await createCatalog(fixture).refresh();
    await withSettings({ 'inferenceService.baseUrl': 'http://127.0.0.1:9/api/v1' }, async () => {
      const models = createCatalog(fixture);
      await models.refresh();
      assert.equal(models.models.length, 0);
      assert.equal(models.failure?.code, 'offline');
    });
  });

  test('clear a reported connection failure when their list loads, but not a reported lack of balance', async () => {
    using fixture = createAccountFixture();
    const { account } = fixture;
    await account.storeKey(account.profile, service.apiKey);
    const models = createCatalog(fixture);
    for (const [code, status] of [
      ['proxy', 'signed-in'],
      ['out-of-funds', 'needs-attention'],
    ] as const) {
      account.reportOutcome({ code, message: 'No.' }, account.profile);
      assert.equal(account.view.status, 'needs-attention');
      await models.refresh({ force: true });
      assert.equal(models.failure, undefined);
      assert.equal(account.view.status, status);
    }
  });

  test('are requested once for concurrent callers, and again only if they are outdated or a caller forces the request', async () => {
    await withModelServer(createModelList(2), async ({ modelCatalog, requests }) => {
      await Promise.all([
        modelCatalog.refresh(),
        modelCatalog.refresh({ force: true }),
        modelCatalog.refresh(),
      ]);
      await modelCatalog.refresh();
      assert.deepEqual(requests, ['/api/v1/models?type=all']);
      await modelCatalog.refresh({ force: true });
      assert.equal(requests.length, 2);
    });
  });

  for (const [name, body] of [
    ['no JSON', '<html>'],
    ['no list', '{"data":5}'],
    ['nothing', ''],
  ] as const) {
    test(`cannot be loaded if the reply contains ${name}`, async () => {
      await withModelServer(body, async ({ modelCatalog }) => {
        await modelCatalog.refresh();
        assert.equal(modelCatalog.failure?.code, 'unexpected-response');
        assert.equal(modelCatalog.chatModel, undefined);
      });
    });
  }

  test('are decoded if they have unusual fields, and match the message schema of the chat page', async () => {
    await withModelServer(JSON.stringify({ data: unusualModels }), async ({ modelCatalog }) => {
      await modelCatalog.refresh();
      assert.deepEqual(
        modelCatalog.models.map(({ id }) => id),
        ['bare', 'hologram', 'figures'],
      );
      for (const model of modelCatalog.models) parse(modelSchema, toModelView(model));
    });
  });

  test('of every type can be listed in order of price, with their details', async () => {
    using fixture = createAccountFixture();
    const models = createCatalog(fixture);
    await models.refresh();
    using picker = new PickerProbe();
    selectModel({ models });
    const count = picker.listLabels().length;
    picker.pressTitleButton(/by price/);
    assert.equal(picker.listLabels().length, count);
    picker.pressTitleButton(/^All models$/);
    assert.equal(picker.listLabels().length, models.models.length);
    const imageModel = models.models.find(({ type }) => type === 'image');
    assert.ok(imageModel);
    assert.match(picker.findItem(imageModel.name).description ?? '', /^Images\b/);
    const selectedId = models.chatModel?.id;
    picker.acceptItems(picker.findItem(imageModel.name));
    assert.equal(picker.findItem('Id').description, imageModel.id);
    assert.equal(models.chatModel?.id, selectedId);
    selectModel({ models });
    const [name = ''] = picker.listLabels();
    await picker.pressItemButton(picker.findItem(name), /Details/);
    assert.equal(picker.findItem('Type').description, 'Chat');
  });

  for (const count of [0, 1, 500, 5_000]) {
    const title =
      count === 0
        ? 'are replaced with a note in the picker if the list is empty'
        : `are all in the picker if the list contains ${count}`;
    test(title, async () => {
      await withModelServer(createModelList(count), async ({ modelCatalog }) => {
        await modelCatalog.refresh();
        using picker = new PickerProbe();
        selectModel({ models: modelCatalog });
        await waitForEvent(() => !modelCatalog.isLoading, modelCatalog.onDidChange);
        assert.equal(picker.listLabels().length, Math.max(count, 1));
        if (count === 0) assert.match(picker.listLabels()[0] ?? '', /no models/);
      });
    });
  }

  test('are listed with context size and prices, and can be filtered by capability', async () => {
    using fixture = createAccountFixture();
    const models = createCatalog(fixture);
    await models.refresh();
    using picker = new PickerProbe();
    selectModel({ models });
    const totalCount = picker.listLabels().length;
    const otherCapabilities = [/: code$/, /: reasoning$/, /: tools$/, /: web$/, /: private$/];
    const firstItem = picker.listedItems[0];
    assert.equal(firstItem?.label, models.chatModel?.name);
    assert.match(firstItem?.description ?? '', /^\d+[kM] · \$[\d.]+ in · \$[\d.]+ out \/ 1M$/);
    assert.match(firstItem?.detail ?? '', /default/);
    picker.pressTitleButton(/^Filter: vision$/);
    const visionCount = picker.listLabels().length;
    assert.ok(visionCount > 0 && visionCount < totalCount);
    assert.match(
      picker.quickPick.placeholder ?? '',
      new RegExp(`^${visionCount} of ${totalCount} .*vision$`),
    );
    for (const name of otherCapabilities) picker.pressTitleButton(name);
    assert.ok(picker.listLabels().length <= visionCount);
    for (const name of otherCapabilities) picker.pressTitleButton(name);
    picker.pressTitleButton(/^Filter: vision$/);
    assert.equal(picker.listLabels().length, totalCount);
  });

  test('are replaced in the picker with the failure and a retry action if they cannot be loaded', async () => {
    await withSettings({ 'inferenceService.baseUrl': '' }, async () => {
      using fixture = createAccountFixture();
      const models = createCatalog(fixture);
      await models.refresh();
      using picker = new PickerProbe();
      selectModel({ models });
      await waitForEvent(() => !models.isLoading, models.onDidChange);
      assert.match(
        picker.listLabels().join('|'),
        /^No address of the service is set. Enter the base address; it usually ends in .*\|Set Service Address$/,
      );
    });
  });

  test('are requested again after the delay that the service states, and the user sees and can cancel the delay', async () => {
    await withModelServer(
      createModelList(1),
      async ({ modelCatalog, requests, refuseNextRequests }) => {
        refuseNextRequests(1);
        const refreshPromise = modelCatalog.refresh();
        await waitForEvent(() => modelCatalog.failure !== undefined, modelCatalog.onDidChange);
        assert.equal(modelCatalog.isLoading, true);
        assert.equal(modelCatalog.failure?.code, 'rate-limited');
        assert.ok((modelCatalog.retryAt ?? 0) > Date.now());
        using picker = new PickerProbe();
        selectModel({ models: modelCatalog });
        assert.match(picker.quickPick.title ?? '', /^Select Model: Trying again in \d+ s$/);
        picker.acceptItems(picker.findItem('Cancel'));
        await refreshPromise;
        assert.deepEqual(
          [modelCatalog.isLoading, modelCatalog.failure?.code],
          [false, 'rate-limited'],
        );
        // The picker opens again after the choice.
        await picker.waitForLabel(/^Retry$/);
        assert.equal(picker.quickPick.title, 'Select Model');
        await modelCatalog.refresh();
        assert.equal(
          requests.length,
          1,
          'nothing is requested before the time that the service named',
        );
        const forcedRefreshPromise = modelCatalog.refresh({ force: true });
        assert.deepEqual([modelCatalog.isLoading, modelCatalog.isWaiting], [true, false]);
        await forcedRefreshPromise;
        assert.deepEqual(
          [requests.length, modelCatalog.failure, modelCatalog.retryAt],
          [2, undefined, undefined],
        );
      },
    );
  });

  test('are selected separately for each profile, and stay selected after a restart', async () => {
    using fixture = createAccountFixture();
    const models = createCatalog(fixture);
    await models.refresh();
    const defaultId = models.chatModel?.id;
    using picker = new PickerProbe();
    selectModel({ models });
    const otherItem = picker.listedItems[2];
    assert.ok(otherItem);
    picker.acceptItems(otherItem);
    const selectedId = models.chatModel?.id;
    assert.equal(models.chatModel?.name, otherItem.label);
    const profiles = { other: { baseUrl: service.baseUrl } };
    await withSettings(
      { 'inferenceService.profiles': profiles, 'inferenceService.profile': 'other' },
      async () => {
        await models.refresh();
        assert.equal(models.chatModel?.id, defaultId);
      },
    );
    const nextCatalog = createCatalog(fixture);
    await nextCatalog.refresh();
    assert.equal(nextCatalog.chatModel?.id, selectedId);
    const settings = { 'inferenceService.chat.model': 'default' };
    await withSettings(settings, async () => {
      assert.equal(nextCatalog.chatModel?.id, defaultId, 'a trait in the setting comes first');
      await nextCatalog.selectChatModel(selectedId ?? '');
      assert.equal(
        nextCatalog.chatModel?.id,
        selectedId,
        'until the person chooses in this window',
      );
    });
  });

  test('change with the active profile, and are not affected by a late response for another profile', async () => {
    const lateBody = Promise.withResolvers<string>();
    await using slowServer = await startHttpServer((_request, response) => {
      void lateBody.promise.then((text) => response.end(text));
    });
    await using fastServer = await startHttpServer((_request, response) =>
      response.end(createModelList(3)),
    );
    const profiles = {
      slow: { baseUrl: getBaseUrl(slowServer) },
      quick: { baseUrl: getBaseUrl(fastServer) },
    };
    const settings = { 'inferenceService.profiles': profiles, 'inferenceService.profile': 'slow' };
    await withSettings(settings, async () => {
      using fixture = createAccountFixture();
      const models = createCatalog(fixture);
      const pendingRefreshPromise = models.refresh();
      await withSettings({ 'inferenceService.profile': 'quick' }, async () => {
        await waitForEvent(
          () => models.models.length === 3 && !models.isLoading,
          models.onDidChange,
        );
        lateBody.resolve(createModelList(1));
        await pendingRefreshPromise;
        assert.equal(models.models.length, 3);
        assert.deepEqual(readdirSync(getModelsFolder(fixture)), ['quick.json']);
      });
    });
  });

  test('are available when the cache file cannot be written', async () => {
    using fixture = createAccountFixture();
    // A file with the folder's path prevents the creation of the folder.
    rmSync(getModelsFolder(fixture), { recursive: true, force: true });
    writeFileSync(getModelsFolder(fixture), '');
    const models = createCatalog(fixture);
    await models.refresh();
    assert.ok(models.chatModel);
    assert.equal(models.failure, undefined);
    assert.match(fixture.logLines.join(), /Could not store the list of models/);
  });

  test('are requested again when the cache file is damaged', async () => {
    using fixture = createAccountFixture();
    mkdirSync(getModelsFolder(fixture));
    writeFileSync(join(getModelsFolder(fixture), 'default.json'), '{"version":1,"models":[');
    const models = createCatalog(fixture);
    await models.refresh();
    assert.ok(models.chatModel);
    assert.doesNotThrow(() =>
      JSON.parse(readFileSync(join(getModelsFolder(fixture), 'default.json'), 'utf8')),
    );
  });

  test('of a server on this machine that requires no key are usable without sign-in', async () => {
    await withPlainServer({ kind: 'ollama' }, async ({ fixture, models }) => {
      assert.equal(fixture.account.view.status, 'signed-out');
      await models.refresh();
      await waitForStatus(fixture, 'signed-in');
      assert.equal(models.find('qwen3:8b')?.contextTokens, 4_096);
      // A window that opens later is signed in from the start.
      assert.ok(
        isSignedIn(createAccountFixture({ globalState: fixture.context.globalState }).account),
      );
    });
  });

  test('do not keep the user signed in if the server rejects a chat request without a key', async () => {
    await withPlainServer({ kind: 'llamacpp', key: 'secret' }, async ({ fixture, models }) => {
      const { account } = fixture;
      await models.refresh();
      await waitForStatus(fixture, 'signed-in');
      const request = { model: models.chatModel?.id ?? '', messages: [] };
      const { signal } = new AbortController();
      for await (const [event] of streamChat(account.service, request, { signal })) {
        if (event?.type === 'stream-end' && event.outcome.kind === 'failed')
          account.reportOutcome(event.outcome.failure, account.profile);
      }
      await waitForStatus(fixture, 'signed-out');
      // After the rejection, a loaded model list no longer counts as a sign-in.
      await models.refresh({ force: true });
      await account.reloadKey();
      assert.equal(account.view.status, 'signed-out');
      // A short placeholder is a valid key for this server.
      await account.storeKey(account.profile, 'secret');
      assert.equal(account.view.status, 'signed-in');
    });
  });

  test('change their capabilities when the service rejects a request or the user changes a setting', async () => {
    await withPlainServer({ kind: 'vllm', tools: false }, async ({ models }) => {
      await models.refresh();
      const canModelCallTools = () =>
        models.find('sql-adapter')?.capabilities.supportsFunctionCalling;
      assert.equal(canModelCallTools(), undefined);
      const failure = { code: 'unsupported-feature', message: '', refusedPart: 'tools' } as const;
      models.recordRefusal('sql-adapter', failure);
      assert.equal(canModelCallTools(), false);
      const overrides = { 'sql-adapter': { tools: true, contextTokens: 1_000 } };
      await withSettings({ 'inferenceService.models.overrides': overrides }, async () => {
        assert.equal(canModelCallTools(), true);
        assert.equal(models.find('sql-adapter')?.contextTokens, 1_000);
      });
      assert.equal(canModelCallTools(), false);
      // Workspace settings must not override capabilities.
      await withWorkspaceSettings({ 'inferenceService.models.overrides': overrides }, async () => {
        assert.equal(canModelCallTools(), false);
        assert.notEqual(models.find('sql-adapter')?.contextTokens, 1_000);
      });
    });
  });
});

const waitForStatus = ({ account }: AccountFixture, status: string): Promise<unknown> =>
  waitForEvent(() => account.view.status === status, account.onDidChange);

/** Imports the server at run time. The bundle of the suites cannot contain it, because it uses top-level `await`. */
async function importPlainServer(): Promise<typeof import('../foreign/plain-server.mjs')> {
  const [suiteFile = ''] = readSuiteEnvironment().suiteFiles;
  const [rootFolder = ''] = suiteFile.split(`${sep}.artefacts${sep}`);
  const url = pathToFileURL(join(rootFolder, 'test', 'foreign', 'plain-server.mjs')).href;
  return (await import(url)) as typeof import('../foreign/plain-server.mjs');
}

/**
 * Calls `run` with the model catalog of an account without an API key. The account is connected to a server that
 * imitates an OpenAI-compatible product such as llama.cpp.
 */
async function withPlainServer(
  settings: PlainServerSettings,
  run: (context: { fixture: AccountFixture; models: ModelCatalog }) => Promise<void>,
): Promise<void> {
  const { startPlainServer } = await importPlainServer();
  const server = await startPlainServer(settings);
  try {
    await withSettings({ 'inferenceService.baseUrl': server.baseUrl }, async () => {
      using fixture = createAccountFixture();
      await fixture.account.reloadKey();
      await run({ fixture, models: createCatalog(fixture) });
    });
  } finally {
    await server.close();
  }
}

const createCatalog = ({ context, account, log }: AccountFixture): ModelCatalog =>
  createModelCatalog({ context, account, log });

const getModelsFolder = ({ context }: AccountFixture): string =>
  join(context.globalStorageUri.fsPath, 'models');

const createModelRecord = (index: number): object => ({
  id: `model-${index}`,
  object: 'model',
  type: 'text',
  model_spec: { name: `Model ${index}`, availableContextTokens: 131_072 },
});

const createModelList = (count: number): string =>
  JSON.stringify({
    object: 'list',
    type: 'all',
    data: Array.from({ length: count }, (_, i) => createModelRecord(i)),
  });

const unusualModels: readonly unknown[] = [
  null,
  7,
  { object: 'model' },
  { id: 'x'.repeat(301), type: 'text' },
  { id: 'bare' },
  { id: 'hologram', type: 'hologram', model_spec: { capabilities: 'all', traits: 'default' } },
  {
    id: 'figures',
    type: 'text',
    model_spec: {
      availableContextTokens: 1.5,
      pricing: { input: { usd: 'NaN' }, output: null },
      deprecation: { date: 'soon' },
    },
  },
];

interface ModelServerContext {
  readonly modelCatalog: ModelCatalog;
  readonly requests: readonly string[];
  /** Makes the server reject the next `count` requests with status 429 and the header `Retry-After: 50` (seconds). */
  readonly refuseNextRequests: (count: number) => void;
}

/** Calls `run` with a model catalog whose server replies with `body`. */
async function withModelServer(
  body: string,
  run: (context: ModelServerContext) => Promise<void>,
): Promise<void> {
  const requests: string[] = [];
  let refusalCount = 0;
  await using server = await startHttpServer((request, response) => {
    // Requests of the installed extension have another key.
    const isFromTest = request.headers.authorization === 'Bearer key-of-the-fixture';
    if (isFromTest) requests.push(`${request.url}`);
    response.setHeader('content-type', 'application/json');
    if (!isFromTest || refusalCount === 0) return void response.end(body);
    refusalCount--;
    response.writeHead(429, { 'retry-after': '50' });
    return void response.end('{"error":"Rate limit exceeded"}');
  });
  await withSettings({ 'inferenceService.baseUrl': getBaseUrl(server) }, async () => {
    using fixture = createAccountFixture();
    await fixture.account.storeKey(fixture.account.profile, 'key-of-the-fixture');
    const setRefusalCount = (count: number): void => void (refusalCount = count);
    await run({
      modelCatalog: createCatalog(fixture),
      requests,
      refuseNextRequests: setRefusalCount,
    });
  });
}

const getBaseUrl = ({ port }: LoopbackServer): string => `http://127.0.0.1:${port}/api/v1`;
