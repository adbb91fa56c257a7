import type { Json } from '../../../src/base/json.ts';

/** What goes wrong with the next fitting requests. */
export interface FaultPlan {
  /** All given parts must fit: the method, the end of the path, and the model as the request names it (`model` or `modelId`). */
  readonly match?: { readonly method?: string; readonly path?: string; readonly model?: string };
  /** Requests it happens to; 1 when absent. */
  readonly times?: number;
  readonly fault: Fault;
}

/** Bytes count the reply's body as it goes over the wire; events count from the first one sent. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      /** Sent as it is when a string, else as JSON. */
      readonly body?: Json;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Nothing is sent for `ms` milliseconds, then all is normal. */
  | { readonly kind: 'delay'; readonly ms: number }
  /**
   * Nothing is sent until `name` is released: not even the headers and no work begins, or with `afterBytes` no more than
   * so much of the body. The declared length is that of the whole.
   */
  | { readonly kind: 'hold'; readonly name: string; readonly afterBytes?: number }
  /**
   * The work is done and paid, but this is sent as its body: `base64` or `text`, with noise after it up to `size` bytes.
   * Status and headers stay, but for the content type and those given.
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
  /** The connection is reset (RST) after exactly this much of the body; 0 is before the headers. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** The body ends after this much as if that were all. */
  | { readonly kind: 'end'; readonly afterBytes: number }
  | { readonly kind: 'bad-json'; readonly afterEvents?: number }
  | {
      readonly kind: 'error-event';
      /** `data: {"error":{…}}`, `data: {"error":"…"}`, or `event: error` with the object as data. */
      readonly shape: 'object' | 'string' | 'named';
      readonly afterEvents?: number;
      readonly message?: string;
      readonly code?: string;
    }
  /** The stream ends cleanly, but without `[DONE]`. */
  | { readonly kind: 'no-done' }
  /** After the last byte the connection stays open. */
  | { readonly kind: 'stay-open' }
  | { readonly kind: 'huge-event'; readonly bytes: number; readonly afterEvents?: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: 301 | 302 | 307 | 308 }
  /** An HTML page with status 200. */
  | { readonly kind: 'html' }
  /** The body is gzip and breaks off halfway, though the HTTP message is complete. */
  | { readonly kind: 'truncated-gzip' }
  /** The connection is reset without a reply if it carried an earlier request; others are normal. */
  | { readonly kind: 'keep-alive-reset' };

/** The plans not yet used up. */
export class Faults {
  #plans: { readonly plan: FaultPlan; remaining: number }[] = [];

  reset(): void {
    this.#plans = [];
  }

  add(plan: FaultPlan): void {
    this.#plans.push({ plan, remaining: plan.times ?? 1 });
  }

  /** The fault for this request, which uses its plan up once. */
  take(request: FaultyRequest): Fault | undefined {
    const entry = this.#plans.find(({ plan }) => matchesPlan(plan, request));
    if (entry === undefined) return undefined;
    entry.remaining -= 1;
    if (entry.remaining <= 0) this.#plans = this.#plans.filter((each) => each !== entry);
    return entry.plan.fault;
  }
}

interface FaultyRequest {
  readonly method: string;
  readonly path: string;
  readonly model: string | undefined;
  readonly connectionReused: boolean;
}

function matchesPlan({ match, fault }: FaultPlan, request: FaultyRequest): boolean {
  if (fault.kind === 'keep-alive-reset' && !request.connectionReused) return false;
  if (match?.method !== undefined && match.method !== request.method) return false;
  if (match?.path !== undefined && !request.path.endsWith(match.path)) return false;
  return match?.model === undefined || match.model === request.model;
}
