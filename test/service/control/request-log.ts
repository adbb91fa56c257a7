/** A request as the service saw it. */
export interface RecordedRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed when it is JSON, else the text; absent until it arrived. */
  body?: unknown;
  /** Counts connections; the same number means the connection was used again. */
  readonly connection: number;
  /** Milliseconds since the Unix epoch, of the machine's clock. */
  readonly startedAt: number;
  /** When the reply was complete, or the client had gone away. */
  closedAt?: number;
  status?: number;
  /** The client went away before the reply was complete. */
  abortedByClient?: boolean;
  /** Tokens of the answer that were handed to the connection; of chats and completions. */
  tokensSent?: number;
  /** Of the reply, headers included. */
  bytesSent?: number;
}

const capacity = 5000;

/** The requests since the last reset, the latest 5,000 of them. */
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

  /** To be called after a recorded request was changed. */
  notifyChange(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  snapshot(): LogSnapshot {
    return { version: this.#version, requests: this.#requests };
  }

  /** The log once it is newer than `version`, or as it is after `timeoutMs`. */
  async waitForNewer(version: number, timeoutMs: number): Promise<LogSnapshot> {
    if (this.#version <= version) await this.#waitForChange(timeoutMs);
    return this.snapshot();
  }

  #waitForChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      // A client that waits must not keep a stopped service alive.
      timer.unref();
      this.#listeners.add(done);
    });
  }
}

export interface LogSnapshot {
  readonly version: number;
  readonly requests: readonly RecordedRequest[];
}
