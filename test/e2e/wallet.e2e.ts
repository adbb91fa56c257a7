import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChainFacts } from '../service/chain/chain-facts.ts';
import { takeScreenshotInThemes } from './appearance.ts';
import { InjectedWallet, type WalletMode } from '../support/injected-wallet/injected-wallet.ts';
import { timeLimits } from '../support/time-limits.ts';
import { NotificationCenter } from './pages/notification-center.ts';
import { WalletPage } from './pages/wallet-page.ts';
import { Workbench } from './pages/workbench.ts';
import { getControl, type Session, useSession } from './session.ts';

const environmentWithoutKey = { INFERENCE_SERVICE_API_KEY: undefined };
const mintCommandTitle = 'Inference Service: Get API Key with Wallet…';
const stakeCommandTitle = 'Inference Service: Stake…';

describe('the first key of a new wallet', () => {
  const session = useSession({ name: 'wallet', needsChain: true, env: environmentWithoutKey });
  let wallet: InjectedWallet;

  beforeAll(async () => {
    wallet = await installWallet(session(), 1);
    await getControl(session()).setResponsePace('instant');
    await session().openNewChat();
  });

  test('is minted after staking, and the chat uses the key', async () => {
    const { workbench, chat, page } = session();
    const notificationCenter = new NotificationCenter(workbench);
    await chat.locateButton('Get API Key with Wallet').click();
    await workbench.locateOption('Recommended').click();
    const firstPage = await waitForWalletPage(session(), () =>
      workbench.locateOption('Browser wallet').click(),
    );
    await firstPage.connect();
    expect(await firstPage.waitForOutcome('Not done')).toMatch(/staked/iu);
    expect(wallet.countRequests('personal_sign')).toBe(0);
    expect(wallet.countRequests('eth_sendTransaction')).toBe(0);

    const secondPage = await waitForWalletPage(session(), () =>
      notificationCenter.pressButton(/staked/iu, 'Stake'),
    );
    await secondPage.connect();
    await workbench.answerInputBox('12.5');
    await secondPage.pressAction();
    // The command that creates a key opens a new page.
    const pagePromise = page.context().waitForEvent('page', { timeout: timeLimits.condition });
    await secondPage.pressAction();
    expect(await secondPage.waitForOutcome('Done')).toContain('12.5');
    expect(wallet.countRequests('eth_sendTransaction')).toBe(2);
    expect(await readAllowance(session(), 1)).toBe(0n);

    const thirdPage = await WalletPage.fromPage(await pagePromise);
    await thirdPage.connect();
    await thirdPage.pressAction();
    await thirdPage.waitForOutcome('Done');
    await page.bringToFront();
    await notificationCenter.waitForNotification(/next credit at 00:00 UTC/u);
    // The new key cannot spend a top-up, and more stake would give credit no earlier.
    expect(await page.locator('.monaco-dialog-box').count()).toBe(0);
    await takeScreenshotInThemes(session(), 'funding-new-key', chat.content);
    await notificationCenter.clear();
    const { address } = getChainFacts(session()).accounts[1]!;
    await getControl(session()).changeAccount({ id: address.toLowerCase(), usd: 1 });
    await chat.sendText('Hello');
    await chat.waitUntilIdle();
    expect(await chat.lastAnswer.getByRole('group', { name: 'Problem' }).count()).toBe(0);
    await expectNoLeakedSecrets(session(), 1);
  });
});

