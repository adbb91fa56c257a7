import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setup, suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { ExportedApi } from '../../src/api/exported-api.ts';
import { takeLostMints } from '../../src/wallet/mint/vscode/mint-journal.ts';
import { streamChat } from '../../src/service/chat/stream-chat.ts';
import { flattenBatches } from '../support/batches.ts';
import { Control } from '../service/control.ts';
import type { RejectionReason } from '../service/web3/rejections.ts';
import type { TokenFault } from '../service/web3/web3-settings.ts';
import { Dialogs, withSettings } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { getChainAccount, MintScene } from './mint-fixture.ts';

const { service } = readSuiteEnvironment();
const control = new Control(service.controlUrl);
const { signal } = new AbortController();
const serviceHost = new URL(service.baseUrl).host;
const createStakerScene = (): MintScene => new MintScene(getChainAccount(4));

suite('key minting', () => {
  setup(() => control.reset());

  test('stores the minted key after one signature, and the key works in the chat', async () => {
    await control.changeWeb3Settings({ firstAllocation: 'at-once' });
    using scene = createStakerScene();
    await scene.mintInteractively('Details', 'Sign');
    const { account } = scene.fixture;
    assert.equal((await account.readKey()).kind, 'usable');
    assert.deepEqual(await readLastEvent(account.service), {
      kind: 'complete',
      finishReason: 'stop',
    });
    assert.ok(scene.executedCommands.includes('inferenceService.focusChat'));
    const [foldedDetail = '', reviewDetail = ''] = scene.dialogDetails;
    assert.ok(
      foldedDetail.includes(`Issued by: ${serviceHost}`) &&
        !foldedDetail.includes('“aud” in the text'),
    );
    for (const row of [
      `Wallet: ${scene.account.address}`,
      `Issued by: ${serviceHost}`,
      'Type: Inference',
      'Limit: $10 per month',
      '“iss” in the text: inference-service',
      '“aud” in the text: web3-api-key',
    ]) {
      assert.ok(reviewDetail.includes(row), `${row} is not in ${reviewDetail}`);
    }
    assert.match(reviewDetail, /To be signed until: .*\((?:14:\d\d|15:00)\)/);
    assert.match(reviewDetail, /moves no funds and approves no transaction/);
    assert.match(scene.shownMessages[0] ?? '', /^Sign to get an API key for \S+$/);
    assertNoSecrets(scene, await listSecrets(scene));
  });

  test('if the stake is sufficient, shows when the next credit arrives, and offers nothing to buy', async () => {
    using scene = createStakerScene();
    await scene.mintInteractively(
      'Sign',
      'Stake',
      'Dashboard',
      'Top Up and Switch',
      'Show Funding',
    );
    assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
    assert.match(
      scene.shownMessages.at(-1) ?? '',
      /^The API key works\. The stake gives the next credit at 00:00 UTC, in \d+(?: h \d+ min|:\d\d)\.$/,
    );
    assert.equal(scene.dialogDetails.length, 1, 'only the review of the signature is a modal');
    assert.deepEqual(scene.executedCommands, ['inferenceService.focusChat']);
  });

  for (const websiteUrl of ['http://service.example', 'file:///etc/passwd', 'ms-msdt:/id']) {
    test(`opens the service’s origin instead of the unsafe dashboard address ${websiteUrl}`, async () => {
      using scene = createStakerScene();
      using openedUrls = new OpenedUrls();
      await scene.mintInteractively('Sign');
      await withSettings({ 'inferenceService.dashboardUrl': websiteUrl }, () =>
        scene.showFunding('Dashboard'),
      );
      const { origin } = new URL(scene.fixture.account.profile.baseUrl);
      assert.deepEqual(openedUrls.openedUrls, [`${origin}/`]);
    });
  }

  test('shows the stake and the time of the next credit on request, and opens the dashboard at the address in the settings', async () => {
    using scene = createStakerScene();
    using openedUrls = new OpenedUrls();
    await scene.mintInteractively('Sign');
    await withSettings({ 'inferenceService.dashboardUrl': 'https://service.example/top' }, () =>
      scene.showFunding('Dashboard'),
    );
    assert.match(scene.shownMessages.at(-1) ?? '', /nothing to spend/);
    const detail = scene.dialogDetails.at(-1) ?? '';
    assert.match(detail, /Staked: [\d.]+ sSTK\n.*00:00 UTC, in \d+(?: h \d+ min|:\d\d)\./s);
    assert.doesNotMatch(detail, /at least 0\.1/);
    assert.deepEqual(openedUrls.openedUrls, ['https://service.example/top']);
  });

  const rejections: readonly [RejectionReason, RegExp, string, string | undefined][] = [
    ['invalid-address', /rejected the wallet’s address/, 'Choose a wallet', 'connect'],
    ['wrong-signature', /not by this wallet/, 'Choose a wallet', 'connect'],
    ['no-stake', /nothing staked/, 'Stake', 'stake'],
  ];
  for (const [refusal, pattern, button, command] of rejections) {
    test(`shows a message and an action for the rejection “${refusal}”`, async () => {
      await control.changeWeb3Settings({ refusal });
      using scene = createStakerScene();
      await scene.mintInteractively('Sign', button);
      assert.match(scene.shownMessages[1] ?? '', pattern);
      assert.ok(scene.executedCommands.includes(`inferenceService.wallet.${command}`));
      assertNoSecrets(scene, await listSecrets(scene));
    });
  }

  const tokenRefusals: readonly [RejectionReason, string, RegExp][] = [
    ['token-expired', 'JWT has expired', /came too late/],
    ['token-signature', 'JWT signature is invalid', /does not recognize the signed message/],
    ['token-claims', 'JWT claims are invalid', /does not recognize the signed message/],
    ['token-malformed', 'JWT is malformed', /does not recognize the signed message/],
  ];
  for (const [refusal, error, pattern] of tokenRefusals) {
    test(`signs a new token without another confirmation after the rejection “${refusal}”`, async () => {
      await control.changeWeb3Settings({ refusal });
      using scene = createStakerScene();
      await scene.mintInteractively('Sign');
      assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
      assert.equal(
        scene.shownMessages.filter((message) => message.startsWith('Sign to get')).length,
        1,
      );
      assert.equal(await countKeyRequests(), 2);
    });

    test(`shows a message after a second rejection “${refusal}”, and mints a key when the user retries`, async () => {
      await refuseNextKey(400, error);
      await refuseNextKey(400, error);
      using scene = createStakerScene();
      await scene.mintInteractively('Sign', 'Retry', 'Sign');
      assert.match(scene.shownMessages[1] ?? '', pattern);
      assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
      assert.equal(await countKeyRequests(), 3);
    });
  }

  const otherRefusals: readonly [number, string, RegExp][] = [
    [400, 'Invalid request parameters', /did not accept the settings of the key/],
    [404, 'Not found', /creates no keys for wallets at this address/],
    [429, 'Rate limit exceeded', /^No key was created\..*Too many requests/],
    [503, 'The staked balance could not be read.', /cannot create keys just now/],
  ];
  for (const [status, error, pattern] of otherRefusals) {
    test(`shows a specific message for the response ${status} “${error}”`, async () => {
      await refuseNextKey(status, error);
      using scene = createStakerScene();
      await scene.mintInteractively('Sign');
      assert.match(scene.shownMessages[1] ?? '', pattern);
      assert.equal(await countKeyRequests(), 1);
    });
  }

  test('reports an error if the service could not check the signature in five attempts', async () => {
    await control.changeWeb3Settings({ rpcFailures: 100 });
    using scene = createStakerScene();
    // Makes the delays between attempts as short as possible.
    Object.assign(scene.fixture.account.service, { random: () => 0 });
    await scene.mintInteractively('Sign');
    assert.match(scene.shownMessages[1] ?? '', /cannot create keys just now/);
    assert.equal(await countKeyRequests(), 5);
  });

  test('resends a signature if the service could not check the signature at first', async () => {
    await control.changeWeb3Settings({ rpcFailures: 1 });
    using scene = createStakerScene();
    await scene.mintInteractively('Sign');
    assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
    assert.equal(await countKeyRequests(), 2);
  });

  test('suggests staking for a wallet without a stake', async () => {
    using scene = new MintScene(getChainAccount(5));
    await scene.mintInteractively('Stake');
    assert.match(scene.shownMessages[0] ?? '', /nothing staked/, 'before anything is signed');
    assert.equal(await countKeyRequests(), 0);
    assert.ok(scene.executedCommands.includes('inferenceService.wallet.stake'));
    assert.equal((await scene.fixture.account.readKey()).kind, 'none');
  });

  const tokenFaults: readonly TokenFault[] = [
    'sign-in-sentence',
    'digest',
    'typed-data',
    'expired',
    'long-life',
    'alg-none',
    'huge',
    'newline',
    'missing',
  ];
  for (const token of tokenFaults) {
    test(`does not sign a token with the fault “${token}”`, async () => {
      await control.changeWeb3Settings({ token });
      using scene = createStakerScene();
      await scene.mintInteractively('Sign');
      assert.equal(scene.shownMessages.length, 1);
      assert.doesNotMatch(scene.shownMessages[0] ?? '', /^Sign/);
      assert.equal(await countKeyRequests(), 0);
    });
  }

  test('stores the key for the service with which minting started, even if the setting changes meanwhile', async () => {
    using scene = createStakerScene();
    const { account } = scene.fixture;
    const { profile } = account;
    const otherUrl = 'http://127.0.0.1:9/api/v1';
    await withSettings({ 'inferenceService.baseUrl': profile.baseUrl }, async () => {
      scene.onConnected = () =>
        vscode.workspace.getConfiguration().update('inferenceService.baseUrl', otherUrl, true);
      await scene.mintInteractively('Sign');
      assert.equal(account.profile.baseUrl, otherUrl);
      assert.equal(await countKeyRequests(), 1);
      assert.match(
        (await account.readStoredKey(profile, 'profile')) ?? '',
        /^SERVICE_INFERENCE_KEY_/,
      );
      assert.equal((await account.getEndpoint()).apiKey, undefined);
    });
  });

  test('switches from wallet payments to the new key, and notifies the user', async () => {
    await control.changeWeb3Settings({ firstAllocation: 'at-once' });
    await withSettings({ 'inferenceService.wallet.payPerRequest': true }, async () => {
      using scene = createStakerScene();
      await scene.mintInteractively('Sign');
      assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
      assert.ok(scene.shownMessages.some((message) => /not the wallet/.test(message)));
    });
  });

  test('sends nothing when the user does not sign', async () => {
    using scene = createStakerScene();
    await scene.mintInteractively();
    assert.equal(scene.shownMessages.length, 1);
    assert.equal(await countKeyRequests(), 0);
  });

  for (const minutes of [10, -10]) {
    test(`mints a key and reports that the local clock is off by ${minutes} minutes`, async () => {
      await control.changeClock({ advance: minutes * 60_000 });
      using scene = createStakerScene();
      await scene.mintInteractively('Sign');
      assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
      assert.match(
        scene.dialogDetails[0] ?? '',
        /clocks of this machine.*differ by (?:10:0\d|9:5\d)/s,
      );
    });
  }

  test('shows a new key only once if the key cannot be stored, and writes the key nowhere', async () => {
    using scene = createStakerScene();
    await scene.connectAccount();
    const { secrets } = scene.fixture.context;
    using clipboard = new FakeClipboard();
    secrets.writeBehavior = 'refuses';
    // The account's own key is stored already.
    const secretValues = secrets.values;
    await scene.mintInteractively('Sign', 'Copy');
    assert.equal(clipboard.copiedTexts.length, 1);
    const [copiedKey = ''] = clipboard.copiedTexts;
    assert.match(copiedKey, /^SERVICE_INFERENCE_KEY_/);
    assert.ok(scene.dialogDetails.at(-1)?.includes(copiedKey));
    assert.match(scene.dialogDetails.at(-1) ?? '', /not saved and cannot be shown again/);
    assert.equal(JSON.stringify([...secretValues]).includes(copiedKey), false);
    assertNoSecrets(scene, [copiedKey, scene.account.privateKey]);
  });

  test('warns that a minted key may be lost if secret storage fails, and warns again for the next key', async () => {
    await control.changeWeb3Settings({ loseReply: true });
    using scene = createStakerScene();
    await scene.mintInteractively('Sign', 'Show API Keys');
    assert.match(scene.shownMessages[1] ?? '', /an unused key may exist/);
    assert.ok(scene.executedCommands.includes('inferenceService.keys.show'));
    const { account, context } = scene.fixture;
    const laterTime = Date.now() + 3_600_000;
    const [lostMint] = await takeLostMints(context.globalState, laterTime);
    assert.equal(lostMint?.address, scene.account.address);
    assert.equal(lostMint?.host, serviceHost);
    assert.deepEqual(await takeLostMints(account.state, laterTime), []);
  });
});

