import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import manifest from '../../../package.json' with { type: 'json' };
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { startHttpServer } from '../../../test/support/loopback.ts';
import { connectToPlainServer } from '../../../test/support/plain-server-context.ts';
import { streamChat } from '../../service/chat/stream-chat.ts';
import { ServiceError } from '../../service/http/failure.ts';
import { toServiceError } from '../../service/http/network-failure.ts';
import { sendCall } from '../../service/http/request.ts';
import { listModels } from '../../service/models.ts';
import { createAccount } from './create-account.ts';

const settings = vi.hoisted(() => new Map<string, unknown>());
const configurationListeners = vi.hoisted(
  () => new Set<(event: vscode.ConfigurationChangeEvent) => void>(),
);
const settingDefaults = Object.assign(
  {},
  ...manifest.contributes.configuration.map(({ properties }) => properties),
) as Record<string, { default: unknown }>;

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  env: { sessionId: 'session' },
  UIKind: { Web: 2 },
  workspace: {
    workspaceFolders: [],
    getConfiguration: () => ({
      inspect: (name: string) => ({
        globalValue: settings.get(name),
        defaultValue: settingDefaults[name]?.default,
      }),
    }),
    onDidChangeConfiguration: (listener: (event: vscode.ConfigurationChangeEvent) => void) => {
      configurationListeners.add(listener);
      return { dispose: () => configurationListeners.delete(listener) };
    },
  },
}));

function createTestAccount(baseUrl: string, storedValues = new Map<string, unknown>()) {
  settings.set('inferenceService.baseUrl', baseUrl);
  const secrets = new Map<string, string>();
  const globalState = {
    keys: () => [...storedValues.keys()],
    get: (key: string) => storedValues.get(key),
    update: async (key: string, value: unknown) => void storedValues.set(key, value),
    setKeysForSync() {},
  } as vscode.ExtensionContext['globalState'];
  const secretStorage: vscode.SecretStorage = {
    keys: async () => [...secrets.keys()],
    get: async (key) => secrets.get(key),
    store: async (key, value) => void secrets.set(key, value),
    delete: async (key) => void secrets.delete(key),
    onDidChange: () => ({ dispose() {} }),
  };
  const write = (): void => {};
  const account = createAccount({
    context: { secrets: secretStorage, globalState },
    log: { debug: write, info: write, warn: write, error: write, show() {}, dispose() {} },
    knownKeys: new Set(),
    walletSignIn: () => Promise.reject(new Error('no wallet')),
    userAgent: 'inference-service/4.5.6',
    environment: {},
  });
  onTestFinished(() => account.dispose());
  return account;
}

type TestAccount = ReturnType<typeof createTestAccount>;
const { signal } = new AbortController();

beforeEach(() => settings.clear());

/** Lists the models and reports the outcome to the account, as the model catalog does. */
async function listModelsAndReport(account: TestAccount): Promise<void> {
  const { isPlain } = await listModels(account.service, { type: 'all', signal });
  if (isPlain) account.reportKeylessServer(account.profile, 'model-list');
}

async function sendChatAndReport(account: TestAccount, model: string): Promise<string> {
  for await (const events of streamChat(account.service, { model, messages: [] }, { signal })) {
    const end = events.find((event) => event.type === 'stream-end');
    if (end?.outcome.kind !== 'failed') continue;
    account.reportOutcome(end.outcome.failure, account.profile);
    return end.outcome.failure.code;
  }
  return 'complete';
}

function changeVendorWord(word: string): void {
  settings.set('inferenceService.vendorWord', word);
  for (const listener of configurationListeners)
    listener({ affectsConfiguration: (section) => section === 'inferenceService' });
}

test('an account forgets which prefixed request fields the service rejected once the user changes the vendor prefix', () => {
  const { connection } = createTestAccount('https://api.service.test/api/v1');
  connection.recordField('parameters:enable_web_search', false);
  connection.recordField('seed:m', false);
  connection.omitField('parameters:enable_web_search');
  changeVendorWord('acme');
  expect(connection.facts).toMatchObject({ fields: { 'seed:m': false }, omitted: [] });
});

test('an account forgets which prefixed request fields the service rejected if the vendor prefix changed while VS Code was closed', async () => {
  const url = 'https://api.service.test/api/v1';
  const storedValues = new Map<string, unknown>();
  settings.set('inferenceService.vendorWord', 'borealis');
  const firstAccount = createTestAccount(url, storedValues);
  await firstAccount.getEndpoint();
  firstAccount.connection.recordField('parameters:enable_web_search', false);
  firstAccount.connection.recordField('seed:m', false);
  const unchangedAccount = createTestAccount(url, storedValues);
  await unchangedAccount.getEndpoint();
  expect(unchangedAccount.connection.facts.fields).toHaveProperty('parameters:enable_web_search');
  settings.set('inferenceService.vendorWord', 'acme');
  const changedAccount = createTestAccount(url, storedValues);
  const { connection } = await changedAccount.getEndpoint();
  expect(connection?.facts).toMatchObject({ fields: { 'seed:m': false } });
  expect(connection?.facts.fields).not.toHaveProperty('parameters:enable_web_search');
});

