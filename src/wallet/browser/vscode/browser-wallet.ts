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
  type BrowserAccount,
  BrowserSigner,
  connectBrowserAccount,
  createInitialPageState,
  showStep,
} from './browser-signer.ts';
import { PageSession } from './page-session.ts';
import { createChainClient } from '../../chain-client.ts';
import type { ConnectOptions, WalletConnection } from '../../signer.ts';
import { formatWalletFailure } from '../../vscode/wallet-messages.ts';
import { WalletError } from '../../wallet-failure.ts';

/**
 * Returns the HTML of the wallet page. The HTML contains no data of the flow, and only the page's
 * script runs in it.
 */
export const createWalletPageHtml = (labels: WalletPageLabels, language: string): string =>
  renderPageHtml({ title: labels.title, language, name: 'wallet', texts: labels });

/**
 * Opens the wallet page in the user's browser.
 * @throws WalletError `page-unavailable` if other users could reach the page; `rejected` if the extension cannot
 *   determine who can reach the page and the user declines to open it
 */
async function openWalletPage(session: PageSession, { context, log }: Host): Promise<OpenedPage> {
  const page = {
    html: createWalletPageHtml(getPageLabels(), vscode.env.language),
    assets: await readPageAssets(context, ['wallet.js', 'wallet.css']),
    calls: walletCalls,
    respond: (call: PageCall) => session.respond(call),
  };
  try {
    return await openPage({ page, pairing: session.pairing, clock: systemClock, log });
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    const code = error.code === 'unavailable' ? 'page-unavailable' : 'rejected';
    throw new WalletError(code, error.message);
  }
}

/**
 * Returns a message for the user if the wallet page cannot open because VS Code runs only in a browser; otherwise
 * `undefined`.
 */
export function findBrowserWalletProblem(): string | undefined {
  const isBrowserOnly =
    vscode.env.uiKind === vscode.UIKind.Web && vscode.env.remoteName === undefined;
  return isBrowserOnly
    ? vscode.l10n.t('This editor runs only in the browser. Open the folder in the desktop editor.')
    : undefined;
}

/**
 * Connects a wallet in the user's browser and ends the previous connection. The wallet page stays open until the
 * connection is disposed. While the page is open, a notification has a Cancel button and a link that opens the page in
 * another browser.
 * @throws WalletError if the page cannot be opened or the wallet does not connect
 */
export async function connectBrowserWallet(
  host: Host,
  options: ConnectOptions,
): Promise<WalletConnection> {
  if (findBrowserWalletProblem() !== undefined)
    throw new WalletError(
      'page-unavailable',
      vscode.l10n.t('This editor runs only in the browser. Open the folder in the desktop editor.'),
    );
  currentFlow?.endForNewFlow();
  const flow = await BrowserFlow.start(host, options);
  currentFlow = flow;
  if (!isCloseRegistered)
    host.context.subscriptions.push({ dispose: () => currentFlow?.endFlow() });
  isCloseRegistered = true;
  return flow.connect();
}

/**
 * Copies the link of the wallet page to the clipboard. Returns false if there is no link to copy.
 */
export async function copyPageLink(): Promise<boolean> {
  const link = currentFlow?.link;
  if (link === undefined) return false;
  await vscode.env.clipboard.writeText(link);
  return true;
}

let currentFlow: BrowserFlow | undefined;
let isCloseRegistered = false;

/** One wallet flow: an open wallet page, its progress notification and the connected signer. */
class BrowserFlow {
  readonly #options: ConnectOptions;
  readonly #session: PageSession;
  readonly #openedPage: OpenedPage;
  readonly #pageCloseEvent = Promise.withResolvers<void>();
  #finishPromise: Promise<void> | undefined;
  #showMessage: (message: string) => void = () => {};

  static async start(host: Host, options: ConnectOptions): Promise<BrowserFlow> {
    const session = new PageSession({ state: createInitialPageState(options), clock: systemClock });
    try {
      const openedPage = await openWalletPage(session, host);
      return new BrowserFlow({ options, session, openedPage });
    } catch (error) {
      session.endFlow();
      throw error;
    }
  }

