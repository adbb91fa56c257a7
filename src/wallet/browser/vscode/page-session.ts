import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { CallReply } from '../../../platform/pages/page-server.ts';
import {
  pollMs,
  readAnswer,
  readClaim,
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

export interface SessionOptions {
  readonly state: Omit<WalletPageState, 'number'>;
  readonly clock: Clock;
  /** 256 bits by chance, in base64url. */
  readonly secret: () => string;
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

/** Without any sign of life of the page for so long, everything ends. */
const idleMs = 5 * 60_000;
/** A wallet that does not answer for so long is not waited for. */
const answerMs = 5 * 60_000;
/** A page that is loaded anew says goodbye and comes back. */
const reloadMs = 5_000;
/** How long the page has to hear how it ended. */
const farewellMs = 2_000;

/**
 * One flow with one tab: who may speak, what the page shows, what the wallet is asked. Knows nothing of HTTP.
 * Everything that the page says is checked by who asked.
 */
export class PageSession {
  /** For the link: good for one claim. */
  readonly token: string;
  /** Aborts when the flow cannot go on; the reason is a WalletError. */
  readonly ended: AbortSignal;
  readonly #options: SessionOptions;
  readonly #end = new AbortController();
  readonly #used = new Set<string>();
  #secret: string | undefined;
  #state: WalletPageState;
  #pending: Pending | undefined;
  #poll: { readonly wake: () => void; readonly finish: () => void } | undefined;
  #cancelIdle: () => void = () => {};
  #cancelGoodbye: () => void = () => {};
  #onFarewell: () => void = () => {};

  constructor(options: SessionOptions) {
    this.#options = options;
    this.token = options.secret();
    this.ended = this.#end.signal;
    this.#state = { ...options.state, number: 1 };
    this.#alive();
  }

  get state(): WalletPageState {
    return this.#state;
  }

  /** Whether a tab has the page. */
  get isClaimed(): boolean {
    return this.#secret !== undefined;
  }

  /**
   * The first tab with the token gets a secret, and the same tab a new one when it is loaded anew.
   * @returns `taken` for a token or secret that counts no more, `unknown` for what never was one
   */
  claim(presented: string): { readonly secret: string } | 'taken' | 'unknown' {
    const isReload = this.#secret !== undefined && isSame(presented, this.#secret);
    const isFirst = this.#secret === undefined && isSame(presented, this.token);
    if (!isReload && !isFirst) return this.#wasGood(presented) ? 'taken' : 'unknown';
    if (this.#secret !== undefined) this.#used.add(this.#secret);
    this.#secret = this.#options.secret();
    this.#cancelGoodbye();
    this.#alive();
    if (isReload) this.#loadedAnew();
    return { secret: this.#secret };
  }

  /** Whether this is the secret of the tab; `taken` for one of a tab that another one has taken over from. */
  check(presented: string): 'ok' | 'taken' | 'unknown' {
    const isOk = this.#secret !== undefined && isSame(presented, this.#secret);
    if (isOk) this.#alive();
    if (isOk) return 'ok';
    return this.#wasGood(presented) ? 'taken' : 'unknown';
  }

  /**
   * What the page should show and ask, as soon as it is something else than it has; the same after some time in which
   * nothing changed.
   */
  async poll(has: WalletPagePoll): Promise<WalletPageReply> {
    this.#poll?.finish();
    const isNewest = this.#isNews(has) || (await this.#news());
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
      this.#cancelGoodbye();
      this.#cancelGoodbye = this.#options.clock.after(reloadMs, () =>
        this.stop('rejected', 'The page of the wallet was closed.'),
      );
    } else if (event === 'cancelled') this.stop('rejected', problems.cancelled.detail);
    else this.#fail(event);
  }

  /** Changes what the page shows. */
  change(part: Partial<Omit<WalletPageState, 'number'>>): void {
    if (this.#state.ended !== null) return;
    this.#state = { ...this.#state, ...part, number: this.#state.number + 1 };
    this.#poll?.wake();
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
    const request: WalletPageRequest = { ...asked, id: this.#options.secret() };
    const pending = { request, settle: outcome.resolve, isDelivered: false, isWithWallet: false };
    const onAbort = (): void => outcome.resolve(this.#lost('stopped', 'It was stopped.'));
    const cancel = this.#options.clock.after(answerMs, () =>
      outcome.resolve(new WalletError('wallet-timeout', 'The wallet did not answer.')),
    );
    this.#pending = pending;
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.#poll?.wake();
    const settled = await outcome.promise;
    cancel();
    signal.removeEventListener('abort', onAbort);
    this.#pending = undefined;
    this.#poll?.wake();
    if (settled instanceof WalletError) throw settled;
    return settled as ResultOf<A>;
  }

  /** Ends the flow: whatever is asked fails, now and later. */
  stop(code: WalletFailureCode, detail: string): void {
    if (this.ended.aborted) return;
    const lost = this.#lost(code, detail);
    this.#end.abort(lost);
    this.#pending?.settle(lost);
    this.#cancelIdle();
    this.#cancelGoodbye();
  }

  /** Shows how it ended; resolves when the page knows, or after two seconds. */
  async say(outcome: 'done' | 'failed', message: string): Promise<void> {
    if (this.#state.ended !== null) return undefined;
    const told = Promise.withResolvers<void>();
    this.#onFarewell = told.resolve;
    const cancel = this.#options.clock.after(farewellMs, told.resolve);
    this.change({ ended: { outcome, message } });
    if (this.#secret === undefined) told.resolve();
    return told.promise.finally(cancel);
  }

  /** Lets go of all timers, and answers who waits. */
  close(): void {
    this.stop('stopped', 'The page of the wallet is not needed any more.');
    this.#poll?.wake();
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

  /** @returns false when another poll came meanwhile */
  #news(): Promise<boolean> {
    return new Promise((resolve) => {
      const poll = {
        wake: (): void => settle(true),
        finish: (): void => settle(false),
      };
      const settle = (isNewest: boolean): void => {
        cancel();
        if (this.#poll === poll) this.#poll = undefined;
        resolve(isNewest);
      };
      const cancel = this.#options.clock.after(pollMs, poll.wake);
      this.#poll = poll;
    });
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

  #alive(): void {
    this.#cancelIdle();
    if (this.ended.aborted) return;
    this.#cancelIdle = this.#options.clock.after(idleMs, () =>
      this.stop('wallet-timeout', 'The page of the wallet did not answer any more.'),
    );
  }

  #wasGood(presented: string): boolean {
    if (this.#secret === undefined) return false;
    return [this.token, ...this.#used].some((each) => isSame(presented, each));
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

/** In a time that says nothing of how much is alike. */
function isSame(presented: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(presented), digest(expected));
}

/** What the page's script calls, each a path of its own. */
export const callNames = ['claim', 'poll', 'answer', 'event', 'lost'] as const;
export type CallName = (typeof callNames)[number];

export const isCallName = (name: string): name is CallName =>
  callNames.some((each) => each === name);

interface PageCall {
  readonly session: PageSession;
  readonly name: CallName;
  /** As presented; empty when none was. */
  readonly secret: string;
  readonly body: unknown;
  readonly onLost: () => void;
}

/**
 * The reply, or the status of a refusal. 400: no such message. 403: not from our page. 404: not asked.
 * 409: another tab has it.
 */
export async function answerCall(call: PageCall): Promise<CallReply | number> {
  const { session, name, secret, onLost } = call;
  if (name === 'claim') return claim(call);
  if (name === 'lost') {
    // It has no secret, so it can only ask to be opened again, and only while nobody has the page.
    if (session.isClaimed) return 409;
    onLost();
    return { body: {} };
  }
  const known = session.check(secret);
  if (known !== 'ok') return known === 'taken' ? 409 : 403;
  return perform(call);
}

function claim({ session, secret, body }: PageCall): CallReply | number {
  if (readClaim(body)?.version !== walletPageVersion) return 400;
  const claimed = session.claim(secret);
  if (claimed === 'taken') return 409;
  return claimed === 'unknown' ? 403 : { body: { version: walletPageVersion, ...claimed } };
}

async function perform({ session, name, body }: PageCall): Promise<CallReply | number> {
  if (name === 'poll') {
    const poll = readPoll(body);
    if (poll === undefined) return 400;
    const reply = await session.poll(poll);
    return { body: reply, onSent: () => session.left(reply) };
  }
  if (name === 'answer') {
    const answer = readAnswer(body);
    const taken = answer === undefined ? 'wrong-kind' : session.answer(answer);
    return { ok: { body: {} }, unknown: 404, 'wrong-kind': 400 }[taken];
  }
  const event = readPageEvent(body);
  if (event === undefined) return 400;
  session.hear(event.event);
  return { body: {} };
}
