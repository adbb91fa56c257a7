import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Time an unused connection is kept, in milliseconds: servers close those that say nothing after 30 s and more. */
const keepMs = 20_000;

/**
 * Opens connections, and one ahead for each origin where it is asked to. Over HTTP/1.1 a request can be cut off only
 * with its connection; the next one then finds another open already and waits for no handshake.
 */
export class SpareConnections {
  readonly #open: buildConnector.connector;
  readonly #keepMs: number;
  readonly #origins = new Map<string, Origin>();
  #isClosed = false;

  constructor(open: buildConnector.connector, keep = keepMs) {
    this.#open = open;
    this.#keepMs = keep;
  }

  /** Gives the spare connection, also one that is still being opened, else a new one. */
  readonly connect: buildConnector.connector = (options, callback) => {
    this.#take(options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };

  /** Has a connection ready for the next request; does nothing where requests share one, or for an unknown origin. */
  openAhead({ origin: name }: URL): void {
    const origin = this.#origins.get(name);
    if (origin === undefined || origin.isShared !== false || this.#isClosed) return;
    if (origin.spare?.isUsable === true) return;
    origin.spare = new Spare(opened(this.#open, origin.options), this.#keepMs);
  }

  close(): void {
    this.#isClosed = true;
    for (const { spare } of this.#origins.values()) spare?.close();
    this.#origins.clear();
  }

  async #take(options: buildConnector.Options): Promise<Socket> {
    const origin = this.#origin(options);
    const { spare } = origin;
    origin.spare = undefined;
    const socket = (await spare?.take()) ?? (await opened(this.#open, options));
    origin.isShared = isHttp2(socket);
    return socket;
  }

  #origin(options: buildConnector.Options): Origin {
    const name = new URL(`${options.protocol}//${options.host ?? options.hostname}`).origin;
    const origin = this.#origins.get(name) ?? { options, spare: undefined, isShared: undefined };
    this.#origins.set(name, origin);
    return origin;
  }
}

interface Origin {
  /** How its connections are opened. */
  readonly options: buildConnector.Options;
  spare: Spare | undefined;
  /** Whether requests share a connection, as with HTTP/2; unknown before the first. */
  isShared: boolean | undefined;
}

/** A connection nobody uses yet. What the other side says or does before it is asked ends it. */
class Spare {
  readonly #socket: Promise<Socket | undefined>;
  #isOver = false;

  constructor(socket: Promise<Socket>, keep: number) {
    this.#socket = this.#watched(socket, keep);
  }

  /** Whether it is open, or may come to be. */
  get isUsable(): boolean {
    return !this.#isOver;
  }

  /** Nothing when it could not be opened, or is not open any more. */
  async take(): Promise<Socket | undefined> {
    const socket = await this.#socket;
    if (this.#isOver || socket === undefined) return undefined;
    this.#isOver = true;
    for (const event of ends) socket.off(event, this.#end);
    return socket.setTimeout(0).off('timeout', this.#end).pause().ref();
  }

  close(): void {
    if (!this.#isOver) this.#end();
  }

  readonly #end = (): void => {
    this.#isOver = true;
    void this.#socket.then((socket) => socket?.destroy());
  };

  async #watched(opening: Promise<Socket>, keep: number): Promise<Socket | undefined> {
    try {
      const socket = await opening;
      for (const event of ends) socket.on(event, this.#end);
      // A process that has nothing else to do does not wait for it.
      return socket
        .on('error', () => {})
        .setTimeout(keep, this.#end)
        .resume()
        .unref();
    } catch {
      // Whoever asks next opens one again, and hears what is wrong.
      this.#isOver = true;
      return undefined;
    }
  }
}

const ends = ['data', 'end', 'close'] as const;

const isHttp2 = (socket: Socket): boolean =>
  'alpnProtocol' in socket && socket.alpnProtocol === 'h2';

const opened = (open: buildConnector.connector, options: buildConnector.Options): Promise<Socket> =>
  new Promise((resolve, reject) => {
    open(options, (error, socket) => {
      if (error === null) resolve(socket);
      else reject(error);
    });
  });
