import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { WalletPageState } from '../../../protocol/wallet-page.ts';
import { openChain } from '../../../wallet/chain-client.ts';
import type { Address } from '../../../wallet/evm.ts';
import { checkAddress } from '../../../wallet/verify.ts';
import type { ConnectOptions, WalletConnection } from '../../../wallet/wallet-connection.ts';
import { WalletError } from '../../../wallet/wallet-failure.ts';
import type { Host } from '../../host.ts';
import { showProgress } from '../../tell.ts';
import { walletFailureWords } from '../wallet-words.ts';
import { addedChain } from './added-chain.ts';
import { BrowserSigner } from './browser-signer.ts';
import { type LoopbackPage, type PageFiles, startLoopbackPage } from './loopback-server.ts';
import { openPage, type OpenedPage } from './open-page.ts';
import { walletPageHtml } from './page-html.ts';
import { PageSession } from './page-session.ts';
import { pageWords } from './page-words.ts';

/** Why a wallet in the browser cannot be used here, for people; undefined when it can. */
export function browserWalletProblem(): string | undefined {
  const isWithoutMachine =
    vscode.env.uiKind === vscode.UIKind.Web && vscode.env.remoteName === undefined;
  return isWithoutMachine
    ? vscode.l10n.t(
        'This editor runs in the browser without a machine behind it, so it cannot open the page of a wallet. Use a local account, or open the folder in the desktop editor.',
      )
    : undefined;
}

/**
 * Connects a wallet of the person's browser: opens a page of ours there, which lives until the connection is disposed.
 * While it lives the editor shows so, with Cancel and the link for another browser. One at a time: another one ends the
 * one before.
 * @throws WalletError
 */
export async function connectBrowserWallet(
  host: Host,
  options: ConnectOptions,
): Promise<WalletConnection> {
  const problem = browserWalletProblem();
  if (problem !== undefined) throw new WalletError('wallet-unavailable', problem);
  current?.replace();
  const flow = await BrowserFlow.start(host, options);
  current = flow;
  if (!isOwned) host.context.subscriptions.push({ dispose: () => current?.close() });
  isOwned = true;
  return flow.connect();
}

/** Puts the link of the page that waits to be opened on the clipboard; false when none waits. */
export async function copyPageLink(): Promise<boolean> {
  const link = current?.link;
  if (link === undefined) return false;
  await vscode.env.clipboard.writeText(link);
  return true;
}

let current: BrowserFlow | undefined;
let isOwned = false;

/** One page and what is asked on it. */
class BrowserFlow {
  readonly #options: ConnectOptions;
  readonly #session: PageSession;
  readonly #server: LoopbackPage;
  readonly #opened: OpenedPage;
  readonly #over = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;
  #report: (message: string) => void = () => {};

  static async start(host: Host, options: ConnectOptions): Promise<BrowserFlow> {
    const secret = (): string => randomBytes(32).toString('base64url');
    const session = new PageSession({ state: firstState(options), clock: systemClock, secret });
    let opened: OpenedPage | undefined;
    const onLost = (): void => void opened?.openAgain();
    const files = await pageFiles(host);
    const server = await startLoopbackPage({ session, files, clock: systemClock, onLost });
    try {
      opened = await openPage({ server, token: session.token, log: host.log });
      return new BrowserFlow({ options, session, server, opened });
    } catch (error) {
      session.close();
      server.dispose();
      throw error;
    }
  }

