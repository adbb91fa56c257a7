import assert from 'node:assert/strict';
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, test } from 'mocha';
import { concat, keccak256, recoverMessageAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import * as vscode from 'vscode';
import { saveProfile } from '../../src/account/vscode/profile-settings.ts';
import { getSetting } from '../../src/platform/settings.ts';
import { getProfileChain } from '../../src/wallet/vscode/profile-chain.ts';
import {
  addLocalAccountCommand,
  connectCommand,
  connectLocalWallet,
  connectWallet,
} from '../../src/wallet/vscode/connect-wallet.ts';
import { disconnectCommand } from '../../src/wallet/vscode/local-accounts.ts';
import { showWallet } from '../../src/wallet/vscode/wallet-view.ts';
import type { Review } from '../../src/wallet/signer.ts';
import { WalletError, type WalletFailureCode } from '../../src/wallet/wallet-failure.ts';
import { createChainSetting } from '../service/chain/chain-facts.ts';
import { startHttpServer } from '../support/loopback.ts';
import { withSettings } from './account-fixture.ts';
import { PickerProbe } from './picker-probe.ts';
import { AccountsScene, getChainAccount, readChainFacts } from './wallet-accounts-fixture.ts';

const { signal } = new AbortController();
const review: Review = { purpose: 'A test', rows: [], warnings: [] };
const invalidPhrase = `${'test '.repeat(11)}junk`;
const password = 'canary password 5c1d';
const riskConfirmationLabel = 'I Use a Dedicated Wallet';
const chainSettingName = 'inferenceService.wallet.chain';

/** Returns the hexadecimal digits of an account's private key, without `0x`. */
const getKeyDigits = (index: number): string => getChainAccount(index).privateKey.slice(2);

/** Returns a keystore file with few hash iterations, so that tests decrypt it quickly. */
function createKeystore(index: number): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const derivedKey = pbkdf2Sync(password, salt, 1_000, 32, 'sha256');
  const cipher = createCipheriv('aes-128-ctr', derivedKey.subarray(0, 16), iv);
  const ciphertext = cipher.update(Buffer.from(getKeyDigits(index), 'hex'));
  const mac = keccak256(concat([derivedKey.subarray(16), ciphertext])).slice(2);
  const kdfparams = { c: 1_000, dklen: 32, prf: 'hmac-sha256', salt: salt.toString('hex') };
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'pbkdf2',
    kdfparams,
    mac,
  };
  return JSON.stringify({ version: 3, id: '1', crypto });
}

/**
 * Returns a valid keystore file with an additional field of `length` characters. With a large `length`, the file
 * exceeds the size limit.
 */
const createKeystoreOfLength = (length: number): string =>
  JSON.stringify({ ...(JSON.parse(createKeystore(2)) as object), comment: 'x'.repeat(length) });

/** Creates a scene whose local wallet account has a stake. */
async function createStakerScene(): Promise<AccountsScene> {
  const scene = new AccountsScene(getKeyDigits(4));
  await addLocalAccountCommand(
    scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel).host,
  );
  return scene;
}

/** Forwards a JSON-RPC request to the local chain. */
async function forwardCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = await text(request);
  const reply = await fetch(readChainFacts().rpcUrl, { method: 'POST', headers, body });
  response.writeHead(200, headers).end(await reply.text());
}

/** Simulates an input box that closes only when the extension cancels it. */
class ClosableBox implements Disposable {
  readonly #originalShow = vscode.window.showInputBox;
  readonly #dialogOpening = Promise.withResolvers<void>();
  readonly openPromise = this.#dialogOpening.promise;

