import type { Json } from '../../../src/base/json.ts';

/** A fault for the next matching requests. */
export interface FaultPlan {
  /**
   * Conditions that must all match: the method, the end of the path, and the requested model (body
   * field `model` or `modelId`).
   */
  readonly match?: { readonly method?: string; readonly path?: string; readonly model?: string };
  /** Number of requests that the fault affects; default 1. */
  readonly times?: number;
  readonly fault: Fault;
}

/**
 * A fault in a reply. `afterBytes` counts bytes from the start of the transferred body, and `afterEvents` counts events
 * from the first event.
 */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Body of the reply. A string is sent unchanged, other values as JSON. */
      readonly body?: Json;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Delays the reply by `ms` milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number }
  /**
   * Holds the reply until the test releases `name`. If `afterBytes` is absent, the service does not start to process
   * the request. If it is set, the service first sends all headers, including the full length, and this number of bytes
   * of the body.
   */
  | { readonly kind: 'hold'; readonly name: string; readonly afterBytes?: number }
  /**
   * Replaces the body of a complete and charged reply with `base64` or `text`, followed by noise up to `size` bytes.
   * Keeps the status and all headers except the content type and those in `headers`.
   */
  | {
      readonly kind: 'body';
      readonly contentType?: string;
      readonly base64?: string;
      readonly text?: string;
      readonly size?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  /**
   * Resets the connection (RST) after exactly `afterBytes` bytes of the body; 0 resets the
   * connection before the headers.
   */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Ends the body after `afterBytes` bytes, without an error. */
  | { readonly kind: 'end'; readonly afterBytes: number }
  | { readonly kind: 'bad-json'; readonly afterEvents?: number }
  | {
      readonly kind: 'error-event';
      /**
       * Format of the error event: `data: {"error":{…}}`, `data: {"error":"…"}`, or `event: error`
       * with the object as data.
       */
      readonly shape: 'object' | 'string' | 'named';
      readonly afterEvents?: number;
      readonly message?: string;
      readonly code?: string;
    }
  /** Ends the stream normally, but without `[DONE]`. */
  | { readonly kind: 'no-done' }
  /** Keeps the connection open after the last byte of the reply. */
  | { readonly kind: 'stay-open' }
  | { readonly kind: 'huge-event'; readonly bytes: number; readonly afterEvents?: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: 301 | 302 | 307 | 308 }
  /** Replies with an HTML page and status 200. */
  | { readonly kind: 'html' }
  /** Ends the gzip body after half of its bytes. The HTTP message is complete. */
  | { readonly kind: 'truncated-gzip' }
  /**
   * Resets the connection without a reply if the connection was used for an earlier request. Other
   * requests are unaffected.
   */
  | { readonly kind: 'keep-alive-reset' };

/** Queue of planned faults. */
export class Faults {
  #plans: { readonly plan: FaultPlan; remaining: number }[] = [];

  reset(): void {
    this.#plans = [];
  }

  add(plan: FaultPlan): void {
    this.#plans.push({ plan, remaining: plan.times ?? 1 });
  }

  /** Returns the fault for this request, and subtracts one from the remaining uses of its plan. */
  take(request: FaultyRequest): Fault | undefined {
    const entry = this.#plans.find(({ plan }) => matchesPlan(plan, request));
    if (entry === undefined) return undefined;
    entry.remaining -= 1;
    if (entry.remaining <= 0)
      this.#plans = this.#plans.filter((plannedEntry) => plannedEntry !== entry);
    return entry.plan.fault;
  }
}

interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly model: string | undefined;
  readonly isConnectionReused: boolean;
}

function matchesPlan({ match, fault }: FaultPlan, request: FaultyRequest): boolean {
  if (fault.kind === 'keep-alive-reset' && !request.isConnectionReused) return false;
  if (match?.method !== undefined && match.method !== request.method) return false;
  if (match?.path !== undefined && !request.path.endsWith(match.path)) return false;
  return match?.model === undefined || match.model === request.model;
}