describe('a misbehaving wallet', () => {
  const session = useSession({
    name: 'wallet-trouble',
    needsChain: true,
    env: environmentWithoutKey,
  });
  const stakerIndex = 4;
  let wallet: InjectedWallet;

  beforeAll(async () => {
    wallet = await installWallet(session(), stakerIndex);
    await session().openNewChat();
  });

  beforeEach(async () => {
    await session().workbench.closeOverlays();
    await getControl(session()).reset();
    await wallet.switchAccount(wallet.address);
    await wallet.switchChain(getChainFacts(session()).chainId);
  });

  afterEach(async () => {
    for (const tab of session().page.context().pages())
      if (tab !== session().page) await tab.close();
    await new NotificationCenter(session().workbench).clear();
  });

  const mismatchPattern = /does not match the request/u;
  const misbehavingModes: readonly (readonly [WalletMode, RegExp])[] = [
    ['reject', /was declined in the wallet/u],
    ['wrong-address', /nothing staked/u],
    ['other-text', mismatchPattern],
    ['wrong-signature', mismatchPattern],
    ['bad-signature', mismatchPattern],
    ['switch-account', /Another account was chosen/u],
    ['switch-chain', /is on another chain/u],
  ];

  test.each(misbehavingModes)(
    'in the mode "%s" causes no request for a key',
    async (mode, expectedPattern) => {
      wallet.walletMode = mode;
      const tab = await beginMint(session());
      await tab.connect();
      // These modes end the flow at the connection: the user declines, or the foreign account has no stake.
      if (mode !== 'reject' && mode !== 'wrong-address') {
        await tab.pressAction();
      }
      expect(await tab.waitForOutcome('Not done')).toMatch(expectedPattern);
      expect(await readMintRequests(session())).toEqual([]);
    },
  );

  test('that does not reply can be abandoned with Cancel in VS Code', async () => {
    const { workbench } = session();
    wallet.walletMode = 'silent';
    const tab = await beginMint(session());
    await tab.connect();
    await new NotificationCenter(workbench).pressButton('Continue in your browser.', 'Cancel');
    await tab.waitForOutcome('Not done');
    expect(await readMintRequests(session())).toEqual([]);
  });

  test.each(['connect', 'sign'])(
    'causes no request for a key if VS Code reloads during the wallet request to %s',
    async (step) => {
      wallet.walletMode = step === 'connect' ? 'silent' : 'approve';
      const tab = await beginMint(session());
      await tab.connect();
      if (step === 'sign') {
        wallet.walletMode = 'silent';
        await tab.pressAction();
      }
      await session().reloadWindow();
      await tab.waitUntilEnded();
      expect(await readMintRequests(session())).toEqual([]);
    },
  );

  test('on the wrong chain is switched to the required chain before the key is minted', async () => {
    wallet.walletMode = 'approve';
    await wallet.switchChain(1);
    const tab = await beginMint(session());
    await tab.connect();
    await tab.pressAction();
    await tab.pressAction();
    await tab.waitForOutcome('Done');
    expect(wallet.chainId).toBe(session().service.chain?.chainId);
    expect(await readMintRequests(session())).toHaveLength(1);
    await expectNoLeakedSecrets(session(), stakerIndex);
  });
});

