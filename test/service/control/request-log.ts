/** A request as received. */
export interface RecordedRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The parsed JSON, else the text; absent until the body arrives. */
  body?: unknown;
  /** Number of the connection; equal numbers mean that the connection was reused. */
  readonly connection: number;
  /** Milliseconds since the Unix epoch, by the machine's clock. */
  readonly startedAt: number;
  /** Set when the reply completes or the client disconnects. */
  closedAt?: number;
  status?: number;
  /** Set when the client disconnects before the reply is complete. */
  abortedByClient?: boolean;
  /** Answer tokens handed to the connection, for chats and completions. */
  tokensSent?: number;
  /** Bytes of the reply, headers included. */
  bytesSent?: number;
}

const capacity = 5000;

/** The latest 5,000 requests since the last reset. */
export class RequestLog {
  #requests: RecordedRequest[] = [];
  #version = 0;
  #nextId = 1;
  readonly #listeners = new Set<() => void>();

  reset(): void {
    this.#requests = [];
    this.notifyChange();
  }

  add(request: Omit<RecordedRequest, 'id'>): RecordedRequest {
    const recorded = { ...request, id: this.#nextId++ };
    this.#requests.push(recorded);
    if (this.#requests.length > capacity) this.#requests.shift();
    this.notifyChange();
    return recorded;
  }

  /** Notifies waiting readers. Call it after a change to a recorded request. */
  notifyChange(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  snapshot(): LogSnapshot {
    return { version: this.#version, requests: this.#requests };
  }

  /** Waits until the log is newer than `version`, at most `timeoutMs`. Returns the log. */
  async waitForNewer(version: number, timeoutMs: number): Promise<LogSnapshot> {
    if (this.#version <= version) await this.#waitForChange(timeoutMs);
    return this.snapshot();
  }

  #waitForChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      // A waiting client must not keep a stopped service running.
      timer.unref();
      this.#listeners.add(finish);
    });
  }
}

export interface LogSnapshot {
  readonly version: number;
  readonly requests: readonly RecordedRequest[];
}
