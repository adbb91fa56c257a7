import type { Clock } from '../../src/base/clock.ts';
import { readClaimReply, secretHeader, secretPattern } from '../../src/platform/pages/protocol.ts';

/**
 * Reason why the page has no connection to VS Code:
 * - `second`: another tab uses the page.
 * - `broken`: the page's URL is invalid.
 * - `unreachable`: VS Code does not answer, or its answer is invalid or has another protocol version.
 */
export type ConnectionEndReason = 'second' | 'broken' | 'unreachable';

interface ConnectionOptions<Poll, Reply> {
  readonly fetch: typeof globalThis.fetch;
  /** URL of the page's folder, the base of all request URLs. */
  readonly base: URL;
  readonly clock: Clock;
  /** Protocol version of the page. {@link HostConnection.claim} fails if VS Code replies with another version. */
  readonly version: number;
  /** Decodes the reply to a poll. Returns `undefined` for an invalid reply. */
  readonly readReply: (value: unknown) => Reply | undefined;
  /**
   * Checks whether a reply contains a newer state than the one that the page reported in `poll`. If it does not, the
   * page waits before the next poll.
   */
  readonly hasChanges: (reply: Reply, poll: Poll) => boolean;
  /**
   * Session storage of the browser tab. Stores the secret of the connection, so that a reloaded page can use the same
   * connection. Omit it for a page that cannot be reloaded.
   */
  readonly storage?: Pick<Storage, 'getItem' | 'setItem'>;
  /**
   * If true, the first failed poll ends the connection without retries. Set it for a page that must not continue
   * without VS Code.
   */
  readonly endsWhenOffline?: boolean;
}

interface ConnectionListener<Poll, Reply> {
  /** Returns the body of the next poll, which tells VS Code which state the page already has. */
  createPoll(): Poll;
  /**
   * Handles the reply to a poll.
   * @returns false to end the connection
   */
  onReply(reply: Reply): boolean;
  /** Called with true when VS Code stops answering, and with false when VS Code answers again. */
  onOfflineChange?(isOffline: boolean): void;
}

const secretKey = 'page-secret';
const minPollIntervalMs = 1_000;
/**
 * Delays before retries, in milliseconds. If the retry after the last delay also fails, the page considers VS Code
 * unreachable.
 */
const retryDelaysMs = [500, 1_000, 2_000, 4_000, 8_000];

/** Connection of a page in the user's browser to VS Code. Sends all requests of the page. */
export class HostConnection<Poll extends object, Reply extends object, Event extends string> {
  readonly #options: ConnectionOptions<Poll, Reply>;
  #secret = '';

  constructor(options: ConnectionOptions<Poll, Reply>) {
    this.#options = options;
  }

