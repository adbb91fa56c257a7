import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { createLanguageModelTools } from '../../src/agent/vscode/external-tools.ts';
import { createLazyBudget } from '../../src/account/vscode/budget.ts';
import { ChatProvider } from '../../src/language-model/chat-provider.ts';
import type { ModelInformation } from '../../src/language-model/model-information.ts';
import { createAgentToolFactory } from '../../src/language-model/tools/agent-tools.ts';
import { readGroupConfiguration } from '../../src/language-model/model-source.ts';
import { Participant } from '../../src/language-model/participant/participant.ts';
import { participantId } from '../../src/language-model/participant/turns.ts';
import { NativeLanguageModelTool } from '../../src/language-model/native-runtime.ts';
import { createNativeTools } from '../../src/language-model/tools/native-tools.ts';
import type { NativeToolName } from '../../src/language-model/registration.ts';
import { useInVsCodeChat } from '../../src/language-model/use-in-vscode-chat.ts';
import { createPrivacyPorts } from '../../src/privacy/vscode/contribute.ts';
import { Control } from '../service/control.ts';
import { eventually, waitUntil } from '../support/eventually.ts';
import { Dialogs, withSettings } from './account-fixture.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { DataPart } from './data-part.ts';
import { readSuiteEnvironment } from './environment.ts';
import { simulateUntrustedWorkspace } from './untrusted.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const vendorId = 'inferenceService';

const [root] = vscode.workspace.workspaceFolders ?? [];
const workspaceFolderPath = root?.uri.fsPath ?? '';

setup(async () => {
  await control.reset();
  await control.setResponsePace('instant');
});

async function selectModel(id = 'assistant-large-480b'): Promise<vscode.LanguageModelChat> {
  const [model] = await vscode.lm.selectChatModels({ vendor: vendorId, id });
  assert.ok(model, `${id} is not offered`);
  return model;
}

const createUserMessage = (
  content: string | (vscode.LanguageModelTextPart | InstanceType<typeof DataPart>)[],
  // The type of the oldest supported version lacks data parts.
) => vscode.LanguageModelChatMessage.User(content as string);

const readText = async (response: vscode.LanguageModelChatResponse): Promise<string> => {
  let fullText = '';
  for await (const part of response.text) fullText += part;
  return fullText;
};

const listRequestBodies = async () =>
  (await control.getRequests())
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => body as Record<string, unknown>);

