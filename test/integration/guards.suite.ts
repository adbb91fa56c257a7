import assert from 'node:assert/strict';
import { setup, suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { ApiChatResult } from '../../src/api/api-types.ts';
import { createExportedApi } from '../../src/api/exported-api.ts';
import { ChatProvider } from '../../src/language-model/chat-provider.ts';
import { Participant } from '../../src/language-model/participant/participant.ts';
import { participantId } from '../../src/language-model/participant/turns.ts';
import { requireSelectedModel } from '../../src/models/vscode/selected-model.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { selectModel } from '../../src/models/vscode/select-model.ts';
import { createPrivacyPorts } from '../../src/privacy/vscode/contribute.ts';
import { protocolVersion } from '../../src/chat/protocol/constants.ts';
import { streamChat } from '../../src/service/chat/stream-chat.ts';
import { flattenBatches } from '../support/batches.ts';
import type { StreamOutcome } from '../../src/service/chat/chat-types.ts';
import { ServiceError } from '../../src/service/http/failure.ts';
import type { Bill, Spending } from '../../src/service/chat/spending.ts';
import { Control } from '../service/control.ts';
import { startHttpServer, type LoopbackServer } from '../support/loopback.ts';
import { MemoryState, withSettings } from './account-fixture.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { FakeConsentDialogs } from './consent-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const signal = new AbortController().signal;
const encryptedModelId = 'sealed-letter-70b';

/**
 * Creates a window as after a restart. The user selected the given model before the restart, or none if `model` is
 * empty.
 */
function openWindow(model: string): ChatFixture {
  const globalState = new MemoryState();
  if (model !== '') void globalState.update('chatModel.default', model);
  return createChatFixture({
    globalState,
    environment: { INFERENCE_SERVICE_API_KEY: service.apiKey },
  });
}

const breakModelList = (): Promise<void> =>
  control.injectFault({
    match: { path: '/models' },
    times: 20,
    fault: { kind: 'status', status: 404 },
  });

const listRequestedModels = async (): Promise<unknown[]> =>
  (await control.getRequests())
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => (body as { readonly model: unknown }).model);

suite('the chosen model', () => {
  setup(() => control.reset());

  test('is not replaced in the chat while the model list cannot be loaded', async () => {
    using fixture = openWindow(encryptedModelId);
    await breakModelList();
    const { session } = fixture.chat;
    await session.send('Hello', []);
    await session.waitUntilSettled();
    const answer = session.conversation.listPath().at(-1);
    assert.ok(answer?.role === 'assistant');
    assert.deepEqual([answer.model.id, answer.status], [encryptedModelId, 'failed']);
    assert.equal(answer.result.failure?.code, 'not-found');
    assert.deepEqual(await listRequestedModels(), []);
  });

  test('receives the chat’s request after the model list is loaded', async () => {
    using fixture = openWindow(encryptedModelId);
    const { session } = fixture.chat;
    await session.send('Hello', []);
    await session.waitUntilSettled();
    assert.deepEqual(await listRequestedModels(), [encryptedModelId]);
  });

  test('is not replaced in calls of other extensions while the model list cannot be loaded', async () => {
    using fixture = openWindow(encryptedModelId);
    await breakModelList();
    using _ = new FakeConsentDialogs('Allow Once');
    const api = createExportedApi(fixture.host, fixture.images);
    const messages = [{ role: 'user', content: 'Hello' }] as const;
    const result: ApiChatResult = await api.client.complete({ messages, caller: 'vscode.git' });
    assert.ok(!result.ok);
    assert.equal(result.problem, 'not-found');
    assert.deepEqual(await listRequestedModels(), []);
  });

  for (const [source, setting] of [
    ['in the chat', ''],
    ['in the settings', 'gone-model'],
  ] as const) {
    test(`that the user selected ${source} is not replaced if the service no longer offers the model`, async () => {
      using fixture = openWindow(setting === '' ? 'gone-model' : '');
      await withSettings({ 'inferenceService.chat.model': setting }, async () => {
        await assert.rejects(requireSelectedModel(fixture.host.models), {
          failure: {
            code: 'model-not-found',
            message:
              'The service does not offer the chosen model, or its models are not known yet.',
          },
        });
      });
    });
  }

  test('is shown on the chat page with a warning if the service no longer offers the model', async () => {
    using fixture = openWindow('gone-model');
    await fixture.host.models.refresh();
    const stateMessagePromise = fixture.page.waitForMessage('state-set');
    fixture.page.sendToHost({ type: 'ready', version: protocolVersion });
    const state = await stateMessagePromise;
    assert.ok(state.type === 'state-set');
    assert.equal(state.state.model?.name, 'gone-model');
    assert.match(state.state.model.warning, /no longer offers gone-model/u);
    using picker = new PickerProbe();
    selectModel(fixture.host);
    assert.match(picker.listLabels().join(), /no longer offers gone-model/u);
  });

  test('is the service’s default if the user selected no model', async () => {
    using fixture = openWindow('');
    const { models } = fixture.host;
    assert.equal((await requireSelectedModel(models)).id, models.chatModel?.id);
  });
});