suite('key minting without UI', () => {
  setup(() => control.reset());

  test('stores the key, and does not return the key to the caller', async () => {
    using scene = createStakerScene();
    const result = await scene.mintHeadless({ description: 'CI' });
    assert.equal(result.stored, true);
    assert.ok('record' in result && result.record.description === 'CI');
    assert.deepEqual(result.record.consumptionLimit, { usd: 10 });
    assert.equal((await scene.fixture.account.readKey()).kind, 'usable');
    assert.deepEqual(scene.shownMessages, []);
    const secrets = await listSecrets(scene);
    assertNoSecrets(scene, secrets);
    for (const secret of secrets) assert.ok(!JSON.stringify(result).includes(secret));
  });

  test('stores an ADMIN key for key management only', async () => {
    using scene = createStakerScene();
    const result = await scene.mintHeadless({ type: 'ADMIN', expiresAt: null });
    assert.equal(result.stored, true);
    const { account } = scene.fixture;
    assert.equal((await account.readKey()).kind, 'none');
    const key = await account.readStoredKey(account.profile, 'management');
    assert.match(key ?? '', /^SERVICE_ADMIN_KEY_/);
  });

  test('returns a key to the caller if the key could not be stored', async () => {
    using scene = createStakerScene();
    scene.fixture.context.secrets.writeBehavior = 'refuses';
    const result = await scene.mintHeadless({}, { canReturnKey: true });
    assert.ok(!result.stored && 'apiKey' in result);
    assert.match(result.apiKey, /^SERVICE_INFERENCE_KEY_/);
    assertNoSecrets(scene, [result.apiKey]);
  });

  test('shows a key to the user if the key can be neither stored nor returned to the caller', async () => {
    using scene = createStakerScene();
    scene.fixture.context.secrets.writeBehavior = 'refuses';
    const result = await scene.mintHeadless({});
    assert.ok('problem' in result && result.problem === 'not-stored');
    assert.match(scene.shownMessages[0] ?? '', /^The API key was created but could not be saved/);
    const [key = ''] = /SERVICE_INFERENCE_KEY_\S+/.exec(scene.dialogDetails[0] ?? '') ?? [];
    assert.notEqual(key, '');
    assert.ok(!JSON.stringify(result).includes(key));
    assertNoSecrets(scene, [key]);
  });

  test('returns the key only if the environment allows it', async () => {
    using scene = createStakerScene();
    const firstResult = await scene.mintHeadless({ store: false });
    assert.ok('problem' in firstResult && firstResult.problem === 'not-allowed');
    assert.equal(await countKeyRequests(), 0);
    const result = await scene.mintHeadless({ store: false }, { canReturnKey: true });
    assert.ok('apiKey' in result);
    assert.equal((await scene.fixture.account.readKey()).kind, 'none');
  });

  const invalidOptions: readonly [object, string][] = [
    [{ consumptionlimit: { usd: 1 } }, 'invalid-unknown-field'],
    [{ type: 'ROOT' }, 'invalid-type'],
    [{ expiresAt: '2020-01-01' }, 'invalid-expiry-past'],
    [{ keystore: 'keystore.json' }, 'invalid-keystore'],
    [{ keystore: '/no/such/file' }, 'invalid-keystore'],
  ];
  for (const [options, problem] of invalidOptions) {
    test(`rejects ${JSON.stringify(options)} with the problem code “${problem}”`, async () => {
      using scene = createStakerScene();
      const result = await scene.mintHeadless({ ...options });
      assert.ok('problem' in result);
      assert.equal(result.problem, problem);
      assert.equal(await countKeyRequests(), 0);
    });
  }

  test('rejects a keystore inside the workspace if the caller names its path', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folder);
    using scene = createStakerScene();
    const result = await scene.mintHeadless({ keystore: join(folder.uri.fsPath, 'package.json') });
    assert.ok('problem' in result && result.problem === 'invalid-keystore');
    assert.match(result.message, /in the workspace is used only when/);
  });

  test('mints nothing without an account in the environment', async () => {
    using scene = createStakerScene();
    await scene.connectAccount();
    const result = await scene.mintHeadless({}, { hasFile: false });
    assert.ok('problem' in result && result.problem === 'no-wallet');
  });

  test('reports a wallet without a stake', async () => {
    using scene = new MintScene(getChainAccount(5));
    const result = await scene.mintHeadless({});
    assert.ok('problem' in result && result.problem === 'no-stake');
  });

  test('requests the user’s consent when another extension starts the minting', async () => {
    const api = await getExportedApi();
    assert.equal(api.version, 1);
    assert.ok(Object.isFrozen(api));
    using dialogs = new Dialogs();
    const [firstResult, secondResult] = await Promise.all([
      api.mintKey(),
      api.mintKey({ store: false }),
    ]);
    assert.ok('problem' in firstResult && firstResult.problem === 'not-allowed');
    assert.ok('problem' in secondResult && secondResult.problem === 'not-allowed');
    assert.equal(dialogs.shownMessages.length, 1);
    assert.match(dialogs.shownMessages[0] ?? '', /^Another extension wants to create an API key/);
    assert.equal(await countKeyRequests(), 0);
  });

  test('uses the confirmed options, even if the caller changes its options during the dialog', async () => {
    using scene = createStakerScene();
    const options = { type: 'INFERENCE', consumptionLimit: { usd: 1 } };
    const result = await scene.mintWithConsent(options, () => {
      options.type = 'ADMIN';
      options.consumptionLimit.usd = 1_000_000;
    });
    assert.match(scene.dialogDetails[0] ?? '', /Limit: .*1/);
    assert.ok(result.stored, JSON.stringify(result));
    assert.equal(result.record.type, 'INFERENCE');
    assert.deepEqual(result.record.consumptionLimit, { usd: 1 });
  });

  for (const options of [{}, { type: 'ADMIN' }, { store: false }]) {
    test(`requests the user’s consent if a command starts the minting with ${JSON.stringify(options)}`, async () => {
      using scene = createStakerScene();
      const result = await scene.runCommand(options);
      assert.ok('problem' in result && result.problem === 'not-allowed');
      assert.match(scene.shownMessages[0] ?? '', /^Another extension wants to create an API key/);
      assert.equal(await countKeyRequests(), 0);
    });
  }
});