suite('the language model list', () => {
  test('contains every online chat model with its inputs, price and privacy level', async () => {
    using fixture = createSignedInFixture();
    const { models } = fixture.host;
    await models.refresh();
    const modelList = await vscode.lm.selectChatModels({ vendor: vendorId });
    const onlineModels = models.models.filter(({ type, offline }) => type === 'text' && !offline);
    assert.deepEqual(
      modelList.map(({ id }) => id).toSorted(),
      onlineModels.map(({ id }) => id).toSorted(),
    );
    const provider = new ChatProvider(fixture.host, () => {});
    const providedModels = await provider.provideLanguageModelChatInformation(
      { silent: true },
      createNeverCanceledToken(),
    );
    for (const model of providedModels) {
      const { contextTokens } = onlineModels.find(({ id }) => id === model.id) ?? {};
      assert.equal(model.maxInputTokens + model.maxOutputTokens, contextTokens ?? 32_768);
      assert.match(model.detail ?? '', /\$.* \/ 1M/u);
      const { pricing } = onlineModels.find(({ id }) => id === model.id) ?? {};
      const { inputCost, maxContextWindowTokens } = model as ModelInformation;
      // Credits of VS Code's chat have a value of one cent.
      assert.ok(Math.abs((inputCost ?? 0) / 100 - (pricing?.input?.usd ?? NaN)) < 1e-9);
      assert.equal(maxContextWindowTokens, contextTokens);
      assert.ok((model.tooltip ?? '').includes(model.id));
    }
    provider.dispose();
  });

  test('is empty without a key, and shows no dialog if VS Code requests the list silently', async () => {
    using fixture = createChatFixture();
    using dialogs = new Dialogs();
    const provider = new ChatProvider(fixture.host, () => {});
    assert.deepEqual(
      await provider.provideLanguageModelChatInformation(
        { silent: true },
        createNeverCanceledToken(),
      ),
      [],
    );
    assert.deepEqual(
      [dialogs.shownMessages, dialogs.shownInputs, dialogs.executedCommands],
      [[], [], []],
    );
    assert.deepEqual(await control.getRequests(), []);
    provider.dispose();
  });

  test('offers to set an API key if no key is stored and VS Code does not request the list silently', async () => {
    using fixture = createChatFixture();
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Set API Key');
    const provider = new ChatProvider(fixture.host, () => {});
    await provider.provideLanguageModelChatInformation(
      { silent: false },
      createNeverCanceledToken(),
    );
    assert.deepEqual(dialogs.shownMessages, ['Inference Service needs an API key.']);
    assert.deepEqual(dialogs.executedCommands, ['inferenceService.setApiKey']);
    provider.dispose();
  });

  test('notifies VS Code only when its models change', async () => {
    using fixture = createSignedInFixture();
    const { host } = fixture;
    let changeCount = 0;
    const provider = new ChatProvider(host, () => (changeCount += 1));
    await host.models.refresh();
    await provider.provideLanguageModelChatInformation(
      { silent: true },
      createNeverCanceledToken(),
    );
    await host.models.refresh({ force: true });
    host.account.reportOutcome({ balanceUsd: 1.23 }, host.account.profile);
    await waitForHandlers();
    assert.equal(changeCount, 0);
    await control.changeModel({ model: 'assistant-large-480b', contextTokens: 50_000 });
    await host.models.refresh({ force: true });
    await waitForHandlers();
    assert.equal(changeCount, 1);
    provider.dispose();
  });

  test('contains the models of a group with a separate key and address', async () => {
    using fixture = createChatFixture();
    const provider = new ChatProvider(fixture.host, () => {});
    const configuration = { apiKey: service.apiKey, baseUrl: service.baseUrl };
    const requestOptions = { silent: true, group: 'work', configuration };
    const [firstModel] = await provider.provideLanguageModelChatInformation(
      requestOptions,
      createNeverCanceledToken(),
    );
    assert.ok(firstModel);
    const parts = await provideResponse(provider, firstModel, [createMessage('Hello')]);
    assert.ok(parts.length > 0);
    assert.ok(!fixture.logLines.join('\n').includes(service.apiKey));
    provider.dispose();
  });

  test('assigns each of two concurrently requested groups its own source of models', async () => {
    using fixture = createChatFixture();
    using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
    const modelList = await Promise.all(
      [service.baseUrl, `${service.baseUrl}/`].map((baseUrl) =>
        provider.provideLanguageModelChatInformation(
          Object.assign({ silent: true }, { configuration: { apiKey: service.apiKey, baseUrl } }),
          createNeverCanceledToken(),
        ),
      ),
    );
    const sources = modelList.map(([firstModel]) => firstModel && provider.findSource(firstModel));
    assert.equal(new Set(sources).size, 2);
    assert.ok(!sources.includes(undefined));
  });

  test('reports a rejected group key on every request, but sends the key to the service only once', async () => {
    using fixture = createChatFixture();
    using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
    const requestModels = (apiKey: string) =>
      provider.provideLanguageModelChatInformation(
        Object.assign({ silent: true }, { configuration: { apiKey, baseUrl: service.baseUrl } }),
        createNeverCanceledToken(),
      );
    const wrongKey = 'wrong-key-0123456789';
    for (let attempt = 0; attempt < 3; attempt++) {
      await assert.rejects(requestModels(wrongKey), (error: Error) => {
        assert.match(error.message, /does not accept this API key.*set another one/u);
        assert.ok(!error.message.includes(wrongKey));
        return true;
      });
    }
    assert.equal((await findRequestsByPath('/models')).length, 1);
    assert.ok(!fixture.logLines.join('\n').includes(wrongKey));
    assert.ok((await requestModels(service.apiKey)).length > 0);
  });

  test('drops a group and its key when VS Code no longer requests the group', async () => {
    using fixture = createSignedInFixture();
    using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
    const configuration = { apiKey: service.apiKey, baseUrl: service.baseUrl };
    const accountOptions = { silent: true };
    const groupOptions = { silent: true, configuration };
    const requestModels = (requestOptions: { silent: boolean }) =>
      provider.provideLanguageModelChatInformation(requestOptions, createNeverCanceledToken());
    await requestModels(accountOptions);
    const [firstModel] = await requestModels(groupOptions);
    assert.ok(firstModel);
    await requestModels(accountOptions);
    assert.ok(provider.findSource(firstModel));
    await requestModels(groupOptions);
    await requestModels(accountOptions);
    assert.ok(provider.findSource(firstModel));
    await requestModels(accountOptions);
    assert.equal(provider.findSource(firstModel), undefined);
  });

  for (const [baseUrl, pattern] of [
    ['not an address', /address/u],
    [`${service.baseUrl}/nowhere`, /Check the base address/u],
  ] as const) {
    test(`reports the error of a group with the invalid address ${JSON.stringify(baseUrl.replace(service.baseUrl, ''))}`, async () => {
      using fixture = createChatFixture();
      using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
      const configuration = { apiKey: service.apiKey, baseUrl };
      const requestOptions = { silent: true, configuration };
      await assert.rejects(
        provider.provideLanguageModelChatInformation(requestOptions, createNeverCanceledToken()),
        pattern,
      );
    });
  }

  test('lists an unencrypted group in the local network only after the user permits it', async () => {
    using fixture = createChatFixture();
    let changeCount = 0;
    using provider = toDisposable(new ChatProvider(fixture.host, () => changeCount++));
    using dialogs = new Dialogs();
    const configuration = { apiKey: service.apiKey, baseUrl: 'http://10.255.255.254:9/v1' };
    const requestOptions = { silent: true, configuration };
    const listModels = (requestProvider = provider) =>
      requestProvider.provideLanguageModelChatInformation(
        requestOptions,
        createNeverCanceledToken(),
      );
    const unencryptedPattern = /travel unencrypted to 10\.255\.255\.254:9/u;
    await assert.rejects(listModels(), unencryptedPattern);
    await assert.rejects(listModels(), unencryptedPattern);
    assert.equal(dialogs.shownMessages.length, 1, 'asked once');
    dialogs.buttonsToPress.push('Send unencrypted');
    using nextProvider = toDisposable(new ChatProvider(fixture.host, () => changeCount++));
    await assert.rejects(listModels(nextProvider), unencryptedPattern);
    await eventually(() => assert.equal(changeCount, 1));
    assert.ok(fixture.host.account.unencryptedOrigins.has('http://10.255.255.254:9'));
  });

  for (const [name, configuration, pattern] of [
    ['a key', { baseUrl: service.baseUrl }, /needs an API key/u],
    ['a key of type string', { apiKey: 7, baseUrl: service.baseUrl }, /needs an API key/u],
    ['an address', { apiKey: 'key-of-the-group', baseUrl: ' ' }, /No address of the service/u],
  ] as const) {
    test(`reports an error for a group without ${name}, and does not use the account’s key and address`, async () => {
      using fixture = createSignedInFixture();
      using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
      const requestOptions = { silent: true, configuration };
      await assert.rejects(
        provider.provideLanguageModelChatInformation(requestOptions, createNeverCanceledToken()),
        pattern,
      );
      assert.deepEqual(await control.getRequests(), []);
    });
  }

  test('has no models for an unknown group', async () => {
    using fixture = createSignedInFixture();
    using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
    const requestOptions = { silent: true, configuration: {} };
    assert.deepEqual(
      await provider.provideLanguageModelChatInformation(
        requestOptions,
        createNeverCanceledToken(),
      ),
      [],
    );
    assert.deepEqual(await control.getRequests(), []);
  });

  test('keeps the models of other groups when one group has no key', async () => {
    using fixture = createSignedInFixture();
    using provider = toDisposable(new ChatProvider(fixture.host, () => {}));
    const wrongKey = 'wrong-key-0123456789';
    const { baseUrl } = service;
    for (let attempt = 0; attempt < 3; attempt++) {
      for (const configuration of [undefined, { apiKey: wrongKey, baseUrl }, { baseUrl }]) {
        const requestOptions = { silent: true, ...(configuration && { configuration }) };
        await provider
          .provideLanguageModelChatInformation(requestOptions, createNeverCanceledToken())
          .catch(() => []);
      }
    }
    const modelRequests = (await findRequestsByPath('/models')).filter(
      ({ headers }) => headers['authorization'] === `Bearer ${wrongKey}`,
    );
    assert.equal(modelRequests.length, 1);
  });

  for (const options of [undefined, {}, { configuration: null }]) {
    test(`finds no group configuration in ${JSON.stringify(options)}`, () => {
      assert.equal(readGroupConfiguration(options), undefined);
    });
  }
});