describe('the wallet transactions', () => {
  const session = useSession({
    name: 'wallet-stake',
    needsChain: true,
    env: environmentWithoutKey,
  });
  const accountIndex = 2;
  let wallet: InjectedWallet;

  beforeAll(async () => {
    wallet = await installWallet(session(), accountIndex);
    await session().openNewChat();
  });

  beforeEach(async () => {
    wallet.walletMode = 'approve';
    await session().workbench.closeOverlays();
  });

  const misbehaviors: readonly (readonly [WalletMode, RegExp])[] = [
    ['zero-hash', /does not allow/u],
    ['other-transaction', /does not match the request/u],
    ['reject', /was declined in the wallet/u],
  ];

  test.each(misbehaviors)(
    'neither approve nor stake tokens if the wallet is in the mode "%s"',
    async (mode, expectedPattern) => {
      const stakeBefore = await readStake(session(), accountIndex);
      const tab = await beginStake(session(), '1');
      wallet.walletMode = mode;
      await tab.pressAction();
      expect(await tab.waitForOutcome('Not done')).toMatch(expectedPattern);
      expect(await readAllowance(session(), accountIndex)).toBe(0n);
      expect(await readStake(session(), accountIndex)).toBe(stakeBefore);
      await tab.page.close();
      await new NotificationCenter(session().workbench).clear();
    },
  );

  test('revoke the approval on request after the user declines the stake', async () => {
    const { workbench } = session();
    const stakeBefore = await readStake(session(), accountIndex);
    const tab = await beginStake(session(), '1');
    await tab.pressAction();
    await tab.locateStep('Approve').getByText('done').waitFor();
    wallet.walletMode = 'reject';
    await tab.pressAction();
    expect(await tab.waitForOutcome('Not done')).toMatch(/was declined in the wallet/u);
    expect(await readStake(session(), accountIndex)).toBe(stakeBefore);
    expect(await readAllowance(session(), accountIndex)).toBe(10n ** 18n);
    await tab.page.close();
    wallet.walletMode = 'approve';
    const notificationCenter = new NotificationCenter(workbench);
    const revocationTab = await waitForWalletPage(session(), () =>
      notificationCenter.pressButton(/contract may still take/u, 'Revoke approval'),
    );
    await revocationTab.connect();
    await revocationTab.pressAction();
    await revocationTab.waitForOutcome('Done');
    expect(await readAllowance(session(), accountIndex)).toBe(0n);
    await notificationCenter.clear();
  });

  test('resume after a reload between approval and stake, without sending a transaction twice', async () => {
    const { workbench } = session();
    const transactionCount = wallet.countRequests('eth_sendTransaction');
    const stakeBefore = await readStake(session(), accountIndex);
    const tab = await beginStake(session(), '3');
    await tab.pressAction();
    await tab.locateStep('Approve').getByText('Done').waitFor();
    await session().reloadWindow();
    await tab.page.close();
    const resumedTab = await waitForWalletPage(session(), async () => {
      await workbench.runCommand(stakeCommandTitle);
      await workbench.locateDialogButton('Resume').click();
    });
    await resumedTab.connect();
    // The dialog appears if the window closed during a wallet request in which the user chose nothing.
    const resendButton = workbench.locateDialogButton('Send it again');
    const continueButton = resumedTab.locateButton('Continue in wallet');
    await Promise.race([resendButton.waitFor(), continueButton.waitFor()]);
    if (await resendButton.isVisible()) await resendButton.click();
    await resumedTab.pressAction();
    await resumedTab.waitForOutcome('Done');
    expect(wallet.countRequests('eth_sendTransaction') - transactionCount).toBe(2);
    expect(await readStake(session(), accountIndex)).toBe(stakeBefore + 3n * 10n ** 18n);
    expect(await readAllowance(session(), accountIndex)).toBe(0n);
  });

  test('run in only one of two windows, and the other window shows a notification', async () => {
    const { page, server, folder } = session();
    const stakeBefore = await readStake(session(), accountIndex);
    const tab = await beginStake(session(), '2');
    const context = await page.context().browser()!.newContext();
    const otherPage = await context.newPage();
    otherPage.setDefaultTimeout(timeLimits.condition);
    await otherPage.goto(server.createUrl({ folder }));
    const workbench = new Workbench(otherPage);
    await workbench.waitUntilReady();
    await workbench.runCommand(stakeCommandTitle);
    await new NotificationCenter(workbench).waitForNotification(/under way|another window/iu);
    await context.close();
    await tab.pressAction();
    await tab.pressAction();
    await tab.waitForOutcome('Done');
    expect(await readStake(session(), accountIndex)).toBe(stakeBefore + 2n * 10n ** 18n);
  });
});

const waitForWalletPage = (session: Session, action: () => Promise<unknown>): Promise<WalletPage> =>
  WalletPage.waitForPage(session.page.context(), action);

/** Starts to mint an API key. Resolves when the wallet page waits for the user to connect a wallet. */
async function beginMint(session: Session): Promise<WalletPage> {
  const { workbench, page } = session;
  await workbench.runCommand(mintCommandTitle);
  return waitForWalletPage(session, async () => {
    const pagePromise = page.context().waitForEvent('page', { timeout: timeLimits.condition });
    await workbench.locateOption('Recommended').click();
    await chooseBrowserWallet(workbench, pagePromise);
  });
}

/** Starts to stake. Discards unfinished operations. Resolves when the wallet page waits for the first transaction. */
async function beginStake(session: Session, amount: string): Promise<WalletPage> {
  const { workbench, page } = session;
  const discardButton = workbench.locateDialogButton('Discard');
  const tab = await waitForWalletPage(session, async () => {
    await page.bringToFront();
    const pagePromise = page.context().waitForEvent('page', { timeout: timeLimits.condition });
    await workbench.runCommand(stakeCommandTitle);
    await Promise.race([
      pagePromise,
      discardButton.or(workbench.locateOption('Browser wallet')).waitFor(),
    ]);
    if (await discardButton.isVisible()) await discardButton.click();
    await chooseBrowserWallet(workbench, pagePromise);
  });
  await tab.connect();
  await workbench.answerInputBox(amount);
  return tab;
}