suite('without a model list', () => {
  for (const [encrypt, expectedModels] of [
    ['whenOffered', []],
    ['off', ['default']],
  ] as const) {
    test(`a request is ${expectedModels.length === 0 ? 'not ' : ''}sent if the encryption setting is ${encrypt}`, async () => {
      await control.reset();
      using fixture = openWindow('');
      await breakModelList();
      await withSettings({ 'inferenceService.chat.encrypt': encrypt }, async () => {
        const { context, account, log } = fixture;
        const models = createModelCatalog({ context, account, log });
        const privateService = { ...account.service, ...createPrivacyPorts({ account, models }) };
        let outcome: StreamOutcome | undefined;
        const request = {
          model: 'default',
          messages: [{ role: 'user', content: 'Hello' }],
        } as const;
        for await (const event of flattenBatches(streamChat(privateService, request, { signal })))
          if (event.type === 'stream-end') outcome = event.outcome;
        assert.equal(
          outcome?.kind === 'failed' && outcome.failure.code,
          expectedModels.length === 0 && 'not-found',
        );
        assert.deepEqual(await listRequestedModels(), expectedModels);
      });
    });
  }
});

suite('a model that no longer offers encryption', () => {
  for (const [condition, change] of [
    ['and has no attestation', { supportsE2EE: false, supportsTeeAttestation: false }],
    ['but has an attestation', { supportsE2EE: false, supportsTeeAttestation: true }],
  ] as const) {
    for (const isBackground of [false, true]) {
      test(`${condition} receives no unencrypted text${isBackground ? ' in the background' : ' unless the user confirms'}`, async () => {
        await control.reset();
        using fixture = openWindow('');
        const { account } = fixture;
        const catalog = fixture.host.models;
        await catalog.refresh();
        let { allModels: knownModels } = catalog;
        const models = {
          get allModels() {
            return knownModels;
          },
          failure: undefined,
          refresh: async () => {},
          onDidChange: catalog.onDidChange,
        };
        const parts = { account, models };
        const send = async (): Promise<StreamOutcome | undefined> => {
          // Simulates a restart.
          const privateService = { ...account.service, ...createPrivacyPorts(parts) };
          const request = {
            model: encryptedModelId,
            messages: [{ role: 'user', content: 'Hello' }],
          } as const;
          const events = await Array.fromAsync(
            flattenBatches(streamChat(privateService, request, { signal, isBackground })),
          );
          const end = events.at(-1);
          return end?.type === 'stream-end' ? end.outcome : undefined;
        };
        assert.equal((await send())?.kind, 'complete');
        await control.reset();
        knownModels = knownModels.map((model) => ({
          ...model,
          capabilities: { ...model.capabilities, ...change },
        }));
        using consent = new FakeConsentDialogs();
        const outcome = await send();
        assert.equal(outcome?.kind === 'failed' && outcome.failure.code, 'protection-failed');
        assert.equal(consent.shownQuestions.length, isBackground ? 0 : 1);
        knownModels = knownModels.filter(({ id }) => id !== encryptedModelId);
        assert.equal((await send())?.kind, 'failed');
        assert.deepEqual(await listRequestedModels(), []);
        if (isBackground) return;
        consent.answers.push('Send Anyway');
        await send();
        assert.deepEqual(await listRequestedModels(), [encryptedModelId]);
      });
    }
  }
});