suite('language model requests', () => {
  test('return the answer in chunks as it streams', async () => {
    await control.addScripts({
      steps: [{ content: 'First.' }, { hold: 'rest' }, { content: ' Last.' }],
    });
    const response = await (await selectModel()).sendRequest([createUserMessage('Hello')]);
    const chunkIterator = response.text[Symbol.asyncIterator]();
    assert.deepEqual(await chunkIterator.next(), { value: 'First.', done: false });
    await control.releasePause('rest');
    let remainingText = '';
    for (let step = await chunkIterator.next(); !step.done; step = await chunkIterator.next())
      remainingText += step.value;
    assert.equal(remainingText, ' Last.');
  });

  test('report the number of tokens after the answer', async () => {
    await control.addScripts({
      steps: [{ content: 'Twelve.' }],
      usage: { prompt_tokens: 120, completion_tokens: 12, reasoning_tokens: 3 },
    });
    const response = await (await selectModel()).sendRequest([createUserMessage('Hello')]);
    const parts: unknown[] = [];
    for await (const part of response.stream) parts.push(part);
    const lastPart = parts.at(-1);
    assert.ok(lastPart instanceof DataPart);
    assert.equal(lastPart.mimeType, 'usage');
    assert.deepEqual(JSON.parse(new TextDecoder().decode(lastPart.data)), {
      prompt_tokens: 120,
      completion_tokens: 12,
      total_tokens: 132,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
  });

  test('use the reasoning effort that the user chose in the model picker', async () => {
    using fixture = createSignedInFixture();
    await fixture.host.models.refresh();
    const provider = new ChatProvider(fixture.host, () => {});
    const listedModels = await provider.provideLanguageModelChatInformation(
      { silent: true },
      createNeverCanceledToken(),
    );
    const reasoningModel = listedModels.find(
      (item: ModelInformation) => item.configurationSchema !== undefined,
    );
    const { configurationSchema } = (reasoningModel ?? {}) as ModelInformation;
    assert.ok(reasoningModel && configurationSchema);
    const { enum: efforts, default: defaultEffort } = configurationSchema.properties[
      'reasoningEffort'
    ] as { enum: string[]; default?: string };
    const chosenEffort = efforts.find((effort) => effort !== defaultEffort);
    const greeting = new vscode.LanguageModelTextPart('Hello');
    for (const effort of [chosenEffort, defaultEffort, 'invented']) {
      await provider.provideLanguageModelChatResponse(
        reasoningModel,
        [{ role: createUserMessage('').role, name: undefined, content: [greeting] }],
        { toolMode: 1, modelConfiguration: { reasoningEffort: effort } } as never,
        { report: () => {} },
        createNeverCanceledToken(),
      );
    }
    const sentEfforts = (await listRequestBodies()).map((body) => body['reasoning_effort']);
    assert.deepEqual(sentEfforts, [chosenEffort, undefined, undefined]);
    provider.dispose();
  });

  test('close the connection on cancellation', async () => {
    await control.addScripts({ steps: [{ content: 'First.' }, { hold: 'rest' }] });
    const cancellation = new vscode.CancellationTokenSource();
    const response = await (
      await selectModel()
    ).sendRequest([createUserMessage('Hello')], {}, cancellation.token);
    await response.text[Symbol.asyncIterator]().next();
    cancellation.cancel();
    const request = await control.waitForRequest(
      ({ path, closedAt }) => path.endsWith('/chat/completions') && closedAt !== undefined,
    );
    assert.ok(request.closedAt);
  });

  test('get separate answers when they run concurrently', async () => {
    const chat = await selectModel();
    const prompts = ['alpha', 'beta', 'gamma'];
    await control.addScripts(
      ...prompts.map((name) => ({
        userMessage: name,
        steps: [1, 2, 3, 4].flatMap((part) => [{ content: `${name}-${part} ` }]),
      })),
    );
    const answers = await Promise.all(
      prompts.map(async (name) => readText(await chat.sendRequest([createUserMessage(name)]))),
    );
    const answerWords = answers.map((answer) => answer.trim().split(' '));
    assert.deepEqual(
      answerWords.map((words) => new Set(words.map((word) => word.split('-')[0])).size),
      [1, 1, 1],
    );
  });

  test('call tools, receive the results, and continue the answer', async () => {
    const chat = await selectModel();
    const tools = [
      {
        name: 'tide_height',
        description: 'The height of the tide.',
        inputSchema: { type: 'object', properties: { station: { enum: ['Cuxhaven'] } } },
      },
    ];
    await control.addScripts(
      { steps: [{ call: { name: 'tide_height', arguments: { station: 'Cuxhaven' } } }] },
      { steps: [{ content: 'It is 3.4 m.' }] },
    );
    const firstResponse = await chat.sendRequest([createUserMessage('How high?')], {
      tools,
      toolMode: vscode.LanguageModelChatToolMode.Required,
    });
    const calls: vscode.LanguageModelToolCallPart[] = [];
    for await (const part of firstResponse.stream) {
      if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
    }
    const [call] = calls;
    assert.deepEqual([call?.name, call?.input], ['tide_height', { station: 'Cuxhaven' }]);
    const secondResponse = await chat.sendRequest(
      [
        createUserMessage('How high?'),
        vscode.LanguageModelChatMessage.Assistant([call!]),
        vscode.LanguageModelChatMessage.User([
          new vscode.LanguageModelToolResultPart(call!.callId, [
            new vscode.LanguageModelTextPart('3.4 m'),
            DataPart.image(pngBytes, 'image/png'),
          ]),
        ]),
      ],
      { tools },
    );
    assert.equal(await readText(secondResponse), 'It is 3.4 m.');
    const [firstBody, secondBody] = await listRequestBodies();
    assert.equal(firstBody?.['tool_choice'], 'required');
    assert.deepEqual(
      ((firstBody?.['tools'] ?? []) as { function: { parameters: unknown } }[])[0]?.function
        .parameters,
      tools[0]?.inputSchema,
    );
    const messages = (secondBody?.['messages'] ?? []) as { role: string; content: unknown }[];
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'user'],
    );
    assert.match(JSON.stringify(messages[3]?.content), /data:image\/png;base64,/u);
  });

  test('accept images', async () => {
    const chat = await selectModel('vision-plain-32b');
    const image = DataPart.image(pngBytes, 'image/png');
    await readText(
      await chat.sendRequest([
        createUserMessage([new vscode.LanguageModelTextPart('What is it?'), image]),
      ]),
    );
    const [body] = await listRequestBodies();
    const messages = body?.['messages'] as { content: { type: string }[] }[] | undefined;
    const message = messages?.[0];
    assert.deepEqual(
      message?.content.map(({ type }) => type),
      ['text', 'image_url'],
    );
  });

  test('convert system messages and options, and drop cache markers', async () => {
    using fixture = createSignedInFixture();
    const provider = new ChatProvider(fixture.host, () => {});
    const [first] = await provider.provideLanguageModelChatInformation(
      { silent: true },
      createNeverCanceledToken(),
    );
    assert.ok(first);
    const cacheMarker = new DataPart(Buffer.from('ephemeral'), 'cache_control');
    const stateMarker = new DataPart(Buffer.from('x'), 'stateful_marker');
    await provideResponse(
      provider,
      first,
      [
        Object.assign(
          { ...createMessage(''), content: [createTextPart('Be brief.'), cacheMarker] },
          { role: 3 },
        ),
        {
          role: vscode.LanguageModelChatMessageRole.User,
          name: undefined,
          content: [createTextPart('Hello'), stateMarker, { odd: true }],
        },
        {
          role: vscode.LanguageModelChatMessageRole.Assistant,
          name: undefined,
          content: [stateMarker],
        },
      ],
      { temperature: 0.5, max_tokens: 100, stop: ['END'], top_k: 40, _internal: 1 },
    );
    const [body] = await listRequestBodies();
    assert.deepEqual(body?.['messages'], [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ]);
    const { temperature, max_completion_tokens: maxTokens, stop, top_k: topK } = body ?? {};
    assert.deepEqual([temperature, maxTokens, stop, topK], [0.5, 100, ['END'], 40]);
    assert.ok(!('_internal' in (body ?? {})));
    provider.dispose();
  });

  test('report an empty answer, for which VS Code would show a failure without a reason', async () => {
    await control.addScripts({ steps: [] });
    const output = await readText(
      await (await selectModel()).sendRequest([createUserMessage('Hello')]),
    );
    assert.equal(output, 'The model gave no usable answer. Retry, or choose another model.');
  });

  for (const [status, error, code, pattern] of [
    [401, 'Authentication failed', 'NoPermissions', /key/u],
    [404, 'Specified model not found', 'NotFound', /model/u],
    [402, 'Insufficient USD or Diem balance to complete request.', '', /credit|balance/u],
  ] as const) {
    test(`report status ${status} with an actionable error`, async () => {
      const chat = await selectModel();
      await control.injectFault({
        match: { path: '/chat/completions' },
        times: 5,
        fault: { kind: 'status', status, body: { error } },
      });
      const answerPromise = (async () =>
        readText(await chat.sendRequest([createUserMessage('Hello')])))();
      await assert.rejects(answerPromise, (error: vscode.LanguageModelError) => {
        assert.ok(error instanceof vscode.LanguageModelError, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, pattern);
        return true;
      });
    });
  }

  test('are rejected without a request when the budget is used up', async () => {
    using fixture = createSignedInFixture();
    const { host } = fixture;
    await host.models.refresh();
    const { clock } = host.service;
    const spendingFolder = join(fixture.context.globalStorageUri.fsPath, 'spending');
    using budget = toDisposable(
      createLazyBudget({ folder: spendingFolder, clock, log: host.log, models: host.models }),
    );
    const service = { ...host.service, spending: budget };
    using provider = toDisposable(new ChatProvider({ ...host, service }, () => {}));
    await withSettings({ 'inferenceService.budget.daily': 1 }, async () => {
      using dialogs = new Dialogs();
      dialogs.buttonsToPress.push('Stop');
      const chatRequest = { kind: 'chat', isBackground: false } as const;
      await budget.authorizeRequest(chatRequest, new AbortController().signal);
      const spendingChangePromise = new Promise<void>((resolve) => {
        void budget.getWatch().then((watch) => watch.onDidChange(() => resolve()));
      });
      await budget.getWatch();
      budget.recordSpending(chatRequest, { cost: { usd: 1 } });
      await spendingChangePromise;
      const [first] = await provider.provideLanguageModelChatInformation(
        { silent: true },
        createNeverCanceledToken(),
      );
      assert.ok(first);
      await assert.rejects(
        provideResponse(provider, first, [createMessage('Hello')]),
        /budget is spent/u,
      );
      assert.equal(dialogs.shownMessages.length, 1);
    });
    assert.deepEqual(await listRequestBodies(), []);
  });

  test('are limited to private models, like the model list, while the private-only setting is on', async () => {
    using fixture = createSignedInFixture();
    const { host } = fixture;
    await host.models.refresh();
    const { account, models } = host;
    const service = { ...host.service, ...createPrivacyPorts({ account, models }) };
    using provider = toDisposable(new ChatProvider({ ...host, service }, () => {}));
    const list = async (): Promise<vscode.LanguageModelChatInformation[]> =>
      provider.provideLanguageModelChatInformation({ silent: true }, createNeverCanceledToken());
    const unlockedModels = await list();
    await withSettings({ 'inferenceService.privateModelsOnly': true }, async () => {
      const lockedIds = (await list()).map(({ id }) => id);
      const blockedModels = unlockedModels.filter(({ id }) => !lockedIds.includes(id));
      assert.ok(lockedIds.length > 0 && blockedModels.length > 0);
      // VS Code may request a model from an outdated list.
      await assert.rejects(
        provideResponse(provider, blockedModels[0]!, [createMessage('Hello')]),
        /only private models may be used/u,
      );
    });
    assert.deepEqual(await listRequestBodies(), []);
  });

  test('count tokens of text and messages without a request', async () => {
    const chat = await selectModel();
    assert.equal(await chat.countTokens('x'.repeat(400)), 100);
    const totalTokens = await chat.countTokens(createUserMessage('x'.repeat(400)));
    assert.ok(totalTokens >= 100 && totalTokens < 120, String(totalTokens));
    const tokenCount = await chat.countTokens(
      createUserMessage([DataPart.image(pngBytes, 'image/png')]),
    );
    assert.ok(tokenCount >= 500, String(tokenCount));
  });
});

