import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { recoverMessageAddress } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { showStep } from '../../src/wallet/browser/vscode/browser-signer.ts';
import { getPageLabels } from '../../src/wallet/browser/vscode/browser-wallet.ts';
import type { Chain } from '../../src/wallet/chain.ts';
import type { Review } from '../../src/wallet/signer.ts';
import type { WalletError } from '../../src/wallet/wallet-failure.ts';
import { type RunningChain, startChain } from '../service/chain/start-chain.ts';
import { launchBrowser } from '../support/browser.ts';
import {
  hostileWallets,
  type WalletMode,
  type WalletOptions,
} from '../support/injected-wallet/injected-wallet.ts';
import { artefactsFolder, root } from '../support/paths.ts';
import {
  type OpenWalletPage,
  openWalletPage,
  type WalletPageOptions,
} from '../support/wallet-page/open-wallet-page.ts';
import { WalletPage } from './pages/wallet-page.ts';
import { findPageProblems } from './accessibility.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string, value = '') => text.replaceAll('{0}', value) },
}));

let browser: Browser;
let pageFolder: string;
let runningChain: RunningChain;
let chain: Chain;
let openedPage: OpenWalletPage;
let walletTab: WalletPage;

beforeAll(async () => {
  pageFolder = await mkdtemp(join(tmpdir(), 'inference-service-wallet-'));
  const [startedChain, launchedBrowser] = await Promise.all([
    startChain(),
    launchBrowser(),
    build({
      absWorkingDir: root,
      entryPoints: [
        { in: 'webview/wallet/main.ts', out: 'wallet' },
        { in: 'webview/wallet/style.css', out: 'wallet' },
      ],
      ...{
        outdir: pageFolder,
        bundle: true,
        format: 'esm',
        target: 'chrome123',
        logLevel: 'error',
      },
    }),
  ]);
  runningChain = startedChain;
  browser = launchedBrowser;
  const { chainId, name, rpcUrl, currency, token, stakingContract } = runningChain.facts;
  chain = {
    ...{ id: chainId, name, rpcUrl, currency, token },
    staking: stakingContract,
    confirmations: 1,
  };
});

afterAll(async () => {
  await browser.close();
  await runningChain.stop();
  await rm(pageFolder, { recursive: true });
});

afterEach(async () => {
  const { pageErrors } = openedPage;
  await openedPage[Symbol.asyncDispose]();
  expect(pageErrors).toEqual([]);
});

const createWalletOptions = (options: Partial<WalletOptions> = {}): WalletOptions => ({
  privateKey: runningChain.facts.accounts[1]!.privateKey,
  rpcUrl: chain.rpcUrl,
  chainId: chain.id,
  ...options,
});

async function showWalletPage(options: Partial<WalletPageOptions> = {}): Promise<void> {
  const labels = getPageLabels();
  openedPage = await openWalletPage({
    browser,
    distFolder: pageFolder,
    labels,
    chain,
    wallets: [createWalletOptions()],
    ...options,
  });
  walletTab = new WalletPage(openedPage.page);
  await walletTab.heading.waitFor();
}

const review: Review = {
  purpose: 'Sign once to create an API key',
  explanation: 'It moves no money.',
  rows: [
    { name: 'Issued by', value: 'https://service.example/api/v1' },
    { name: 'Expires', value: 'in 14 min 32 s' },
    { name: '“aud” in the text', value: 'web3-api-key', isDetail: true },
  ],
  warnings: ['This key can manage other keys.'],
};
const text = 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ0ZXN0In0.c2lnbmF0dXJl';
const neverAbortedSignal = new AbortController().signal;
const recipientAddress = '0x00000000000000000000000000000000000000bb';
const createTransaction = () =>
  ({ chainId: chain.id, to: recipientAddress, data: '0x1234', value: 0n, review }) as const;

const readFailureCode = (operation: Promise<unknown>): Promise<string> =>
  operation.then(
    () => 'fine',
    (error: WalletError) => error.failure.code,
  );

