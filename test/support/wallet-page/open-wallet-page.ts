import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import {
  BrowserSigner,
  connectBrowserAccount,
  createInitialPageState,
} from '../../../src/wallet/browser/vscode/browser-signer.ts';
import {
  type LoopbackPageServer,
  startLoopbackPageServer,
} from '../../../src/platform/pages/page-server.ts';
import { createPageLink } from '../../../src/platform/pages/open-page.ts';
import { createWalletPageHtml } from '../../../src/wallet/browser/vscode/browser-wallet.ts';
import { PageSession } from '../../../src/wallet/browser/vscode/page-session.ts';
import { walletCalls, type WalletPageLabels } from '../../../src/wallet/browser/protocol.ts';
import type { Chain } from '../../../src/wallet/chain.ts';
import { createChainClient } from '../../../src/wallet/chain-client.ts';
import type { ConnectOptions, WalletStep } from '../../../src/wallet/signer.ts';
import { timeLimits } from '../time-limits.ts';
import { InjectedWallet, type WalletOptions } from '../injected-wallet/injected-wallet.ts';

export interface WalletPageOptions {
  readonly browser: Browser;
  /** Path of the folder that contains the built page. */
  readonly distFolder: string;
  readonly labels: WalletPageLabels;
  readonly chain: Chain;
  readonly wallets: readonly WalletOptions[];
  readonly purpose?: string;
  readonly steps?: readonly WalletStep[];
  /** The only account that the page may connect. If omitted, the page may connect any account. */
  readonly address?: `0x${string}`;
  readonly contextOptions?: BrowserContextOptions;
  /** Part of the opened URL that contains the token. `nowhere` omits the token. */
  readonly tokenLocation?: 'fragment' | 'path' | 'nowhere';
}

/** Wallet page in a browser tab, without VS Code. The test acts as the host. */
export interface OpenWalletPage extends AsyncDisposable {
  readonly page: Page;
  readonly wallets: readonly InjectedWallet[];
  readonly session: PageSession;
  readonly server: LoopbackPageServer;
  readonly options: ConnectOptions;
  /** Script errors of the page, and violations of its content security policy, oldest first. */
  readonly pageErrors: readonly string[];
  /** Returns how often the page reported that it has no valid token. */
  readonly countTokenLosses: () => number;
  /**
   * Returns the URL of the page with the session token in `urlPart` of the URL. Use `path` for browsers that drop the
   * fragment when they open a URL.
   */
  getLink(urlPart: 'fragment' | 'path'): string;
  /** Connects the account. The test must perform the user's actions in the page before the promise resolves. */
  connect(): Promise<BrowserSigner>;
}

/** Opens the wallet page, and installs its wallets. Disposal closes the page and removes its files. */
export async function openWalletPage(pageOptions: WalletPageOptions): Promise<OpenWalletPage> {
  await using stack = new AsyncDisposableStack();
  const {
    browser,
    chain,
    labels,
    distFolder: dist,
    purpose = 'Get API Key with Wallet',
    steps = ['sign'],
  } = pageOptions;
  const options: ConnectOptions = {
    ...{ chain, purpose, steps, signal: new AbortController().signal },
    ...(pageOptions.address === undefined ? {} : { address: pageOptions.address }),
  };
  const session = new PageSession({ state: createInitialPageState(options), clock: systemClock });
  stack.defer(() => session.endFlow());
  const [script, style] = await Promise.all([
    readFile(join(dist, 'wallet.js')),
    readFile(join(dist, 'wallet.css')),
  ]);
  let tokenLossCount = 0;
  void session.pairing.tokenLoss.then(() => (tokenLossCount += 1));
  const server = await startLoopbackPageServer({
    html: createWalletPageHtml(labels, 'en'),
    assets: {
      'wallet.js': { type: 'text/javascript; charset=utf-8', bytes: script },
      'wallet.css': { type: 'text/css; charset=utf-8', bytes: style },
    },
    calls: walletCalls,
    respond: (call) => session.respond(call),
    clock: systemClock,
    id: 'test',
  });
  stack.defer(() => server.dispose());
  const context = await browser.newContext(pageOptions.contextOptions ?? {});
  stack.defer(() => context.close());
  const wallets: InjectedWallet[] = [];
  for (const wallet of pageOptions.wallets)
    wallets.push(await InjectedWallet.install(context, wallet));
  const page = await context.newPage();
  page.setDefaultTimeout(timeLimits.condition);
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy/u.test(message.text())) pageErrors.push(message.text());
  });
  const createLink = (urlPart: 'fragment' | 'path'): string =>
    createPageLink(new URL(`http://127.0.0.1:${server.port}/`), session.pairing.token, urlPart);
  const { tokenLocation = 'fragment' } = pageOptions;
  await page.goto(
    tokenLocation === 'nowhere' ? `http://127.0.0.1:${server.port}/` : createLink(tokenLocation),
  );
  const resources = stack.move();
  return {
    ...{ page, wallets, session, server, options, pageErrors, getLink: createLink },
    countTokenLosses: () => tokenLossCount,
    connect: async () => {
      const account = await connectBrowserAccount(session, options);
      const client = createChainClient(chain);
      return new BrowserSigner({ session, ...account, client, clock: fastClock });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const clockSpeedFactor = 50;

/** Clock that runs faster than real time, because the signer reports a missing transaction only after half a minute. */
const fastClock: Clock = {
  now: () => systemClock.now() * clockSpeedFactor,
  after: (ms, run) => systemClock.after(ms / clockSpeedFactor, run),
};