suite('a model group of VS Code', () => {
  setup(() => control.reset());

  test('requires the encryption that its own service offers, and sends nothing to another service', async () => {
    using fixture = openWindow('');
    await fixture.host.models.refresh();
    await using group = await ModelGroup.open(fixture, { supportsE2EE: true });
    const [model] = await group.listModels();
    assert.equal(model?.id, 'assistant-large-480b');
    using _ = new FakeConsentDialogs();
    await assert.rejects(group.sendRequest(model), /enclave of Twin could not be verified/u);
    assert.ok(
      group.requestPaths.some((path) => path.includes('/tee/attestation')),
      group.requestPaths.join(),
    );
    assert.ok(
      !group.requestPaths.some((path) => path.includes('/chat/')),
      group.requestPaths.join(),
    );
    const otherRequests = (await control.getRequests()).filter(
      ({ path }) => !path.includes('/models'),
    );
    assert.deepEqual(otherRequests, []);
  });

  test('uses the prices of its own service', async () => {
    using fixture = openWindow('');
    const bills: Bill[] = [];
    const spending: Spending = {
      authorizeRequest: async () => {},
      recordSpending: (_, bill) => void bills.push(bill),
      releaseReservedPrice: () => {},
    };
    Object.assign(fixture.host, { service: { ...fixture.host.service, spending } });
    await using group = await ModelGroup.open(fixture, {});
    await group.sendRequest((await group.listModels())[0]);
    assert.deepEqual(bills[0]?.cost, { usd: 30 });
  });

  test('rejects a model that its model list does not contain', async () => {
    using fixture = openWindow('');
    await using group = await ModelGroup.open(fixture, {});
    const [model] = await group.listModels();
    assert.ok(model);
    await assert.rejects(group.sendRequest({ ...model }), /does not offer the chosen model/u);
    assert.deepEqual(await listRequestedModels(), []);
  });

  test('answers in @inference while the user is signed out, without a request to another service', async () => {
    for (const fixture of [openWindow(''), createChatFixture()]) {
      using _ = fixture;
      await using group = await ModelGroup.open(fixture, { supportsWebSearch: true });
      const [model] = await group.listModels();
      assert.ok(model);
      const [otherModel] = await group.listModels('another-key');
      assert.ok(otherModel && otherModel.version !== model.version);
      assert.deepEqual(await group.listModels(), [model]);
      for (const options of [{}, { command: 'search' }]) {
        const { failure, buttons } = await group.answerAsParticipant(fixture, model, options);
        assert.deepEqual([failure, buttons], [undefined, []]);
      }
      assert.deepEqual(group.requestKeys, ['key-of-the-group', 'key-of-the-group, searching']);
      const missingModelResult = await group.answerAsParticipant(fixture, {
        ...model,
        version: 'group-0',
      });
      assert.match(missingModelResult.failure ?? '', /does not offer the chosen model/u);
      assert.equal(group.requestKeys.length, 2);
    }
    assert.deepEqual(await listRequestedModels(), []);
  });

  test('answers no @inference requests for images or for models of the account', async () => {
    using fixture = openWindow('');
    await using group = await ModelGroup.open(fixture, {});
    const [model] = await group.listModels();
    assert.ok(model);
    const { failure } = await group.answerAsParticipant(fixture, { ...model, version: '1' });
    assert.equal(failure, undefined);
    assert.deepEqual(await listRequestedModels(), [model.id]);
    using signedOutFixture = createChatFixture();
    await using signedOutGroup = await ModelGroup.open(signedOutFixture, {});
    const [signedOutModel] = await signedOutGroup.listModels();
    const { buttons, result } = await signedOutGroup.answerAsParticipant(
      signedOutFixture,
      signedOutModel,
      { command: 'image' },
    );
    assert.deepEqual(buttons, ['inferenceService.setApiKey', 'inferenceService.mintKey']);
    assert.equal(result.metadata?.['address'], undefined, 'no service has it');
    assert.deepEqual([...group.requestKeys, ...signedOutGroup.requestKeys], []);
  });

  test('does not receive @inference turns of the account, and sends its turns to no other service', async () => {
    using fixture = openWindow('');
    await using group = await ModelGroup.open(fixture, {});
    const [model] = await group.listModels();
    assert.ok(model);
    const accountModel = { ...model, version: '1' };
    const { result: firstResult } = await group.answerAsParticipant(fixture, model);
    const accountResponse = await group.answerAsParticipant(fixture, accountModel, {
      history: createTurns(firstResult),
    });
    assert.doesNotMatch(JSON.stringify(await control.getRequests()), /spring tide/u);
    assert.match(accountResponse.markdown, /left out: a service at another address has them/u);
    const groupResponse = await group.answerAsParticipant(fixture, model, {
      history: createTurns(firstResult),
    });
    assert.match(group.requestBodies.at(-1) ?? '', /spring tide.*neap tide/u);
    assert.doesNotMatch(groupResponse.markdown, /left out/u);
    const history = createTurns(accountResponse.result);
    const secondResponse = await group.answerAsParticipant(fixture, model, { history });
    assert.doesNotMatch(group.requestBodies.at(-1) ?? '', /spring tide|neap tide/u);
    assert.match(secondResponse.markdown, /left out: a service at another address has them/u);
  });

  test('does not receive the account’s persona', async () => {
    using fixture = openWindow('');
    await using group = await ModelGroup.open(fixture, {});
    const [model] = await group.listModels();
    assert.ok(model);
    const accountModel = { ...model, version: '1' };
    const { result: firstResult } = await group.answerAsParticipant(fixture, accountModel);
    const character = { slug: 'alan-watts', name: 'Alan Watts' };
    const personaHistory = createTurns({ metadata: { ...firstResult.metadata, character } });
    const { result } = await group.answerAsParticipant(fixture, model, { history: personaHistory });
    assert.doesNotMatch(group.requestBodies.join(), /character_slug|alan-watts/u);
    // VS Code stores no result for a stopped answer, so the last turn has none.
    const history = [...personaHistory, ...createTurns(result), ...createTurns({})];
    await group.answerAsParticipant(fixture, accountModel, { history });
    assert.match(JSON.stringify((await control.getRequests()).at(-1)?.body), /alan-watts/u);
  });

  test('applies its own encryption, the private-only setting and the budget to @inference requests', async () => {
    using fixture = createChatFixture();
    using _ = new FakeConsentDialogs();
    await using encryptedGroup = await ModelGroup.open(fixture, { supportsE2EE: true });
    const [encryptedModel] = await encryptedGroup.listModels();
    const { failure } = await encryptedGroup.answerAsParticipant(fixture, encryptedModel);
    assert.match(failure ?? '', /enclave of Twin could not be verified/u);
    const authorize = () => Promise.reject(new ServiceError(budgetFailure));
    const spending: Spending = {
      authorizeRequest: authorize,
      recordSpending: () => {},
      releaseReservedPrice: () => {},
    };
    Object.assign(fixture.host, { service: { ...fixture.host.service, spending } });
    await using group = await ModelGroup.open(fixture, {});
    const [model] = await group.listModels();
    assert.equal((await group.answerAsParticipant(fixture, model)).failure, budgetFailure.message);
    await withSettings({ 'inferenceService.privateModelsOnly': true }, async () => {
      const lockedResponse = await group.answerAsParticipant(fixture, model);
      assert.match(lockedResponse.failure ?? '', /does not offer the chosen model/u);
    });
    assert.deepEqual([...encryptedGroup.requestKeys, ...group.requestKeys], []);
  });
});