  constructor() {
    const showInputBox = (
      _options: unknown,
      token: vscode.CancellationToken,
    ): Promise<undefined> => {
      this.#dialogOpening.resolve();
      return new Promise((resolve) => token.onCancellationRequested(() => resolve(undefined)));
    };
    Object.assign(vscode.window, { showInputBox });
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { showInputBox: this.#originalShow });
  }
}

/** Returns the paths of all files that VS Code wrote in test runs: settings, state, logs and extension storage. */
function listHostFiles(): string[] {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('inference-service-'));
  return folders.flatMap((name) => listFiles(join(tmpdir(), name)));
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => join(item.parentPath, item.name));
  } catch {
    // A concurrent run may have deleted its folder.
    return [];
  }
}

function readText(path: string): string {
  try {
    return statSync(path).size < 10_000_000 ? readFileSync(path, 'latin1') : '';
  } catch {
    return '';
  }
}

/** Makes VS Code report that it runs in a browser without a remote host. */
function simulateBrowser(): Disposable {
  const names = ['uiKind', 'remoteName'] as const;
  const originalProperties = names.map((name) => Object.getOwnPropertyDescriptor(vscode.env, name));
  Object.defineProperty(vscode.env, 'uiKind', { configurable: true, value: vscode.UIKind.Web });
  Object.defineProperty(vscode.env, 'remoteName', { configurable: true, value: undefined });
  return {
    [Symbol.dispose]() {
      for (const [index, name] of names.entries()) {
        const descriptor = originalProperties[index];
        if (descriptor) Object.defineProperty(vscode.env, name, descriptor);
      }
    },
  };
}

/** Makes VS Code report that it forwards local ports to the given public address. */
function simulateTunnel(address: string): Disposable {
  const { asExternalUri } = vscode.env;
  const { fetch } = globalThis;
  let localUrl = '';
  Object.assign(vscode.env, {
    asExternalUri: async (uri: vscode.Uri) => {
      localUrl = uri.toString();
      return vscode.Uri.parse(address);
    },
  });
  globalThis.fetch = (url, options) =>
    fetch(String(url instanceof Request ? url.url : url).replace(address, localUrl), options);
  return {
    [Symbol.dispose]() {
      Object.assign(vscode.env, { asExternalUri });
      globalThis.fetch = fetch;
    },
  };
}

function assertNoSecrets(scene: AccountsScene, ...secrets: readonly string[]): void {
  for (const secret of secrets) {
    assert.equal(scene.collectedOutput.toLowerCase().includes(secret.toLowerCase()), false);
  }
}

const assertFailure = (promise: Promise<unknown>, code: WalletFailureCode): Promise<void> =>
  assert.rejects(promise, (error) => error instanceof WalletError && error.failure.code === code);

const createConnectionRequest = (scene: AccountsScene) => ({
  chain: scene.chain,
  purpose: 'Get an API key',
  steps: [],
  signal,
});