/** Connects the wallet to the page. The wallet's simulated user approves the connection. */
async function connectWallet() {
  const connectionPromise = openedPage.connect();
  await walletTab.connect();
  return connectionPromise;
}

describe('the wallet page with a wallet', () => {
  test('connects, signs and sends after one click each, and announces that the user can close the tab', async () => {
    await showWalletPage({ steps: ['stake', 'sign'] });
    const signer = await connectWallet();
    expect(signer.address).toBe(openedPage.wallets[0]?.address);
    await walletTab.page.getByText(signer.address).waitFor();

    const signaturePromise = signer.signMessage({ text, review }, neverAbortedSignal);
    await walletTab.page.getByRole('heading', { name: review.purpose, exact: true }).waitFor();
    await walletTab.card.getByText('It moves no money.', { exact: true }).waitFor();
    expect(await walletTab.card.innerText()).toMatch(
      /Issued by\s+https:\/\/service\.example\/api\/v1/u,
    );
    expect(await walletTab.card.innerText()).toContain('Warning: This key can manage other keys.');
    expect(openedPage.wallets[0]?.countRequests('personal_sign')).toBe(0);
    const foldedText = walletTab.page.getByText('web3-api-key');
    expect(await foldedText.isVisible()).toBe(false);
    await walletTab.page.getByText('Details').click();
    await foldedText.waitFor();
    await walletTab.page.getByText(text, { exact: true }).waitFor();
    await walletTab.pressAction();
    const signature = await signaturePromise;
    expect(await recoverMessageAddress({ message: text, signature })).toBe(signer.address);
    const { params = [] } =
      openedPage.wallets[0]?.requests.find((request) => request.method === 'personal_sign') ?? {};
    expect(params).toEqual([`0x${Buffer.from(text).toString('hex')}`, signer.address]);

    const transactionPromise = signer.sendTransaction(createTransaction(), neverAbortedSignal);
    await walletTab.pressAction();
    expect(await transactionPromise).toMatch(/^0x[0-9a-f]{64}$/u);
    const outcomePromise = openedPage.session.showOutcome(
      'done',
      'The key is stored in the editor.',
    );
    expect(await walletTab.waitForOutcome('Done')).toContain('The key is stored in the editor.');
    await outcomePromise;
  });

  test.each<[WalletMode, string]>([
    ['reject', 'rejected'],
    ['busy', 'wallet-busy'],
    ['unauthorised', 'wallet-unavailable'],
    ['cut-off', 'wallet-unavailable'],
  ])(
    'ends a connection request to a wallet in the mode "%s" with the code %s',
    async (mode, code) => {
      await showWalletPage({ wallets: [createWalletOptions({ walletMode: mode })] });
      const connectCodePromise = readFailureCode(openedPage.connect());
      await walletTab.connect();
      expect(await connectCodePromise).toBe(code);
    },
  );

  test('switches a wallet from another chain, and adds the chain only with the configured values', async () => {
    await showWalletPage({ wallets: [createWalletOptions({ initialChainId: 1 })] });
    const connectionPromise = openedPage.connect();
    await walletTab.connect();
    await walletTab.page.getByText(`Switch it to Local Chain (${chain.id})`).waitFor();
    await walletTab.pressAction();
    await connectionPromise;
    const [wallet] = openedPage.wallets;
    expect(wallet?.chainId).toBe(chain.id);
    const addChainRequest = wallet?.requests.find(
      ({ method }) => method === 'wallet_addEthereumChain',
    );
    expect(addChainRequest?.params).toEqual([
      {
        chainId: '0x7a69',
        chainName: 'Local Chain',
        nativeCurrency: chain.currency,
        rpcUrls: [chain.rpcUrl],
      },
    ]);
  });

  test('reports a rejection if the wallet refuses to switch the chain', async () => {
    await showWalletPage({ wallets: [createWalletOptions({ initialChainId: 1 })] });
    const connectCodePromise = readFailureCode(openedPage.connect());
    await walletTab.connect();
    await walletTab.locateButton('Switch network').waitFor();
    openedPage.wallets[0]!.walletMode = 'reject';
    await walletTab.pressAction();
    expect(await connectCodePromise).toBe('rejected');
  });

  test.each<[WalletMode, string]>([
    ['reject', 'rejected'],
    ['busy', 'wallet-busy'],
    ['switch-account', 'account-changed'],
    ['switch-chain', 'wrong-chain'],
    ['other-text', 'wallet-lied'],
    ['wrong-signature', 'wallet-lied'],
    ['bad-signature', 'wallet-lied'],
  ])(
    'ends a signature request to a wallet in the mode "%s" with the code %s',
    async (mode, code) => {
      await showWalletPage();
      const signer = await connectWallet();
      openedPage.wallets[0]!.walletMode = mode;
      const signCodePromise = readFailureCode(
        signer.signMessage({ text, review }, neverAbortedSignal),
      );
      await walletTab.pressAction();
      expect(await signCodePromise).toBe(code);
    },
  );

  test.each<[WalletMode, string]>([
    ['approve', 'fine'],
    ['reject', 'rejected'],
    // The page cannot know whether the wallet also sends the transaction.
    ['switch-account', 'transaction-unknown'],
    ['switch-chain', 'transaction-unknown'],
    ['random-hash', 'wallet-lied'],
    ['zero-hash', 'wallet-unavailable'],
    ['other-transaction', 'wallet-lied'],
  ])(
    'ends a transaction request to a wallet in the mode "%s" with the code %s',
    async (mode, code) => {
      await showWalletPage();
      const signer = await connectWallet();
      openedPage.wallets[0]!.walletMode = mode;
      const transactionCodePromise = readFailureCode(
        signer.sendTransaction(createTransaction(), neverAbortedSignal),
      );
      await walletTab.pressAction();
      expect(await transactionCodePromise).toBe(code);
    },
  );

  test('rejects the signature of a wallet that claims to have another account', async () => {
    await showWalletPage({ wallets: [createWalletOptions({ walletMode: 'wrong-address' })] });
    const signer = await connectWallet();
    expect(signer.address).not.toBe(openedPage.wallets[0]?.address);
    const signCodePromise = readFailureCode(
      signer.signMessage({ text, review }, neverAbortedSignal),
    );
    await walletTab.pressAction();
    expect(await signCodePromise).toBe('wallet-lied');
  });

  test('ends the operation if the wallet switches the account between two requests', async () => {
    await showWalletPage();
    const signer = await connectWallet();
    await openedPage.wallets[0]?.switchAccount();
    await expect.poll(() => openedPage.session.endSignal.aborted).toBe(true);
    expect(await readFailureCode(signer.signMessage({ text, review }, neverAbortedSignal))).toBe(
      'account-changed',
    );
  });

  test('ends the operation if the wallet disconnects', async () => {
    await showWalletPage();
    await connectWallet();
    await openedPage.wallets[0]?.disconnect();
    await expect.poll(() => openedPage.session.endSignal.aborted).toBe(true);
  });

  test('shows the required account if another account is connected, and lets the user connect again', async () => {
    const address = runningChain.facts.accounts[1]!.address;
    await showWalletPage({
      wallets: [createWalletOptions({ walletMode: 'wrong-address' })],
      address,
    });
    const connectionPromise = openedPage.connect();
    await walletTab.page.getByText(`Only this account will do: ${address}`).waitFor();
    await walletTab.connect();
    await walletTab.page.getByText('The wallet returned ').waitFor();
    openedPage.wallets[0]!.walletMode = 'approve';
    await walletTab.connect();
    expect((await connectionPromise).address).toBe(address);
  });

  test('connects a wallet that only provides window.ethereum', async () => {
    await showWalletPage({ wallets: [createWalletOptions({ announcementKind: 'legacy' })] });
    const connectionPromise = openedPage.connect();
    await walletTab.locateButton('Connect with Browser wallet').click();
    expect((await connectionPromise).address).toBe(openedPage.wallets[0]?.address);
  });

  test('lets the user select one of several wallets', async () => {
    const secondKey = runningChain.facts.accounts[2]!.privateKey;
    await showWalletPage({
      wallets: [
        createWalletOptions({ name: 'First' }),
        createWalletOptions({ name: 'Second', privateKey: secondKey }),
      ],
    });
    const connectionPromise = openedPage.connect();
    await walletTab.connect('Second');
    expect((await connectionPromise).address).toBe(openedPage.wallets[1]?.address);
    expect(openedPage.wallets[0]?.countRequests('eth_requestAccounts')).toBe(0);
  });

  test('renders a hostile wallet name and icon without running or loading anything', async () => {
    const requests: string[] = [];
    await showWalletPage({
      wallets: hostileWallets.map((hostileOptions) => createWalletOptions(hostileOptions)),
    });
    openedPage.page.on('request', (request) => requests.push(request.url()));
    void readFailureCode(openedPage.connect());
    await expect.poll(() => walletTab.page.getByRole('listitem').locator('button').count()).toBe(5);
    const buttons = walletTab.page.locator('button.wallet');
    const names = await buttons.allInnerTexts();
    expect(names.map((name) => name.trim())).toEqual([
      'Connect with <img src=x onerror="globalThis.harmed=1"',
      `Connect with ${'W'.repeat(40)}`,
      'Connect with SafetellaW',
      'Connect with Browser wallet',
      'Connect with Html',
    ]);
    const icons = await buttons
      .locator('img')
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).src.slice(0, 18)));
    expect(icons).toEqual(['data:image/svg+xml']);
    expect(await walletTab.page.evaluate(() => Reflect.get(globalThis, 'harmed'))).toBeUndefined();
    expect(requests.filter((url) => !url.startsWith('http://127.0.0.1:'))).toEqual([]);
    openedPage.session.endFlow();
  });
});