async function getExportedApi(): Promise<ExportedApi> {
  const extension = vscode.extensions.all.find(({ packageJSON }) => {
    const { name } = packageJSON as { name?: string };
    return name === 'inference-service';
  });
  assert.ok(extension);
  return (await extension.activate()) as ExportedApi;
}

async function readLastEvent(context: Parameters<typeof streamChat>[0]): Promise<object> {
  const request = { model: 'default', messages: [{ role: 'user', content: 'Hi' }] } as const;
  const lastEvent = (
    await Array.fromAsync(flattenBatches(streamChat(context, request, { signal })))
  ).at(-1);
  assert.ok(lastEvent?.type === 'stream-end');
  return lastEvent.outcome;
}

/** Makes the service reject the next request for a key, with the given status and error. */
const refuseNextKey = (status: number, error: string): Promise<void> =>
  control.injectFault({
    match: { path: '/generate_web3_key', method: 'POST' },
    fault: { kind: 'status', status, body: { error } },
  });

/** Returns the number of requests for a key that the service has received. */
async function countKeyRequests(): Promise<number> {
  const requests = await control.getRequests();
  return requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/generate_web3_key'),
  ).length;
}

/** Returns the values that only secret storage may contain: private key, API key, tokens and signatures. */
async function listSecrets({ account, fixture }: MintScene): Promise<string[]> {
  const key = await fixture.account.readKey();
  const requestTexts = (await control.getRequests()).flatMap(({ body }) => {
    const { token, signature } = (body ?? {}) as Record<string, string | undefined>;
    return [token, signature].filter((text) => text !== undefined);
  });
  return [account.privateKey, ...(key.kind === 'usable' ? [key.key] : []), ...requestTexts];
}