suite('wallet accounts:', () => {
  suite('a private key', () => {
    test('is stored only in secret storage, after a plain warning', async () => {
      const { address, privateKey } = getChainAccount(1);
      using scene = new AccountsScene(` ${getKeyDigits(1)} `);
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      assert.equal(await addLocalAccountCommand(scene.host), address);
      assert.match(scene.dialogDetails.join(), /dedicated wallet with little in it/u);
      assert.deepEqual([...scene.secrets.values()], [privateKey]);
      assert.deepEqual(scene.knownAccounts.accounts, [{ kind: 'private-key', address }]);
      assert.equal(scene.dialogs.shownInputs[0]?.password, true);
      assertNoSecrets(scene, getKeyDigits(1));
    });

    test('is not requested if the user declines the risk', async () => {
      using scene = new AccountsScene(getKeyDigits(1));
      assert.equal(await addLocalAccountCommand(scene.queuePicks(/Private key/u).host), undefined);
      assert.deepEqual(scene.dialogs.shownInputs, []);
      assert.deepEqual(scene.knownAccounts.accounts, []);
    });

    for (const mode of ['refuses', 'forgets'] as const) {
      test(`is not used when secret storage ${mode} the key`, async () => {
        using scene = new AccountsScene(getKeyDigits(1));
        scene.fixture.context.secrets.writeBehavior = mode;
        scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
        assert.equal(await addLocalAccountCommand(scene.host), undefined);
        assert.match(await scene.readLastMessage(), /did not accept the key/u);
        assert.deepEqual(scene.knownAccounts.accounts, []);
        assertNoSecrets(scene, getKeyDigits(1));
      });
    }

    test('signs without a dialog', async () => {
      using scene = new AccountsScene(getKeyDigits(1));
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      await addLocalAccountCommand(scene.host);
      const connection = await connectWallet(scene.host, createConnectionRequest(scene));
      const signature = await connection.signer.signMessage({ text: 'a.b.c', review }, signal);
      const signer = await recoverMessageAddress({ message: 'a.b.c', signature });
      assert.equal(signer, getChainAccount(1).address);
      assert.equal(scene.dialogs.shownInputs.length, 1, 'only when it was added');
      assertNoSecrets(scene, getKeyDigits(1), signature);
    });

    test('is reported as missing if secret storage lost the key', async () => {
      using scene = new AccountsScene(getKeyDigits(1));
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      await addLocalAccountCommand(scene.host);
      scene.fixture.context.secrets.values.clear();
      const connection = await connectWallet(scene.host, createConnectionRequest(scene));
      await assertFailure(
        connection.signer.signMessage({ text: 'x', review }, signal),
        'no-wallet',
      );
    });
  });

  suite('a recovery phrase', () => {
    test('derives the key of the selected account, and is stored nowhere', async () => {
      using scene = new AccountsScene(`  ${invalidPhrase.toUpperCase()} `);
      scene
        .queuePicks(/Private key or recovery phrase/u, /More accounts/u, /^0x/u)
        .queueButtons(riskConfirmationLabel);
      const address = await addLocalAccountCommand(scene.host);
      assert.equal(address, getChainAccount(5).address);
      assert.deepEqual([...scene.secrets.values()], [getChainAccount(5).privateKey]);
      assert.deepEqual(scene.knownAccounts.accounts, [{ kind: 'mnemonic', address }]);
      assert.deepEqual(
        scene.shownLists[1]?.slice(0, 5),
        [0, 1, 2, 3, 4].map((index) => getChainAccount(index).address),
      );
      assertNoSecrets(scene, 'junk', getKeyDigits(5));
    });

    for (const [text, pattern] of [
      ['canary', /64 hexadecimal digits/u],
      ['0'.repeat(64), /64 hexadecimal digits/u],
      ['test test', /12 to 24 words/u],
      [`${'test '.repeat(11)}canary`, /not in the English list/u],
      ['test '.repeat(12), /not a valid phrase/u],
    ] as const) {
      test(`is rejected, and not quoted, if the user types ${text.slice(0, 12)}…`, async () => {
        using scene = new AccountsScene(text);
        scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
        assert.equal(await addLocalAccountCommand(scene.host), undefined);
        const problem = await scene.dialogs.shownInputs[0]?.validateInput?.(text);
        assert.match(JSON.stringify(problem), pattern);
        assert.equal(JSON.stringify(problem).includes('canary'), false);
        assert.equal(scene.secrets.size, 0);
      });
    }
  });

  suite('a keystore file', () => {
    test('requires its password for each signature, and stores the password nowhere', async () => {
      const { address } = getChainAccount(2);
      using scene = new AccountsScene('canary wrong', password, password, password);
      const file = scene.selectFileInDialogs(createKeystore(2));
      assert.equal(await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host), address);
      assert.deepEqual(scene.knownAccounts.accounts, [
        { kind: 'keystore', address, file: file.toString() },
      ]);
      assert.match(String(scene.dialogs.shownInputs[1]?.prompt), /does not open.*again/iu);
      const connection = await connectWallet(scene.host, createConnectionRequest(scene));
      for (const message of ['first', 'second']) {
        const signRequest = { text: message, review };
        const signature = await connection.signer.signMessage(signRequest, signal);
        assert.equal(await recoverMessageAddress({ message, signature }), address);
        assertNoSecrets(scene, signature);
      }
      assert.equal(scene.dialogs.shownInputs.length, 4);
      assert.ok(scene.dialogs.shownInputs.every((input) => input.password === true));
      assert.equal(scene.secrets.size, 0);
      assertNoSecrets(scene, getKeyDigits(2), 'canary');
    });

    test('is not added as an account after three wrong passwords', async () => {
      using scene = new AccountsScene('a', 'b', 'c', password);
      scene.selectFileInDialogs(createKeystore(2));
      assert.equal(await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host), undefined);
      assert.match(await scene.readLastMessage(), /password does not open/u);
      assert.deepEqual(scene.knownAccounts.accounts, []);
    });

    test('is not used to sign if it contains the key of another account', async () => {
      using scene = new AccountsScene(password, password);
      scene.selectFileInDialogs(createKeystore(2));
      await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host);
      const connection = await connectWallet(scene.host, createConnectionRequest(scene));
      scene.selectFileInDialogs(createKeystore(3));
      const signaturePromise = connection.signer.signMessage({ text: 'x', review }, signal);
      await assertFailure(signaturePromise, 'invalid-keystore');
    });

    test('signs nothing and shows no message if the user dismisses the password box', async () => {
      using scene = new AccountsScene(undefined);
      scene.selectFileInDialogs(createKeystore(2));
      assert.equal(await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host), undefined);
      assert.equal(await scene.readLastMessage(), '');
    });

    test('signs nothing and closes the password box if the operation is canceled', async () => {
      using scene = new AccountsScene(password);
      scene.selectFileInDialogs(createKeystore(2));
      await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host);
      const connection = await connectWallet(scene.host, createConnectionRequest(scene));
      using box = new ClosableBox();
      const abortController = new AbortController();
      const signaturePromise = connection.signer.signMessage(
        { text: 'x', review },
        abortController.signal,
      );
      await box.openPromise;
      abortController.abort();
      await assertFailure(signaturePromise, 'stopped');
    });

    for (const [name, content] of [
      ['plain text', 'canary'],
      ['a file that is too long', createKeystoreOfLength(70_000)],
    ] as const) {
      test(`is rejected without a password prompt if it is ${name}`, async () => {
        using scene = new AccountsScene(password);
        scene.selectFileInDialogs(content);
        assert.equal(await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host), undefined);
        assert.match(await scene.readLastMessage(), /not a keystore file/u);
        assert.deepEqual(scene.dialogs.shownInputs, []);
        assertNoSecrets(scene, 'canary');
      });
    }

    test('is rejected if the path is a folder', async () => {
      using scene = new AccountsScene(password);
      scene.selectFileInDialogs(vscode.Uri.file(scene.folder));
      await addLocalAccountCommand(scene.queuePicks(/Keystore/u).host);
      assert.match(await scene.readLastMessage(), /not a keystore file/u);
    });
  });

  suite('the account selection', () => {
    test('lists the browser wallet first, and selects nothing if the user dismisses the list', async () => {
      using scene = new AccountsScene();
      await assertFailure(connectWallet(scene.host, createConnectionRequest(scene)), 'rejected');
      assert.deepEqual(scene.shownLists, [
        ['Browser wallet', 'Keystore file', 'Private key or recovery phrase'],
      ]);
    });

    test('explains why the browser wallet is unavailable, and lists the other wallets', async () => {
      using scene = new AccountsScene();
      using _machine = simulateBrowser();
      await assertFailure(connectWallet(scene.host, createConnectionRequest(scene)), 'rejected');
      assert.deepEqual(scene.shownLists, [['Keystore file', 'Private key or recovery phrase']]);
      assert.match(scene.shownPlaceholders[0] ?? '', /runs only in the browser/u);
    });

    for (const [name, address, pattern] of [
      ['is reachable through a public port', 'https://tunnel.test/', /forwarded port is public/u],
      ['is not encrypted in transit', 'http://10.0.0.5/proxy/', /not encrypted/u],
    ] as const) {
      test(`does not open the wallet page if the page ${name}, but suggests a local account`, async () => {
        using scene = new AccountsScene();
        using _tunnel = simulateTunnel(address);
        const extension = vscode.extensions.getExtension('inference-service.inference-service');
        Object.assign(scene.host.context, { extensionUri: extension?.extensionUri });
        scene.queuePicks(/Browser wallet/u).queueButtons('Use a local account');
        assert.equal(await connectCommand(scene.host), undefined);
        assert.match(await scene.readLastMessage(), pattern);
        assert.deepEqual(scene.dialogs.executedCommands, [
          'inferenceService.wallet.addLocalAccount',
        ]);
      });
    }

    test('lists only local accounts if the operation requires a local account', async () => {
      using scene = new AccountsScene(getKeyDigits(3));
      await scene.knownAccounts.setCurrent({
        kind: 'browser',
        address: getChainAccount(1).address,
      });
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      const connection = await connectLocalWallet(scene.host, createConnectionRequest(scene));
      assert.equal(connection.signer.address, getChainAccount(3).address);
      assert.equal(scene.shownLists.flat().includes('Browser wallet'), false);
    });

    test('rejects an account other than the requested account', async () => {
      using scene = new AccountsScene(getKeyDigits(3));
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      const options = { ...createConnectionRequest(scene), address: getChainAccount(1).address };
      await assertFailure(connectWallet(scene.host, options), 'account-changed');
    });

    test('lists known accounts, and marks the active account', async () => {
      using scene = new AccountsScene(getKeyDigits(1), getKeyDigits(2));
      for (let index = 0; index < 2; index++) {
        scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
        await addLocalAccountCommand(scene.host);
      }
      const { address } = getChainAccount(1);
      assert.equal(await connectCommand(scene.queuePicks(new RegExp(address, 'u')).host), address);
      assert.equal(scene.knownAccounts.currentAccount?.address, address);
      assert.deepEqual(scene.shownLists.at(-1)?.slice(0, 2), [getChainAccount(2).address, address]);
    });
  });

  suite('the chain', () => {
    test('is read from user settings, separately for each profile', async () => {
      const otherChain = { ...createChainSetting(readChainFacts()), name: 'Other' };
      const profiles = { other: { baseUrl: 'https://other.test/api/v1', chain: otherChain } };
      await withSettings({ 'inferenceService.profiles': profiles }, async () => {
        assert.equal(getProfileChain({ profileId: 'default' }).name, readChainFacts().name);
        assert.equal(getProfileChain({ profileId: 'other' }).name, 'Other');
        assert.throws(
          () => getProfileChain({ profileId: 'third' }),
          /profiles\.third\.chain is missing/u,
        );
        // The chain of a profile does not depend on its address.
        await saveProfile({ id: 'other', baseUrl: 'https://new.test/api/v1' });
        assert.equal(getProfileChain({ profileId: 'other' }).name, 'Other');
        assert.match(JSON.stringify(getSetting('inferenceService.profiles')), /new\.test/u);
      });
    });

    test('is reported as missing with a link to the setting', async () => {
      using scene = new AccountsScene();
      await withSettings({ [chainSettingName]: { chainId: 31_337 } }, async () => {
        await connectCommand(scene.queueButtons('Open Settings').host);
        assert.match(
          await scene.readLastMessage(),
          /inferenceService\.wallet\.chain\.rpcUrl is missing/u,
        );
      });
      assert.deepEqual(scene.dialogs.executedCommands, ['workbench.action.openSettings']);
    });

    test('is rejected if the node reports another chain id, before any balance is shown', async () => {
      using scene = new AccountsScene(getKeyDigits(1));
      using picker = new PickerProbe();
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      const setting = { ...createChainSetting(readChainFacts()), chainId: 8453 };
      await withSettings({ [chainSettingName]: setting }, async () => {
        assert.equal(await connectCommand(scene.host), getChainAccount(1).address);
        const walletViewPromise = showWallet(scene.host);
        await picker.waitForLabel(/balances cannot be read/u);
        const details = picker.quickPick.items.map(({ detail }) => detail).join(' ');
        assert.match(details, /Chain 31337 answers instead of 8453/u);
        picker.quickPick.hide();
        await walletViewPromise;
      });
    });

    test('is not required to connect a wallet and to sign', async () => {
      using scene = new AccountsScene(getKeyDigits(1));
      scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
      await withSettings({ [chainSettingName]: {} }, async () => {
        const { address } = getChainAccount(1);
        assert.equal(await connectCommand(scene.host), address);
        const options = { purpose: 'A test', steps: [], signal } as const;
        const { signer } = await connectWallet(scene.host, options);
        const signature = await signer.signMessage({ text: 'Some text', review }, signal);
        assert.equal(await recoverMessageAddress({ message: 'Some text', signature }), address);
      });
    });
  });

  suite('the wallet view', () => {
    test('shows address, chain and balances, and copies these values', async () => {
      using scene = await createStakerScene();
      using picker = new PickerProbe();
      const walletViewPromise = showWallet(scene.host);
      await picker.waitForLabel(/sSTK/u);
      const { address } = getChainAccount(4);
      const labels = picker.listLabels().join('\n');
      for (const part of [address, 'Local Chain', ' ETH', '0 STK', '100 sSTK', '0 USDC']) {
        assert.ok(labels.includes(part), `${part} is not in ${labels}`);
      }
      const item = picker.quickPick.items.find(({ label }) => label.includes('sSTK'));
      assert.ok(item);
      await picker.pressItemButton(item, /Copy/u);
      assert.equal(await vscode.env.clipboard.readText(), '100 sSTK');
      await picker.pressItemButton(picker.findItem(`$(account) ${address}`), /Copy/u);
      assert.equal(await vscode.env.clipboard.readText(), address);
      picker.quickPick.hide();
      await walletViewPromise;
    });

    test('shows Unstake with the waiting time when the contract supports it', async () => {
      using scene = await createStakerScene();
      using picker = new PickerProbe();
      const walletViewPromise = showWallet(scene.host);
      await picker.waitForLabel(/Unstake/u);
      assert.match(picker.findItem('Unstake').description ?? '', /Unstaking takes \d./u);
      picker.acceptItems(picker.findItem('Unstake'));
      await walletViewPromise;
      assert.deepEqual(scene.dialogs.executedCommands, ['inferenceService.wallet.unstake']);
    });

    test('hides Unstake when the contract does not support it', async () => {
      using scene = await createStakerScene();
      const stakingContract = readChainFacts().variants.stakingOwn;
      await withSettings(
        { [chainSettingName]: { ...createChainSetting(readChainFacts()), stakingContract } },
        async () => {
          using picker = new PickerProbe();
          const walletViewPromise = showWallet(scene.host);
          await picker.waitForLabel(/USDC/u);
          assert.ok(!picker.listLabels().some((label) => label.includes('Unstake')));
          picker.quickPick.hide();
          await walletViewPromise;
        },
      );
    });

    test('closes and runs the command when the user selects an action', async () => {
      using scene = await createStakerScene();
      using picker = new PickerProbe();
      const walletViewPromise = showWallet(scene.host);
      await picker.waitForLabel(/sSTK/u);
      picker.acceptItems(picker.findItem('Get API Key with Wallet'));
      await walletViewPromise;
      assert.deepEqual(scene.dialogs.executedCommands, ['inferenceService.mintKey']);
    });

    test('reports unreadable balances, and reads the balances again on request', async () => {
      let isBroken = true;
      await using node = await startHttpServer((request, response) => {
        if (isBroken) response.writeHead(500).end();
        else void forwardCall(request, response);
      });
      using scene = await createStakerScene();
      const rpcUrl = `http://127.0.0.1:${node.port}`;
      await withSettings(
        { [chainSettingName]: { ...createChainSetting(readChainFacts()), rpcUrl } },
        async () => {
          using picker = new PickerProbe();
          const walletViewPromise = showWallet(scene.host);
          await picker.waitForLabel(/cannot be read/u);
          isBroken = false;
          picker.acceptItems(picker.findItem('Retry'));
          await picker.waitForLabel(/sSTK/u);
          picker.quickPick.hide();
          await walletViewPromise;
        },
      );
    });

    test('opens the account in the configured block explorer', async () => {
      using scene = await createStakerScene();
      const openedUrls: string[] = [];
      const originalOpenExternal = vscode.env.openExternal;
      Object.assign(vscode.env, {
        openExternal: async (uri: vscode.Uri) => openedUrls.push(uri.toString()),
      });
      const setting = {
        ...createChainSetting(readChainFacts()),
        explorerUrl: 'https://explorer.test/',
      };
      try {
        await withSettings({ [chainSettingName]: setting }, async () => {
          using picker = new PickerProbe();
          const walletViewPromise = showWallet(scene.host);
          const { address } = getChainAccount(4);
          await picker.waitForLabel(/sSTK/u);
          await picker.pressItemButton(picker.findItem(`$(account) ${address}`), /explorer/u);
          picker.quickPick.hide();
          await walletViewPromise;
          assert.deepEqual(openedUrls, [`https://explorer.test/address/${address}`]);
        });
      } finally {
        Object.assign(vscode.env, { openExternal: originalOpenExternal });
      }
    });
  });

  suite('disconnecting the wallet', () => {
    test('deletes the account and its key after confirmation', async () => {
      using scene = await createStakerScene();
      await disconnectCommand(scene.host);
      assert.equal(scene.knownAccounts.accounts.length, 1, 'the question was not answered');
      await disconnectCommand(scene.queueButtons('Disconnect').host);
      assert.match(scene.dialogDetails.at(-1) ?? '', /deletes its private key/u);
      assert.deepEqual(scene.knownAccounts.accounts, []);
      assert.equal(scene.secrets.size, 0);
    });

    test('reports that no wallet is connected', async () => {
      using scene = new AccountsScene();
      await disconnectCommand(scene.host);
      assert.match(await scene.readLastMessage(), /No wallet is connected/u);
    });
  });

  test('the installed extension stores a private key in VS Code’s own secret storage', async () => {
    const canary = randomBytes(32).toString('hex');
    const { address } = privateKeyToAccount(`0x${canary}`);
    const { executeCommand } = vscode.commands;
    using scene = new AccountsScene(canary);
    scene.queuePicks(/Private key/u).queueButtons(riskConfirmationLabel);
    const addedAddress = await executeCommand('inferenceService.wallet.addLocalAccount');
    assert.equal(addedAddress, address);
    using picker = new PickerProbe();
    const walletViewPromise = executeCommand('inferenceService.wallet.show');
    await picker.waitForLabel(/sSTK/u);
    assert.ok(picker.listLabels().join().includes(address));
    picker.quickPick.hide();
    await walletViewPromise;
    const files = listHostFiles();
    assert.ok(files.length > 0, 'nothing was looked at');
    assert.deepEqual(
      files.filter((path) => readText(path).includes(canary)),
      [],
    );
    await executeCommand('inferenceService.wallet.disconnect');
    scene.queueButtons('Disconnect');
    await executeCommand('inferenceService.wallet.disconnect');
    scene.dialogs.shownMessages.length = 0;
    await executeCommand('inferenceService.wallet.disconnect');
    assert.match(await scene.readLastMessage(), /No wallet is connected/u);
    assertNoSecrets(scene, canary);
  });
});