  private constructor(parts: {
    readonly options: ConnectOptions;
    readonly session: PageSession;
    readonly openedPage: OpenedPage;
  }) {
    this.#options = parts.options;
    this.#session = parts.session;
    this.#openedPage = parts.openedPage;
    const { signal } = parts.options;
    const { endSignal } = this.#session;
    const stopFlow = (): void => this.#session.failFlow('stopped', 'The flow was stopped.');
    // The page shows the error immediately, and later requests fail with the same error.
    endSignal.addEventListener('abort', () => void this.#failFlow(endSignal.reason), {
      once: true,
    });
    signal.addEventListener('abort', stopFlow, { signal: endSignal });
    if (signal.aborted) stopFlow();
    void this.#showProgress();
  }

  /** Link to the wallet page. `undefined` after a tab opened the link, because the link works for only one tab. */
  get link(): string | undefined {
    return this.#session.pairing.isClaimed ? undefined : this.#openedPage.link;
  }

  async connect(): Promise<WalletConnection> {
    try {
      const account = await connectBrowserAccount(this.#session, this.#options);
      // By now, a tab has opened the link.
      this.#showMessage(vscode.l10n.t('Continue in your browser.'));
      return this.#createConnection(account);
    } catch (error) {
      await this.#failFlow(error);
      throw error;
    }
  }

  /** Ends this flow because a new flow starts. The page shows this reason. */
  endForNewFlow(): void {
    this.#session.failFlow('stopped', 'A new flow was started.');
  }

  /** Ends the flow immediately. The page shows only that the flow has ended. */
  endFlow(): void {
    this.#session.endFlow();
    this.#openedPage.dispose();
    this.#pageCloseEvent.resolve();
    if (currentFlow === this) currentFlow = undefined;
  }

  #createConnection(account: BrowserAccount): WalletConnection {
    const { chain } = this.#options;
    const signer = new BrowserSigner({
      session: this.#session,
      ...account,
      client: chain && createChainClient(chain),
      clock: systemClock,
    });
    return {
      signer,
      showStep: (step, state) => showStep(this.#session, step, state),
      showOutcome: (outcome, message) => this.#finishFlow(outcome, message),
      dispose: () =>
        void this.#finishFlow('failed', vscode.l10n.t('Stopped. Nothing more was signed or sent.')),
    };
  }

  #failFlow(error: unknown): Promise<void> {
    const failure =
      error instanceof WalletError
        ? error.failure
        : ({ code: 'internal-error', detail: '' } as const);
    return this.#finishFlow('failed', formatWalletFailure(failure));
  }

  /** Finishes the flow. Later calls return the result of the first call. */
  #finishFlow(outcome: 'done' | 'failed', message: string): Promise<void> {
    this.#finishPromise ??= this.#session.showOutcome(outcome, message).then(() => this.endFlow());
    return this.#finishPromise;
  }

  async #showProgress(): Promise<void> {
    const { purpose } = this.#options;
    const location = vscode.ProgressLocation.Notification;
    const copyButton = {
      label: vscode.l10n.t('Copy link'),
      command: 'inferenceService.wallet.copyLink',
    } as const;
    const getLink = (): typeof copyButton | undefined =>
      this.link === undefined ? undefined : copyButton;
    await showProgress(
      { location, title: purpose, cancellable: true, getLink },
      async (report, token) => {
        this.#showMessage = report;
        report(vscode.l10n.t('Continue in your browser.'));
        token.onCancellationRequested(() =>
          this.#session.failFlow('stopped', 'The user pressed Cancel in VS Code.'),
        );
        await this.#pageCloseEvent.promise;
      },
    );
  }
}

/** Runs "Copy Link to Wallet Page", which copies the link of the wallet page for use in another browser. */
export async function copyLinkCommand(): Promise<void> {
  const isCopied = await copyPageLink();
  if (isCopied) return showStatusMessage(vscode.l10n.t('The link was copied. It works once.'));
  await showInformation(
    vscode.l10n.t(
      'There is no link to copy: the page of the wallet is open in a browser already, or none is needed now. Cancel and start again for a new one.',
    ),
  );
}