  /**
   * Reserves the page's connection for this browser tab, so that no other tab can use the page.
   * @param token token from the page's URL; if undefined, the secret that the tab stored earlier is used instead
   * @returns the reason if the reservation fails, otherwise `undefined`
   */
  async claim(token: string | undefined): Promise<ConnectionEndReason | undefined> {
    const { storage, version } = this.#options;
    const storedSecret = storage?.getItem(secretKey) ?? '';
    this.#secret = token ?? (secretPattern.test(storedSecret) ? storedSecret : '');
    if (this.#secret === '') return this.#reportLostConnection();
    const reply = await this.#requestClaim().catch(() => undefined);
    if (reply?.status === 409) return 'second';
    const claimReply = reply?.ok === true ? readClaimReply(await readJson(reply)) : undefined;
    if (claimReply?.version !== version) return reply?.status === 403 ? 'broken' : 'unreachable';
    this.#secret = claimReply.secret;
    storage?.setItem(secretKey, claimReply.secret);
    return undefined;
  }

  /**
   * Polls VS Code until `onReply` returns false or the connection is lost.
   * @returns the reason for a lost connection; `undefined` if `onReply` returned false
   */
  async listen(
    listener: ConnectionListener<Poll, Reply>,
  ): Promise<ConnectionEndReason | undefined> {
    const { clock, hasChanges, endsWhenOffline = false } = this.#options;
    for (let failureCount = 0; ;) {
      const startedAt = clock.now();
      const pollBody = listener.createPoll();
      const reply = await this.#pollHost(pollBody);
      if (typeof reply === 'string') return reply;
      if (reply === undefined) {
        const retryDelayMs = retryDelaysMs[failureCount];
        if (retryDelayMs === undefined || endsWhenOffline) return 'unreachable';
        failureCount += 1;
        listener.onOfflineChange?.(true);
        await this.#delayBy(retryDelayMs);
        continue;
      }
      if (failureCount > 0) listener.onOfflineChange?.(false);
      failureCount = 0;
      if (!listener.onReply(reply)) return undefined;
      const remainingMs = minPollIntervalMs - (clock.now() - startedAt);
      if (!hasChanges(reply, pollBody) && remainingMs > 0) await this.#delayBy(remainingMs);
    }
  }

  /** Sends a request without retries. Resolves to false if VS Code does not accept the request. */
  async send(name: string, body: object): Promise<boolean> {
    const reply = await this.#postCall(name, body).catch(() => undefined);
    return reply?.ok === true;
  }

  /** Sends a request, and retries it until VS Code replies with a status other than 429, at most six times in total. */
  async sendWithRetry(name: string, body: object): Promise<void> {
    for (const delayMs of [0, ...retryDelaysMs]) {
      await this.#delayBy(delayMs);
      const reply = await this.#postCall(name, body).catch(() => undefined);
      if (reply !== undefined && reply.status !== 429) return;
    }
  }

  /** Sends an event and ignores failures. The browser completes the request even while the page closes. */
  async notify(event: Event): Promise<void> {
    await this.#postCall('event', { event }).catch(() => {});
  }

  /**
   * Sends the request that reserves the page for this browser tab. Retries while VS Code rejects it with status 429.
   */
  async #requestClaim(): Promise<Response> {
    const { version } = this.#options;
    for (const delayMs of retryDelaysMs) {
      const reply = await this.#postCall('claim', { version });
      if (reply.status !== 429) return reply;
      await this.#delayBy(delayMs);
    }
    return this.#postCall('claim', { version });
  }

  async #reportLostConnection(): Promise<ConnectionEndReason> {
    const reply = await this.#postCall('lost', {}).catch(() => undefined);
    return reply?.status === 409 ? 'second' : 'broken';
  }

  /**
   * Sends a poll. Returns the reply, the reason if the connection is lost, or `undefined` after a failure that a retry
   * can resolve.
   */
  async #pollHost(poll: Poll): Promise<Reply | ConnectionEndReason | undefined> {
    const reply = await this.#postCall('poll', poll).catch(() => undefined);
    if (reply === undefined || reply.status === 429 || reply.status >= 500) return undefined;
    if (reply.status === 409) return 'second';
    return (reply.ok ? this.#options.readReply(await readJson(reply)) : undefined) ?? 'unreachable';
  }

  #delayBy(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }

  #postCall(name: string, body: object): Promise<Response> {
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

const readJson = (reply: Response): Promise<unknown> => reply.json().catch(() => undefined);

/**
 * Removes the token from the URL in the address bar, so that the token is neither visible nor stored in the browser
 * history.
 * @returns the token, if any, and the URL of the page's folder
 */
export function takeToken(): { readonly token: string | undefined; readonly base: URL } {
  const token = findToken(location);
  const base = new URL('.', location.href);
  history.replaceState(null, '', base.pathname);
  return { token, base };
}

/**
 * Returns the token in a page URL. The token is the fragment or the end of the fragment, or else the last segment of
 * the path. A fragment can have a prefix before the token, because some browsers and editors rewrite URLs.
 */
export function findToken({
  hash,
  pathname,
}: Pick<Location, 'hash' | 'pathname'>): string | undefined {
  const tokenInHash = /[A-Za-z0-9_-]{43}$/u.exec(hash)?.[0];
  const tokenInPath = pathname.split('/').at(-1) ?? '';
  return tokenInHash ?? (secretPattern.test(tokenInPath) ? tokenInPath : undefined);
}