test('an account shows the address that the user typed until the base URL of the profile changes', () => {
  const account = createTestAccount('');
  account.typedAddress = 'https://api.service.test/api/v1';
  expect(account.view).toMatchObject({
    status: 'signed-out',
    address: 'https://api.service.test/api/v1',
  });
  expect(account.profile.baseUrl).toBe('');
  settings.set('inferenceService.baseUrl', 'https://other.test/v1');
  changeVendorWord('acme');
  expect(account.typedAddress).toBe('');
  expect(account.view.address).toBe('https://other.test/v1');
});

test('an account discards the typed address when the user sets an API key for the base URL', async () => {
  const account = createTestAccount('https://api.service.test/api/v1');
  account.typedAddress = 'https://other.test/v1';
  await account.storeKey(account.profile, 'key-for-management', 'management');
  expect(account.view.address).toBe('https://other.test/v1');
  await account.storeKey(account.profile, 'key-of-the-profile');
  expect(account.typedAddress).toBe('');
  expect(account.view.address).toBe('https://api.service.test/api/v1');
});

test('an account with an invalid address uses a changed vendor prefix', () => {
  const account = createTestAccount('no address');
  changeVendorWord('acme');
  expect(account.profile.vendorPrefix).toBe('acme');
});

test('an account sends requests whose user agent contains the name and version of the extension', async () => {
  const userAgentReceived = Promise.withResolvers<string | undefined>();
  await using server = await startHttpServer((request, response) => {
    userAgentReceived.resolve(request.headers['user-agent']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  });
  const account = createTestAccount(`http://127.0.0.1:${server.port}/v1`);
  await listModels(account.service, { type: 'all', signal });
  expect(await userAgentReceived.promise).toBe('inference-service/4.5.6');
});

test('an account uses the vendor prefix in the key if neither the replies nor the settings contain a vendor prefix', async () => {
  await using server = await startStrictDeployment({ shape: 'minimal', word: 'acme' });
  const { baseUrl, keys } = server.deployment;
  const account = createTestAccount(baseUrl);
  await account.storeKey(account.profile, keys.inference);
  const chatRequest = {
    model: 'maple-70b',
    messages: [],
    parameters: { enable_web_search: 'on' },
  } as const;
  await Array.fromAsync(streamChat(account.service, chatRequest, { signal }));
  const [request] = server.listRequests('/chat/completions');
  expect(request?.body).toHaveProperty('acme_parameters', { enable_web_search: 'on' });
  changeVendorWord('borealis');
  expect((await account.getEndpoint()).vendorPrefix).toBe('borealis');
});

test('an account remembers which prefixed request fields were rejected if the setting changes but replies determine the vendor prefix', () => {
  const { connection } = createTestAccount('https://api.service.test/api/v1');
  connection.recordVendorPrefix('borealis');
  connection.recordField('parameters:enable_web_search', false);
  changeVendorWord('acme');
  expect(connection.facts.fields).toEqual({ 'parameters:enable_web_search': false });
});

test('an account stays signed out of a server that lists models without a key but rejects chats without a key', async () => {
  await using plainConnection = await connectToPlainServer({ kind: 'llamacpp', key: 'secret' });
  const account = createTestAccount(plainConnection.server.baseUrl);
  await listModelsAndReport(account);
  await vi.waitFor(() => expect(account.view.status).toBe('signed-in'));
  const [model = ''] = plainConnection.server.models;
  expect(await sendChatAndReport(account, model)).toBe('no-key');
  await vi.waitFor(() => expect(account.view.status).toBe('signed-out'));
  await listModelsAndReport(account);
  await account.reloadKey();
  expect(account.key).toEqual({ kind: 'none' });
  expect(account.view).toMatchObject({ status: 'signed-out' });
  // The user confirmed an empty key.
  account.reportKeylessServer(account.profile, 'user');
  await vi.waitFor(() => expect(account.view.status).toBe('signed-in'));
});

test.each(['minimal', 'full'] as const)(
  'an account of a %s deployment does not report its key as invalid if a model needs a higher access tier',
  async (shape) => {
    await using server = await startStrictDeployment({ shape });
    const { baseUrl, keys } = server.deployment;
    const account = createTestAccount(baseUrl);
    const generateWithKey = async (key: string): Promise<string> => {
      await account.storeKey(account.profile, key);
      const body = { model: 'canvas-pro', prompt: 'A pier' };
      const call = { method: 'POST', path: '/image/generate', body } as const;
      const error = await sendCall(account.service, call, signal).catch(toServiceError);
      if (!(error instanceof ServiceError)) return 'complete';
      account.reportOutcome(error.failure, account.profile);
      return error.failure.code;
    };
    expect(await generateWithKey(keys.lowTier)).toBe('model-access');
    expect(account.view.status).toBe('signed-in');
    expect(await generateWithKey(keys.expired)).toBe('unauthorized');
    expect(account.view.status).toBe('needs-attention');
  },
);

test.each(['sk-spent', 'sk-spent-401', 'sk-other-model', 'sk-other-model-403'])(
  'an account never reports the limited LiteLLM key %s as invalid',
  async (limitedKey) => {
    await using plainConnection = await connectToPlainServer({ kind: 'litellm', key: 'the-key' });
    const account = createTestAccount(plainConnection.server.baseUrl);
    await account.storeKey(account.profile, limitedKey);
    const code = await sendChatAndReport(account, 'local-qwen');
    expect(code).toBe(limitedKey.startsWith('sk-spent') ? 'spend-limit' : 'model-access');
    expect(account.view.message ?? '').not.toMatch(/does not accept/u);
    expect(account.key).toMatchObject({ kind: 'usable' });
  },
);
