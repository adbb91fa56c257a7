import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../test/service/control/faults.ts';
import { startTestService } from '../../../test/service/test-service.ts';
import type { LocalService } from '../../../test/service/server.ts';
import { systemClock } from '../../base/clock.ts';
import { streamChat } from '../chat/stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import type { ChatEvent } from '../chat/chat-types.ts';
import { CircuitBreakers } from './circuit-breaker.ts';
import type { ServiceContext, Transport } from './client.ts';
import { createDirectTransport } from './direct-transport.ts';
import { createEditorTransport } from './editor-transport.ts';
import type { FailureCode } from './failure.ts';

const transports: readonly [string, () => Transport][] = [
  ['direct', () => createDirectTransport()],
  ['editor', () => createEditorTransport(globalThis.fetch)],
];

const signal = new AbortController().signal;
const chatRequest = { model: 'default', messages: [{ role: 'user', content: 'Count' }] } as const;
const eventsBeforeFault = 3;
const bytesPerMegabyte = 2 ** 20;

/** Faults of a stream, each with its expected outcome. `kept` means that the text before the fault is preserved. */
const faultCases: readonly [string, Fault, FailureCode | 'complete', 'kept' | 'none'][] = [
  ['a connection reset', { kind: 'reset', afterBytes: 1_000 }, 'interrupted', 'kept'],
  ['an early end of the body', { kind: 'end', afterBytes: 1_000 }, 'interrupted', 'kept'],
  ['an end inside the first event', { kind: 'end', afterBytes: 30 }, 'interrupted', 'none'],
  ['a missing [DONE] event', { kind: 'no-done' }, 'complete', 'kept'],
  ['a [DONE] event on a connection that stays open', { kind: 'stay-open' }, 'complete', 'kept'],
  [
    'a truncated event',
    { kind: 'bad-json', afterEvents: eventsBeforeFault },
    'unexpected-response',
    'kept',
  ],
  ['an HTML page', { kind: 'html' }, 'unexpected-response', 'none'],
  ['small chunks', { kind: 'drip', bytes: 50, everyMs: 0 }, 'complete', 'kept'],
  [
    'an endless event',
    { kind: 'huge-event', bytes: 24 * bytesPerMegabyte, afterEvents: eventsBeforeFault },
    'unexpected-response',
    'kept',
  ],
  ['an error object', createErrorFault('object'), 'server-error', 'kept'],
  ['an error string', createErrorFault('string'), 'server-error', 'kept'],
  ['a named error event', createErrorFault('named'), 'server-error', 'kept'],
];

describe.each(transports)('a stream over the %s transport', (_name, create) => {
  test.each(faultCases)(
    'with %s ends with the outcome $2 (text before the fault: $3)',
    async (_description, fault, expectedOutcome, textExpectation) => {
      const service = await startTestService();
      const textChunks = ['One ', 'two ', 'three ', 'four ', 'five ', 'six ', 'seven.'];
      await service.control.addScripts({ steps: textChunks.map((content) => ({ content })) });
      await service.control.injectFault({ fault });
      const transport = create();
      const events = await Array.fromAsync(
        flattenBatches(streamChat(createContext(service, transport), chatRequest, { signal })),
      );
      await transport.close();
      expect(getOutcome(events)).toBe(expectedOutcome);
      expect(joinText(events).startsWith('One two ')).toBe(textExpectation === 'kept');
      expect(JSON.stringify(events)).not.toContain(service.apiKey);
      expect(await service.control.getRequests()).toHaveLength(1);
    },
  );
});

function createErrorFault(shape: 'object' | 'string' | 'named'): Fault {
  return {
    kind: 'error-event',
    shape,
    afterEvents: eventsBeforeFault,
    message: 'Gone',
    code: 'upstream_error',
  };
}

const createContext = (service: LocalService, transport: Transport): ServiceContext => ({
  getEndpoint: async () => ({
    baseUrl: new URL(service.baseUrl),
    vendorPrefix: 'service',
    apiKey: service.apiKey,
  }),
  getTransport: async () => transport,
  clock: systemClock,
  breakers: new CircuitBreakers(systemClock),
  random: () => 0,
});

function getOutcome(events: readonly ChatEvent[]): FailureCode | 'complete' | undefined {
  const lastEvent = events.at(-1);
  if (lastEvent?.type !== 'stream-end') return undefined;
  return lastEvent.outcome.kind === 'complete' ? 'complete' : lastEvent.outcome.failure.code;
}

const joinText = (events: readonly ChatEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
