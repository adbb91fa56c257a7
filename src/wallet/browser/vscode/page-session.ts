import type { Clock } from '../../../base/clock.ts';
import type { CallResponse, PageCall } from '../../../platform/pages/page-server.ts';
import { newSecret, PagePairing } from '../../../platform/pages/pairing.ts';
import {
  readAnswer,
  readPageEvent,
  readPoll,
  type WalletPageAnswer,
  type WalletPageEvent,
  type WalletPagePoll,
  type WalletPageReply,
  type WalletPageRequest,
  type WalletPageResult,
  type WalletPageState,
  walletPageVersion,
  type WalletProblem,
} from '../protocol.ts';
import { WalletError, type WalletFailure, type WalletFailureCode } from '../../wallet-failure.ts';

export interface PageSessionOptions {
  readonly state: Omit<WalletPageState, 'number'>;
  readonly clock: Clock;
  /** As {@link newSecret}, which it replaces in tests. */
  readonly secret?: () => string;
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
type Asked = WithoutId<WalletPageRequest>;
type ResultOf<A extends Asked> = Extract<WalletPageResult, { kind: A['kind'] }>;

interface Pending {
  readonly request: WalletPageRequest;
  readonly settle: (outcome: WalletPageResult | WalletError) => void;
  isDelivered: boolean;
  /** The page has passed it on to the wallet, which may act on it whatever becomes of the page. */
  isWithWallet: boolean;
}

/** A wallet that does not answer for so long is not waited for. */
const answerMs = 5 * 60_000;
/** A page that is loaded anew says goodbye and comes back. */
const reloadMs = 5_000;
/** A poll is answered at the latest after this time, with nothing when there is nothing. */
const pollMs = 25_000;
/** How long the page has to hear how it ended. */
const farewellMs = 2_000;

/**
 * One flow with one tab: what the page shows, what the wallet is asked. Everything that the page says is checked by who
 * asked.
 */
export class PageSession {
  readonly pairing: PagePairing;
  /** Aborts when the flow cannot go on; the reason is a WalletError. */
  readonly ended: AbortSignal;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #end = new AbortController();
  #state: WalletPageState;
  #pending: Pending | undefined;
  #onFarewell: () => void = () => {};

  constructor({ state, clock, secret = newSecret }: PageSessionOptions) {
    this.#clock = clock;
    this.#newId = secret;
    this.ended = this.#end.signal;
    this.#state = { ...state, number: 1 };
    this.pairing = new PagePairing({
      ...{ clock, version: walletPageVersion, reloadMs, pollMs, secret },
      onReload: () => this.#loadedAnew(),
      onClosed: () => this.stop('rejected', 'The page of the wallet was closed.'),
      onIdle: () => this.stop('wallet-timeout', 'The page of the wallet did not answer any more.'),
    });
  }

  get state(): WalletPageState {
    return this.#state;
  }