suite('the MCP server', () => {
  test('is started by VS Code’s own client, which lists its tools', async () => {
    const serverStartPromise = vscode.commands.executeCommand('workbench.mcp.startServer', '*', {
      autoTrustChanges: true,
      waitForLiveTools: true,
    });
    await Promise.resolve(serverStartPromise);
    const tool = await eventually(() => {
      const mcpTool = vscode.lm.tools.find(({ name }) => /^mcp_.*search_text$/u.test(name));
      assert.ok(mcpTool, vscode.lm.tools.map(({ name }) => name).join(' '));
      return mcpTool;
    });
    const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp_'));
    for (const name of ['generateImage', 'searchWeb', 'readPage', 'speak', 'find_files'])
      assert.ok(
        names.some((item) => item.endsWith(`_${name}`)),
        names.join(' '),
      );
    assert.match(tool.description, /Searches/u);
  });

  test('adds no tools to the extension’s own agent, which has these tools already', () => {
    const names = createLanguageModelTools(new Set()).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => name.startsWith('mcp_')),
      [],
    );
  });

  test('answers a search of VS Code’s own client', async () => {
    const { content } = await callServerTool('search_text', { query: 'export' });
    const [first] = content;
    assert.ok(first instanceof vscode.LanguageModelTextPart);
    assert.match(first.value, /src\/tide\.ts/u);
  });

  test('shows the price of a call of VS Code’s own client before the call runs', async () => {
    using dialogs = new Dialogs();
    dialogs.buttonsToPress.push('Allow Once');
    const { content } = await callServerTool('searchWeb', { query: 'tide tables' });
    const [first] = content;
    assert.ok(first instanceof vscode.LanguageModelTextPart);
    assert.match(first.value, /from the web/u);
    assert.deepEqual(dialogs.shownMessages, ['Search the web for $0.01?']);
    assert.equal((await findRequestsByPath('/augment/search')).length, 1);
  });
});

/**
 * Calls a tool of the MCP server through VS Code. The first test of the suite starts this server, which must be
 * running.
 */
async function callServerTool(
  name: string,
  input: object,
): Promise<vscode.LanguageModelToolResult> {
  const tool = vscode.lm.tools.find((item) => new RegExp(`^mcp_.*${name}$`, 'u').test(item.name));
  assert.ok(tool);
  return vscode.lm.invokeTool(
    tool.name,
    { input, toolInvocationToken: undefined },
    createNeverCanceledToken(),
  );
}