/**
 * Selects the browser wallet in the list of wallets. If an account was connected earlier, the wallet page opens without
 * this list, and the function does nothing.
 * @param pagePromise resolves when the wallet page opens
 */
async function chooseBrowserWallet(
  workbench: Workbench,
  pagePromise: Promise<unknown>,
): Promise<void> {
  const browserWalletOption = workbench.locateOption('Browser wallet');
  await Promise.race([pagePromise, browserWalletOption.waitFor()]);
  if (await browserWalletOption.isVisible()) await browserWalletOption.click();
}

async function installWallet(session: Session, accountIndex: number): Promise<InjectedWallet> {
  const { rpcUrl, chainId, accounts } = getChainFacts(session);
  const { privateKey } = accounts[accountIndex]!;
  return InjectedWallet.install(session.page.context(), { privateKey, rpcUrl, chainId });
}

function getChainFacts({ service: { chain } }: Session): ChainFacts {
  if (chain === undefined) throw new Error('The service has no chain.');
  return chain;
}

async function readMintRequests(session: Session): Promise<readonly { readonly body?: unknown }[]> {
  const requests = await getControl(session).getRequests();
  return requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/generate_web3_key'),
  );
}

/**
 * Checks that no API key, private key, token or signature of the account is in messages, logs, files of VS Code or
 * workspace files.
 */
async function expectNoLeakedSecrets(session: Session, accountIndex: number): Promise<void> {
  const { consoleLines, webviewMessages, server, folder } = session;
  const requests = await getControl(session).getRequests();
  const bodies = (await readMintRequests(session)).map(
    ({ body }) => body as Record<string, string>,
  );
  const bearerTokens = requests.map(
    ({ headers }) => /^Bearer (\S+)$/u.exec(String(headers['authorization']))?.[1],
  );
  const { privateKey } = getChainFacts(session).accounts[accountIndex]!;
  const secrets = [
    privateKey.slice(2),
    ...bodies.flatMap(({ token, signature }) => [token, signature]),
    ...bearerTokens,
  ].filter((secret) => secret !== undefined);
  expect(secrets.length).toBeGreaterThan(2);
  const texts = [
    ...consoleLines,
    ...webviewMessages,
    ...(await session.page.evaluate(readEditorState)),
    ...(await readTexts(server.dataFolder)),
    ...(await readTexts(folder)),
  ];
  expect(texts.length).toBeGreaterThan(10);
  for (const secret of new Set(secrets))
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
}

/** Returns the state that VS Code stores in IndexedDB. Excludes secret storage. Runs in the page. */
async function readEditorState(): Promise<string[]> {
  const waitForRequest = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const texts: string[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await waitForRequest(indexedDB.open(name ?? ''));
    for (const storeName of database.objectStoreNames) {
      const objectStore = database.transaction(storeName).objectStore(storeName);
      texts.push(JSON.stringify(await waitForRequest(objectStore.getAll())));
    }
    database.close();
  }
  return texts;
}

async function readTexts(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
}

const readStake = (session: Session, accountIndex: number): Promise<bigint> =>
  callContract(
    session,
    getChainFacts(session).stakingContract,
    `0x70a08231${getPaddedAddress(session, accountIndex)}`,
  );

async function readAllowance(session: Session, accountIndex: number): Promise<bigint> {
  const { token, stakingContract } = getChainFacts(session);
  const spender = stakingContract.slice(2).toLowerCase().padStart(64, '0');
  return callContract(
    session,
    token,
    `0xdd62ed3e${getPaddedAddress(session, accountIndex)}${spender}`,
  );
}

const getPaddedAddress = (session: Session, accountIndex: number): string =>
  getChainFacts(session).accounts[accountIndex]!.address.slice(2).toLowerCase().padStart(64, '0');

/**
 * Calls a contract function that returns an integer (`eth_call`), and returns this integer.
 * @param data encoded function and arguments
 */
async function callContract(
  session: Session,
  contractAddress: string,
  data: string,
): Promise<bigint> {
  const reply = await fetch(getChainFacts(session).rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to: contractAddress, data }, 'latest'],
    }),
  });
  const { result } = (await reply.json()) as { result: string };
  return BigInt(result);
}