describe('the wallet page', () => {
  test('removes the token in the fragment from the address', async () => {
    await showWalletPage();
    expect(new URL(walletTab.page.url()).href).toBe(`http://127.0.0.1:${openedPage.server.port}/`);
    expect(await walletTab.page.content()).not.toContain(openedPage.session.pairing.token);
  });

  test('removes the token in the path from the address', async () => {
    await showWalletPage({ tokenLocation: 'path' });
    expect(new URL(walletTab.page.url()).pathname).toBe('/');
    expect((await connectWallet()).address).toBe(openedPage.wallets[0]?.address);
  });

  test('shows that the link is incomplete, and asks the user for a new link, if the address contains no valid token', async () => {
    await showWalletPage({ tokenLocation: 'nowhere' });
    await walletTab.page.getByRole('heading', { name: /^The link is not complete\./u }).waitFor();
    expect(openedPage.countTokenLosses()).toBe(1);
    expect(openedPage.session.pairing.isClaimed).toBe(false);
    await walletTab.page.goto(openedPage.getLink('path'));
    await connectWallet();
  });

  test('continues the operation after a reload, and shows in a second tab that the first tab uses the page', async () => {
    await showWalletPage();
    const connectionPromise = openedPage.connect();
    await walletTab.page.reload();
    const secondPage = await openedPage.page.context().newPage();
    await secondPage.goto(openedPage.getLink('fragment'));
    await secondPage
      .getByRole('heading', { name: /^This page is open in another tab\./u })
      .waitFor();
    await walletTab.connect();
    await connectionPromise;
  });

  test('shows that the user must answer a question in VS Code, and lets the user cancel', async () => {
    await showWalletPage({ steps: ['stake'] });
    const signer = await connectWallet();
    await walletTab.card.getByText('Continue in the editor.').waitFor();
    await walletTab.locateButton('Cancel').click();
    await expect.poll(() => openedPage.session.endSignal.aborted).toBe(true);
    expect(
      await readFailureCode(signer.sendTransaction(createTransaction(), neverAbortedSignal)),
    ).toBe('rejected');
  });

  test('shows a transaction as sent until the network confirms it', async () => {
    await showWalletPage({ steps: ['stake', 'sign'] });
    const signer = await connectWallet();
    showStep(openedPage.session, 'stake', 'current');
    const sendNote = walletTab.page.getByText(/^The wallet asks you to send one transaction/u);
    const transactionPromise = signer.sendTransaction(createTransaction(), neverAbortedSignal);
    await sendNote.waitFor();
    await walletTab.pressAction();
    await transactionPromise;
    const waitNote = walletTab.card.getByText('Sent. Waiting for the network to confirm it.');
    await waitNote.waitFor();
    expect(await sendNote.count()).toBe(0);
    expect(await walletTab.locateButton('Cancel').count()).toBe(0);
    showStep(openedPage.session, 'stake', 'done');
    await waitNote.waitFor({ state: 'detached' });
  });

  test('cancels the operation when the user closes the tab', async () => {
    await showWalletPage();
    const connectCodePromise = readFailureCode(openedPage.connect());
    await walletTab.locateButton(/^Connect with/u).waitFor();
    await walletTab.page.close();
    expect(await connectCodePromise).toBe('rejected');
  });

  test('shows that VS Code was closed', async () => {
    await showWalletPage();
    await walletTab.page.clock.install();
    await walletTab.page.reload();
    void readFailureCode(openedPage.connect());
    await walletTab.locateButton(/^Connect with/u).waitFor();
    openedPage.server.dispose();
    await walletTab.page.getByText('Trying again…').first().waitFor();
    const heading = walletTab.page.getByRole('heading', {
      name: 'The editor no longer answers. You can close this tab.',
    });
    await expect
      .poll(async () => {
        await walletTab.page.clock.runFor(10_000);
        return heading.isVisible();
      })
      .toBe(true);
    openedPage.session.endFlow();
  });

  test('shows instructions if no wallet exists, and detects a new wallet after a reload', async () => {
    await showWalletPage({ wallets: [] });
    const connectCodePromise = readFailureCode(openedPage.connect());
    await walletTab.page
      .getByRole('heading', { name: 'No wallet was found in this browser' })
      .waitFor();
    await walletTab.card.getByText('Install a wallet extension').waitFor();
    await walletTab.card.getByText('choose a local account').waitFor();
    await walletTab.locateButton('Refresh').click();
    await walletTab.page
      .getByRole('heading', { name: 'No wallet was found in this browser' })
      .waitFor();
    await walletTab.locateButton('Cancel').click();
    expect(await connectCodePromise).toBe('rejected');
  });

  test('supports operation by keyboard only', async () => {
    await showWalletPage({ wallets: [createWalletOptions({ initialChainId: 1 })] });
    const connectionPromise = openedPage.connect();
    await walletTab.locateButton(/^Connect with/u).waitFor();
    await pressKeys('Tab', 'Enter');
    await walletTab.locateButton('Switch network').waitFor();
    await pressKeys('Tab', 'Enter');
    const signer = await connectionPromise;
    const signCodePromise = readFailureCode(
      signer.signMessage({ text, review }, neverAbortedSignal),
    );
    await walletTab.locateButton('Continue in wallet').waitFor();
    // The collapsed exact text comes before the button in the tab order.
    await pressKeys('Tab', 'Tab', 'Enter');
    expect(await signCodePromise).toBe('fine');
  });

  test('announces each request and the wait for the wallet to screen readers', async () => {
    await showWalletPage({ wallets: [createWalletOptions()] });
    const signer = await connectWallet();
    openedPage.wallets[0]!.walletMode = 'silent';
    const stopController = new AbortController();
    const signCodePromise = readFailureCode(
      signer.signMessage({ text, review }, stopController.signal),
    );
    await walletTab.pressAction();
    const status = walletTab.page.getByRole('status');
    await expect.poll(() => status.innerText()).toMatch(/^Answer in your wallet\./u);
    stopController.abort();
    expect(await signCodePromise).toBe('stopped');
    await walletTab.page.getByText('Continue in the editor.').first().waitFor();
  });

  async function pressKeys(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await walletTab.page.keyboard.press(key);
  }
});