suite('language model tools', () => {
  test('are available to all VS Code chats, and to the extension’s own agent under other names', async () => {
    const names = vscode.lm.tools
      .map(({ name }) => name)
      .filter((name) => name.startsWith(vendorId));
    assert.deepEqual(names.toSorted(), [
      'inferenceService_describeImage',
      'inferenceService_generateImage',
      'inferenceService_readPage',
      'inferenceService_searchWeb',
      'inferenceService_speak',
    ]);
  });

  test('show the query and the price of a web search, and return results with addresses', async () => {
    using fixture = createSignedInFixture();
    const tool = findTool(fixture, 'searchWeb');
    const input = { query: 'tide tables' };
    const { confirmationMessages } = await tool.prepareInvocation({ input });
    assert.equal(confirmationMessages?.title, 'Search the web for $0.01?');
    assert.match(getMessageText(confirmationMessages), /tide tables/u);
    const { content } = await tool.invoke(
      { input, toolInvocationToken: undefined },
      createNeverCanceledToken(),
    );
    const [output, data] = content;
    assert.ok(output instanceof vscode.LanguageModelTextPart);
    assert.match(output.value, /^What follows is from the web/u);
    assert.match(output.value, /\[1\] .*\nhttps?:\/\//u);
    assert.ok(data instanceof DataPart);
    const { results } = JSON.parse(new TextDecoder().decode(data.data)) as { results: unknown[] };
    assert.ok(results.length > 0);
  });

  test('fail without a chat request if the service has no search endpoint', async () => {
    using fixture = createSignedInFixture();
    await control.injectFault({
      match: { path: '/augment/search' },
      times: 5,
      fault: { kind: 'status', status: 404, body: { error: 'Not found' } },
    });
    const tool = createNativeTools(fixture.host).searchWeb;
    const call = await tool.plan({ query: 'news of today' });
    await assert.rejects(call.run(new AbortController().signal), /has no web search endpoint/u);
    assert.deepEqual(await listRequestBodies(), []);
  });

  for (const url of ['', 'http://localhost/', 'file:///etc/passwd', 'http://192.168.1.1/admin']) {
    test(`do not read a page at the address ${JSON.stringify(url)}`, async () => {
      using fixture = createSignedInFixture();
      const tool = findTool(fixture, 'readPage');
      await assert.rejects(invokeConfirmedTool(tool, { url }), /url/u);
      assert.deepEqual(await findRequestsByPath('/augment/scrape'), []);
    });
  }

  test('show the whole address to the user before the service reads a page', async () => {
    using fixture = createSignedInFixture();
    await control.injectFault({
      match: { path: '/augment/scrape' },
      fault: {
        kind: 'status',
        status: 200,
        body: { url: 'https://pages.example.com/tides', content: '# Tides', format: 'markdown' },
      },
    });
    const tool = findTool(fixture, 'readPage');
    const input = { url: 'https://pages.example.com/tides?y=1' };
    const { confirmationMessages } = await tool.prepareInvocation({ input });
    assert.match(
      getMessageText(confirmationMessages),
      /https:\/\/pages\.example\.com\/tides\?y=1/u,
    );
    const { content } = await tool.invoke(
      { input, toolInvocationToken: undefined },
      createNeverCanceledToken(),
    );
    assert.ok(content[0] instanceof vscode.LanguageModelTextPart);
    assert.match(content[0].value, /# Tides$/u);
  });

  suite('about images', () => {
    const file = join(workspaceFolderPath, 'seen.png');
    setup(() => writeFileSync(file, pngBytes));
    teardown(() => rmSync(file, { force: true }));

    test('send the file that the user confirmed to a vision model', async () => {
      using fixture = createSignedInFixture();
      const tool = findTool(fixture, 'describeImage');
      const input = { path: 'seen.png', question: 'Which colour?' };
      const { confirmationMessages } = await tool.prepareInvocation({ input });
      assert.match(String(confirmationMessages?.title), /^Send seen\.png to /u);
      const { content } = await tool.invoke(
        { input, toolInvocationToken: undefined },
        createNeverCanceledToken(),
      );
      assert.ok(content[0] instanceof vscode.LanguageModelTextPart);
      assert.match(content[0].value, /says about seen\.png:/u);
      assert.match(
        JSON.stringify((await listRequestBodies())[0]),
        /Which colour\?.*data:image\/png/u,
      );
    });

    test('name the file that they send, so that the permission rules of the agent check it', async () => {
      using fixture = createSignedInFixture();
      await fixture.host.models.refresh();
      const describeImage = createAgentToolFactory(fixture.host)({} as never)().find(
        ({ name }) => name === 'describe_image',
      );
      const plan = await describeImage?.plan({ path: 'seen.png' }, {} as never);
      assert.deepEqual(
        plan?.resources.filter(({ type }) => type === 'path'),
        [{ type: 'path', path: 'seen.png', access: 'read' }],
      );
    });

    for (const path of ['/etc/hosts', '../outside.png', 'missing.png', 'README.md', '.env', '.']) {
      test(`send nothing if the path is ${path}`, async () => {
        using fixture = createSignedInFixture();
        const tool = findTool(fixture, 'describeImage');
        await assert.rejects(invokeConfirmedTool(tool, { path }));
        assert.deepEqual(await listRequestBodies(), []);
      });
    }

    test('do not send an image that changed after the confirmation', async () => {
      using fixture = createSignedInFixture();
      const tool = findTool(fixture, 'describeImage');
      const input = { path: 'seen.png' };
      await tool.prepareInvocation({ input });
      writeFileSync(file, Buffer.concat([pngBytes, Buffer.from('more')]));
      await assert.rejects(invokeTool(tool, input), /seen\.png has changed/u);
      assert.deepEqual(await listRequestBodies(), []);
    });

    test('use the confirmed model, even if the settings change afterwards', async () => {
      using fixture = createSignedInFixture();
      const { models } = fixture.host;
      const tool = findTool(fixture, 'describeImage');
      const input = { path: 'seen.png' };
      const { confirmationMessages } = await tool.prepareInvocation({ input });
      const visionModel = models.models.find(
        ({ name }) => confirmationMessages?.title === `Send seen.png to ${name}?`,
      );
      assert.ok(visionModel);
      await control.changeModel({ model: visionModel.id, contextTokens: 32_768, listed: false });
      await models.refresh({ force: true });
      await invokeTool(tool, input).catch(() => undefined);
      const usedModels = (await listRequestBodies()).map((body) => body['model']);
      assert.deepEqual([...new Set(usedModels)], [visionModel.id]);
    });

    test('do nothing in an untrusted workspace', async () => {
      using fixture = createSignedInFixture();
      using _ = simulateUntrustedWorkspace();
      for (const [name, input] of [
        ['describeImage', { path: 'seen.png' }],
        ['searchWeb', { query: 'x' }],
        ['readPage', { url: 'https://a.example.com' }],
        ['speak', { text: 'x' }],
      ] as const) {
        const tool = findTool(fixture, name);
        await assert.rejects(tool.prepareInvocation({ input }), /does not trust/u);
        await assert.rejects(invokeTool(tool, input), /does not trust/u);
      }
      assert.deepEqual(await findRequestsByPath('/augment'), []);
    });
  });

  test('save each spoken text to a new file, and return the path of the file', async () => {
    using fixture = createSignedInFixture();
    const tool = findTool(fixture, 'speak');
    try {
      const outputs: string[] = [];
      for (const expectedPath of ['audio/speech-high-water', 'audio/speech-high-water-2']) {
        const { content } = await invokeConfirmedTool(tool, { text: 'High water!' });
        assert.ok(content[0] instanceof vscode.LanguageModelTextPart);
        const [, path = ''] = /^Saved as (\S+) /u.exec(content[0].value) ?? [];
        assert.match(path, new RegExp(`^${expectedPath}\\.(?:mp3|wav)$`, 'u'));
        assert.ok(readFileSync(join(workspaceFolderPath, path)).length > 1_000);
        outputs.push(path);
      }
      assert.equal(new Set(outputs).size, 2);
    } finally {
      rmSync(join(workspaceFolderPath, 'audio'), { recursive: true, force: true });
    }
  });
});

suite('a call by VS Code', () => {
  const file = join(workspaceFolderPath, 'asked.png');
  const audioFolder = join(workspaceFolderPath, 'audio');
  setup(() => writeFileSync(file, pngBytes));
  teardown(() => {
    rmSync(file, { force: true });
    rmSync(audioFolder, { recursive: true, force: true });
  });

  // VS Code accepts its own confirmation in tests; a call without confirmation would be rejected.
  for (const [name, input, route, output] of [
    ['searchWeb', { query: 'tide tables' }, '/augment/search', /^What follows is from the web/u],
    ['readPage', { url: 'https://pages.example.com/' }, '/augment/scrape', /# Tides$/u],
    ['describeImage', { path: 'asked.png' }, '/chat/completions', /says about asked\.png:/u],
    ['speak', { text: 'Low water' }, '/audio/speech', /^Saved as audio\/speech-low-water\./u],
  ] as const) {
    test(`to the tool ${name} shows one confirmation and runs once`, async () => {
      if (name === 'readPage') {
        const body = {
          url: 'https://pages.example.com/',
          content: '# Tides',
          format: 'markdown',
        };
        await control.injectFault({
          match: { path: '/augment/scrape' },
          fault: { kind: 'status', status: 200, body },
        });
      }
      const { content } = await vscode.lm.invokeTool(
        `${vendorId}_${name}`,
        { input, toolInvocationToken: undefined },
        createNeverCanceledToken(),
      );
      const [first] = content;
      assert.ok(first instanceof vscode.LanguageModelTextPart);
      assert.match(first.value, output);
      assert.equal((await findRequestsByPath(route)).length, 1);
    });
  }

  for (const [name, input] of [
    ['searchWeb', { query: 'tide tables' }],
    ['readPage', { url: 'https://pages.example.com/' }],
    ['describeImage', { path: 'asked.png' }],
    ['speak', { text: 'Low water' }],
  ] as const) {
    test(`to the tool ${name} has no effect without a confirmation of exactly this call`, async () => {
      using fixture = createSignedInFixture();
      const tool = findTool(fixture, name);
      await fixture.host.models.refresh();
      await assert.rejects(invokeTool(tool, input), /has not confirmed/u);
      await tool.prepareInvocation({ input });
      await assert.rejects(invokeTool(tool, { ...input, more: 1 }), /has not confirmed/u);
      assert.equal((await listPaidRequests()).length, 0);
      await invokeTool(tool, input).catch(() => undefined);
      const requestCount = (await listPaidRequests()).length;
      assert.ok(requestCount > 0);
      await assert.rejects(invokeTool(tool, input), /has not confirmed/u);
      assert.equal((await listPaidRequests()).length, requestCount);
    });
  }

  test('to the tool `speak` writes only the confirmed file, and fails if this file exists by then', async () => {
    using fixture = createSignedInFixture();
    const tool = findTool(fixture, 'speak');
    const input = { text: 'Slack water' };
    const { confirmationMessages } = await tool.prepareInvocation({ input });
    const [, path = ''] = /into (\S+)\?/u.exec(String(confirmationMessages?.title)) ?? [];
    mkdirSync(audioFolder, { recursive: true });
    writeFileSync(join(workspaceFolderPath, path), 'mine');
    await assert.rejects(invokeTool(tool, input), /cannot be written there any more/u);
    assert.equal(readFileSync(join(workspaceFolderPath, path), 'utf8'), 'mine');
    assert.equal(readdirSync(audioFolder).length, 1);
  });
});

suite('@inference', () => {
  test('shows buttons to set and to mint an API key if no key is stored', async () => {
    using fixture = createChatFixture();
    const { result, renderedParts } = await requestParticipant(fixture, { prompt: 'Hello' });
    assert.equal(result.errorDetails, undefined);
    assert.deepEqual(
      renderedParts.filter(([kind]) => kind === 'button').map(([, command]) => command),
      ['inferenceService.setApiKey', 'inferenceService.mintKey'],
    );
    assert.deepEqual(await listRequestBodies(), []);
  });

  for (const [command, taskPattern] of [
    ['explain', /Explain the attached code/u],
    ['fix', /Fix what is wrong in the attached code/u],
    ['tests', /Write tests for the attached code/u],
    ['doc', /Write the documentation comments of the attached code/u],
  ] as const) {
    test(`sends the attachments and the task of /${command} to the model, and reports the used attachments`, async () => {
      using fixture = createSignedInFixture();
      const uri = vscode.Uri.file(join(workspaceFolderPath, 'src', 'tide.ts'));
      const { renderedParts } = await requestParticipant(fixture, {
        command,
        values: [uri],
        prompt: 'In short.',
      });
      const requestText = JSON.stringify(await listRequestBodies());
      assert.match(requestText, taskPattern);
      assert.match(requestText, /<attachment: src\/tide\.ts>[^]*In short\./u);
      assert.deepEqual(
        renderedParts.filter(([kind]) => kind === 'reference').map(([, value]) => value),
        [uri.toString()],
      );
    });
  }

  test('sends the problems of the code with /fix, but not with other commands', async () => {
    using fixture = createSignedInFixture();
    using problems = toDisposable(vscode.languages.createDiagnosticCollection());
    const uri = vscode.Uri.file(join(workspaceFolderPath, 'src', 'tide.ts'));
    const range = new vscode.Range(2, 0, 2, 4);
    problems.set(uri, [new vscode.Diagnostic(range, 'The tide never turns.')]);
    await requestParticipant(fixture, { command: 'doc', values: [uri] });
    await requestParticipant(fixture, { command: 'fix', values: [uri] });
    const [docBody, fixBody] = (await listRequestBodies()).map((body) => JSON.stringify(body));
    assert.doesNotMatch(docBody ?? '', /never turns/u);
    assert.match(fixBody ?? '', /Problems of src\/tide\.ts[^]*Line 3: The tide never turns\./u);
  });

  test('creates an image, shows it with a link to the studio, and requests a missing prompt', async () => {
    using fixture = createSignedInFixture();
    const { result, renderedParts } = await requestParticipant(fixture, {
      command: 'image',
      prompt: 'A red fox',
    });
    assert.equal(result.errorDetails, undefined);
    const [request, ...otherRequests] = await findRequestsByPath('/image/generate');
    assert.match(JSON.stringify(request?.body), /"prompt":"A red fox"/u);
    assert.deepEqual(otherRequests, []);
    const [file] = renderedParts.filter(([kind]) => kind === 'anchor').map(([, value]) => value);
    assert.ok(file !== undefined && readFileSync(vscode.Uri.parse(file).fsPath).length > 0);
    assert.deepEqual(renderedParts.at(-1), ['button', 'inferenceService.openImageStudio']);
    const silentReply = await requestParticipant(fixture, { command: 'image', prompt: ' ' });
    assert.match(JSON.stringify(silentReply.renderedParts), /Describe the image/u);
    assert.equal((await findRequestsByPath('/image/generate')).length, 1);
    assert.deepEqual(await listRequestBodies(), []);
  });

  test('reports why an image could not be created', async () => {
    using fixture = createSignedInFixture();
    await control.injectFault({
      match: { path: '/image/generate' },
      times: 5,
      fault: { kind: 'status', status: 401, body: { error: 'Authentication failed' } },
    });
    const { result, renderedParts } = await requestParticipant(fixture, {
      command: 'image',
      prompt: 'A red fox',
    });
    assert.match(result.errorDetails?.message ?? '', /API key/u);
    assert.ok(!renderedParts.some(([kind]) => kind === 'anchor' || kind === 'button'));
  });

  test('sends nothing from an untrusted workspace', async () => {
    using fixture = createSignedInFixture();
    using _ = simulateUntrustedWorkspace();
    const uri = vscode.Uri.file(join(workspaceFolderPath, 'src', 'tide.ts'));
    const { renderedParts } = await requestParticipant(fixture, {
      command: 'explain',
      values: [uri],
    });
    assert.doesNotMatch(JSON.stringify(await listRequestBodies()), /<attachment/u);
    assert.match(JSON.stringify(renderedParts), /until you trust the workspace/u);
  });

  test('sends only the question to a search model, which the answer names', async () => {
    using fixture = createSignedInFixture();
    await control.addScripts({ steps: [{ content: 'At noon, 10^2^ cm.' }] });
    const uri = vscode.Uri.file(join(workspaceFolderPath, 'src', 'tide.ts'));
    const request = {
      prompt: 'High water?',
      command: 'search',
      values: [uri],
      modelId: 'veteran-chat-13b',
    };
    const { renderedParts } = await requestParticipant(fixture, request);
    const [body] = await listRequestBodies();
    const model = fixture.host.models.models.find(({ id }) => id === body?.['model']);
    assert.ok(model?.capabilities.supportsWebSearch && !model.capabilities.supportsE2EE);
    assert.match(JSON.stringify(body), /"content":"High water\?"/u);
    assert.doesNotMatch(JSON.stringify(body), /attachment:|tide\.ts/u);
    assert.ok(renderedParts.some(([, value]) => value.includes(model.name.split(' ')[0] ?? '')));
  });

  test('sends no search from an encrypted chat', async () => {
    using fixture = createSignedInFixture();
    const request = { prompt: 'High water?', command: 'search', modelId: 'sealed-letter-70b' };
    const { result } = await requestParticipant(fixture, request);
    assert.match(result.errorDetails?.message ?? '', /Encrypted chats have no tools, web search/u);
    assert.deepEqual(await listRequestBodies(), []);
  });

  test('reports that an answer is encrypted end to end, and shows the answer unchanged', async () => {
    using fixture = createSignedInFixture();
    const { host, images } = fixture;
    const service = { ...host.service, ...createPrivacyPorts(host) };
    await control.addScripts({ steps: [{ content: 'It is 10^2^ cm.' }] });
    const request = { prompt: 'How high?', modelId: 'sealed-letter-70b' };
    const { renderedParts } = await requestParticipant(
      { host: { ...host, service }, images },
      request,
    );
    const output = renderedParts.map(([, value]) => value).join('');
    assert.match(output, /10\^2\^ cm[^]*Encrypted end to end/u);
  });

  test('omits encrypted turns from requests to an unencrypted model, and reports the omission', async () => {
    using fixture = createSignedInFixture();
    const { host, images } = fixture;
    const guardedFixture = {
      host: { ...host, service: { ...host.service, ...createPrivacyPorts(host) } },
      images,
    };
    const resetWithAnswer = async (): Promise<void> => {
      await control.reset();
      await control.addScripts({ steps: [{ content: 'At noon.' }] });
    };
    await resetWithAnswer();
    const first = { prompt: 'When is high water?', modelId: 'sealed-letter-70b' };
    const { result } = await requestParticipant(guardedFixture, first);
    const history = [
      createTurn('ChatRequestTurn', { prompt: first.prompt }),
      createTurn('ChatResponseTurn', {
        response: [new vscode.ChatResponseMarkdownPart('At noon.')],
        result,
      }),
    ];
    await resetWithAnswer();
    const { renderedParts } = await requestParticipant(guardedFixture, {
      prompt: 'And low?',
      modelId: 'veteran-chat-13b',
      history,
    });
    assert.doesNotMatch(JSON.stringify(await listRequestBodies()), /high water|At noon/u);
    assert.match(JSON.stringify(renderedParts), /Earlier messages were left out/u);
    await resetWithAnswer();
    const response = await requestParticipant(guardedFixture, {
      prompt: 'And now?',
      modelId: 'assistant-large-480b',
    });
    const [requestTurn, responseTurn] = history;
    Object.assign(responseTurn ?? {}, { result: response.result });
    await resetWithAnswer();
    await requestParticipant(guardedFixture, {
      prompt: 'So?',
      modelId: 'veteran-chat-13b',
      history: [requestTurn, responseTurn].filter((item) => item !== undefined),
    });
    assert.match(JSON.stringify(await listRequestBodies()), /high water.*At noon/u);
  });

  test('returns the error message in its result if the request fails', async () => {
    using fixture = createSignedInFixture();
    await control.injectFault({
      match: { path: '/chat/completions' },
      times: 5,
      fault: { kind: 'status', status: 401, body: { error: 'Authentication failed' } },
    });
    const { result } = await requestParticipant(fixture, { prompt: 'Hello' });
    assert.match(result.errorDetails?.message ?? '', /key/u);
  });
});

suite('the command to use models in VS Code’s chat', () => {
  for (const [name, hasSelection, buttonLabel, isChanged] of [
    ['ends without the chat if the user closes the list of models', false, undefined, false],
    ['opens the chat if the user declines the change of settings', true, undefined, false],
    ['opens the chat if the user confirms the change of settings', true, 'Apply', true],
  ] as const) {
    test(name, async () => {
      using fixture = createSignedInFixture();
      using dialogs = new Dialogs();
      if (buttonLabel !== undefined) dialogs.buttonsToPress.push(buttonLabel);
      const titles: (string | undefined)[] = [];
      const { showQuickPick } = vscode.window;
      const pick = async (
        [first]: readonly vscode.QuickPickItem[],
        { title }: vscode.QuickPickOptions,
      ) => {
        titles.push(title);
        return hasSelection ? first : undefined;
      };
      Object.assign(vscode.window, { showQuickPick: pick });
      try {
        await withSettings(
          { 'chat.utilityModel': undefined, 'chat.utilitySmallModel': undefined },
          async () => {
            await useInVsCodeChat(fixture.host);
            const utilityModel = vscode.workspace.getConfiguration().get('chat.utilityModel', '');
            assert.equal(utilityModel.startsWith('inferenceService/'), isChanged);
          },
        );
      } finally {
        Object.assign(vscode.window, { showQuickPick });
      }
      assert.deepEqual(titles, ['Small Tasks of VS Code’s Own Chat']);
      assert.equal(
        dialogs.shownMessages.filter((message) => message.startsWith('Let VS Code')).length,
        +hasSelection,
      );
      assert.deepEqual(
        dialogs.executedCommands,
        hasSelection ? ['workbench.action.chat.open'] : [],
      );
      if (!hasSelection) assert.deepEqual(dialogs.shownMessages, []);
    });
  }
});

suite('the command to use models in VS Code’s chat, for agents in a separate process', () => {
  const name = 'chat.agentHost.byokModels.enabled';
  const readSetting = (): unknown => vscode.workspace.getConfiguration().get(name);

  for (const [isOn, button, expected] of [
    [false, 'Apply', true],
    [false, undefined, false],
    [true, undefined, true],
  ] as const) {
    test(`leaves the setting ${expected ? 'on' : 'off'} if it is ${isOn ? 'on' : 'off'} and the user chooses ${button ?? 'nothing'}`, async () => {
      using fixture = createSignedInFixture();
      using dialogs = new Dialogs();
      const { showQuickPick } = vscode.window;
      const pickFirstItem = async ([first]: readonly vscode.QuickPickItem[]) => first;
      Object.assign(vscode.window, { showQuickPick: pickFirstItem });
      // The first dialog is about the model for small tasks.
      if (button !== undefined) dialogs.buttonsToPress.push(button, button);
      const settings = { 'chat.utilityModel': undefined, 'chat.utilitySmallModel': undefined };
      try {
        await withSettings({ ...settings, [name]: isOn }, async () => {
          await useInVsCodeChat(fixture.host);
          await waitUntil(() => readSetting() === expected);
          const explanations = dialogs.shownMessages.filter((message) => message.includes(name));
          assert.equal(explanations.length, isOn ? 0 : 1);
        });
      } finally {
        Object.assign(vscode.window, { showQuickPick });
      }
    });
  }
});

interface ParticipantRequest {
  readonly prompt?: string;
  readonly command?: string;
  readonly values?: readonly unknown[];
  /** Id of the selected model. If undefined, a model of another vendor is selected. */
  readonly modelId?: string;
  readonly history?: vscode.ChatContext['history'];
}

/** Creates a chat turn as VS Code would pass it. The API classes have no public constructor. */
const createTurn = (
  kind: 'ChatRequestTurn' | 'ChatResponseTurn',
  fields: object,
): vscode.ChatContext['history'][number] =>
  Object.assign(Object.create(vscode[kind].prototype), { participant: participantId, ...fields });

/**
 * Sends a request to the participant. Returns the result, and the kind and value of each rendered
 * part.
 */
async function requestParticipant(
  { host, images }: Pick<ChatFixture, 'host' | 'images'>,
  { prompt = '', command, values = [], modelId: id, history = [] }: ParticipantRequest,
): Promise<{
  readonly result: vscode.ChatResult;
  readonly renderedParts: (readonly [string, string])[];
}> {
  const renderedTexts: (readonly [string, string])[] = [];
  const stream = {
    markdown: (value: string | vscode.MarkdownString) =>
      renderedTexts.push(['markdown', typeof value === 'string' ? value : value.value]),
    reference: (value: vscode.Uri) => renderedTexts.push(['reference', value.toString()]),
    anchor: (value: vscode.Uri) => renderedTexts.push(['anchor', value.toString()]),
    button: (value: vscode.Command) => renderedTexts.push(['button', value.command]),
    progress: (value: string) => renderedTexts.push(['progress', value]),
  };
  const request = {
    prompt,
    command,
    references: values.map((value) => ({ id: 'file', value })),
    model:
      id === undefined ? { vendor: 'another', id: 'x' } : { vendor: vendorId, id, version: '1' },
  };
  using provider = toDisposable(new ChatProvider(host, () => {}));
  const result = await new Participant(host, images, provider).answer(
    // The participant reads only these properties of the request.
    request as unknown as vscode.ChatRequest,
    { history },
    stream as unknown as vscode.ChatResponseStream,
    createNeverCanceledToken(),
  );
  return { result, renderedParts: renderedTexts };
}

function findTool({ host }: ChatFixture, name: NativeToolName): NativeLanguageModelTool {
  return new NativeLanguageModelTool(createNativeTools(host)[name], host);
}

/** Prepares and invokes the tool, as VS Code does if the user confirms the call. */
async function invokeConfirmedTool(
  tool: NativeLanguageModelTool,
  input: Readonly<Record<string, unknown>>,
): Promise<vscode.LanguageModelToolResult> {
  await tool.prepareInvocation({ input });
  return invokeTool(tool, input);
}

const invokeTool = async (
  tool: NativeLanguageModelTool,
  input: Readonly<Record<string, unknown>>,
): Promise<vscode.LanguageModelToolResult> =>
  tool.invoke({ input: { ...input }, toolInvocationToken: undefined }, createNeverCanceledToken());

const listPaidRequests = async () =>
  (await control.getRequests()).filter(({ path }) => /augment|chat\/completions|audio/u.test(path));

const createSignedInFixture = (): ChatFixture =>
  createChatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });

const toDisposable = <T extends { dispose(): void }>(target: T): T & Disposable =>
  Object.assign(target, { [Symbol.dispose]: () => target.dispose() });

const createTextPart = (value: string): vscode.LanguageModelTextPart =>
  new vscode.LanguageModelTextPart(value);

const createMessage = (value: string): vscode.LanguageModelChatRequestMessage => ({
  role: vscode.LanguageModelChatMessageRole.User,
  name: undefined,
  content: [createTextPart(value)],
});

async function provideResponse(
  provider: ChatProvider,
  information: vscode.LanguageModelChatInformation,
  messages: readonly vscode.LanguageModelChatRequestMessage[],
  modelOptions: Record<string, unknown> = {},
): Promise<vscode.LanguageModelResponsePart[]> {
  const parts: vscode.LanguageModelResponsePart[] = [];
  await provider.provideLanguageModelChatResponse(
    information,
    messages,
    { modelOptions, toolMode: vscode.LanguageModelChatToolMode.Auto },
    { report: (item) => parts.push(item) },
    createNeverCanceledToken(),
  );
  return parts;
}

const findRequestsByPath = async (pathPart: string) =>
  (await control.getRequests()).filter(({ path }) => path.includes(pathPart));

const createNeverCanceledToken = (): vscode.CancellationToken =>
  new vscode.CancellationTokenSource().token;

const getMessageText = (
  messages: vscode.LanguageModelToolConfirmationMessages | undefined,
): string => {
  const message = messages?.message;
  return typeof message === 'string' ? message : (message?.value ?? '');
};

/** Waits until all handlers of an event have run. */
const waitForHandlers = async (): Promise<void> => {
  for (let iteration = 0; iteration < 20; iteration++)
    await new Promise((resolve) => setImmediate(resolve));
};

/** A gray square of 64 × 64 pixels. */
const pngBytes: Buffer = (() => {
  const createChunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [lengthBytes, checkBytes] = [Buffer.alloc(4), Buffer.alloc(4)];
    lengthBytes.writeUInt32BE(data.length);
    checkBytes.writeUInt32BE(crc32(body));
    return Buffer.concat([lengthBytes, body, checkBytes]);
  };
  const headerBytes = Buffer.alloc(13);
  headerBytes.writeUInt32BE(64, 0);
  headerBytes.writeUInt32BE(64, 4);
  headerBytes[8] = 8;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    createChunk('IHDR', headerBytes),
    createChunk(
      'IDAT',
      deflateSync(Buffer.alloc(64 * 65, 128).map((item, index) => (index % 65 ? item : 0))),
    ),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
})();
