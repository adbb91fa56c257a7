import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setup, suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { ApiChatEvent } from '../../src/api/api-types.ts';
import { getAccess } from '../../src/api/access.ts';
import { createExportedApi, type ExportedApi } from '../../src/api/exported-api.ts';
import { Control } from '../service/control.ts';
import { type ChatFixture, createChatFixture } from './chat-fixture.ts';
import { FakeConsentDialogs } from './consent-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const messages = [{ role: 'user', content: 'Say tide' }] as const;
/** Id of a built-in extension of VS Code. In the tests, this extension is the caller of the exported API. */
const callerId = 'vscode.git';

suite('the exported API', () => {
  setup(() => control.reset());

  test('is the return value of the extension’s activation', async () => {
    const extension = vscode.extensions.getExtension<ExportedApi>(
      'inference-service.inference-service',
    );
    const api = await extension?.activate();
    assert.deepEqual(Object.keys(api ?? {}).toSorted(), [
      'client',
      'connect',
      'generateImage',
      'mintKey',
      'models',
      'version',
    ]);
    assert.equal(api?.version, 1);
    assert.ok(Object.isFrozen(api) && Object.isFrozen(api.client));
  });

  test('runs the example of docs/extension-api.md, and returns the fields that the page lists', async () => {
    using scene = new Scene();
    // The last question is that of `mintKey`.
    using consent = new FakeConsentDialogs('Allow in This Window');
    await control.setResponsePace('instant');
    await control.addScripts({ times: 2, steps: [{ content: 'High tide.' }] });
    const pageText = await readExtensionFile('docs/extension-api.md');
    const example = /```ts\n(?<code>.*?)```/su.exec(pageText)?.groups?.['code'] ?? '';
    const moduleCode = `export default async (vscode, events) => {
      ${example.replace('  // {', '  events.push(event); // {')}
      return { listed, answer, image, minted };
    }`;
    const { default: run } = (await import(
      `data:text/javascript,${encodeURIComponent(moduleCode)}`
    )) as { default: (...values: unknown[]) => Promise<Record<string, Record<string, unknown>>> };
    const events: ApiChatEvent[] = [];
    const extensions = { getExtension: () => ({ activate: async () => scene.api }) };
    const {
      listed: modelListResult,
      answer,
      image,
      minted: mintResult,
    } = await run({ extensions }, events);
    assert.equal(answer?.['text'], 'High tide.');
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['text', 'end']));
    assert.deepEqual([mintResult?.['stored'], mintResult?.['problem']], [false, 'not-allowed']);
    const models = modelListResult?.['models'] as readonly Record<string, unknown>[];
    const rows = [...pageText.matchAll(/^\| `.*\| (?<fields>.*) \|$/gmu)].map(({ groups }) =>
      [...(groups?.['fields'] ?? '').matchAll(/`(?<field>\w+)`/gu)].map(
        (match) => match.groups?.['field'] ?? '',
      ),
    );
    const results = [{ ...modelListResult, ...models[0] }, answer, image];
    assert.deepEqual(
      rows.map((fields, index) => fields.filter((field) => !(field in (results[index] ?? {})))),
      [[], [], []],
    );
    assert.equal(consent.shownQuestions.length, 2);
  });

  test('sends and returns nothing before the user consents', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs();
    const { api } = scene;
    const results = [
      await api.models({ caller: callerId }),
      await api.client.complete({ messages }),
      await api.generateImage({ prompt: 'a tide' }),
    ];
    assert.deepEqual(
      results.map((result) => 'problem' in result && result.problem),
      ['not-allowed', 'not-allowed', 'not-allowed'],
    );
    assert.equal(consent.shownQuestions.length, 1, 'nobody asks again at once');
    const postRequests = (await control.getRequests()).filter(({ method }) => method === 'POST');
    assert.deepEqual(postRequests, []);
  });

  test('names the requesting extension in the consent dialog, with a note that names can be forged', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs();
    await scene.api.models({ caller: callerId });
    getAccess(scene.host).revokeAll();
    await scene.api.client.complete({ messages, caller: 'nobody.knows-it' });
    assert.match(
      consent.shownQuestions[0] ?? '',
      /^Let .*\(vscode\.git\) use the service once\?$/u,
    );
    assert.match(consent.shownDetails[0] ?? '', /cannot be checked/u);
    assert.deepEqual(consent.shownButtons[0], ['Allow Once']);
    assert.equal(consent.shownQuestions[1], 'Let another extension use the service once?');
    assert.match(consent.shownDetails[1] ?? '', /sends requests to models, at your expense/u);
    assert.deepEqual(consent.shownButtons[1], ['Allow Once']);
  });

  test('shows no second consent dialog soon after the user denied consent, even to a caller with another name', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs();
    await Promise.all([scene.api.models(), scene.api.models(), scene.api.models()]);
    await scene.api.models({ caller: callerId });
    assert.equal(consent.shownQuestions.length, 1);
  });

  test('requests consent for each call of a named extension', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow Once', 'Allow Once');
    for (let count = 0; count < 3; count += 1) await scene.api.models({ caller: callerId });
    assert.equal(consent.shownQuestions.length, 3);
  });

  test('ignores and deletes the caller permissions that an earlier version stored', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs();
    const { globalState } = scene.host.context;
    await globalState.update('api.access', [`models:${callerId}`]);
    using restartedScene = new Scene(scene.fixture);
    assert.equal((await restartedScene.api.models({ caller: callerId })).ok, false);
    assert.equal(consent.shownQuestions.length, 1);
    assert.equal(globalState.get('api.access'), undefined);
  });

  test('allows calls over a connection that the user permitted in this window, and requests consent for a second caller with the same name', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow in This Window');
    await control.addScripts({ steps: [{ content: 'High tide.' }] });
    const options = { caller: callerId, access: ['models', 'chat'] } as const;
    const connection = await scene.api.connect(options);
    assert.ok(connection.ok, JSON.stringify(connection));
    assert.match(
      consent.shownQuestions[0] ?? '',
      /^Let .*\(vscode\.git\) use the service in this window\?$/u,
    );
    assert.deepEqual(consent.shownButtons, [['Allow in This Window']]);
    assert.equal((await connection.models()).ok, true);
    assert.equal((await connection.client.complete({ messages })).ok, true);
    assert.equal(consent.shownQuestions.length, 1);
    const image = await connection.generateImage({ prompt: 'a tide' });
    assert.equal('problem' in image && image.problem, 'not-allowed', 'another kind of access');
    assert.equal(consent.shownQuestions.length, 1);
    assert.equal((await scene.api.connect(options)).ok, false);
    assert.equal(consent.shownQuestions.length, 2);
  });

  test('rejects calls over a revoked connection without a dialog', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow in This Window');
    const connection = await scene.api.connect({ caller: callerId, access: ['models'] });
    assert.ok(connection.ok);
    getAccess(scene.host).revokeAll();
    assert.equal((await connection.models()).ok, false);
    assert.equal(consent.shownQuestions.length, 1);
    assert.ok(Object.isFrozen(connection));
  });

  test('rejects a connection request without a valid access kind', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs();
    for (const access of [undefined, [], ['all'], ['models', 'keys'], 'models']) {
      const result = await scene.api.connect({ access } as never);
      assert.ok('problem' in result && result.problem === 'invalid-request', String(access));
    }
    assert.deepEqual(consent.shownQuestions, []);
  });

  test('returns frozen copies of models', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow Once');
    const modelList = await scene.api.models();
    assert.ok(modelList.ok, JSON.stringify(modelList));
    assert.equal(consent.shownQuestions.length, 1);
    const model = modelList.models.find(({ id }) => id === 'assistant-large-480b');
    assert.ok(model && Object.isFrozen(model) && Object.isFrozen(model.traits));
    assert.ok(model.capabilities.includes('tools'), JSON.stringify(model));
    assert.ok(!JSON.stringify(modelList).includes(service.apiKey));
  });

  test('returns a complete or a streamed answer', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow Once', 'Allow Once');
    await control.addScripts({
      times: 2,
      steps: [{ reasoning: 'Hm. ' }, { content: 'High ' }, { content: 'tide.' }],
    });
    const fullAnswer = await scene.api.client.complete({ messages, caller: callerId });
    assert.ok(fullAnswer.ok, JSON.stringify(fullAnswer));
    assert.equal(fullAnswer.text, 'High tide.');
    assert.equal(fullAnswer.reasoning, 'Hm. ');
    assert.ok((fullAnswer.usage?.output ?? 0) > 0);
    const events = await Array.fromAsync(scene.api.client.stream({ messages, caller: callerId }));
    const text = events
      .flatMap((event: ApiChatEvent) => (event.type === 'text' ? [event.text] : []))
      .join('');
    assert.equal(text, 'High tide.');
    assert.deepEqual(events.at(-1)?.type, 'end');
    assert.equal(consent.shownQuestions.length, 2);
  });

  test('closes the request when the caller stops iterating, and returns the partial text on abort', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow Once', 'Allow Once');
    await control.addScripts({
      times: 2,
      steps: [{ content: 'High ' }, { hold: 'more' }, { content: 'tide.' }],
    });
    for await (const event of scene.api.client.stream({ messages, caller: callerId }))
      if (event.type === 'text') break;
    const abortController = new AbortController();
    const events: ApiChatEvent[] = [];
    for await (const event of scene.api.client.stream({
      messages,
      caller: callerId,
      signal: abortController.signal,
    })) {
      events.push(event);
      if (event.type === 'text') abortController.abort();
    }
    const lastEvent = events.at(-1);
    assert.ok(lastEvent?.type === 'end' && lastEvent.result.ok);
    assert.equal(lastEvent.result.text, 'High ');
    assert.equal(lastEvent.result.finishReason, 'stopped');
    assert.equal(consent.shownQuestions.length, 2);
  });

  test('rejects an invalid request before requesting consent', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs();
    for (const invalidRequest of [undefined, null, 7, {}, { messages: 'x' }, { messages: [] }]) {
      const result = await scene.api.client.complete(invalidRequest as never);
      assert.ok(
        'problem' in result && result.problem === 'invalid-request',
        JSON.stringify(invalidRequest),
      );
    }
    const image = await scene.api.generateImage({ prompt: '' });
    assert.ok('problem' in image && image.problem === 'invalid-request', JSON.stringify(image));
    assert.deepEqual(consent.shownQuestions, []);
  });

  test('returns a service failure as a result instead of throwing', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow Once');
    const result = await scene.api.client.complete({ messages, model: 'frontier-pro-1t' });
    assert.ok('problem' in result, JSON.stringify(result));
    assert.notEqual(result.problem, 'not-allowed');
    assert.match(result.message, /\.$/u);
    assert.equal(consent.shownQuestions.length, 1);
  });

  test('returns the bytes of an image after the user has seen prompt and price', async () => {
    using scene = new Scene();
    using consent = new FakeConsentDialogs('Allow Once');
    const result = await scene.api.generateImage({ prompt: 'a blue tide' });
    assert.ok(result.ok, JSON.stringify(result));
    assert.match(result.mediaType, /^image\/(?:png|jpeg|webp)$/u);
    assert.ok(result.bytes.length > 1_000 && result.width > 0);
    assert.match(consent.shownDetails[0] ?? '', /\$[\d.]+[^]*a blue tide/u);
  });
});

async function readExtensionFile(path: string): Promise<string> {
  const extension = vscode.extensions.getExtension('inference-service.inference-service');
  assert.ok(extension);
  return readFile(vscode.Uri.joinPath(extension.extensionUri, path).fsPath, 'utf8');
}

/** The extension's exported API for one account with separate storage. */
class Scene implements Disposable {
  readonly fixture: ChatFixture;
  readonly api: ExportedApi;
  readonly host: ChatFixture['host'];
  readonly #ownsFixture: boolean;

  /**
   * @param previousFixture chat whose stored data the new scene uses, as after a restart; if omitted, the constructor
   * creates a chat without stored data
   */
  constructor(previousFixture?: ChatFixture) {
    this.#ownsFixture = previousFixture === undefined;
    this.fixture =
      previousFixture ??
      createChatFixture({ environment: { INFERENCE_SERVICE_API_KEY: service.apiKey } });
    const { host, images } = this.fixture;
    this.host =
      previousFixture === undefined
        ? host
        : { ...host, context: Object.create(host.context) as typeof host.context };
    this.api = createExportedApi(this.host, images);
  }

  [Symbol.dispose](): void {
    if (this.#ownsFixture) this.fixture[Symbol.dispose]();
  }
}