  /** The reply to a call of the page, or the status of a refusal: as the pairing, and 404: not asked. */
  respond(call: PageCall): Promise<CallResponse | number> {
    return this.pairing.respond(call, (known) => this.#perform(known));
  }

  /**
   * What the page should show and ask, as soon as it is something else than it has; the same after some time in which
   * nothing changed.
   */
  async poll(has: WalletPagePoll): Promise<WalletPageReply> {
    const isNewest = await this.pairing.waitForEvents(this.#isNews(has));
    // An older question of the same page: whoever asked it is not there any more.
    if (!isNewest) return { state: null, asking: has.asking, request: null };
    const { request } = this.#pending ?? { request: null };
    const isNewState = has.state !== this.#state.number;
    if (this.#pending !== undefined) this.#pending.isDelivered = true;
    return {
      state: isNewState ? this.#state : null,
      asking: request?.id ?? null,
      request: request?.id === has.asking ? null : request,
    };
  }

  /** A reply to `poll` has left this machine. */
  left({ state }: WalletPageReply): void {
    if (state !== null && state.ended !== null) this.#onFarewell();
  }

  /** @returns `unknown` for an answer to what is not asked, `wrong-kind` for a result of another kind */
  answer(answer: WalletPageAnswer): 'ok' | 'unknown' | 'wrong-kind' {
    const pending = this.#pending;
    if (pending === undefined || !pending.isDelivered || pending.request.id !== answer.id)
      return 'unknown';
    if ('error' in answer) this.#fail(answer.error);
    else if (answer.result.kind === pending.request.kind) pending.settle(answer.result);
    else return 'wrong-kind';
    return 'ok';
  }

  /** What the page says of itself and the wallet. */
  hear(event: WalletPageEvent): void {
    if (event === 'wallet-asked') {
      if (this.#pending?.isDelivered === true) this.#pending.isWithWallet = true;
    } else if (event === 'page-closed') {
      this.pairing.scheduleClose();
    } else if (event === 'cancelled') this.stop('rejected', problems.cancelled.detail);
    else this.#fail(event);
  }

  /** Changes what the page shows. */
  change(part: Partial<Omit<WalletPageState, 'number'>>): void {
    if (this.#state.ended !== null) return;
    this.#state = { ...this.#state, ...part, number: this.#state.number + 1 };
    this.pairing.wake();
  }

  /**
   * Asks the wallet, through the page; one thing at a time.
   * @throws WalletError
   */
  async ask<A extends Asked>(asked: A, signal: AbortSignal): Promise<ResultOf<A>> {
    if (this.ended.aborted) throw this.#reason();
    if (this.#pending !== undefined)
      throw new WalletError('wallet-busy', 'The wallet is asked for something else already.');
    const outcome = Promise.withResolvers<WalletPageResult | WalletError>();
    const request: WalletPageRequest = { ...asked, id: this.#newId() };
    const pending = { request, settle: outcome.resolve, isDelivered: false, isWithWallet: false };
    const onAbort = (): void => outcome.resolve(this.#lost('stopped', 'It was stopped.'));
    const cancel = this.#clock.after(answerMs, () =>
      outcome.resolve(new WalletError('wallet-timeout', 'The wallet did not answer.')),
    );
    this.#pending = pending;
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.pairing.wake();
    const settled = await outcome.promise;
    cancel();
    signal.removeEventListener('abort', onAbort);
    this.#pending = undefined;
    this.pairing.wake();
    if (settled instanceof WalletError) throw settled;
    return settled as ResultOf<A>;
  }

  /** Ends the flow: whatever is asked fails, now and later. */
  stop(code: WalletFailureCode, detail: string): void {
    if (this.ended.aborted) return;
    const lost = this.#lost(code, detail);
    this.#end.abort(lost);
    this.#pending?.settle(lost);
    this.pairing.end();
  }

  /** Shows how it ended; resolves when the page knows, or after two seconds. */
  async say(outcome: 'done' | 'failed', message: string): Promise<void> {
    if (this.#state.ended !== null) return undefined;
    const told = Promise.withResolvers<void>();
    this.#onFarewell = told.resolve;
    const cancel = this.#clock.after(farewellMs, told.resolve);
    this.change({ ended: { outcome, message } });
    if (!this.pairing.isClaimed) told.resolve();
    return told.promise.finally(cancel);
  }

  /** Lets go of all timers, and answers who waits. */
  close(): void {
    this.stop('stopped', 'The page of the wallet is not needed any more.');
    this.pairing.wake();
  }

  #reason(): WalletError {
    const { reason }: { reason: unknown } = this.ended;
    return reason instanceof WalletError ? reason : new WalletError('stopped', 'It was stopped.');
  }

  /** A transaction that the wallet has before it may still be sent, though nobody waits for it any more. */
  #lost(code: WalletFailureCode, detail: string): WalletError {
    const isSending = this.#pending?.request.kind === 'send' && this.#pending.isWithWallet;
    // That one says itself that the request may still wait in the wallet.
    return isSending && code !== 'wallet-timeout'
      ? new WalletError('transaction-unknown', `${detail} The wallet may still send it.`)
      : new WalletError(code, detail);
  }

  #fail(problem: WalletProblem): void {
    const { code, detail } = problems[problem];
    if (endsAll.has(problem)) return this.stop(code, detail);
    const isLost = problem === 'cancelled';
    this.#pending?.settle(isLost ? this.#lost(code, detail) : new WalletError(code, detail));
  }

  #isNews({ state, asking }: WalletPagePoll): boolean {
    return state !== this.#state.number || asking !== (this.#pending?.request.id ?? null);
  }

  /** The page forgot what it asked of the wallet, so it asks again; but never sends a transaction twice. */
  #loadedAnew(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    if (pending.request.kind === 'send' && pending.isWithWallet)
      return this.stop('stopped', 'The page was loaded anew.');
    pending.isDelivered = false;
    pending.isWithWallet = false;
  }

  async #perform({ name, body }: PageCall): Promise<CallResponse | number> {
    if (name === 'poll') {
      const poll = readPoll(body);
      if (poll === undefined) return 400;
      const reply = await this.poll(poll);
      return { body: reply, onSent: () => this.left(reply) };
    }
    if (name === 'answer') {
      const answer = readAnswer(body);
      const taken = answer === undefined ? 'wrong-kind' : this.answer(answer);
      return { ok: { body: {} }, unknown: 404, 'wrong-kind': 400 }[taken];
    }
    const event = readPageEvent(body)?.event;
    if (event === undefined) return 400;
    this.hear(event);
    return { body: {} };
  }
}

const problems: Record<WalletProblem, WalletFailure> = {
  rejected: { code: 'rejected', detail: 'The request was declined in the wallet.' },
  cancelled: { code: 'rejected', detail: 'The person pressed Cancel on the page.' },
  busy: { code: 'wallet-busy', detail: 'A request is open in the wallet already.' },
  unauthorised: { code: 'wallet-unavailable', detail: 'The wallet does not allow it.' },
  unsupported: { code: 'wallet-unavailable', detail: 'The wallet cannot do this.' },
  disconnected: { code: 'wallet-unavailable', detail: 'The wallet is cut off.' },
  'account-changed': { code: 'account-changed', detail: 'The wallet changed to another account.' },
  'wrong-chain': { code: 'wrong-chain', detail: 'The wallet is on another chain.' },
  other: { code: 'wallet-unavailable', detail: 'The wallet failed.' },
};

/** After these nothing that was agreed on holds any more. */
const endsAll = new Set<WalletProblem>(['account-changed', 'wrong-chain', 'disconnected']);
