import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChainFacts } from '../service/chain/chain-facts.ts';
import { Control } from '../service/control.ts';
import { InjectedWallet, type WalletMode } from '../support/injected-wallet/injected-wallet.ts';
import { timeLimits } from '../support/time-limits.ts';
import { Notices } from './pages/notices.ts';
import { WalletTab } from './pages/wallet-tab.ts';
import { Workbench } from './pages/workbench.ts';
import { type Session, useSession } from './session.ts';

const withoutKey = { INFERENCE_SERVICE_API_KEY: undefined };
const mintCommand = 'Inference Service: Create API Key with a Wallet…';
const stakeCommand = 'Inference Service: Stake…';

describe('first key of a new wallet', () => {
  const session = useSession({ name: 'wallet', chain: true, env: withoutKey });
  let wallet: InjectedWallet;

  beforeAll(async () => {
    wallet = await installWallet(session(), 1);
    await control(session()).setPace('instant');
    await session().newChat();
  });

  test('stakes, mints a key, and the chat answers with it', async () => {
    const { workbench, chat, page } = session();
    const notices = new Notices(workbench);
    await chat.button('Connect a wallet').click();
    await workbench.option('Use the recommended settings').click();
    const first = await openedBy(session(), () => workbench.option('Browser wallet').click());
    await first.connect();
    expect(await first.ended('Not done')).toMatch(/staked/iu);
    expect(wallet.count('personal_sign')).toBe(0);
    expect(wallet.count('eth_sendTransaction')).toBe(0);

    const second = await openedBy(session(), () => notices.press(/staked/iu, 'Stake'));
    await second.connect();
    await workbench.answer('12.5');
    await workbench.dialogButton('Stake').click();
    await second.go();
    // The command to create a key opens it.
    const opens = page.context().waitForEvent('page', { timeout: timeLimits.condition });
    await second.go();
    expect(await second.ended('Done')).toContain('12.5');
    expect(wallet.count('eth_sendTransaction')).toBe(2);
    expect(await allowance(session(), 1)).toBe(0n);

    const third = await WalletTab.of(await opens);
    await third.connect();
    await workbench.dialogButton('Sign').click();
    await third.go();
    await third.ended('Done');
    await page.locator('.monaco-dialog-box').getByText('has nothing to spend yet').waitFor();
    await page.keyboard.press('Escape');
    await notices.clear();
    const { address } = factsOf(session()).accounts[1]!;
    await control(session()).changeAccount({ id: address.toLowerCase(), usd: 1 });
    await chat.send('Hello');
    await chat.settled();
    expect(await chat.lastAnswer.getByRole('group', { name: 'Problem' }).count()).toBe(0);
    await leavesNoTrace(session(), 1);
  });
});

describe('misbehaving wallet', () => {
  const session = useSession({ name: 'wallet-trouble', chain: true, env: withoutKey });
  const staker = 4;
  let wallet: InjectedWallet;

  beforeAll(async () => {
    wallet = await installWallet(session(), staker);
    await session().newChat();
  });

  beforeEach(async () => {
    await session().workbench.closeOverlays();
    await control(session()).reset();
    await wallet.switchAccount(wallet.address);
    await wallet.switchChain(factsOf(session()).chainId);
  });

  afterEach(async () => {
    for (const tab of session().page.context().pages())
      if (tab !== session().page) await tab.close();
    await new Notices(session().workbench).clear();
  });

  const lied = /does not fit what was asked/u;
  const troubles: readonly (readonly [WalletMode, RegExp])[] = [
    ['reject', /was declined in the wallet/u],
    ['wrong-address', /nothing staked/u],
    ['other-text', lied],
    ['wrong-signature', lied],
    ['bad-signature', lied],
    ['switch-account', /Another account was chosen/u],
    ['switch-chain', /is on another chain/u],
  ];

  test.each(troubles)('%s: requests no key', async (mode, words) => {
    const { workbench } = session();
    wallet.mode = mode;
    const tab = await beginMint(session());
    await tab.connect();
    // Nothing is staked by the claimed account.
    if (mode !== 'reject' && mode !== 'wrong-address') {
      await workbench.dialogButton('Sign').click();
      await tab.go();
    }
    expect(await tab.ended('Not done')).toMatch(words);
    expect(await mintRequests(session())).toEqual([]);
  });

  test('waits for a silent wallet until the user cancels', async () => {
    const { workbench } = session();
    wallet.mode = 'silent';
    const tab = await beginMint(session());
    await tab.connect();
    await new Notices(workbench).press('Continue in your browser.', 'Cancel');
    await tab.ended('Not done');
    expect(await mintRequests(session())).toEqual([]);
  });

  test.each(['connect', 'sign'])(
    'a reload during the request to %s loses only the page',
    async (step) => {
      const { workbench } = session();
      wallet.mode = step === 'connect' ? 'silent' : 'approve';
      const tab = await beginMint(session());
      await tab.connect();
      if (step === 'sign') {
        await workbench.dialogButton('Sign').click();
        wallet.mode = 'silent';
        await tab.go();
      }
      await session().reload();
      await tab.over();
      expect(await mintRequests(session())).toEqual([]);
    },
  );

  test('switches a wallet on another chain, and mints', async () => {
    const { workbench } = session();
    wallet.mode = 'approve';
    await wallet.switchChain(1);
    const tab = await beginMint(session());
    await tab.connect();
    await tab.go();
    await workbench.dialogButton('Sign').click();
    await tab.go();
    await tab.ended('Done');
    expect(wallet.chainId).toBe(session().service.chain?.chainId);
    expect(await mintRequests(session())).toHaveLength(1);
    await leavesNoTrace(session(), staker);
  });
});

