import type { Clock } from '../../src/base/clock.ts';
import { readClaimReply, secretHeader, secretPattern } from '../../src/platform/pages/protocol.ts';

/** Why the editor cannot be spoken with: another tab has the page, the link was cut, or the editor is not there. */
export type LinkEnd = 'second' | 'broken' | 'gone';

interface LinkOptions<Poll, Reply> {
  readonly fetch: typeof globalThis.fetch;
  /** The folder of the page. */
  readonly base: URL;
  readonly clock: Clock;
  /** Of the page's messages. */
  readonly version: number;
  /** Reads the reply to a poll; `undefined` for anything else. */
  readonly readReply: (value: unknown) => Reply | undefined;
  /** Checks whether a reply says more than the page had when it asked. */
  readonly isNews: (reply: Reply, had: Poll) => boolean;
  /** Of this tab: brings the secret over a reload. Absent where the page cannot be loaded again. */
  readonly storage?: Pick<Storage, 'getItem' | 'setItem'>;
  /** The editor is gone with the first poll that fails: for a page that must not go on without it. */
  readonly endsWhenOffline?: boolean;
}

interface Listener<Poll, Reply> {
  /** What the page has now. */
  has(): Poll;
  /** @returns false when nothing more is to be heard */
  hear(reply: Reply): boolean;
  /** The editor did not answer, or answers again. */
  offline?(isOffline: boolean): void;
}

const secretKey = 'page-secret';
const leastPauseMs = 1_000;
/** How long each further try waits; after the last one the editor is gone. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000];

/** The only way between a page in the user's browser and the editor. */
export class HostLink<Poll extends object, Reply extends object, Event extends string> {
  readonly #options: LinkOptions<Poll, Reply>;
  #secret = '';

  constructor(options: LinkOptions<Poll, Reply>) {
    this.#options = options;
  }

  /** Takes the page over for this tab. `token` is that of the link; without one the tab had it before. */
  async claim(token: string | undefined): Promise<LinkEnd | undefined> {
    const { storage, version } = this.#options;
    const stored = storage?.getItem(secretKey) ?? '';
    this.#secret = token ?? (secretPattern.test(stored) ? stored : '');
    if (this.#secret === '') return this.#reportLost();
    const reply = await this.#claimReply().catch(() => undefined);
    if (reply?.status === 409) return 'second';
    const claimed = reply?.ok === true ? readClaimReply(await jsonOf(reply)) : undefined;
    if (claimed?.version !== version) return reply?.status === 403 ? 'broken' : 'gone';
    this.#secret = claimed.secret;
    storage?.setItem(secretKey, claimed.secret);
    return undefined;
  }

  /** Hears what the editor wants until that is over, or it cannot be heard any more. */
  async listen(listener: Listener<Poll, Reply>): Promise<LinkEnd | undefined> {
    const { clock, isNews, endsWhenOffline = false } = this.#options;
    for (let failures = 0; ;) {
      const startedAt = clock.now();
      const has = listener.has();
      const reply = await this.#poll(has);
      if (typeof reply === 'string') return reply;
      if (reply === undefined) {
        const pause = pauses[failures];
        if (pause === undefined || endsWhenOffline) return 'gone';
        failures += 1;
        listener.offline?.(true);
        await this.#pause(pause);
        continue;
      }
      if (failures > 0) listener.offline?.(false);
      failures = 0;
      if (!listener.hear(reply)) return undefined;
      const tooSoon = leastPauseMs - (clock.now() - startedAt);
      if (!isNews(reply, has) && tooSoon > 0) await this.#pause(tooSoon);
    }
  }

  /** Sends a call once; false when it was not taken. */
  async send(name: string, body: object): Promise<boolean> {
    const reply = await this.#post(name, body).catch(() => undefined);
    return reply?.ok === true;
  }

  /** Sends a call, again when it does not arrive. */
  async deliver(name: string, body: object): Promise<void> {
    for (const pause of [0, ...pauses]) {
      await this.#pause(pause);
      const reply = await this.#post(name, body).catch(() => undefined);
      if (reply !== undefined && reply.status !== 429) return;
    }
  }

  /** Also works while the page is being closed. */
  async tell(event: Event): Promise<void> {
    await this.#post('event', { event }).catch(() => {});
  }

  /** Asks again while it is too much. */
  async #claimReply(): Promise<Response> {
    const { version } = this.#options;
    for (const pause of pauses) {
      const reply = await this.#post('claim', { version });
      if (reply.status !== 429) return reply;
      await this.#pause(pause);
    }
    return this.#post('claim', { version });
  }

  async #reportLost(): Promise<LinkEnd> {
    const reply = await this.#post('lost', {}).catch(() => undefined);
    return reply?.status === 409 ? 'second' : 'broken';
  }

  /** Undefined when it can be tried again. */
  async #poll(has: Poll): Promise<Reply | LinkEnd | undefined> {
    const reply = await this.#post('poll', has).catch(() => undefined);
    if (reply === undefined || reply.status === 429 || reply.status >= 500) return undefined;
    if (reply.status === 409) return 'second';
    return (reply.ok ? this.#options.readReply(await jsonOf(reply)) : undefined) ?? 'gone';
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }

  #post(name: string, body: object): Promise<Response> {
    const { fetch, base } = this.#options;
    return fetch(new URL(`api/${name}`, base), {
      method: 'POST',
      headers: { 'content-type': 'application/json', [secretHeader]: this.#secret },
      body: JSON.stringify(body),
      credentials: 'same-origin',
      redirect: 'error',
      keepalive: name === 'event',
    });
  }
}

const jsonOf = (reply: Response): Promise<unknown> => reply.json().catch(() => undefined);

/**
 * Takes the token out of the page's address, so that it is neither seen nor stored in the history.
 * @returns the token, when there is one, and the folder of the page
 */
export function takeToken(): { readonly token: string | undefined; readonly base: URL } {
  const token = tokenOf(location);
  const base = new URL('.', location.href);
  history.replaceState(null, '', base.pathname);
  return { token, base };
}

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
