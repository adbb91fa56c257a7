import type { Clock } from '../../base/clock.ts';
import type { ChatProtection } from '../chat/protection.ts';
import type { Spending } from '../chat/spending.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { ModelGate } from './model-gate.ts';

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

/** Where a call goes and what it carries. The key is bound to the origin it was given for. */
export interface Endpoint {
  /** Ends in the path prefix `/api/v1`, without a trailing slash. `https:`, or `http:` on loopback. */
  readonly baseUrl: URL;
  /** The word in vendor-named fields and headers: `service` in `service_parameters`. */
  readonly vendorWord: string;
  /** Absent on routes and deployments that take no key. */
  readonly apiKey?: string;
  /** What identifies a caller in place of a key: headers made for this one request, and for each try anew. */
  readonly signIn?: SignIn;
}

/** @throws ServiceError */
export type SignIn = (request: {
  readonly method: string;
  readonly url: URL;
  readonly signal: AbortSignal;
}) => Promise<Readonly<Record<string, string>>>;

/** What every endpoint function takes first. */
export interface ServiceContext {
  /** Resolved anew for each call, so that a changed profile or key is used at once. */
  readonly endpoint: () => Promise<Endpoint>;
  /** Created on first use, so that a start without a request loads no HTTP stack. */
  readonly transport: () => Promise<Transport>;
  readonly clock: Clock;
  /** What recent calls of this context came to. */
  readonly breakers: CircuitBreakers;
  /** In [0, 1): the jitter of the back-off. */
  readonly random: () => number;
  /** Is asked before every request that costs something, and told what it cost. */
  readonly spending?: Spending;
  /** Is asked before every request that runs a model. */
  readonly gate?: ModelGate;
  /** Is asked before every chat how it is protected. */
  readonly protection?: ChatProtection;
}
