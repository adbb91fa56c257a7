/** Request as the service received it, and the outcome of its reply. */
export interface RecordedRequest {
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Body as parsed JSON, or as text if it is not JSON. Absent until the body is received. */
  body?: unknown;
  /** Number of the TCP connection. Requests with the same number used the same connection. */
  readonly connection: number;
  /** Start time in milliseconds since the Unix epoch, according to the machine's clock. */
  readonly startedAt: number;
  /**
   * Time at which the reply was complete or the client disconnected, in milliseconds since the Unix epoch. Absent until
   * then.
   */
  closedAt?: number;
  status?: number;
  /** True if the client disconnected before the reply was complete. */
  abortedByClient?: boolean;
  /** Number of answer tokens that were sent. Set for chats and text completions. */
  tokensSent?: number;
  /** Number of bytes of the reply, including headers. */
  bytesSent?: number;
}

const maxRequests = 5000;

/** Log of the latest 5,000 requests since the last reset. */
export class RequestLog {
  #requests: RecordedRequest[] = [];
  #version = 0;
  #nextId = 1;
  readonly #listeners = new Set<() => void>();

  reset(): void {
    this.#requests = [];
    this.notifyChange();
  }

  addRequest(request: Omit<RecordedRequest, 'id'>): RecordedRequest {
    const recordedRequest = { ...request, id: this.#nextId++ };
    this.#requests.push(recordedRequest);
    if (this.#requests.length > maxRequests) this.#requests.shift();
    this.notifyChange();
    return recordedRequest;
  }

  /** Resolves pending calls of {@link waitForNewer}. Must be called after a recorded request changes. */
  notifyChange(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  takeSnapshot(): LogSnapshot {
    return { version: this.#version, requests: this.#requests };
  }

  /**
   * Waits until the version of the log is newer than `version`, for at most `timeoutMs` milliseconds. Returns the log.
   */
  async waitForNewer(version: number, timeoutMs: number): Promise<LogSnapshot> {
    if (this.#version <= version) await this.#waitForChange(timeoutMs);
    return this.takeSnapshot();
  }

  #waitForChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(finish);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      // The timer does not keep a stopped service running.
      timer.unref();
      this.#listeners.add(finish);
    });
  }
}

export interface LogSnapshot {
  readonly version: number;
  readonly requests: readonly RecordedRequest[];
}
