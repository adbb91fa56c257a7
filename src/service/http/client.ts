import type { Clock } from '../../base/clock.ts';
import type { ChatProtection } from '../chat/protection.ts';
import type { Spending } from '../chat/spending.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { ModelGate } from './model-gate.ts';

/** Sends single HTTP requests, without retries, redirects or interpretation of the status. */
export interface Transport {
  /**
   * Sends the request and resolves when the response headers arrive.
   * @throws ServiceError `offline`, `tls`, `proxy`, `timeout`, `redirected`, `stopped`.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle sockets. Pending requests are not affected. */
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

/** Timeouts in milliseconds. Every byte of the body resets `idle`. */
export interface Timeouts {
  readonly connect: number;
  readonly headers: number;
  readonly idle: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Headers by lower-case name. Repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Decompressed body. Leaving the iteration early closes the connection.
   * Iterating throws ServiceError `interrupted`, `timeout`, `stopped`.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Base URL and credentials of a call. The key is bound to the origin for which the user entered it. */
export interface Endpoint {
  /** URL without trailing slash that ends in `/api/v1`. `https:`, or `http:` on loopback. */
  readonly baseUrl: URL;
  /** Word in vendor-specific names of fields and headers: `service` in `service_parameters`. */
  readonly vendorWord: string;
  /** Absent on endpoints and deployments without keys. */
  readonly apiKey?: string;
  /** Signs in without a key. Returns headers for a single request; called again for each retry. */
  readonly signIn?: SignIn;
}

/** @throws ServiceError */
export type SignIn = (request: {
  readonly method: string;
  readonly url: URL;
  readonly signal: AbortSignal;
}) => Promise<Readonly<Record<string, string>>>;

/** Connection, clock and checks that every endpoint function uses. */
export interface ServiceContext {
  /** Called for each request, so that a changed profile or key applies immediately. */
  readonly endpoint: () => Promise<Endpoint>;
  /** Created on first use, so that startup loads no HTTP stack. */
  readonly transport: () => Promise<Transport>;
  readonly clock: Clock;
  /** Circuit breakers by origin. Each counts recent failures. */
  readonly breakers: CircuitBreakers;
  /** Random number in [0, 1) for the backoff jitter. */
  readonly random: () => number;
  /** Authorizes every charged request and records its cost. */
  readonly spending?: Spending;
  /** Authorizes every request that runs a model. */
  readonly gate?: ModelGate;
  /** Decides the protection of every chat. */
  readonly protection?: ChatProtection;
}