const scenes: Record<string, () => Promise<void>> = {
  'choosing a wallet': async () => {
    void readFailureCode(openedPage.connect());
    await walletTab
      .locateButton(/^Connect with/u)
      .first()
      .waitFor();
  },
  'no wallet': async () => {
    void readFailureCode(openedPage.connect());
    await walletTab.locateButton('Refresh').waitFor();
  },
  signing: async () => {
    const signer = await connectWallet();
    void readFailureCode(signer.signMessage({ text, review }, neverAbortedSignal));
    await walletTab.locateButton('Continue in wallet').waitFor();
    await walletTab.page.getByText('Details').click();
  },
  sending: async () => {
    const signer = await connectWallet();
    openedPage.wallets[0]!.walletMode = 'silent';
    void readFailureCode(signer.sendTransaction(createTransaction(), neverAbortedSignal));
    await walletTab.pressAction();
    await walletTab.page.locator('.in-wallet').waitFor();
  },
  done: async () => {
    await connectWallet();
    await openedPage.session.showOutcome('done', 'The key is stored in the editor.');
    await walletTab.waitForOutcome('Done');
  },
  failed: async () => {
    await openedPage.session.showOutcome(
      'failed',
      'The wallet declined. Nothing was signed or sent.',
    );
    await walletTab.waitForOutcome('Not done');
  },
};

