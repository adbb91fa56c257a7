import type { Clock } from '../../../base/clock.ts';
import type { CallResponse, PageCall } from '../../../platform/pages/page-server.ts';
import { createSecret, PagePairing } from '../../../platform/pages/pairing.ts';
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
  /** Generates the secrets that authenticate the page. Tests replace the default {@link createSecret}. */
  readonly createSecret?: () => string;
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
type RequestBody = WithoutId<WalletPageRequest>;
type ResultOf<A extends RequestBody> = Extract<WalletPageResult, { kind: A['kind'] }>;

interface PendingRequest {
  readonly request: WalletPageRequest;
  readonly resolve: (outcome: WalletPageResult | WalletError) => void;
  isDelivered: boolean;
  /**
   * True after the page has forwarded the request to the wallet. The wallet may then act on the
   * request even if the page closes.
   */
  isShownInWallet: boolean;
}

/** Time in milliseconds after which an unanswered wallet request fails. */
const answerTimeoutMs = 5 * 60_000;
/** Time in milliseconds to wait for a reload after the page closes. Without a reload, the flow ends. */
const maxReloadMs = 5_000;
/**
 * Maximum duration of a poll in milliseconds. If nothing changes in this time, the reply contains neither a state nor a
 * request.
 */
const maxPollMs = 25_000;
/** Maximum wait in milliseconds for the page to receive the outcome. */
const maxOutcomeDeliveryMs = 2_000;

/**
 * One wallet flow in one browser tab: the state of the page and the requests to the wallet. The caller must verify the
 * results that the page reports.
 */
export class PageSession {
  readonly pairing: PagePairing;
  /** Aborts when the flow can no longer continue. The reason is a WalletError. */
  readonly endSignal: AbortSignal;
  readonly #clock: Clock;
  readonly #createRequestId: () => string;
  readonly #endController = new AbortController();
  #state: WalletPageState;
  #pendingRequest: PendingRequest | undefined;
  #onOutcomeSent: () => void = () => {};

  constructor({ state, clock, createSecret: generateSecret = createSecret }: PageSessionOptions) {
    this.#clock = clock;
    this.#createRequestId = generateSecret;
    this.endSignal = this.#endController.signal;
    this.#state = { ...state, number: 1 };
    this.pairing = new PagePairing({
      ...{
        clock,
        version: walletPageVersion,
        reloadMs: maxReloadMs,
        maxPollMs,
        createSecret: generateSecret,
      },
      onReload: () => this.#handleReload(),
      onClosed: () => this.failFlow('rejected', 'The page of the wallet was closed.'),
      onIdle: () => this.failFlow('wallet-timeout', 'The page of the wallet stopped answering.'),
    });
  }

  get state(): WalletPageState {
    return this.#state;
  }

