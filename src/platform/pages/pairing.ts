import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { CallResponse, PageCall } from './page-server.ts';
import { readClaim } from './protocol.ts';

export interface PairingOptions {
  readonly clock: Clock;
  /** Version of the page's messages. Pages of another version are rejected. */
  readonly version: number;
  /** Milliseconds within which a closed page can be loaded again. */
  readonly reloadMs: number;
  /** Milliseconds after which a poll without events returns. */
  readonly pollMs: number;
  /** Called after the paired tab reloaded the page. If omitted, the page cannot be reloaded. */
  readonly onReload?: () => void;
  /** Called when the page was closed and not loaded again in time. */
  readonly onClosed: () => void;
  /** Called when the page sent no call for five minutes. */
  readonly onIdle: () => void;
  /** Generates secrets. Replaces {@link newSecret} in tests. */
  readonly secret?: () => string;
}

/** Milliseconds without any call after which the page is idle. */
const idleMs = 5 * 60_000;

/** Returns 256 random bits in base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Pairs the host with one tab of the user's browser: accepts calls from this tab only, wakes its poll for events, and
 * detects when it closes. Independent of HTTP.
 */
export class PagePairing {
  /** Token for the link. Valid for one claim. */
  readonly token: string;
  readonly #options: PairingOptions;
  readonly #newSecret: () => string;
  readonly #usedSecrets = new Set<string>();
  readonly #tokenLost = Promise.withResolvers<void>();
  #secret: string | undefined;
  #poll: { readonly wake: () => void; readonly supersede: () => void } | undefined;
  #hasEnded = false;
  #cancelIdle: () => void = () => {};
  #cancelClosing: () => void = () => {};

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#newSecret = options.secret ?? newSecret;
    this.token = this.#newSecret();
    this.#restartIdleTimer();
  }

  /** Checks whether a tab has claimed the page. */
  get isClaimed(): boolean {
    return this.#secret !== undefined;
  }

  /** Resolves when a page is opened without a token in its URL while no tab has claimed the page. */
  get tokenLost(): Promise<void> {
    return this.#tokenLost.promise;
  }

  /**
   * Handles `claim` and `lost`, and passes other calls of the paired tab to `answer`.
   * @returns the response, or the status of a rejection. 400: malformed message. 403: not the paired page. 409: another
   * tab has claimed the page.
   */
  async respond(
    call: PageCall,
    answer: (call: PageCall) => CallResponse | number | Promise<CallResponse | number>,
  ): Promise<CallResponse | number> {
    if (call.name === 'claim') return this.#claim(call);
    if (call.name === 'lost') return this.#reportLost();
    if (!this.#isCurrentSecret(call.secret)) return this.#rejectionStatus(call.secret);
    this.#restartIdleTimer();
    return answer(call);
  }

  /**
   * Waits for an event, at most `pollMs` milliseconds. A newer poll ends an older one.
   * @param hasEvents Returns at once if true.
   * @returns false for a superseded poll, whose sender no longer waits.
   */
  async waitForEvents(hasEvents: boolean): Promise<boolean> {
    this.#poll?.supersede();
    return hasEvents || this.#wait();
  }

  /** Ends the current poll, so that it delivers events. */
  wake(): void {
    this.#poll?.wake();
  }

  /** Calls `onClosed` after `reloadMs`, unless the page is loaded again or the closing is canceled. */
  scheduleClose(): void {
    this.#cancelClosing();
    this.#cancelClosing = this.#options.clock.after(this.#options.reloadMs, this.#options.onClosed);
  }

  /** Cancels a scheduled close, because the page stays open. */
  cancelClose(): void {
    this.#cancelClosing();
  }

  /** Stops all timers except the poll timeout, because the page still polls for the final result. */
  end(): void {
    this.#hasEnded = true;
    this.#cancelIdle();
    this.#cancelClosing();
  }

  /** Gives a secret to the first tab with the token, and a new secret to the same tab after a reload. */
  #claim({ secret: presented, body }: PageCall): CallResponse | number {
    const { version, onReload } = this.#options;
    if (readClaim(body)?.version !== version) return 400;
    const isReload = onReload !== undefined && this.#isCurrentSecret(presented);
    const isFirst = this.#secret === undefined && isEqualSecret(presented, this.token);
    if (!isReload && !isFirst) return this.#rejectionStatus(presented);
    if (this.#secret !== undefined) this.#usedSecrets.add(this.#secret);
    const secret = this.#newSecret();
    this.#secret = secret;
    this.#cancelClosing();
    this.#restartIdleTimer();
    if (isReload) onReload();
    return { body: { version, secret } };
  }

  /** Handles a page without a token. It has no secret, so it can only request to be opened again while unclaimed. */
  #reportLost(): CallResponse | number {
    if (this.isClaimed) return 409;
    this.#tokenLost.resolve();
    return { body: {} };
  }

  #isCurrentSecret(presented: string): boolean {
    return this.#secret !== undefined && isEqualSecret(presented, this.#secret);
  }

  /** Distinguishes a formerly paired tab (409) from an unknown page (403). */
  #rejectionStatus(presented: string): 403 | 409 {
    const wasValid =
      this.isClaimed &&
      [this.token, ...this.#usedSecrets].some((secret) => isEqualSecret(presented, secret));
    return wasValid ? 409 : 403;
  }

  #wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const settlePoll = (isNewest: boolean): void => {
        cancel();
        if (this.#poll === poll) this.#poll = undefined;
        resolve(isNewest);
      };
      const poll = { wake: () => settlePoll(true), supersede: () => settlePoll(false) };
      const cancel = this.#options.clock.after(this.#options.pollMs, poll.wake);
      this.#poll = poll;
    });
  }

  #restartIdleTimer(): void {
    this.#cancelIdle();
    if (this.#hasEnded) return;
    this.#cancelIdle = this.#options.clock.after(idleMs, this.#options.onIdle);
  }
}

/** Compares two secrets in constant time. */
function isEqualSecret(presented: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(presented), digest(expected));
}