const budgetFailure = { code: 'over-budget', message: 'The budget is spent.' } as const;

interface ParticipantOptions {
  readonly command?: string;
  readonly history?: vscode.ChatContext['history'];
}

interface ParticipantResponse {
  readonly result: vscode.ChatResult;
  readonly failure: string | undefined;
  readonly buttons: readonly string[];
  readonly markdown: string;
}

/**
 * Creates a history with a prompt and its response, as VS Code would pass it. The API classes have no public
 * constructor.
 */
const createTurns = (result: vscode.ChatResult): vscode.ChatContext['history'] => [
  Object.assign(Object.create(vscode.ChatRequestTurn.prototype), {
    participant: participantId,
    prompt: 'When is spring tide?',
  }),
  Object.assign(Object.create(vscode.ChatResponseTurn.prototype), {
    participant: participantId,
    response: [new vscode.ChatResponseMarkdownPart('Ask about neap tide.')],
    result,
  }),
];

/** Model group of a second service. Its only model has the id of a model of the first service, but no attestation. */
class ModelGroup implements AsyncDisposable {
  readonly requestPaths: string[] = [];
  /** API key of each chat request, followed by `, searching` if the request enables web search. */
  readonly requestKeys: string[] = [];
  /** Body of each chat request. */
  readonly requestBodies: string[] = [];
  readonly #provider: ChatProvider;
  #server: LoopbackServer | undefined;

