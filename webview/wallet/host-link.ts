import { type Clock, wait } from '../../src/base/clock.ts';
import { secretHeader, secretPattern } from '../../src/platform/pages/protocol.ts';
import {
  readClaimReply,
  readPollReply,
  type WalletPageAnswer,
  type WalletPageEvent,
  type WalletPagePoll,
  type WalletPageReply,
  walletPageVersion,
} from '../../src/wallet/browser/protocol.ts';

/** Why the editor cannot be spoken with: another tab has the page, the link was cut, or the editor is not there. */
export type LinkEnd = 'second' | 'broken' | 'gone';

interface LinkOptions {
  readonly fetch: typeof globalThis.fetch;
  /** The folder of the page. */
  readonly base: URL;
  /** Of this tab: it brings the secret over a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Listener {
  /** What the page has now. */
  has(): WalletPagePoll;
  /** @returns false when nothing more is to be heard */
  hear(reply: WalletPageReply): boolean;
  /** The editor did not answer, or answers again. */
  offline(isOffline: boolean): void;
}

const secretKey = 'wallet-page-secret';
const leastPauseMs = 1_000;
/** How long each further try waits; after the last one the editor is gone. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000];

/** The only way between the page and the editor. */
export class HostLink {
  readonly #options: LinkOptions;
  #secret = '';

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** Takes the page over for this tab. `token` is that of the link; without one the tab had it before. */
  async claim(token: string | undefined): Promise<LinkEnd | undefined> {
    const kept = this.#options.storage.getItem(secretKey) ?? '';
    this.#secret = token ?? (secretPattern.test(kept) ? kept : '');
    if (this.#secret === '') return this.#lost();
    const reply = await this.#claimReply().catch(() => undefined);
    if (reply?.status === 409) return 'second';
    const claimed = reply?.ok === true ? readClaimReply(await jsonOf(reply)) : undefined;
    if (claimed === undefined) return reply?.status === 403 ? 'broken' : 'gone';
    this.#secret = claimed.secret;
    this.#options.storage.setItem(secretKey, claimed.secret);
    return undefined;
  }

  /** Hears what the editor wants until that is over, or it cannot be heard any more. */
  async listen(listener: Listener): Promise<LinkEnd | undefined> {
    for (let failures = 0; ;) {
      const startedAt = this.#options.clock.now();
      const has = listener.has();
      const reply = await this.#poll(has);
      if (typeof reply === 'string') return reply;
      if (reply === undefined) {
        const pause = pauses[failures];
        if (pause === undefined) return 'gone';
        failures += 1;
        listener.offline(true);
        await wait(pause, this.#options);
        continue;
      }
      if (failures > 0) listener.offline(false);
      failures = 0;
      if (!listener.hear(reply)) return undefined;
      const isNews = reply.state !== null || reply.asking !== has.asking;
      const tooSoon = leastPauseMs - (this.#options.clock.now() - startedAt);
      if (!isNews && tooSoon > 0) await wait(tooSoon, this.#options);
    }
  }

  /** Tells what came of a request; again when it does not arrive. */
  async answer(answer: WalletPageAnswer): Promise<void> {
    for (const pause of [0, ...pauses]) {
      await wait(pause, this.#options);
      const reply = await this.#post('answer', answer).catch(() => undefined);
      if (reply !== undefined && reply.status !== 429) return;
    }
  }

  /** Also works while the page is being closed. */
  async tell(event: WalletPageEvent): Promise<void> {
    await this.#post('event', { event }).catch(() => {});
  }

  /** Asks again while it is too much. */
  async #claimReply(): Promise<Response> {
    for (const pause of pauses) {
      const reply = await this.#post('claim', { version: walletPageVersion });
      if (reply.status !== 429) return reply;
      await wait(pause, this.#options);
    }
    return this.#post('claim', { version: walletPageVersion });
  }

  async #lost(): Promise<LinkEnd> {
    const reply = await this.#post('lost', {}).catch(() => undefined);
    return reply?.status === 409 ? 'second' : 'broken';
  }

  async #poll(has: WalletPagePoll): Promise<WalletPageReply | LinkEnd | undefined> {
    const reply = await this.#post('poll', has).catch(() => undefined);
    if (reply === undefined || reply.status === 429 || reply.status >= 500) return undefined;
    if (reply.status === 409) return 'second';
    return (reply.ok ? readPollReply(await jsonOf(reply)) : undefined) ?? 'gone';
  }

  #post(name: string, body: object): Promise<Response> {
    const { fetch, base, signal } = this.#options;
    return fetch(new URL(`api/${name}`, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', [secretHeader]: this.#secret },
      body: JSON.stringify(body),
      credentials: 'same-origin',
      redirect: 'error',
      keepalive: name === 'event',
      signal,
    });
  }
}

const jsonOf = (reply: Response): Promise<unknown> => reply.json().catch(() => undefined);

/**
 * The token of the link: behind `#`, or the last part of the path. Editors write addresses in their own way, so it may
 * be encoded or have a name before it.
 */
export function tokenOf({
  hash,
  pathname,
}: Pick<Location, 'hash' | 'pathname'>): string | undefined {
  const inHash = /[A-Za-z0-9_-]{43}$/u.exec(hash)?.[0];
  const inPath = pathname.split('/').at(-1) ?? '';
  return inHash ?? (secretPattern.test(inPath) ? inPath : undefined);
}