  /**
   * Handles a call of the page. Returns the response, or the HTTP status of a rejection: 404 for an
   * answer to an unknown request, otherwise a status of {@link PagePairing.respond}.
   */
  respond(call: PageCall): Promise<CallResponse | number> {
    return this.pairing.respond(call, (authorizedCall) => this.#dispatchCall(authorizedCall));
  }

  /**
   * Resolves with the state and the pending request as soon as one of them differs from `knownState`, and after
   * {@link maxPollMs} in any case. The reply omits the state or the request if the page already has it.
   */
  async answerPoll(knownState: WalletPagePoll): Promise<WalletPageReply> {
    const isNewestPoll = await this.pairing.waitForEvents(this.#hasChanged(knownState));
    // A newer poll of the same page replaced this poll.
    if (!isNewestPoll) return { state: null, requestId: knownState.requestId, request: null };
    const { request } = this.#pendingRequest ?? { request: null };
    const isNewState = knownState.state !== this.#state.number;
    if (this.#pendingRequest !== undefined) this.#pendingRequest.isDelivered = true;
    return {
      state: isNewState ? this.#state : null,
      requestId: request?.id ?? null,
      request: request?.id === knownState.requestId ? null : request,
    };
  }

  /** Ends the wait in `showOutcome` if the reply that was just sent contained the outcome. */
  onPollReplySent({ state }: WalletPageReply): void {
    if (state !== null && state.ended !== null) this.#onOutcomeSent();
  }

  /**
   * Applies the page's answer to the pending request.
   * @returns `unknown` if no delivered request has the answer's id, `wrong-kind` if the result
   *   belongs to another kind of request
   */
  applyAnswer(answer: WalletPageAnswer): 'ok' | 'unknown' | 'wrong-kind' {
    const pendingRequest = this.#pendingRequest;
    if (
      pendingRequest === undefined ||
      !pendingRequest.isDelivered ||
      pendingRequest.request.id !== answer.id
    )
      return 'unknown';
    if ('error' in answer) this.#handleProblem(answer.error);
    else if (answer.result.kind === pendingRequest.request.kind)
      pendingRequest.resolve(answer.result);
    else return 'wrong-kind';
    return 'ok';
  }

  /** Handles an event of the page or the wallet. */
  handleEvent(event: WalletPageEvent): void {
    if (event === 'wallet-requested') {
      if (this.#pendingRequest?.isDelivered === true) this.#pendingRequest.isShownInWallet = true;
    } else if (event === 'page-closed') {
      this.pairing.scheduleClose();
    } else if (event === 'canceled') this.failFlow('rejected', failureByProblem.canceled.detail);
    else this.#handleProblem(event);
  }

  /** Changes fields of the state and sends the new state to the page. Does nothing after the outcome is set. */
  updateState(changes: Partial<Omit<WalletPageState, 'number'>>): void {
    if (this.#state.ended !== null) return;
    this.#state = { ...this.#state, ...changes, number: this.#state.number + 1 };
    this.pairing.endPoll();
  }

  /**
   * Sends a request to the wallet through the page. At most one request may be pending.
   * @throws WalletError if the page reports a problem, the flow ends, or no answer arrives in time
   */
  async requestFromPage<Body extends RequestBody>(
    body: Body,
    signal: AbortSignal,
  ): Promise<ResultOf<Body>> {
    if (this.endSignal.aborted) throw this.#createEndReason();
    if (this.#pendingRequest !== undefined)
      throw new WalletError('wallet-busy', 'The wallet already has another request.');
    const resultResolvers = Promise.withResolvers<WalletPageResult | WalletError>();
    const request: WalletPageRequest = { ...body, id: this.#createRequestId() };
    const pendingRequest = {
      request,
      resolve: resultResolvers.resolve,
      isDelivered: false,
      isShownInWallet: false,
    };
    const onAbort = (): void =>
      resultResolvers.resolve(this.#createEndedError('stopped', 'The flow was stopped.'));
    const cancel = this.#clock.after(answerTimeoutMs, () =>
      resultResolvers.resolve(new WalletError('wallet-timeout', 'The wallet did not answer.')),
    );
    this.#pendingRequest = pendingRequest;
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.pairing.endPoll();
    const result = await resultResolvers.promise;
    cancel();
    signal.removeEventListener('abort', onAbort);
    this.#pendingRequest = undefined;
    this.pairing.endPoll();
    if (result instanceof WalletError) throw result;
    return result as ResultOf<Body>;
  }

  /** Ends the flow. The pending request and all later requests fail. */
  failFlow(code: WalletFailureCode, detail: string): void {
    if (this.endSignal.aborted) return;
    const error = this.#createEndedError(code, detail);
    this.#endController.abort(error);
    this.#pendingRequest?.resolve(error);
    this.pairing.stopTimers();
  }

  /**
   * Shows the outcome on the page. Resolves when the page has received the outcome, or after two
   * seconds.
   */
  async showOutcome(outcome: 'done' | 'failed', message: string): Promise<void> {
    if (this.#state.ended !== null) return undefined;
    const outcomeDelivery = Promise.withResolvers<void>();
    this.#onOutcomeSent = outcomeDelivery.resolve;
    const cancel = this.#clock.after(maxOutcomeDeliveryMs, outcomeDelivery.resolve);
    this.updateState({ ended: { outcome, message } });
    if (!this.pairing.isClaimed) outcomeDelivery.resolve();
    return outcomeDelivery.promise.finally(cancel);
  }

  /** Ends the flow and the current poll. */
  endFlow(): void {
    this.failFlow('stopped', 'The page of the wallet is no longer needed.');
    this.pairing.endPoll();
  }

  #createEndReason(): WalletError {
    const { reason }: { reason: unknown } = this.endSignal;
    return reason instanceof WalletError
      ? reason
      : new WalletError('stopped', 'The flow was stopped.');
  }

  /**
   * Creates the error of a request that ends without an answer. If the wallet already shows a transaction request, the
   * wallet may still send the transaction, so the error states that the outcome is unknown.
   */
  #createEndedError(code: WalletFailureCode, detail: string): WalletError {
    const isSending =
      this.#pendingRequest?.request.kind === 'send' && this.#pendingRequest.isShownInWallet;
    // The timeout message already tells the user that the wallet may still show the request.
    return isSending && code !== 'wallet-timeout'
      ? new WalletError('transaction-unknown', `${detail} The wallet may still send it.`)
      : new WalletError(code, detail);
  }

  #handleProblem(problem: WalletProblem): void {
    const { code, detail } = failureByProblem[problem];
    if (flowEndingProblems.has(problem)) return this.failFlow(code, detail);
    const isCanceled = problem === 'canceled';
    this.#pendingRequest?.resolve(
      isCanceled ? this.#createEndedError(code, detail) : new WalletError(code, detail),
    );
  }

  #hasChanged({ state, requestId }: WalletPagePoll): boolean {
    return state !== this.#state.number || requestId !== (this.#pendingRequest?.request.id ?? null);
  }

  /**
   * Handles a reload of the page. A reloaded page no longer has the pending request, so the request is delivered again.
   * If the wallet may already have received a transaction request, ends the flow instead.
   */
  #handleReload(): void {
    const pendingRequest = this.#pendingRequest;
    if (pendingRequest === undefined) return;
    if (pendingRequest.request.kind === 'send' && pendingRequest.isShownInWallet)
      return this.failFlow('stopped', 'The page was reloaded.');
    pendingRequest.isDelivered = false;
    pendingRequest.isShownInWallet = false;
  }

  async #dispatchCall({ name, body }: PageCall): Promise<CallResponse | number> {
    if (name === 'poll') {
      const poll = readPoll(body);
      if (poll === undefined) return 400;
      const reply = await this.answerPoll(poll);
      return { body: reply, onSent: () => this.onPollReplySent(reply) };
    }
    if (name === 'answer') {
      const answer = readAnswer(body);
      const result = answer === undefined ? 'wrong-kind' : this.applyAnswer(answer);
      return { ok: { body: {} }, unknown: 404, 'wrong-kind': 400 }[result];
    }
    const event = readPageEvent(body)?.event;
    if (event === undefined) return 400;
    this.handleEvent(event);
    return { body: {} };
  }
}

const failureByProblem: Record<WalletProblem, WalletFailure> = {
  rejected: { code: 'rejected', detail: 'The request was declined in the wallet.' },
  canceled: { code: 'rejected', detail: 'The user pressed Cancel on the page.' },
  busy: { code: 'wallet-busy', detail: 'A request is open in the wallet already.' },
  unauthorised: { code: 'wallet-unavailable', detail: 'The wallet does not allow it.' },
  unsupported: { code: 'wallet-unavailable', detail: 'The wallet cannot do this.' },
  disconnected: { code: 'wallet-unavailable', detail: 'The wallet is disconnected.' },
  'account-changed': { code: 'account-changed', detail: 'The wallet changed to another account.' },
  'wrong-chain': { code: 'wrong-chain', detail: 'The wallet is on another chain.' },
  other: { code: 'wallet-unavailable', detail: 'The wallet failed.' },
};

/** Problems that end the whole flow, because its account or chain is no longer valid. */
const flowEndingProblems = new Set<WalletProblem>([
  'account-changed',
  'wrong-chain',
  'disconnected',
]);
