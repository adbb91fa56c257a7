import type { Json } from '../../../src/base/json.ts';

/** A fault for the next matching requests. */
export interface FaultPlan {
  /**
   * Conditions for a request, all of which it must meet: the method, the end of the path, and the model in the body
   * field `model` or `modelId`.
   */
  readonly match?: { readonly method?: string; readonly path?: string; readonly model?: string };
  /** Number of requests that the fault affects. Default: 1. */
  readonly times?: number;
  readonly fault: Fault;
}

/**
 * Fault in a reply. `afterBytes` counts the bytes of the body as transferred. `afterEvents` counts the events of a
 * stream.
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
   * Holds the reply until the test releases `name`. Without `afterBytes`, the service does not process the request
   * until then. With `afterBytes`, it first sends all headers, including the full length, and this number of bytes of
   * the body.
   */
  | { readonly kind: 'hold'; readonly name: string; readonly afterBytes?: number }
  /**
   * Replaces the body of a complete and charged reply with `base64` or `text`, followed by noise up to a total size of
   * `size` bytes. Status and headers stay the same, except the content type and the headers in `headers`.
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
   * Resets the connection (RST) after exactly `afterBytes` bytes of the body. With 0, resets the connection before the
   * headers.
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
  /** Ends the gzip body after half of its bytes. The HTTP message itself is complete. */
  | { readonly kind: 'truncated-gzip' }
  /**
   * Resets the connection without a reply if an earlier request used the same connection. Has no effect on other
   * requests.
   */
  | { readonly kind: 'keep-alive-reset' };

/** Queue of planned faults. */
export class Faults {
  #plans: { readonly plan: FaultPlan; remainingCount: number }[] = [];

  reset(): void {
    this.#plans = [];
  }

  addPlan(plan: FaultPlan): void {
    this.#plans.push({ plan, remainingCount: plan.times ?? 1 });
  }

  /** Returns the fault for this request, and counts one use of its plan. Returns undefined if no plan matches. */
  takeFault(request: FaultyRequest): Fault | undefined {
    const entry = this.#plans.find(({ plan }) => matchesPlan(plan, request));
    if (entry === undefined) return undefined;
    entry.remainingCount -= 1;
    if (entry.remainingCount <= 0)
      this.#plans = this.#plans.filter((plannedEntry) => plannedEntry !== entry);
    return entry.plan.fault;
  }
}

interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly modelId: string | undefined;
  readonly isConnectionReused: boolean;
}

function matchesPlan({ match, fault }: FaultPlan, request: FaultyRequest): boolean {
  if (fault.kind === 'keep-alive-reset' && !request.isConnectionReused) return false;
  if (match?.method !== undefined && match.method !== request.method) return false;
  if (match?.path !== undefined && !request.path.endsWith(match.path)) return false;
  return match?.model === undefined || match.model === request.modelId;
}
