import type {
  WalletPageAnswer,
  WalletPageEvent,
  WalletPagePoll,
  WalletPageReply,
  WalletPageRequest,
  WalletPageResult,
  WalletProblem,
} from '../../src/wallet/browser/protocol.ts';
import {
  readAccounts,
  requestChainId,
  type FoundWallet,
  ProblemError,
  toWalletProblem,
  type Provider,
  sendTransaction,
  signText,
  switchChain,
  watchWallet,
} from './provider.ts';
import type { HostConnection } from '../base/host-connection.ts';
import { initialView, type PageView } from './page-view.ts';

type RequestOf<Kind extends WalletPageRequest['kind']> = Extract<WalletPageRequest, { kind: Kind }>;

export type WalletConnection = HostConnection<WalletPagePoll, WalletPageReply, WalletPageEvent>;

interface PageOptions {
  readonly connection: WalletConnection;
  readonly onChange: (view: PageView) => void;
}

/**
 * Forwards requests of VS Code to the wallet, one at a time. Most requests are sent only when the user presses a button
 * on the page.
 */
export class WalletPage {
  readonly #options: PageOptions;
  #view = initialView;
  #provider: Provider | undefined;
  /** Account that was selected in the wallet when the user connected, in lowercase. */
  #account = '';

  constructor(options: PageOptions) {
    this.#options = options;
  }

  get view(): PageView {
    return this.#view;
  }

  /** Reserves the page for this browser tab, and handles the host's messages until the connection flow ends. */
  async handleMessagesUntilEnd(token: string | undefined): Promise<void> {
    const { connection } = this.#options;
    const endReason =
      (await connection.claim(token)) ??
      (await connection.listen({
        createPoll: () => ({
          state: this.#view.state?.number ?? 0,
          requestId: this.#view.request?.id ?? null,
        }),
        onReply: (reply) => this.#handleReply(reply),
        onOfflineChange: (isOffline) => this.#changeView({ isOffline }),
      }));
    if (endReason !== undefined) this.#changeView({ endReason, request: null });
  }

  showWallets(wallets: readonly FoundWallet[], isSearching: boolean): void {
    this.#changeView({ wallets, isSearching });
  }

  /** Reports to the host that the user is closing or reloading the page. */
  reportLeaving(): void {
    const { state, endReason } = this.#view;
    if (state !== null && state.ended === null && endReason === null)
      void this.#options.connection.notify('page-closed');
  }

  async connectWallet(wallet: FoundWallet): Promise<void> {
    const { request } = this.#view;
    if (request?.kind !== 'connect') return;
    await this.#performRequest(request, () => this.#connectWallet(wallet.provider, request));
  }

  /** Sends the pending request to the wallet. Called when the user presses the button of the request. */
  async sendRequest(): Promise<void> {
    const { request } = this.#view;
    const provider = this.#provider;
    if (request === null || request.kind === 'connect' || provider === undefined) return;
    await this.#performRequest(request, () => this.#requestFromWallet(provider, request));
  }

  async cancelFlow(): Promise<void> {
    const { request } = this.#view;
    await (request === null
      ? this.#options.connection.notify('canceled')
      : this.#answerRequest(request, 'canceled'));
  }

  #handleReply({ state, requestId, request }: WalletPageReply): boolean {
    const isSameRequest = requestId !== null && requestId === this.#view.request?.id;
    this.#changeView({
      ...(state === null ? {} : { state }),
      ...(isSameRequest
        ? {}
        : { request, waitsFor: request === null ? 'host' : 'user', otherAccount: null }),
    });
    if (!isSameRequest && request !== null && request.kind !== 'connect')
      void this.#completeNetworkRequest(request);
    return this.#view.state?.ended === null || this.#view.state === null;
  }

  /**
   * Completes a request to switch to a chain without a button press if the wallet already uses this chain. Does nothing
   * for other requests, and before the page is connected.
   */
  async #completeNetworkRequest(request: WalletPageRequest): Promise<void> {
    if (this.#provider === undefined) return;
    if (request.kind !== 'network') return;
    const chainId = await requestChainId(this.#provider).catch(() => undefined);
    if (chainId === Number(request.chain.chainId))
      await this.#answerRequest(request, { kind: 'network', chainId });
  }

  async #connectWallet(
    provider: Provider,
    request: RequestOf<'connect'>,
  ): Promise<WalletPageResult | undefined> {
    const [account = ''] = await readAccounts(provider, true);
    const requiredAccount = request.address?.toLowerCase() ?? account.toLowerCase();
    if (account === '') throw new ProblemError('unauthorised');
    if (account.toLowerCase() !== requiredAccount) {
      this.#changeView({ waitsFor: 'user', otherAccount: account });
      return undefined;
    }
    this.#selectAccount(provider, account);
    return { kind: 'connect', address: account, chainId: await requestChainId(provider) };
  }

  #selectAccount(provider: Provider, account: string): void {
    this.#account = account.toLowerCase();
    if (this.#provider === provider) return;
    this.#provider = provider;
    watchWallet(provider, {
      getRequiredAccount: () => this.#account,
      // The wallet may be on any chain until the network step is complete.
      getRequiredChainId: () =>
        this.#isStepDone('network') ? this.#view.state?.chain?.id : undefined,
      onEvent: (event) => void this.#options.connection.notify(event),
    });
  }

  #requestFromWallet(
    provider: Provider,
    request: Exclude<WalletPageRequest, { kind: 'connect' }>,
  ): Promise<WalletPageResult> {
    switch (request.kind) {
      case 'network':
        return switchChain(provider, request.chain);
      case 'sign':
        return signText(provider, request);
      case 'send':
        return sendTransaction(provider, request, () =>
          this.#options.connection.notify('wallet-requested'),
        );
    }
  }

  async #performRequest(
    request: WalletPageRequest,
    perform: () => Promise<WalletPageResult | undefined>,
  ): Promise<void> {
    if (this.#view.waitsFor !== 'user') return;
    this.#changeView({ waitsFor: 'wallet', otherAccount: null });
    try {
      const result = await perform();
      if (result !== undefined) await this.#answerRequest(request, result);
    } catch (error) {
      const problem = error instanceof ProblemError ? error.problem : toWalletProblem(error);
      await this.#answerRequest(request, problem);
    }
  }

  async #answerRequest(
    request: WalletPageRequest,
    outcome: WalletPageResult | WalletProblem,
  ): Promise<void> {
    // Meanwhile, the host dropped the request or the user canceled it.
    if (this.#view.request !== request) return;
    const { id } = request;
    const isSent = typeof outcome !== 'string' && outcome.kind === 'send';
    this.#changeView({ request: null, waitsFor: 'host', isSent, otherAccount: null });
    const answer: WalletPageAnswer =
      typeof outcome === 'string' ? { id, error: outcome } : { id, result: outcome };
    await this.#options.connection.sendWithRetry('answer', answer);
  }

  #isStepDone(step: string): boolean {
    return (
      this.#view.state?.steps.some(
        (candidate) => candidate.step === step && candidate.state === 'done',
      ) ?? false
    );
  }

  #changeView(changes: Partial<PageView>): void {
    this.#view = { ...this.#view, ...changes };
    this.#options.onChange(this.#view);
  }
}