describe('wallet transactions', () => {
  const session = useSession({ name: 'wallet-stake', chain: true, env: withoutKey });
  const account = 2;
  let wallet: InjectedWallet;

  beforeAll(async () => {
    wallet = await installWallet(session(), account);
    await session().newChat();
  });

  beforeEach(async () => {
    wallet.mode = 'approve';
    await session().workbench.closeOverlays();
  });

  const lies: readonly (readonly [WalletMode, RegExp])[] = [
    ['zero-hash', /does not allow/u],
    ['other-transaction', /does not fit what was asked/u],
    ['reject', /was declined in the wallet/u],
  ];

  test.each(lies)(
    '%s instead of the approval: approves and stakes nothing',
    async (mode, words) => {
      const before = await staked(session(), account);
      const tab = await beginStake(session(), '1');
      wallet.mode = mode;
      await tab.go();
      expect(await tab.ended('Not done')).toMatch(words);
      expect(await allowance(session(), account)).toBe(0n);
      expect(await staked(session(), account)).toBe(before);
      await tab.page.close();
      await new Notices(session().workbench).clear();
    },
  );

  test('revokes the approval of a declined stake on request', async () => {
    const { workbench } = session();
    const before = await staked(session(), account);
    const tab = await beginStake(session(), '1');
    await tab.go();
    await tab.step('Approve').getByText('done').waitFor();
    wallet.mode = 'reject';
    await tab.go();
    expect(await tab.ended('Not done')).toMatch(/was declined in the wallet/u);
    expect(await staked(session(), account)).toBe(before);
    expect(await allowance(session(), account)).toBe(10n ** 18n);
    await tab.page.close();
    wallet.mode = 'approve';
    const notices = new Notices(workbench);
    const revoking = await openedBy(session(), () =>
      notices.press(/approval .* is still there/u, 'Revoke approval'),
    );
    await revoking.connect();
    await workbench.dialogButton('Revoke').click();
    await revoking.go();
    await revoking.ended('Done');
    expect(await allowance(session(), account)).toBe(0n);
    await notices.clear();
  });

  test('resumes between approval and stake after a reload, and sends nothing twice', async () => {
    const { workbench } = session();
    const sent = wallet.count('eth_sendTransaction');
    const before = await staked(session(), account);
    const tab = await beginStake(session(), '3');
    await tab.go();
    await tab.step('Approve').getByText('Done').waitFor();
    await session().reload();
    await tab.page.close();
    const resumed = await openedBy(session(), async () => {
      await workbench.runCommand(stakeCommand);
      await workbench.dialogButton('Resume').click();
    });
    await resumed.connect();
    // Shown when the window closed during a wallet request; the user chose nothing there.
    const again = workbench.dialogButton('Send again');
    const next = resumed.button('Continue in wallet');
    await Promise.race([again.waitFor(), next.waitFor()]);
    if (await again.isVisible()) await again.click();
    await resumed.go();
    await resumed.ended('Done');
    expect(wallet.count('eth_sendTransaction') - sent).toBe(2);
    expect(await staked(session(), account)).toBe(before + 3n * 10n ** 18n);
    expect(await allowance(session(), account)).toBe(0n);
  });

  test('only one of two windows stakes, and the other is notified', async () => {
    const { page, server, folder } = session();
    const before = await staked(session(), account);
    const tab = await beginStake(session(), '2');
    const context = await page.context().browser()!.newContext();
    const other = await context.newPage();
    other.setDefaultTimeout(timeLimits.condition);
    await other.goto(server.url({ folder }));
    const workbench = new Workbench(other);
    await workbench.ready();
    await workbench.runCommand(stakeCommand);
    await new Notices(workbench).find(/under way|another window/iu);
    await context.close();
    await tab.go();
    await tab.go();
    await tab.ended('Done');
    expect(await staked(session(), account)).toBe(before + 2n * 10n ** 18n);
  });
});