/** Returns the texts of the page in the language of VS Code. */
export function getPageLabels(): WalletPageLabels {
  return { ...getStepLabels(), ...getRequestLabels(), ...getWalletLabels(), ...getOutcomeLabels() };
}

const getStepLabels = () => ({
  title: vscode.l10n.t('Inference Service'),
  steps: vscode.l10n.t('Steps'),
  stepDone: vscode.l10n.t('Done'),
  stepCurrent: vscode.l10n.t('Running'),
  stepWaiting: vscode.l10n.t('Waiting for its turn'),
  stepSkipped: vscode.l10n.t('not needed'),
  connect: vscode.l10n.t('Connect'),
  connectText: vscode.l10n.t(
    'The wallet asks whether this page may see your address. It cannot move anything with that.',
  ),
  network: vscode.l10n.t('Network'),
  networkText: vscode.l10n.t(
    'The wallet may ask to switch to another network, or to add it. This costs nothing.',
  ),
  approve: vscode.l10n.t('Approve'),
  approveText: vscode.l10n.t(
    'The wallet asks you to let the staking contract take exactly the amount you chose, once. It never asks for more.',
  ),
  stake: vscode.l10n.t('Stake'),
  stakeText: vscode.l10n.t(
    'The wallet asks you to send one transaction that stakes exactly this amount. The staked tokens stay yours.',
  ),
  unstake: vscode.l10n.t('Unstake'),
  unstakeText: vscode.l10n.t(
    'The wallet asks you to send one transaction to the staking contract. It takes nothing from you but the fee.',
  ),
  sign: vscode.l10n.t('Sign'),
  signText: vscode.l10n.t(
    'The wallet asks you to sign a text that proves the address is yours. It sends no transaction and costs nothing.',
  ),
});

const getRequestLabels = () => ({
  connectWith: vscode.l10n.t('Connect with {0}', '{0}'),
  chooseWallet: vscode.l10n.t('Choose a wallet'),

  browserWallet: vscode.l10n.t('Browser wallet'),
  account: vscode.l10n.t('Account'),
  chain: vscode.l10n.t('Network'),
  switchNetwork: vscode.l10n.t('Switch network'),
  networkAsks: vscode.l10n.t(
    'Your wallet is on another network. Switch it to {0} to continue.',
    '{0}',
  ),
  openWallet: vscode.l10n.t('Continue in wallet'),
  onlyAccount: vscode.l10n.t('Only this account will do: {0}', '{0}'),
  otherAccount: vscode.l10n.t(
    'The wallet returned {0}. Choose the account above in your wallet, then try again.',
    '{0}',
  ),
  cancel: vscode.l10n.t('Cancel'),
  inWallet: vscode.l10n.t(
    'Answer in your wallet. If you do not see it, open the wallet from the toolbar of the browser.',
  ),
  working: vscode.l10n.t('Loading…'),
  inEditor: vscode.l10n.t('Continue in the editor.'),
  sent: vscode.l10n.t('Sent. Waiting for the network to confirm it.'),
  details: vscode.l10n.t('Details'),
  contract: vscode.l10n.t('Contract'),
  warning: vscode.l10n.t('Warning'),
});

const getWalletLabels = () => ({
  searching: vscode.l10n.t('Loading…'),
  noWalletTitle: vscode.l10n.t('No wallet was found in this browser'),
  noWalletText: vscode.l10n.t(
    'Install a wallet extension or turn it on for this site, then refresh. Or cancel, and choose a local account or “Copy link” in the editor.',
  ),
  reload: vscode.l10n.t('Refresh'),
});

const getOutcomeLabels = () => ({
  secondTitle: vscode.l10n.t(
    'This page is open in another tab. Continue there, or start again in the editor.',
  ),
  brokenTitle: vscode.l10n.t(
    'The link is not complete. If the editor opens no other page, choose “Copy link” there.',
  ),
  goneTitle: vscode.l10n.t('The editor no longer answers. You can close this tab.'),
  offlineText: vscode.l10n.t('Trying again…'),
  doneTitle: vscode.l10n.t('Done'),
  failedTitle: vscode.l10n.t('Not done'),
  closeTab: vscode.l10n.t('You can close this tab.'),
});
