import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Host } from '../../../host.ts';
import {
  showProgress,
  showInformation,
  showStatusMessage,
} from '../../../platform/notifications.ts';
import {
  type OpenedPage,
  openPage,
  PageError,
  readPageAssets,
  renderPageHtml,
} from '../../../platform/pages/open-page.ts';
import type { PageCall } from '../../../platform/pages/page-server.ts';
import { walletCalls, type WalletPageLabels } from '../protocol.ts';
import {
  BrowserSigner,
  connectBrowserAccount,
  initialPageState,
  showStep,
} from './browser-signer.ts';
import { pageLabels } from './page-labels.ts';
import { PageSession } from './page-session.ts';
import { createChainClient } from '../../chain-client.ts';
import type { Address } from '../../chain.ts';
import type { ConnectOptions, WalletConnection } from '../../signer.ts';
import { walletFailureMessage } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';

/** The page as it is served: nothing of the flow is in it, and nothing runs but its own script. */
export const walletPageHtml = (words: WalletPageLabels, language: string): string =>
  renderPageHtml({ title: words.title, language, name: 'wallet', texts: words });

/**
 * Opens the page of the wallet where the user's browser is.
 * @throws WalletError `page-unavailable` when others could reach it, `rejected` when nobody knows and the user declines
 */
async function openWalletPage(session: PageSession, { context, log }: Host): Promise<OpenedPage> {
  const page = {
    html: walletPageHtml(pageLabels(), vscode.env.language),
    assets: await readPageAssets(context, ['wallet.js', 'wallet.css']),
    calls: walletCalls,
    answer: (call: PageCall) => session.respond(call),
  };
  try {
    return await openPage({ page, pairing: session.pairing, clock: systemClock, log });
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    const code = error.code === 'unavailable' ? 'page-unavailable' : 'rejected';
    throw new WalletError(code, error.message);
  }
}

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
  if (browserWalletProblem() !== undefined)
    throw new WalletError(
      'page-unavailable',
      vscode.l10n.t('This editor has no machine behind it.'),
    );
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
  readonly #opened: OpenedPage;
  readonly #over = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;
  #report: (message: string) => void = () => {};

  static async start(host: Host, options: ConnectOptions): Promise<BrowserFlow> {
    const session = new PageSession({ state: initialPageState(options), clock: systemClock });
    try {
      const opened = await openWalletPage(session, host);
      return new BrowserFlow({ options, session, opened });
    } catch (error) {
      session.close();
      throw error;
    }
  }

  private constructor(parts: {
    readonly options: ConnectOptions;
    readonly session: PageSession;
    readonly opened: OpenedPage;
  }) {
    this.#options = parts.options;
    this.#session = parts.session;
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
    return this.#session.pairing.isClaimed ? undefined : this.#opened.link;
  }

  async connect(): Promise<WalletConnection> {
    try {
      const address = await connectBrowserAccount(this.#session, this.#options);
      // The link has gone to a tab by now.
      this.#report(vscode.l10n.t('Continue in your browser.'));
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
    this.#opened.dispose();
    this.#over.resolve();
    if (current === this) current = undefined;
  }

  #connection(address: Address): WalletConnection {
    const { chain } = this.#options;
    const signer = new BrowserSigner({
      session: this.#session,
      address,
      chain,
      client: createChainClient(chain),
      clock: systemClock,
    });
    return {
      signer,
      show: (step, state) => showStep(this.#session, step, state),
      finish: (outcome, message) => this.#end(outcome, message),
      dispose: () => void this.#end('failed', vscode.l10n.t('This was ended in the editor.')),
    };
  }

  #fail(error: unknown): Promise<void> {
    const failure =
      error instanceof WalletError
        ? error.failure
        : ({ code: 'internal-error', detail: '' } as const);
    return this.#end('failed', walletFailureMessage(failure));
  }

  /** The first end counts. */
  #end(outcome: 'done' | 'failed', message: string): Promise<void> {
    this.#ending ??= this.#session.say(outcome, message).then(() => this.close());
    return this.#ending;
  }

  async #showProgress(): Promise<void> {
    const { purpose } = this.#options;
    const location = vscode.ProgressLocation.Notification;
    const copy = {
      label: vscode.l10n.t('Copy link'),
      command: 'inferenceService.wallet.copyLink',
    } as const;
    const link = (): typeof copy | undefined => (this.link === undefined ? undefined : copy);
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

/** Copies the link of the wallet's page, for another browser than the one that was opened. */
export async function copyLinkCommand(): Promise<void> {
  const isCopied = await copyPageLink();
  if (isCopied) return showStatusMessage(vscode.l10n.t('The link was copied. It works once.'));
  await showInformation(
    vscode.l10n.t(
      'There is no link to copy: the page of the wallet is open in a browser already, or none is needed now. Cancel and start again for a new one.',
    ),
  );
}