const control = ({ service }: Session): Control => new Control(service.controlUrl);

const openedBy = (session: Session, act: () => Promise<unknown>): Promise<WalletTab> =>
  WalletTab.openedBy(session.page.context(), act);

/** Starts minting, up to the connection of the wallet. */
async function beginMint(session: Session): Promise<WalletTab> {
  const { workbench, page } = session;
  await workbench.runCommand(mintCommand);
  return openedBy(session, async () => {
    const opens = page.context().waitForEvent('page', { timeout: timeLimits.condition });
    await workbench.option('Use the recommended settings').click();
    await chooseBrowser(workbench, opens);
  });
}

/** Starts staking, up to the first transaction. Discards unfinished operations. */
async function beginStake(session: Session, amount: string): Promise<WalletTab> {
  const { workbench, page } = session;
  const forget = workbench.dialogButton('Forget it');
  const tab = await openedBy(session, async () => {
    await page.bringToFront();
    const opens = page.context().waitForEvent('page', { timeout: timeLimits.condition });
    await workbench.runCommand(stakeCommand);
    await Promise.race([opens, forget.or(workbench.option('Browser wallet')).waitFor()]);
    if (await forget.isVisible()) await forget.click();
    await chooseBrowser(workbench, opens);
  });
  await tab.connect();
  await workbench.answer(amount);
  await workbench.dialogButton('Stake').click();
  return tab;
}

/** Chooses the browser wallet. The connected account is remembered, so its page opens at once the next time. */
async function chooseBrowser(workbench: Workbench, opens: Promise<unknown>): Promise<void> {
  const choice = workbench.option('Browser wallet');
  await Promise.race([opens, choice.waitFor()]);
  if (await choice.isVisible()) await choice.click();
}

async function installWallet(session: Session, account: number): Promise<InjectedWallet> {
  const { rpcUrl, chainId, accounts } = factsOf(session);
  const { privateKey } = accounts[account]!;
  return InjectedWallet.install(session.page.context(), { privateKey, rpcUrl, chainId });
}

function factsOf({ service: { chain } }: Session): ChainFacts {
  if (chain === undefined) throw new Error('The service has no chain.');
  return chain;
}

async function mintRequests(session: Session): Promise<readonly { readonly body?: unknown }[]> {
  const requests = await control(session).getRequests();
  return requests.filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/generate_web3_key'),
  );
}

/** Checks that no message, log, editor file or workspace file contains the API key, private key, token or signature. */
async function leavesNoTrace(session: Session, account: number): Promise<void> {
  const { consoleLines, webviewMessages, server, folder } = session;
  const requests = await control(session).getRequests();
  const bodies = (await mintRequests(session)).map(({ body }) => body as Record<string, string>);
  const bearers = requests.map(
    ({ headers }) => /^Bearer (\S+)$/u.exec(String(headers['authorization']))?.[1],
  );
  const { privateKey } = factsOf(session).accounts[account]!;
  const secrets = [
    privateKey.slice(2),
    ...bodies.flatMap(({ token, signature }) => [token, signature]),
    ...bearers,
  ].filter((secret) => secret !== undefined);
  expect(secrets.length).toBeGreaterThan(2);
  const texts = [
    ...consoleLines,
    ...webviewMessages,
    ...(await session.page.evaluate(editorState)),
    ...(await textsIn(server.dataFolder)),
    ...(await textsIn(folder)),
  ];
  expect(texts.length).toBeGreaterThan(10);
  for (const secret of new Set(secrets))
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
}

/** Runs in the page. Returns VS Code's stored state, except for secret storage, which is elsewhere. */
async function editorState(): Promise<string[]> {
  const resolved = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const texts: string[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await resolved(indexedDB.open(name ?? ''));
    for (const store of database.objectStoreNames) {
      const items = database.transaction(store).objectStore(store);
      texts.push(JSON.stringify(await resolved(items.getAll())));
    }
    database.close();
  }
  return texts;
}

async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
}

const staked = (session: Session, account: number): Promise<bigint> =>
  read(session, factsOf(session).stakingContract, `0x70a08231${padded(session, account)}`);

async function allowance(session: Session, account: number): Promise<bigint> {
  const { token, stakingContract } = factsOf(session);
  const spender = stakingContract.slice(2).toLowerCase().padStart(64, '0');
  return read(session, token, `0xdd62ed3e${padded(session, account)}${spender}`);
}

const padded = (session: Session, account: number): string =>
  factsOf(session).accounts[account]!.address.slice(2).toLowerCase().padStart(64, '0');

/** Calls a contract function that returns a number (`eth_call`). */
async function read(session: Session, to: string, data: string): Promise<bigint> {
  const reply = await fetch(factsOf(session).rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to, data }, 'latest'],
    }),
  });
  const { result } = (await reply.json()) as { result: string };
  return BigInt(result);
}
