import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Milliseconds to keep an unused connection open. Less than the idle timeout of servers, which is 30 s or more. */
const defaultKeepMs = 20_000;

/**
 * Opens connections to the service, and one spare connection per origin in advance (`openSpareConnection`). Aborting
 * an HTTP/1.1 request closes its connection. The next request can then use the spare connection without waiting for a
 * handshake.
 */
export class SpareConnections {
  readonly #openConnection: buildConnector.connector;
  readonly #keepMs: number;
  readonly #origins = new Map<string, OriginState>();
  #isClosed = false;

  constructor(openConnection: buildConnector.connector, keepMs = defaultKeepMs) {
    this.#openConnection = openConnection;
    this.#keepMs = keepMs;
  }

  /** Passes the spare connection to the callback once it is open. Opens a new connection if there is no spare one. */
  readonly connect: buildConnector.connector = (options, callback) => {
    const origin = this.#getOrigin(options);
    let isCompleted = false;
    const failConnecting = (error: Error): void => {
      if (isCompleted) return;
      isCompleted = true;
      origin.pendingFailCallbacks.delete(failConnecting);
      callback(error, null);
    };
    origin.pendingFailCallbacks.add(failConnecting);
    this.#takeOrOpenConnection(origin, options).then((socket) => {
      if (isCompleted) return void socket.destroy();
      isCompleted = true;
      origin.pendingFailCallbacks.delete(failConnecting);
      return callback(null, socket);
    }, failConnecting);
  };

  /**
   * Fails the pending connection attempts to an origin. undici makes only one attempt at a time to an HTTPS origin, so
   * a stalled attempt would block later requests.
   */
  abandonAttempts({ origin }: URL, error: Error): void {
    for (const fail of this.#origins.get(origin)?.pendingFailCallbacks ?? []) fail(error);
  }

  /**
   * Opens a spare connection for the next request. Does nothing for HTTP/2, or if no request to the origin has been
   * sent before.
   */
  openSpareConnection({ origin: name }: URL): void {
    const origin = this.#origins.get(name);
    if (origin === undefined || origin.isMultiplexed !== false || this.#isClosed) return;
    if (origin.spareConnection?.isUsable === true) return;
    origin.spareConnection = new SpareConnection(
      openSocket(this.#openConnection, origin.options),
      this.#keepMs,
    );
  }

  close(): void {
    this.#isClosed = true;
    for (const { spareConnection } of this.#origins.values()) spareConnection?.close();
    this.#origins.clear();
  }

  async #takeOrOpenConnection(
    origin: OriginState,
    options: buildConnector.Options,
  ): Promise<Socket> {
    const { spareConnection } = origin;
    origin.spareConnection = undefined;
    const socket =
      (await spareConnection?.takeSocket()) ?? (await openSocket(this.#openConnection, options));
    origin.isMultiplexed = isHttp2(socket);
    return socket;
  }

  #getOrigin(options: buildConnector.Options): OriginState {
    const name = new URL(`${options.protocol}//${options.host ?? options.hostname}`).origin;
    const origin = this.#origins.get(name) ?? {
      options,
      spareConnection: undefined,
      isMultiplexed: undefined,
      pendingFailCallbacks: new Set<(error: Error) => void>(),
    };
    this.#origins.set(name, origin);
    return origin;
  }
}

interface OriginState {
  /** Options for opening connections to this origin. */
  readonly options: buildConnector.Options;
  spareConnection: SpareConnection | undefined;
  /** True if concurrent requests share one connection, as with HTTP/2. Undefined before the first connection. */
  isMultiplexed: boolean | undefined;
  /** Functions that fail the connection attempts in progress. */
  readonly pendingFailCallbacks: Set<(error: Error) => void>;
}

/** Unused connection. Discarded if the server sends data or closes the connection before a request uses it. */
class SpareConnection {
  readonly #socketPromise: Promise<Socket | undefined>;
  #isDiscarded = false;

  constructor(socketPromise: Promise<Socket>, keepMs: number) {
    this.#socketPromise = this.#watchSocket(socketPromise, keepMs);
  }

  /** True if the connection is open or being opened, and has been neither taken nor discarded. */
  get isUsable(): boolean {
    return !this.#isDiscarded;
  }

  /** Returns the socket; `undefined` if the connection could not be opened or has closed. */
  async takeSocket(): Promise<Socket | undefined> {
    const socket = await this.#socketPromise;
    if (this.#isDiscarded || socket === undefined) return undefined;
    this.#isDiscarded = true;
    for (const event of endEvents) socket.off(event, this.#discard);
    return socket.setTimeout(0).off('timeout', this.#discard).pause().ref();
  }

  close(): void {
    if (!this.#isDiscarded) this.#discard();
  }

  readonly #discard = (): void => {
    this.#isDiscarded = true;
    void this.#socketPromise.then((socket) => socket?.destroy());
  };

  async #watchSocket(socketPromise: Promise<Socket>, keepMs: number): Promise<Socket | undefined> {
    try {
      const socket = await socketPromise;
      for (const event of endEvents) socket.on(event, this.#discard);
      // An unused connection must not keep the process running.
      return socket
        .on('error', () => {})
        .setTimeout(keepMs, this.#discard)
        .resume()
        .unref();
    } catch {
      // The next request opens a new connection and reports the error of that attempt.
      this.#isDiscarded = true;
      return undefined;
    }
  }
}

const endEvents = ['data', 'end', 'close'] as const;

const isHttp2 = (socket: Socket): boolean =>
  'alpnProtocol' in socket && socket.alpnProtocol === 'h2';

const openSocket = (
  open: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    open(options, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(error);
    });
  });