test.each(Object.entries(scenes))(
  'the wallet page in the scene "%s" has no axe violation in any theme, and no element overflows the window',
  async (name, prepareScene) => {
    const wallets = name === 'no wallet' ? [] : [createWalletOptions()];
    await showWalletPage({ wallets, steps: ['approve', 'stake', 'sign'] });
    await prepareScene();
    for (const media of themes) {
      await walletTab.page.emulateMedia(media);
      const problems = await findPageProblems(walletTab.page, {
        checkedRules: media === themes[0] ? 'all' : 'colors',
      });
      expect({ media, problems }).toEqual({ media, problems: [] });
      await takeScreenshot(name, Object.values(media).join(' '));
    }
    await walletTab.page.emulateMedia(themes[0]);
    // 240 pixels correspond to a window of 480 pixels at a zoom of 200 %.
    for (const width of [480, 240, 250]) {
      await walletTab.page.setViewportSize({ width, height: 600 });
      expect({ width, wide: await findOverflowingElements() }).toEqual({ width, wide: [] });
      await takeScreenshot(name, `${width} px`);
    }
  },
);

const findOverflowingElements = (): Promise<string[]> =>
  walletTab.page.evaluate(() =>
    [...document.querySelectorAll('#app *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => element.closest('.visually-hidden') === null)
      .map((element) => element.className || element.tagName),
  );

type EmulatedMedia = NonNullable<Parameters<Page['emulateMedia']>[0]>;

const themes: readonly EmulatedMedia[] = [
  { colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' },
  { colorScheme: 'dark', contrast: 'no-preference', forcedColors: 'none' },
  { colorScheme: 'light', contrast: 'more', forcedColors: 'none' },
  { colorScheme: 'dark', contrast: 'more', forcedColors: 'none' },
  { colorScheme: 'dark', contrast: 'more', forcedColors: 'active', reducedMotion: 'reduce' },
];

async function takeScreenshot(name: string, kind: string): Promise<void> {
  const path = join(artefactsFolder, 'screenshots', 'wallet', `${name}, ${kind}.png`);
  await walletTab.page.screenshot({ path, fullPage: true });
}
