import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { CallReply, PageCall } from './page-server.ts';
import { readClaim } from './protocol.ts';

export interface PairingOptions {
  readonly clock: Clock;
  /** Of the page's messages: a page of another version is refused. */
  readonly version: number;
  /** How long a closed page may take to come back, in milliseconds. */
  readonly reloadMs: number;
  /** How long a poll waits for news, in milliseconds. */
  readonly pollMs: number;
  /** Called after the tab that has the page loaded it again; absent where the page cannot be loaded again. */
  readonly onReload?: () => void;
  /** Called when the page was closed and did not come back. */
  readonly onClosed: () => void;
  /** Called when the page gave no sign of life for five minutes. */
  readonly onIdle: () => void;
  /** As {@link newSecret}, which it replaces in tests. */
  readonly secret?: () => string;
}

/** Time without any call of the page after which it is idle, in milliseconds. */
const idleMs = 5 * 60_000;

/** Returns 256 random bits in base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Pairs the host with one tab of the user's browser: lets only this tab call, tells it news, and notices when it is
 * gone. Knows nothing of HTTP.
 */
export class PagePairing {
  /** For the link: good for one claim. */
  readonly token: string;
  readonly #options: PairingOptions;
  readonly #newSecret: () => string;
  readonly #used = new Set<string>();
  readonly #lost = Promise.withResolvers<void>();
  #secret: string | undefined;
  #poll: { readonly wake: () => void; readonly supersede: () => void } | undefined;
  #hasEnded = false;
  #cancelIdle: () => void = () => {};
  #cancelClosing: () => void = () => {};

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#newSecret = options.secret ?? newSecret;
    this.token = this.#newSecret();
    this.#alive();
  }

  /** Checks whether a tab has the page. */
  get isClaimed(): boolean {
    return this.#secret !== undefined;
  }

  /** Resolves once a page was opened without a token in its address, while no tab has the page. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /**
   * Answers `claim` and `lost`, and leaves the other calls of the tab that has the page to `answer`.
   * @returns the reply, or the status of a refusal. 400: no such message. 403: not from our page. 409: another tab has it.
   */
  async respond(
    call: PageCall,
    answer: (call: PageCall) => CallReply | number | Promise<CallReply | number>,
  ): Promise<CallReply | number> {
    if (call.name === 'claim') return this.#claim(call);
    if (call.name === 'lost') return this.#reportLost();
    if (!this.#isSecret(call.secret)) return this.#refusal(call.secret);
    this.#alive();
    return answer(call);
  }

  /**
   * Waits until there is news, or `pollMs`. A newer poll ends an older one.
   * @returns false for the older one, whose sender is not there any more
   */
  async waitForNews(isThere: boolean): Promise<boolean> {
    this.#poll?.supersede();
    return isThere || this.#wait();
  }

  /** Answers the poll that waits. */
  wake(): void {
    this.#poll?.wake();
  }

  /** The page is being closed: it ends unless it comes back in time. */
  leave(): void {
    this.#cancelClosing();
    this.#cancelClosing = this.#options.clock.after(this.#options.reloadMs, this.#options.onClosed);
  }

  /** The page is not being closed after all. */
  stay(): void {
    this.#cancelClosing();
  }

  /** Stops all timers but that of a poll: from now on the page is only told how it ended. */
  end(): void {
    this.#hasEnded = true;
    this.#cancelIdle();
    this.#cancelClosing();
  }

  /** The first tab with the token gets a secret, and the same tab a new one when it is loaded again. */
  #claim({ secret: presented, body }: PageCall): CallReply | number {
    const { version, onReload } = this.#options;
    if (readClaim(body)?.version !== version) return 400;
    const isReload = onReload !== undefined && this.#isSecret(presented);
    const isFirst = this.#secret === undefined && isSame(presented, this.token);
    if (!isReload && !isFirst) return this.#refusal(presented);
    if (this.#secret !== undefined) this.#used.add(this.#secret);
    const secret = this.#newSecret();
    this.#secret = secret;
    this.#cancelClosing();
    this.#alive();
    if (isReload) onReload();
    return { body: { version, secret } };
  }

  /** Such a page has no secret, so it can only ask to be opened again, and only while no tab has the page. */
  #reportLost(): CallReply | number {
    if (this.isClaimed) return 409;
    this.#lost.resolve();
    return { body: {} };
  }

  #isSecret(presented: string): boolean {
    return this.#secret !== undefined && isSame(presented, this.#secret);
  }

  /** Tells a tab that was right once that another one has the page now. */
  #refusal(presented: string): 403 | 409 {
    const wasGood =
      this.isClaimed && [this.token, ...this.#used].some((each) => isSame(presented, each));
    return wasGood ? 409 : 403;
  }

  #wait(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isNewest: boolean): void => {
        cancel();
        if (this.#poll === poll) this.#poll = undefined;
        resolve(isNewest);
      };
      const poll = { wake: () => settle(true), supersede: () => settle(false) };
      const cancel = this.#options.clock.after(this.#options.pollMs, poll.wake);
      this.#poll = poll;
    });
  }

  #alive(): void {
    this.#cancelIdle();
    if (this.#hasEnded) return;
    this.#cancelIdle = this.#options.clock.after(idleMs, this.#options.onIdle);
  }
}

/** Compares in a time that tells nothing of how much is alike. */
function isSame(presented: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(presented), digest(expected));
}
