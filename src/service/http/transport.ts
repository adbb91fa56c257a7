/** One HTTP exchange below the client: no retries, no redirects, no interpretation of the status. */
export interface Transport {
  /**
   * Sends the request and resolves when the reply's headers are in.
   * @throws ServiceError `offline`, `tls`, `proxy`, `timeout`, `redirected`, `stopped`.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle sockets; calls under way end as they would. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  readonly timeouts: Timeouts;
}

/** All in milliseconds. `idle` is reset by any byte of the body. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly idle: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes, decompressed. Leaving the iteration early closes the request.
   * Iterating throws ServiceError `interrupted`, `timeout`, `stopped`.
   */
  readonly body: AsyncIterable<Uint8Array>;
}
