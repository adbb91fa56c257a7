import { CircuitBreakers } from '../../src/service/http/circuit-breaker.ts';
import type { ServiceContext, Transport, TransportRequest } from '../../src/service/http/client.ts';
import { ServiceError } from '../../src/service/http/failure.ts';
import { ManualClock } from './manual-clock.ts';

/** Prepared outcome of one request to a scripted service: a reply, or a transport failure. */
export type ScriptedAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Chunks of the response body. A `ServiceError` in the list fails the stream after the preceding chunks. */
      readonly body?: readonly (string | Uint8Array | ServiceError)[];
    }
  | ServiceError;

/**
 * Creates a service that returns the prepared answers in order. After the last answer, repeats it for every further
 * request. Records all requests.
 */
export function createScriptedService(...answers: readonly ScriptedAnswer[]): {
  readonly context: ServiceContext;
  readonly requests: TransportRequest[];
  readonly clock: ManualClock;
} {
  const requests: TransportRequest[] = [];
  const clock = new ManualClock();
  const transport: Transport = {
    async send(request) {
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? {};
      requests.push(request);
      if (answer instanceof ServiceError) throw answer;
      const { status = 200, headers = {}, body = [] } = answer;
      return { status, headers, body: streamBytes(body) };
    },
    close: () => Promise.resolve(),
  };
  const context: ServiceContext = {
    getEndpoint: async () => ({
      baseUrl: new URL('https://api.service.test/api/v1'),
      vendorPrefix: 'acme',
      apiKey: scriptedKey,
    }),
    getTransport: async () => transport,
    clock,
    breakers: new CircuitBreakers(clock),
    random: () => 0.5,
  };
  return { context, requests, clock };
}

/** API key in requests to the scripted service. Error messages must not contain this key. */
export const scriptedKey = 'canary-key-0123456789';

async function* streamBytes(
  parts: readonly (string | Uint8Array | ServiceError)[],
): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof ServiceError) throw part;
    yield typeof part === 'string' ? new TextEncoder().encode(part) : part;
  }
}