function assertNoSecrets(scene: MintScene, secrets: readonly string[]): void {
  assert.ok(secrets.length > 0);
  for (const secret of secrets) assert.ok(!scene.collectedOutput.includes(secret));
}

/** Records the URLs that the extension opens in the browser, but opens none of them. */
class OpenedUrls implements Disposable {
  readonly openedUrls: string[] = [];
  readonly #originalOpen = vscode.env.openExternal;

  constructor() {
    const openExternal = async (uri: vscode.Uri): Promise<boolean> => {
      this.openedUrls.push(uri.toString(true));
      return true;
    };
    Object.defineProperty(vscode.env, 'openExternal', { value: openExternal, configurable: true });
  }

  [Symbol.dispose](): void {
    Object.defineProperty(vscode.env, 'openExternal', {
      value: this.#originalOpen,
      configurable: true,
    });
  }
}

/** Records the texts that the extension copies to the clipboard. */
class FakeClipboard implements Disposable {
  readonly copiedTexts: string[] = [];
  readonly #original = vscode.env.clipboard;

  constructor() {
    const writeText = async (text: string): Promise<void> => void this.copiedTexts.push(text);
    Object.defineProperty(vscode.env, 'clipboard', { value: { writeText }, configurable: true });
  }

  [Symbol.dispose](): void {
    Object.defineProperty(vscode.env, 'clipboard', { value: this.#original, configurable: true });
  }
}
