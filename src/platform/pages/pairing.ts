import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { CallResponse, PageCall } from './page-server.ts';
import { readClaim } from './protocol.ts';

export interface PairingOptions {
  readonly clock: Clock;
  /** Version of the page's message protocol. A page with another version cannot pair with the host. */
  readonly version: number;
  /** Time in milliseconds after the page is closed during which it can be loaded again. */
  readonly reloadMs: number;
  /** Maximum duration in milliseconds of a poll without events. */
  readonly maxPollMs: number;
  /** Called after the paired tab has reloaded the page. If omitted, a reload is rejected. */
  readonly onReload?: () => void;
  /** Called if a closed page is not loaded again within `reloadMs`. */
  readonly onClosed: () => void;
  /** Called if the page sends no call for five minutes. */
  readonly onIdle: () => void;
  /** Generates secrets. Tests replace the default {@link createSecret}. */
  readonly createSecret?: () => string;
}

/** Time in milliseconds without a call after which the page counts as idle. */
const idleMs = 5 * 60_000;

/** Returns 256 random bits as a base64url string. */
export const createSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Pairs the extension host with one tab of the user's browser. Accepts calls only from this tab, answers its poll (a
 * pending request of the page for events) when there are events, and detects that the tab is closed.
 */
export class PagePairing {
  /** Token in the link. The page can use the token for one `claim` call, which pairs the page with the host. */
  readonly token: string;
  readonly #options: PairingOptions;
  readonly #createSecret: () => string;
  readonly #usedSecrets = new Set<string>();
  readonly #tokenLoss = Promise.withResolvers<void>();
  #secret: string | undefined;
  #pendingPoll: { readonly wake: () => void; readonly supersede: () => void } | undefined;
  #hasEnded = false;
  #cancelIdleTimer: () => void = () => {};
  #cancelClosing: () => void = () => {};

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#createSecret = options.createSecret ?? createSecret;
    this.token = this.#createSecret();
    this.#restartIdleTimer();
  }

  /** True if a tab has claimed the page. */
  get isClaimed(): boolean {
    return this.#secret !== undefined;
  }

  /** Resolves if the browser loads the unclaimed page without the token in its URL. */
  get tokenLoss(): Promise<void> {
    return this.#tokenLoss.promise;
  }

  /**
   * Handles `claim` and `lost` calls, and passes other calls of the paired tab to `answer`.
   * @returns the response, or the status of a rejection. 400: malformed message. 403: the page is not paired. 409:
   *   another tab has claimed the page.
   */
  async respond(
    call: PageCall,
    answer: (call: PageCall) => CallResponse | number | Promise<CallResponse | number>,
  ): Promise<CallResponse | number> {
    if (call.name === 'claim') return this.#claimPage(call);
    if (call.name === 'lost') return this.#handleLostToken();
    if (!this.#isCurrentSecret(call.secret)) return this.#getRejectionStatus(call.secret);
    this.#restartIdleTimer();
    return answer(call);
  }

  /**
   * Waits until `endPoll` is called, at most `maxPollMs` milliseconds. A newer call of this function ends an older
   * call.
   * @param hasEvents True if there are events already, so that the function returns immediately.
   * @returns false if a newer call ended this call; the page then no longer waits for its response.
   */
  async waitForEvents(hasEvents: boolean): Promise<boolean> {
    this.#pendingPoll?.supersede();
    return hasEvents || this.#waitForWake();
  }

  /** Ends the current poll, so that the page receives new events in the reply to the poll. */
  endPoll(): void {
    this.#pendingPoll?.wake();
  }

  /**
   * Calls `onClosed` after `reloadMs` milliseconds, unless the page is loaded again or {@link
   * cancelClose} is called.
   */
  scheduleClose(): void {
    this.#cancelClosing();
    this.#cancelClosing = this.#options.clock.after(this.#options.reloadMs, this.#options.onClosed);
  }

  /** Cancels the call of `onClosed` that {@link scheduleClose} scheduled. */
  cancelClose(): void {
    this.#cancelClosing();
  }

  /**
   * Stops the timers that call `onIdle` and `onClosed`. Polls continue, so that the page can still receive and show
   * the final outcome.
   */
  stopTimers(): void {
    this.#hasEnded = true;
    this.#cancelIdleTimer();
    this.#cancelClosing();
  }

  /**
   * Returns a secret to the first tab that presents the token. After a reload, returns a new secret to the tab that
   * presents the current secret.
   */
  #claimPage({ secret: receivedSecret, body }: PageCall): CallResponse | number {
    const { version, onReload } = this.#options;
    if (readClaim(body)?.version !== version) return 400;
    const isReload = onReload !== undefined && this.#isCurrentSecret(receivedSecret);
    const isFirstClaim = this.#secret === undefined && isEqualSecret(receivedSecret, this.token);
    if (!isReload && !isFirstClaim) return this.#getRejectionStatus(receivedSecret);
    if (this.#secret !== undefined) this.#usedSecrets.add(this.#secret);
    const secret = this.#createSecret();
    this.#secret = secret;
    this.#cancelClosing();
    this.#restartIdleTimer();
    if (isReload) onReload();
    return { body: { version, secret } };
  }

  /**
   * Handles a `lost` call, which reports that the page was loaded without the token. The call needs no secret, so its
   * only effect is that the page is opened again.
   */
  #handleLostToken(): CallResponse | number {
    if (this.isClaimed) return 409;
    this.#tokenLoss.resolve();
    return { body: {} };
  }

  #isCurrentSecret(receivedSecret: string): boolean {
    return this.#secret !== undefined && isEqualSecret(receivedSecret, this.#secret);
  }

  /** Returns the status 409 for a tab with a token or secret that was valid before, and 403 for any other page. */
  #getRejectionStatus(receivedSecret: string): 403 | 409 {
    const wasValid =
      this.isClaimed &&
      [this.token, ...this.#usedSecrets].some((secret) => isEqualSecret(receivedSecret, secret));
    return wasValid ? 409 : 403;
  }

  #waitForWake(): Promise<boolean> {
    return new Promise((resolve) => {
      const settlePoll = (isNewest: boolean): void => {
        cancel();
        if (this.#pendingPoll === pendingPoll) this.#pendingPoll = undefined;
        resolve(isNewest);
      };
      const pendingPoll = { wake: () => settlePoll(true), supersede: () => settlePoll(false) };
      const cancel = this.#options.clock.after(this.#options.maxPollMs, pendingPoll.wake);
      this.#pendingPoll = pendingPoll;
    });
  }

  #restartIdleTimer(): void {
    this.#cancelIdleTimer();
    if (this.#hasEnded) return;
    this.#cancelIdleTimer = this.#options.clock.after(idleMs, this.#options.onIdle);
  }
}

/** Compares a presented secret with the expected secret in constant time. */
function isEqualSecret(receivedSecret: string, expectedSecret: string): boolean {
  const computeDigest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(computeDigest(receivedSecret), computeDigest(expectedSecret));
}