  private constructor({ host }: ChatFixture) {
    this.#provider = new ChatProvider(host, () => {});
  }

  static async open(fixture: ChatFixture, capabilities: object): Promise<ModelGroup> {
    const group = new ModelGroup(fixture);
    const pricing = { input: { usd: 1_000_000 }, output: { usd: 2_000_000 } };
    const spec = { name: 'Twin', capabilities, pricing };
    const data = [{ id: 'assistant-large-480b', type: 'text', model_spec: spec }];
    group.#server = await startHttpServer((request, response) => {
      const path = request.url ?? '';
      group.requestPaths.push(path);
      const isChat = path.endsWith('/chat/completions');
      response.statusCode = isChat || path.includes('/models') ? 200 : 404;
      const type = isChat ? 'text/event-stream' : 'application/json';
      response.setHeader('content-type', type);
      const key = request.headers.authorization?.replace('Bearer ', '');
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const searchSuffix = body.includes('"enable_web_search":"on"') ? ', searching' : '';
        if (isChat) group.requestKeys.push(`${key}${searchSuffix}`);
        if (isChat) group.requestBodies.push(body);
        response.end(isChat ? answerBody : JSON.stringify({ object: 'list', type: 'all', data }));
      });
    });
    return group;
  }

  listModels(apiKey = 'key-of-the-group'): Promise<vscode.LanguageModelChatInformation[]> {
    const baseUrl = `http://127.0.0.1:${this.#server?.port}/api/v1`;
    const options = { silent: true, configuration: { apiKey, baseUrl } };
    return this.#provider.provideLanguageModelChatInformation(options, createNeverCanceledToken());
  }

  async sendRequest(model: vscode.LanguageModelChatInformation | undefined): Promise<void> {
    assert.ok(model);
    const content = [new vscode.LanguageModelTextPart('Hello')];
    await this.#provider.provideLanguageModelChatResponse(
      model,
      [{ role: vscode.LanguageModelChatMessageRole.User, name: undefined, content }],
      { toolMode: vscode.LanguageModelChatToolMode.Auto },
      { report: () => {} },
      createNeverCanceledToken(),
    );
  }

  /** Sends a prompt to the chat participant `@inference` with the model of the group. */
  async answerAsParticipant(
    { host, images }: ChatFixture,
    model: vscode.LanguageModelChatInformation | undefined,
    { command, history = [] }: ParticipantOptions = {},
  ): Promise<ParticipantResponse> {
    assert.ok(model);
    const { id, version } = model;
    const buttons: string[] = [];
    let markdown = '';
    const stream = {
      markdown: (text: string | vscode.MarkdownString) =>
        void (markdown += typeof text === 'string' ? text : text.value),
      progress: () => {},
      button: (button: vscode.Command) => void buttons.push(button.command),
    };
    const requestedModel = { vendor: 'inferenceService', id, version };
    const request = { prompt: 'Hello', command, references: [], model: requestedModel };
    const result = await new Participant(host, images, this.#provider).answer(
      // The participant reads only these properties of the request.
      request as unknown as vscode.ChatRequest,
      { history },
      stream as unknown as vscode.ChatResponseStream,
      createNeverCanceledToken(),
    );
    return { result, failure: result.errorDetails?.message, buttons, markdown };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#provider.dispose();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

const answerBody = [
  { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

const createNeverCanceledToken = (): vscode.CancellationToken =>
  new vscode.CancellationTokenSource().token;