  private constructor(parts: {
    readonly options: ConnectOptions;
    readonly session: PageSession;
    readonly server: LoopbackPage;
    readonly opened: OpenedPage;
  }) {
    this.#options = parts.options;
    this.#session = parts.session;
    this.#server = parts.server;
    this.#opened = parts.opened;
    const { signal } = parts.options;
    const { ended } = this.#session;
    const stop = (): void => this.#session.stop('stopped', 'It was stopped.');
    // The page says at once what ended it; whoever asks something next is told too.
    ended.addEventListener('abort', () => void this.#fail(ended.reason), { once: true });
    signal.addEventListener('abort', stop, { signal: ended });
    if (signal.aborted) stop();
    void this.#showProgress();
  }

  /** Absent once a tab has the page: a link works once. */
  get link(): string | undefined {
    return this.#session.isClaimed ? undefined : this.#opened.link;
  }

  async connect(): Promise<WalletConnection> {
    try {
      const address = await this.#askAddress();
      this.#session.change({ account: address });
      await this.#askNetwork();
      return this.#connection(address);
    } catch (error) {
      await this.#fail(error);
      throw error;
    }
  }

  /** Makes room for another flow: the page says that it is over. */
  replace(): void {
    this.#session.stop('stopped', 'Another one was begun.');
  }

  /** Ends everything at once; the page hears no more than that it is over. */
  close(): void {
    this.#session.close();
    this.#server.dispose();
    this.#over.resolve();
    if (current === this) current = undefined;
  }

  async #askAddress(): Promise<Address> {
    const { address: only = null, signal } = this.#options;
    this.#show('connect', 'current');
    const said = await this.#session.ask({ kind: 'connect', address: only }, signal);
    const address = checkAddress(said.address);
    if (only !== null && address !== checkAddress(only))
      throw new WalletError('account-changed', `The wallet gave ${address}, not ${only}.`);
    this.#show('connect', 'done');
    return address;
  }

  async #askNetwork(): Promise<void> {
    const { chain, signal } = this.#options;
    this.#show('network', 'current');
    const asked = { kind: 'network', chain: addedChain(chain) } as const;
    const { chainId } = await this.#session.ask(asked, signal);
    if (chainId !== chain.id)
      throw new WalletError('wrong-chain', `The wallet is on chain ${chainId}, not ${chain.id}.`);
    this.#show('network', 'done');
  }

  #connection(address: Address): WalletConnection {
    const { chain } = this.#options;
    const signer = new BrowserSigner({
      session: this.#session,
      address,
      chain,
      client: openChain(chain),
      clock: systemClock,
    });
    return {
      signer,
      show: (step, state) => this.#show(step, state),
      finish: (outcome, message) => this.#end(outcome, message),
      dispose: () => void this.#end('failed', vscode.l10n.t('This was ended in the editor.')),
    };
  }

  #show(
    step: WalletPageState['steps'][number]['step'],
    state: 'current' | 'done' | 'skipped',
  ): void {
    const steps = this.#session.state.steps.map((each) =>
      each.step === step ? { step, state } : each,
    );
    this.#session.change({ steps });
    this.#report(vscode.l10n.t('Continue in your browser.'));
  }

  #fail(error: unknown): Promise<void> {
    const failure =
      error instanceof WalletError
        ? error.failure
        : ({ code: 'internal-error', detail: '' } as const);
    return this.#end('failed', walletFailureWords(failure));
  }

  /** The first end counts. */
  #end(outcome: 'done' | 'failed', message: string): Promise<void> {
    this.#ending ??= this.#session.say(outcome, message).then(() => this.close());
    return this.#ending;
  }

  async #showProgress(): Promise<void> {
    const { purpose } = this.#options;
    const location = vscode.ProgressLocation.Notification;
    const link = {
      label: vscode.l10n.t('Copy link'),
      command: 'inferenceService.wallet.copyLink',
    } as const;
    await showProgress(
      { location, title: purpose, cancellable: true, link },
      async (report, token) => {
        this.#report = report;
        report(vscode.l10n.t('Continue in your browser.'));
        token.onCancellationRequested(() =>
          this.#session.stop('stopped', 'The person pressed Cancel in the editor.'),
        );
        await this.#over.promise;
      },
    );
  }
}

const firstState = ({
  purpose,
  chain,
  steps,
}: ConnectOptions): Omit<WalletPageState, 'number'> => ({
  purpose,
  chain: { id: chain.id, name: chain.name },
  account: null,
  steps: [...new Set(['connect', 'network', ...steps] as const)].map((step) => ({
    step,
    state: 'waiting' as const,
  })),
  ended: null,
});

async function pageFiles({ context }: Host): Promise<PageFiles> {
  const read = (name: string): Promise<Uint8Array> =>
    readFile(vscode.Uri.joinPath(context.extensionUri, 'dist', 'webview', name).fsPath);
  const [script, style] = await Promise.all([read('wallet.js'), read('wallet.css')]);
  return { html: walletPageHtml(pageWords(), vscode.env.language), script, style };
}
