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
import { flatten } from '../support/batches.ts';
import type { StreamOutcome } from '../../src/service/chat/chat-types.ts';
import { ServiceError } from '../../src/service/http/failure.ts';
import type { Bill, Spending } from '../../src/service/chat/spending.ts';
import { Control } from '../service/control.ts';
import { httpServer, type LoopbackServer } from '../support/loopback.ts';
import { MemoryState, withSettings } from './account-fixture.ts';
import { type ChatFixture, chatFixture } from './chat-fixture.ts';
import { Consent } from './consent-fixture.ts';
import { suiteEnvironment } from './environment.ts';
import { PickerProbe } from './picker-probe.ts';

const { service } = suiteEnvironment();
const control = new Control(service.controlUrl);
const signal = new AbortController().signal;
const sealed = 'sealed-letter-70b';

/** Creates a window in which the user selected this model earlier. '' means no model. */
function chose(model: string): ChatFixture {
  const globalState = new MemoryState();
  if (model !== '') void globalState.update('chatModel.default', model);
  return chatFixture({ globalState, environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
}

const withoutList = (): Promise<void> =>
  control.injectFault({
    match: { path: '/models' },
    times: 20,
    fault: { kind: 'status', status: 404 },
  });

const chatsSent = async (): Promise<unknown[]> =>
  (await control.getRequests())
    .filter(({ path }) => path.endsWith('/chat/completions'))
    .map(({ body }) => (body as { readonly model: unknown }).model);

suite('chosen model', () => {
  setup(() => control.reset());

  test('is not replaced in the chat before the model list is loaded', async () => {
    using fixture = chose(sealed);
    await withoutList();
    const { session } = fixture.chat;
    await session.send('Hello', []);
    await session.settled();
    const answer = session.conversation.path().at(-1);
    assert.ok(answer?.role === 'assistant');
    assert.deepEqual([answer.model.id, answer.status], [sealed, 'failed']);
    assert.equal(answer.result.failure?.code, 'not-found');
    assert.deepEqual(await chatsSent(), []);
  });

  test('receives the chat’s request as soon as the list is loaded', async () => {
    using fixture = chose(sealed);
    const { session } = fixture.chat;
    await session.send('Hello', []);
    await session.settled();
    assert.deepEqual(await chatsSent(), [sealed]);
  });

  test('is not replaced for other extensions before the model list is loaded', async () => {
    using fixture = chose(sealed);
    await withoutList();
    using _ = new Consent('Allow Once');
    const api = createExportedApi(fixture.host, fixture.images);
    const messages = [{ role: 'user', content: 'Hello' }] as const;
    const result: ApiChatResult = await api.client.complete({ messages, caller: 'vscode.git' });
    assert.ok(!result.ok);
    assert.equal(result.problem, 'not-found');
    assert.deepEqual(await chatsSent(), []);
  });

  for (const [place, setting] of [
    ['in the chat', ''],
    ['in the settings', 'gone-model'],
  ] as const) {
    test(`chosen ${place} is not replaced when the service no longer offers it`, async () => {
      using fixture = chose(setting === '' ? 'gone-model' : '');
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

  test('is still shown on the page when the service no longer offers it', async () => {
    using fixture = chose('gone-model');
    await fixture.host.models.refresh();
    const told = fixture.page.nextMessage('state-set');
    fixture.page.post({ type: 'ready', version: protocolVersion });
    const state = await told;
    assert.ok(state.type === 'state-set');
    assert.equal(state.state.model?.name, 'gone-model');
    assert.match(state.state.model.warning, /does not offer gone-model any more/u);
    using picker = new PickerProbe();
    selectModel(fixture.host);
    assert.match(picker.labels().join(), /does not offer gone-model any more/u);
  });

  test('is the service’s default when the user chose none', async () => {
    using fixture = chose('');
    const { models } = fixture.host;
    assert.equal((await requireSelectedModel(models)).id, models.chatModel?.id);
  });
});

suite('without a model list', () => {
  for (const [encrypt, sent] of [
    ['whenOffered', []],
    ['off', ['default']],
  ] as const) {
    test(`a chat with encryption ${encrypt} is ${sent.length === 0 ? 'not ' : ''}sent`, async () => {
      await control.reset();
      using fixture = chose('');
      await withoutList();
      await withSettings({ 'inferenceService.chat.encrypt': encrypt }, async () => {
        const { context, account, log } = fixture;
        const models = createModelCatalog({ context, account, log });
        const guarded = { ...account.service, ...createPrivacyPorts({ account, models }) };
        let outcome: StreamOutcome | undefined;
        const request = {
          model: 'default',
          messages: [{ role: 'user', content: 'Hello' }],
        } as const;
        for await (const event of flatten(streamChat(guarded, request, { signal })))
          if (event.type === 'stream-end') outcome = event.outcome;
        assert.equal(
          outcome?.kind === 'failed' && outcome.failure.code,
          sent.length === 0 && 'not-found',
        );
        assert.deepEqual(await chatsSent(), sent);
      });
    });
  }
});

suite('a model that no longer offers encryption', () => {
  for (const [how, change] of [
    ['and has no attestation', { supportsE2EE: false, supportsTeeAttestation: false }],
    ['but has an attestation', { supportsE2EE: false, supportsTeeAttestation: true }],
  ] as const) {
    for (const isBackground of [false, true]) {
      test(`${how} receives no plain text${isBackground ? ' in the background' : ' unless the user confirms'}`, async () => {
        await control.reset();
        using fixture = chose('');
        const { account } = fixture;
        const listed = fixture.host.models;
        await listed.refresh();
        let { allModels: all } = listed;
        const models = {
          get allModels() {
            return all;
          },
          failure: undefined,
          refresh: async () => {},
          onDidChange: listed.onDidChange,
        };
        const parts = { account, models };
        const send = async (): Promise<StreamOutcome | undefined> => {
          // Simulates a restart.
          const guarded = { ...account.service, ...createPrivacyPorts(parts) };
          const request = {
            model: sealed,
            messages: [{ role: 'user', content: 'Hello' }],
          } as const;
          const events = await Array.fromAsync(
            flatten(streamChat(guarded, request, { signal, isBackground })),
          );
          const end = events.at(-1);
          return end?.type === 'stream-end' ? end.outcome : undefined;
        };
        assert.equal((await send())?.kind, 'complete');
        await control.reset();
        all = all.map((item) => ({ ...item, capabilities: { ...item.capabilities, ...change } }));
        using consent = new Consent();
        const outcome = await send();
        assert.equal(outcome?.kind === 'failed' && outcome.failure.code, 'protection-failed');
        assert.equal(consent.questions.length, isBackground ? 0 : 1);
        all = all.filter(({ id }) => id !== sealed);
        assert.equal((await send())?.kind, 'failed');
        assert.deepEqual(await chatsSent(), []);
        if (isBackground) return;
        consent.answers.push('Send unprotected once');
        await send();
        assert.deepEqual(await chatsSent(), [sealed]);
      });
    }
  }
});

suite('a model group of VS Code', () => {
  setup(() => control.reset());

  test('uses the protection that its own service offers, and affects no other service', async () => {
    using fixture = chose('');
    await fixture.host.models.refresh();
    await using group = await Group.open(fixture, { supportsE2EE: true });
    const [model] = await group.listed();
    assert.equal(model?.id, 'assistant-large-480b');
    using _ = new Consent();
    await assert.rejects(group.ask(model), /enclave of Twin could not be verified/u);
    assert.ok(
      group.paths.some((path) => path.includes('/tee/attestation')),
      group.paths.join(),
    );
    assert.ok(!group.paths.some((path) => path.includes('/chat/')), group.paths.join());
    const elsewhere = (await control.getRequests()).filter(({ path }) => !path.includes('/models'));
    assert.deepEqual(elsewhere, []);
  });

  test('uses the prices of its service', async () => {
    using fixture = chose('');
    const bills: Bill[] = [];
    const spending: Spending = {
      authorize: async () => {},
      recordSpent: (_, bill) => void bills.push(bill),
      release: () => {},
    };
    Object.assign(fixture.host, { service: { ...fixture.host.service, spending } });
    await using group = await Group.open(fixture, {});
    await group.ask((await group.listed())[0]);
    assert.deepEqual(bills[0]?.cost, { usd: 30 });
  });

  test('rejects a model that its list does not contain', async () => {
    using fixture = chose('');
    await using group = await Group.open(fixture, {});
    const [model] = await group.listed();
    assert.ok(model);
    await assert.rejects(group.ask({ ...model }), /does not offer the chosen model/u);
    assert.deepEqual(await chatsSent(), []);
  });

  test('answers in @inference also while the user is signed out, and no other service answers', async () => {
    for (const fixture of [chose(''), chatFixture()]) {
      using _ = fixture;
      await using group = await Group.open(fixture, { supportsWebSearch: true });
      const [model] = await group.listed();
      assert.ok(model);
      const [other] = await group.listed('another-key');
      assert.ok(other && other.version !== model.version);
      assert.deepEqual(await group.listed(), [model]);
      for (const asked of [{}, { command: 'search' }]) {
        const { failure, buttons } = await group.participate(fixture, model, asked);
        assert.deepEqual([failure, buttons], [undefined, []]);
      }
      assert.deepEqual(group.sent, ['key-of-the-group', 'key-of-the-group, searching']);
      const gone = await group.participate(fixture, { ...model, version: 'group-0' });
      assert.match(gone.failure ?? '', /does not offer the chosen model/u);
      assert.equal(group.sent.length, 2);
    }
    assert.deepEqual(await chatsSent(), []);
  });

  test('leaves models and images of the account to the account in @inference', async () => {
    using fixture = chose('');
    await using group = await Group.open(fixture, {});
    const [model] = await group.listed();
    assert.ok(model);
    const { failure } = await group.participate(fixture, { ...model, version: '1' });
    assert.equal(failure, undefined);
    assert.deepEqual(await chatsSent(), [model.id]);
    using signedOut = chatFixture();
    await using alone = await Group.open(signedOut, {});
    const [other] = await alone.listed();
    const { buttons, result } = await alone.participate(signedOut, other, { command: 'image' });
    assert.deepEqual(buttons, ['inferenceService.setApiKey', 'inferenceService.mintKey']);
    assert.equal(result.metadata?.['address'], undefined, 'no service has it');
    assert.deepEqual([...group.sent, ...alone.sent], []);
  });

  test('keeps its @inference turns out of requests to the account, and vice versa', async () => {
    using fixture = chose('');
    await using group = await Group.open(fixture, {});
    const [model] = await group.listed();
    assert.ok(model);
    const ofAccount = { ...model, version: '1' };
    const { result: told } = await group.participate(fixture, model);
    const elsewhere = await group.participate(fixture, ofAccount, { history: turnsOf(told) });
    assert.doesNotMatch(JSON.stringify(await control.getRequests()), /spring tide/u);
    assert.match(elsewhere.said, /left out: a service at another address has them/u);
    const kept = await group.participate(fixture, model, { history: turnsOf(told) });
    assert.match(group.bodies.at(-1) ?? '', /spring tide.*neap tide/u);
    assert.doesNotMatch(kept.said, /left out/u);
    const history = turnsOf(elsewhere.result);
    const back = await group.participate(fixture, model, { history });
    assert.doesNotMatch(group.bodies.at(-1) ?? '', /spring tide|neap tide/u);
    assert.match(back.said, /left out: a service at another address has them/u);
  });

  test('does not receive the account’s persona', async () => {
    using fixture = chose('');
    await using group = await Group.open(fixture, {});
    const [model] = await group.listed();
    assert.ok(model);
    const ofAccount = { ...model, version: '1' };
    const { result: first } = await group.participate(fixture, ofAccount);
    const character = { slug: 'alan-watts', name: 'Alan Watts' };
    const chosen = turnsOf({ metadata: { ...first.metadata, character } });
    const { result } = await group.participate(fixture, model, { history: chosen });
    assert.doesNotMatch(group.bodies.join(), /character_slug|alan-watts/u);
    // The last turn has no result, because VS Code stores none for a stopped answer.
    const history = [...chosen, ...turnsOf(result), ...turnsOf({})];
    await group.participate(fixture, ofAccount, { history });
    assert.match(JSON.stringify((await control.getRequests()).at(-1)?.body), /alan-watts/u);
  });

  test('applies its own protection, the private lock and the budget in @inference', async () => {
    using fixture = chatFixture();
    using _ = new Consent();
    await using sealing = await Group.open(fixture, { supportsE2EE: true });
    const [sealed] = await sealing.listed();
    const { failure } = await sealing.participate(fixture, sealed);
    assert.match(failure ?? '', /enclave of Twin could not be verified/u);
    const authorize = () => Promise.reject(new ServiceError(spent));
    const spending: Spending = { authorize, recordSpent: () => {}, release: () => {} };
    Object.assign(fixture.host, { service: { ...fixture.host.service, spending } });
    await using group = await Group.open(fixture, {});
    const [model] = await group.listed();
    assert.equal((await group.participate(fixture, model)).failure, spent.message);
    await withSettings({ 'inferenceService.privateModelsOnly': true }, async () => {
      const locked = await group.participate(fixture, model);
      assert.match(locked.failure ?? '', /does not offer the chosen model/u);
    });
    assert.deepEqual([...sealing.sent, ...group.sent], []);
  });
});

const spent = { code: 'over-budget', message: 'The budget is spent.' } as const;

interface Participating {
  readonly command?: string;
  readonly history?: vscode.ChatContext['history'];
}

interface Participated {
  readonly result: vscode.ChatResult;
  readonly failure: string | undefined;
  readonly buttons: readonly string[];
  readonly said: string;
}

/**
 * Creates a prompt and its response in the form of VS Code, whose classes have no public
 * constructor.
 */
const turnsOf = (result: vscode.ChatResult): vscode.ChatContext['history'] => [
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

/** A second service that offers a model with the same id as the first, without attestation. */
class Group implements AsyncDisposable {
  readonly paths: string[] = [];
  /** API key of each chat request, with a suffix if the request searches the web. */
  readonly sent: string[] = [];
  /** Body of each chat request. */
  readonly bodies: string[] = [];
  readonly #provider: ChatProvider;
  #server: LoopbackServer | undefined;

  private constructor({ host }: ChatFixture) {
    this.#provider = new ChatProvider(host, () => {});
  }

  static async open(fixture: ChatFixture, capabilities: object): Promise<Group> {
    const group = new Group(fixture);
    const pricing = { input: { usd: 1_000_000 }, output: { usd: 2_000_000 } };
    const spec = { name: 'Twin', capabilities, pricing };
    const data = [{ id: 'assistant-large-480b', type: 'text', model_spec: spec }];
    group.#server = await httpServer((request, response) => {
      const path = request.url ?? '';
      group.paths.push(path);
      const isChat = path.endsWith('/chat/completions');
      response.statusCode = isChat || path.includes('/models') ? 200 : 404;
      const type = isChat ? 'text/event-stream' : 'application/json';
      response.setHeader('content-type', type);
      const key = request.headers.authorization?.replace('Bearer ', '');
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const searching = body.includes('"enable_web_search":"on"') ? ', searching' : '';
        if (isChat) group.sent.push(`${key}${searching}`);
        if (isChat) group.bodies.push(body);
        response.end(isChat ? answer : JSON.stringify({ object: 'list', type: 'all', data }));
      });
    });
    return group;
  }

  listed(apiKey = 'key-of-the-group'): Promise<vscode.LanguageModelChatInformation[]> {
    const baseUrl = `http://127.0.0.1:${this.#server?.port}/api/v1`;
    const asked = { silent: true, configuration: { apiKey, baseUrl } };
    return this.#provider.provideLanguageModelChatInformation(asked, none());
  }

  async ask(model: vscode.LanguageModelChatInformation | undefined): Promise<void> {
    assert.ok(model);
    const content = [new vscode.LanguageModelTextPart('Hello')];
    await this.#provider.provideLanguageModelChatResponse(
      model,
      [{ role: vscode.LanguageModelChatMessageRole.User, name: undefined, content }],
      { toolMode: vscode.LanguageModelChatToolMode.Auto },
      { report: () => {} },
      none(),
    );
  }

  /** Requests an answer of `@inference` with a model. */
  async participate(
    { host, images }: ChatFixture,
    model: vscode.LanguageModelChatInformation | undefined,
    { command, history = [] }: Participating = {},
  ): Promise<Participated> {
    assert.ok(model);
    const { id, version } = model;
    const buttons: string[] = [];
    let said = '';
    const stream = {
      markdown: (text: string | vscode.MarkdownString) =>
        void (said += typeof text === 'string' ? text : text.value),
      progress: () => {},
      button: (button: vscode.Command) => void buttons.push(button.command),
    };
    const chosen = { vendor: 'inferenceService', id, version };
    const request = { prompt: 'Hello', command, references: [], model: chosen };
    const result = await new Participant(host, images, this.#provider).answer(
      // The participant reads only these properties.
      request as unknown as vscode.ChatRequest,
      { history },
      stream as unknown as vscode.ChatResponseStream,
      none(),
    );
    return { result, failure: result.errorDetails?.message, buttons, said };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#provider.dispose();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

const answer = [
  { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

const none = (): vscode.CancellationToken => new vscode.CancellationTokenSource().token;
