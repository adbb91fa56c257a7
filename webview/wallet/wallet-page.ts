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
  accountsOf,
  chainOf,
  type FoundWallet,
  ProblemError,
  problemOf,
  type Provider,
  sendTransaction,
  signText,
  switchChain,
  watchWallet,
} from './provider.ts';
import type { HostLink } from '../base/host-link.ts';
import { firstView, type PageView } from './page-view.ts';

type RequestOf<Kind extends WalletPageRequest['kind']> = Extract<WalletPageRequest, { kind: Kind }>;

export type WalletLink = HostLink<WalletPagePoll, WalletPageReply, WalletPageEvent>;

interface PageOptions {
  readonly link: WalletLink;
  readonly onChange: (view: PageView) => void;
}

/** Brings the editor and the wallet together: one request at a time, each after the person pressed its button. */
export class WalletPage {
  readonly #options: PageOptions;
  #view = firstView;
  #provider: Provider | undefined;
  /** The account that was the wallet's chosen one when it was connected. */
  #chosen = '';

  constructor(options: PageOptions) {
    this.#options = options;
  }

  get view(): PageView {
    return this.#view;
  }

  /** Speaks with the editor until the end. */
  async run(token: string | undefined): Promise<void> {
    const { link } = this.#options;
    const end =
      (await link.claim(token)) ??
      (await link.listen({
        has: () => ({
          state: this.#view.state?.number ?? 0,
          asking: this.#view.request?.id ?? null,
        }),
        onReply: (reply) => this.#hear(reply),
        offline: (isOffline) => this.#change({ isOffline }),
      }));
    if (end !== undefined) this.#change({ end, request: null });
  }

  found(wallets: readonly FoundWallet[], isSearching: boolean): void {
    this.#change({ wallets, isSearching });
  }

  /** The person is about to close or reload the page. */
  leave(): void {
    const { state, end } = this.#view;
    if (state !== null && state.ended === null && end === null)
      void this.#options.link.notify('page-closed');
  }

  async connect(wallet: FoundWallet): Promise<void> {
    const { request } = this.#view;
    if (request?.kind !== 'connect') return;
    await this.#perform(request, () => this.#connect(wallet.provider, request));
  }

  /** The button of whatever is asked now. */
  async go(): Promise<void> {
    const { request } = this.#view;
    const provider = this.#provider;
    if (request === null || request.kind === 'connect' || provider === undefined) return;
    await this.#perform(request, () => this.#ask(provider, request));
  }

  async cancel(): Promise<void> {
    const { request } = this.#view;
    await (request === null
      ? this.#options.link.notify('cancelled')
      : this.#answer(request, 'cancelled'));
  }

  #hear({ state, asking, request }: WalletPageReply): boolean {
    const isSame = asking !== null && asking === this.#view.request?.id;
    this.#change({
      ...(state === null ? {} : { state }),
      ...(isSame
        ? {}
        : { request, waitsFor: request === null ? 'host' : 'person', otherAccount: null }),
    });
    if (!isSame && request !== null && request.kind !== 'connect') void this.#begin(request);
    return this.#view.state?.ended === null || this.#view.state === null;
  }

  /** What needs no person is done at once; a page that was loaded anew has to be connected again first. */
  async #begin(request: WalletPageRequest): Promise<void> {
    if (this.#provider === undefined) return;
    if (request.kind !== 'network') return;
    const chainId = await chainOf(this.#provider).catch(() => undefined);
    if (chainId === Number(request.chain.chainId))
      await this.#answer(request, { kind: 'network', chainId });
  }

  async #connect(
    provider: Provider,
    request: RequestOf<'connect'>,
  ): Promise<WalletPageResult | undefined> {
    const [account = ''] = await accountsOf(provider, true);
    const only = request.address?.toLowerCase() ?? account.toLowerCase();
    if (account === '') throw new ProblemError('unauthorised');
    if (account.toLowerCase() !== only) {
      this.#change({ waitsFor: 'person', otherAccount: account });
      return undefined;
    }
    this.#use(provider, account);
    return { kind: 'connect', address: account, chainId: await chainOf(provider) };
  }

  #use(provider: Provider, account: string): void {
    this.#chosen = account.toLowerCase();
    if (this.#provider === provider) return;
    this.#provider = provider;
    watchWallet(provider, {
      account: () => this.#chosen,
      // Before that step is done the wallet may be anywhere.
      chainId: () => (this.#isDone('network') ? this.#view.state?.chain.id : undefined),
      tell: (event) => void this.#options.link.notify(event),
    });
  }

  #ask(
    provider: Provider,
    request: Exclude<WalletPageRequest, { kind: 'connect' }>,
  ): Promise<WalletPageResult> {
    switch (request.kind) {
      case 'network':
        return switchChain(provider, request.chain);
      case 'sign':
        return signText(provider, request);
      case 'send':
        return sendTransaction(provider, request, () => this.#options.link.notify('wallet-asked'));
    }
  }

  async #perform(
    request: WalletPageRequest,
    work: () => Promise<WalletPageResult | undefined>,
  ): Promise<void> {
    if (this.#view.waitsFor !== 'person') return;
    this.#change({ waitsFor: 'wallet', otherAccount: null });
    try {
      const result = await work();
      if (result !== undefined) await this.#answer(request, result);
    } catch (error) {
      const problem = error instanceof ProblemError ? error.problem : problemOf(error);
      await this.#answer(request, problem);
    }
  }

  async #answer(
    request: WalletPageRequest,
    outcome: WalletPageResult | WalletProblem,
  ): Promise<void> {
    // The editor has let go of it, or the person has cancelled it meanwhile.
    if (this.#view.request !== request) return;
    const { id } = request;
    const isSent = typeof outcome !== 'string' && outcome.kind === 'send';
    this.#change({ request: null, waitsFor: 'host', isSent, otherAccount: null });
    const answer: WalletPageAnswer =
      typeof outcome === 'string' ? { id, error: outcome } : { id, result: outcome };
    await this.#options.link.sendWithRetry('answer', answer);
  }

  #isDone(step: string): boolean {
    return (
      this.#view.state?.steps.some((each) => each.step === step && each.state === 'done') ?? false
    );
  }

  #change(part: Partial<PageView>): void {
    this.#view = { ...this.#view, ...part };
    this.#options.onChange(this.#view);
  }
}
