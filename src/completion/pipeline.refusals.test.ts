import { expect, test } from 'vitest';
import { startHttpServer } from '../../test/support/loopback.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { CircuitBreakers } from '../service/http/circuit-breaker.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { createDirectTransport } from '../service/http/direct-transport.ts';
import { readModel } from '../service/read-model.ts';
import { CompletionPipeline } from './pipeline.ts';
import { RouteSelection } from './routes.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';
import { sendSuggestionRequest } from './vscode/send-request.ts';
import { isAddedElision } from '../agent/edit/new-text-elision.ts';

const { signal } = new AbortController();
const model = readModel({ id: 'oak', type: 'text', model_spec: { name: 'Oak' } });

/** Types `count` lines while a server rejects every request with status 400. */
async function typeLines(count: number, message: string) {
  if (model === undefined) throw new Error('No model');
  let requestCount = 0;
  await using server = await startHttpServer((request, response) => {
    requestCount += 1;
    request
      .resume()
      .once('end', () => response.writeHead(400).end(JSON.stringify({ error: message })));
  });
  const clock = new ManualClock();
  const transport = createDirectTransport();
  const service: ServiceContext = {
    getEndpoint: async () => ({
      baseUrl: new URL(`http://127.0.0.1:${server.port}/v1`),
      vendorPrefix: 'service',
    }),
    getTransport: async () => transport,
    clock,
    breakers: new CircuitBreakers(clock),
    random: () => 0,
  };
  const routes = new RouteSelection(() => clock.now());
  routes.update({ baseUrl: 'http://127.0.0.1', models: [model], setting: 'completions' });
  const host = { account: { profile: {}, reportOutcome: () => {} }, service };
  const activity = { recordRequestStart: () => {}, recordRequestEnd: () => {} };
  const pipeline = new CompletionPipeline({
    clock,
    getSettings: () => ({ isAutomatic: true, canSuggestInComments: true, canPrefetch: false }),
    getTarget: () => ({ model, route: routes.selectRoute(model) }),
    recordRouteRefusal: (target) => routes.recordRefusal(target),
    getPolicy: () => ({
      getDelayMs: () => 0,
      getPrefetchDelayMs: () => undefined,
      maxLinesAhead: 0,
    }),
    isElision: isAddedElision,
    getContext: () => [],
    sendRequest: (request, requestSignal) =>
      sendSuggestionRequest({ host, activity } as never, request, requestSignal),
    reportExchange: () => {},
  });
  const reasons: unknown[] = [];
  for (let line = 0; line < count; line += 1) {
    const snapshot = createSnapshotOf(`const a${line} = |`);
    reasons.push((await pipeline.provide(snapshot, { isExplicit: false, signal })).reason);
  }
  pipeline.dispose();
  await transport.close();
  return { requestCount, lastReason: reasons.at(-1) };
}

test.each([
  ['the request is invalid', 'Invalid request parameters', 1],
  ['the context is too long', 'This model has a maximum context length of 16 tokens', 1],
  ['no route supports a suffix', 'oak does not support insert', 4],
])(
  'CompletionPipeline pauses if a server rejects every request with status 400 because %s',
  async (_cause, message, requestCount) => {
    const { requestCount: actualCount, lastReason } = await typeLines(12, message);
    expect(actualCount).toBe(requestCount);
    expect(lastReason).toMatchObject({ kind: 'paused', failure: { status: 400 } });
  },
);
