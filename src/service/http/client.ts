import type { RateLimitQueues } from './rate-limit-queue.ts';
import type { Clock } from '../../base/clock.ts';
import type { ChatProtection } from '../chat/protection.ts';
import type { RefusalMemory } from '../chat/refused-parts.ts';
import type { Spending } from '../chat/spending.ts';
import type { CircuitBreakers } from './circuit-breaker.ts';
import type { Connection } from './connection.ts';
import type { ModelGate } from './model-gate.ts';
import type { RetryWait } from './failure.ts';

/** Sends HTTP requests. Does not retry, follow redirects or interpret the status. */
export interface Transport {
  /**
   * Sends a request. Resolves when the response headers arrive.
   * @throws ServiceError `offline`, `tls`, `proxy`, `timeout` or `redirected` if the request fails; `stopped` if the
   * signal aborts.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes idle sockets. Does not affect pending requests. */
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

/** Timeouts of a request. `idleMs` is the maximum time without new bytes of the response body. */
export interface Timeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly idleMs: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Header values by lower-case name. Values of a repeated header are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Decompressed body. The connection is closed if the caller ends the iteration early. Iterating throws a
   * ServiceError: `interrupted` or `timeout` if the download fails, `stopped` if the signal aborts.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Base URL and credentials for a call. The key must be sent only to the origin for which the user entered it. */
export interface Endpoint {
  /**
   * Base URL without a trailing slash. Usually ends in `/api/v1` or `/v1`. Uses `https:`. An `http:` URL is permitted
   * only on this machine, and in the local network if the user confirmed its origin.
   */
  readonly baseUrl: URL;
  /** Vendor prefix in the names of the service's own fields and headers, such as `acme` in `acme_parameters`. */
  readonly vendorPrefix: string;
  /**
   * Facts about the service from its earlier replies. If absent, the facts from a reply apply only to the same call.
   */
  readonly connection?: Connection;
  /** API key. Absent if the profile signs in with a wallet or needs no credentials. */
  readonly apiKey?: string;
  /** Creates sign-in headers for requests without a key. Called for each attempt of a request. */
  readonly signIn?: SignIn;
}

/**
 * Returns the sign-in headers for one request.
 * @throws ServiceError if the headers cannot be created
 */
export type SignIn = (request: {
  readonly method: string;
  readonly url: URL;
  readonly signal: AbortSignal;
}) => Promise<Readonly<Record<string, string>>>;

/** Endpoint, transport, clock and checks for all calls to the service. */
export interface ServiceContext {
  /** Returns the endpoint. Called for each request, so that a changed profile or key applies immediately. */
  readonly getEndpoint: () => Promise<Endpoint>;
  /** Returns the transport. Created on first use, so that startup does not load HTTP code. */
  readonly getTransport: () => Promise<Transport>;
  readonly clock: Clock;
  /** Circuit breaker of each origin. */
  readonly breakers: CircuitBreakers;
  /**
   * Queues that order calls by priority while a service limits the rate of requests. If omitted, calls do not wait for
   * each other.
   */
  readonly rateLimits?: RateLimitQueues;
  /** Returns a random number in [0, 1), for the jitter of retry delays. */
  readonly random: () => number;
  /** Value of the `User-Agent` header of requests. Default: the header of the transport. */
  readonly userAgent?: string;
  /** Checks budgets before charged requests, and records the cost of these requests. */
  readonly spending?: Spending;
  /** Authorizes or rejects each request that runs a model, for example if only private models are permitted. */
  readonly gate?: ModelGate;
  /** Decides how a chat is protected: by encryption, only by a verified enclave, or not at all. */
  readonly protection?: ChatProtection;
  /** Called before each automatic retry of a call whose caller does not receive events about retries. */
  readonly onRetryWait?: (wait: RetryWait) => void;
  /** Records that a model rejected tools, images or the size of a request. */
  readonly refusals?: RefusalMemory;
}
