import { expect, test } from 'vitest';
import { parseAnswerHunks } from '../agent/answer/answer-hunks.ts';
import { applyHunks } from '../agent/edit/apply-hunks.ts';
import { wait } from '../base/clock.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import { requestModelEdit } from './next-edit/model-edit.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';
import type {
  CompletionExchange,
  CompletionRoute,
  CompletionSettings,
  ProvidedSuggestions,
} from './ports.ts';
import { CompletionPipeline } from './pipeline.ts';
import { requestPolicies, type RequestPolicy } from './request-timing.ts';
import { type ScriptedReply, ScriptedModel } from './scripted-model.fixture.ts';
import { isAddedElision } from '../agent/edit/new-text-elision.ts';

const model = readModel({
  id: 'coder',
  type: 'text',
  object: 'model',
  model_spec: { pricing: { input: { usd: 1 }, output: { usd: 2 } } },
}) as Model;

class PipelineFixture {
  readonly clock = new ManualClock();
  readonly model = new ScriptedModel(this.clock);
  readonly exchanges: CompletionExchange[] = [];
  hasModel = true;
  route: CompletionRoute = 'chat';
  settings: CompletionSettings = {
    isAutomatic: true,
    canSuggestInComments: true,
    canPrefetch: true,
  };
  /** Request policy. The default causes no delays, because the policies have their own unit tests. */
  policy: RequestPolicy = {
    getDelayMs: () => 0,
    getPrefetchDelayMs: (acceptedCount) => (acceptedCount > 1 ? 150 : undefined),
    maxLinesAhead: 0,
  };
  readonly pipeline = new CompletionPipeline({
    clock: this.clock,
    getSettings: () => this.settings,
    getTarget: () => (this.hasModel ? { model, route: this.route } : undefined),
    recordRouteRefusal: ({ route }) => (this.route = nextRoutes[route]),
    getPolicy: () => this.policy,
    isElision: isAddedElision,
    getContext: () => [],
    sendRequest: (request, signal) => this.model.sendRequest(request, signal),
    reportExchange: (exchange) => this.exchanges.push(exchange),
  });
  #lastRequest = new AbortController();

  constructor(...scripts: readonly ScriptedReply[]) {
    this.model.addReplies(...scripts);
  }

  /** Calls the pipeline for text typed at the cursor. Like VS Code, cancels the previous call. */
  startCall(text: string, { isExplicit = false } = {}): PendingCall {
    this.#lastRequest.abort();
    this.#lastRequest = new AbortController();
    const { signal } = this.#lastRequest;
    return new PendingCall(this.pipeline.provide(createSnapshotOf(text), { isExplicit, signal }));
  }

  /** Calls the pipeline like {@link startCall}, advances the clock, and returns the result. */
  async requestSuggestions(text: string, options = {}): Promise<ProvidedSuggestions> {
    const call = this.startCall(text, options);
    await this.clock.advance(10_000);
    return call.result!;
  }

  abortLastRequest(): void {
    this.#lastRequest.abort();
  }
}

const nextRoutes = { infill: 'fim', fim: 'chat', completions: 'chat', chat: 'chat' } as const;
const serverError = { code: 'server-error', message: 'It failed.' } as const;

class PendingCall {
  result: ProvidedSuggestions | undefined;

  constructor(resultPromise: Promise<ProvidedSuggestions>) {
    void resultPromise.then((result) => (this.result = result));
  }

  get suggestedTexts(): readonly string[] | undefined {
    return this.result?.suggestions.map(({ text }) => text);
  }
}

const listSuggestionTexts = (result: ProvidedSuggestions): string[] =>
  result.suggestions.map(({ text }) => text);
const createReply = (text: string): ScriptedReply => ({ chunks: [text] });

test('CompletionPipeline suggests the answer, and while the user types, suggests the rest of the cached answer', async () => {
  const fixture = new PipelineFixture(createReply('tides();'));
  const result = await fixture.requestSuggestions('const a = |');
  expect(result).toMatchObject({
    source: 'requested',
    suggestions: [{ text: 'tides();', replaceLength: 0 }],
  });
  for (const [typedText, remainingText] of [
    ['t', 'ides();'],
    ['tid', 'es();'],
    ['ti', 'des();'],
    ['', 'tides();'],
  ]) {
    const cachedCall = fixture.startCall(`const a = ${typedText}|`);
    await fixture.clock.advance(0);
    expect(cachedCall.result).toMatchObject({
      source: 'cached',
      suggestions: [{ text: remainingText }],
    });
  }
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline sends no request after the user has typed the whole suggestion', async () => {
  const fixture = new PipelineFixture(createReply('tides();'));
  await fixture.requestSuggestions('const a = |');
  expect((await fixture.requestSuggestions('const a = tides();|')).reason).toEqual({
    kind: 'rule',
    rule: 'already-typed',
  });
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline waits for an open request if its answer matches the typed text', async () => {
  const fixture = new PipelineFixture({ chunks: ['tides', '();\n'] });
  fixture.startCall('const a = |');
  await fixture.clock.advance(100);
  fixture.startCall('const a = t|');
  await fixture.clock.advance(60);
  const lastCall = fixture.startCall('const a = ti|');
  await fixture.clock.advance(300);
  expect(lastCall.result).toMatchObject({ source: 'pending', suggestions: [{ text: 'des();' }] });
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline cancels a request if the user types a different text, and sends another request', async () => {
  const fixture = new PipelineFixture(
    { chunks: ['tides', '();', '\n'], chunkMs: 50 },
    createReply('waves();'),
  );
  fixture.startCall('const a = |');
  await fixture.clock.advance(240);
  const otherCall = fixture.startCall('const a = w|');
  await fixture.clock.advance(0);
  expect(fixture.model.requests[0]).toMatchObject({ isAborted: true, sentCount: 1 });
  await fixture.clock.advance(1_000);
  expect(otherCall.suggestedTexts).toEqual(['waves();']);
});

test('CompletionPipeline ends the suggestion before a placeholder for omitted code, and suggests nothing if nothing precedes the placeholder', async () => {
  const cutFixture = new PipelineFixture({
    chunks: ['log();\n', '  // ... rest', ' of code\n', '}'],
  });
  expect(listSuggestionTexts(await cutFixture.requestSuggestions('f() {\n  |\n}'))).toEqual([
    'log();',
  ]);
  const emptyFixture = new PipelineFixture({ chunks: ['// ... rest', ' of code\n', '  log();'] });
  const { suggestions, reason } = await emptyFixture.requestSuggestions('f() {\n  |\n}');
  expect(suggestions).toEqual([]);
  expect(reason).toEqual({ kind: 'filtered', filter: 'prose' });
});

test('CompletionPipeline sends no request while it warms up, with or without a model', async () => {
  const fixture = new PipelineFixture(createReply('tides();'));
  expect(fixture.pipeline.warmUp(createSnapshotOf('const a = |'))).toBe(true);
  fixture.hasModel = false;
  expect(fixture.pipeline.warmUp(createSnapshotOf('const a = |'))).toBe(false);
  fixture.hasModel = true;
  expect(fixture.model.requests).toEqual([]);
  expect(listSuggestionTexts(await fixture.requestSuggestions('const a = |'))).toEqual([
    'tides();',
  ]);
});

test('CompletionPipeline closes the stream when the completion is complete', async () => {
  const fixture = new PipelineFixture({
    chunks: ['tides();', '\n', 'more();', '\n', 'and more();'],
  });
  expect(listSuggestionTexts(await fixture.requestSuggestions('const a = |'))).toEqual([
    'tides();',
  ]);
  expect(fixture.model.requests[0]).toMatchObject({ isAborted: true, sentCount: 2 });
  expect(fixture.exchanges).toMatchObject([
    { outcome: 'cut', isEstimate: true, timeToFirstTextMs: 200 },
  ]);
});

test('CompletionPipeline reports the usage that the service reported', async () => {
  const fixture = new PipelineFixture(createReply('tides()'));
  await fixture.requestSuggestions('const a = |');
  expect(fixture.exchanges).toEqual([
    {
      model,
      outcome: 'complete',
      isEstimate: false,
      timeToFirstTextMs: 200,
      usage: { promptTokens: 100, completionTokens: 10, totalTokens: 110 },
      cost: { usd: 120 / 1_000_000 },
      isCostEstimate: true,
    },
  ]);
});

test('CompletionPipeline suggests the first line of a block when the line is complete, and later the other lines', async () => {
  const bodyLines = ['  const high = 1;\n', '  const low = 2;\n', '  return high - low;\n', '}\n'];
  const fixture = new PipelineFixture({ chunks: bodyLines, chunkMs: 350 });
  const firstCall = fixture.startCall('function tide() {\n|\n');
  await fixture.clock.advance(249);
  expect(firstCall.result).toBeUndefined();
  await fixture.clock.advance(1);
  expect(firstCall.suggestedTexts).toEqual(['  const high = 1;']);
  const restCall = fixture.startCall('function tide() {\n  const high = 1;|\n');
  await fixture.clock.advance(300);
  expect(restCall.result?.source).toBe('pending');
  expect(restCall.suggestedTexts).toEqual(['\n  const low = 2;']);
  await fixture.clock.advance(2_000);
  const lastResult = await fixture.requestSuggestions(
    'function tide() {\n  const high = 1;\n  const low = 2;|\n',
  );
  expect(listSuggestionTexts(lastResult)).toEqual(['\n  return high - low;\n}']);
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline cancels a request 150 ms after the end of the last call that waits for the request', async () => {
  const fixture = new PipelineFixture({ chunks: ['tides();'], firstChunkMs: 2_000 });
  const call = fixture.startCall('const a = |');
  await fixture.clock.advance(100);
  fixture.abortLastRequest();
  await fixture.clock.advance(149);
  expect(fixture.model.requests[0]?.isAborted).toBe(false);
  await fixture.clock.advance(1);
  expect(fixture.model.requests[0]?.isAborted).toBe(true);
  expect(call.result?.reason).toEqual({ kind: 'rule', rule: 'moved-on' });
});

test.each([
  ['another document', { documentUri: 'file:///other.ts', position: { line: 0, character: 0 } }],
  ['a line above', { documentUri: 'file:///project/sample', position: { line: 0, character: 3 } }],
  ['no document', undefined],
])(
  'CompletionPipeline immediately cancels a request if the cursor moves to %s',
  async (_, cursor) => {
    const fixture = new PipelineFixture({ chunks: ['tides();'], firstChunkMs: 2_000 });
    fixture.startCall('first\nconst a = |');
    await fixture.clock.advance(100);
    fixture.pipeline.handleCursorMove(cursor);
    expect(fixture.model.requests[0]?.isAborted).toBe(true);
  },
);

test('CompletionPipeline keeps a request open when the cursor moves from the end of a selected suggest item back to the typed text', async () => {
  const fixture = new PipelineFixture({ chunks: ['();'], firstChunkMs: 400 });
  fixture.startCall('const a = tides|');
  await fixture.clock.advance(100);
  fixture.pipeline.handleCursorMove({
    documentUri: 'file:///project/sample',
    position: { line: 0, character: 12 },
  });
  const nextCall = fixture.startCall('const a = tides|');
  await fixture.clock.advance(500);
  expect(nextCall.suggestedTexts).toEqual(['();']);
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline returns the reason "too-slow" after eight seconds, and caches an answer that arrives later', async () => {
  const fixture = new PipelineFixture({ chunks: ['tides();'], firstChunkMs: 8_200 });
  const call = fixture.startCall('const a = |');
  await fixture.clock.advance(8_100);
  expect(call.result?.reason).toEqual({ kind: 'rule', rule: 'too-slow' });
  await fixture.clock.advance(300);
  expect((await fixture.requestSuggestions('const a = |')).source).toBe('cached');
});

test('CompletionPipeline delays a request inside a word, but not at a line start', async () => {
  const fixture = new PipelineFixture();
  fixture.policy = requestPolicies.economical;
  fixture.startCall('if (a) {\n  |\n}');
  await fixture.clock.advance(0);
  expect(fixture.model.requests).toHaveLength(1);
  fixture.startCall('con|');
  await fixture.clock.advance(200);
  expect(fixture.model.requests).toHaveLength(1);
  await fixture.clock.advance(8_000);
  expect(fixture.model.requests).toHaveLength(2);
});

test('CompletionPipeline prefetches after an accepted suggestion, and the next call waits for the prefetch', async () => {
  const fixture = new PipelineFixture(createReply('tides();'), createReply('\nwaves();'));
  const { suggestions } = await fixture.requestSuggestions('const a = |');
  fixture.pipeline.recordAcceptance(suggestions[0]!.id);
  await fixture.clock.advance(50);
  expect(fixture.model.requests).toHaveLength(2);
  const nextCall = fixture.startCall('const a = tides();|');
  await fixture.clock.advance(200);
  expect(nextCall.result).toMatchObject({
    source: 'pending',
    suggestions: [{ text: '\nwaves();' }],
  });
  expect(fixture.model.requests).toHaveLength(2);
});

test('CompletionPipeline prefetches while a suggestion is visible if two suggestions were accepted', async () => {
  const fixture = new PipelineFixture(
    createReply('tides();'),
    createReply('\nwaves();'),
    createReply('\nfoam();'),
    createReply('\nsand();'),
  );
  let text = 'const a = ';
  for (const acceptedText of ['tides();', '\nwaves();']) {
    const { suggestions } = await fixture.requestSuggestions(`${text}|`);
    fixture.pipeline.recordAcceptance(suggestions[0]!.id);
    text += acceptedText;
  }
  await fixture.requestSuggestions(`${text}|`);
  expect(fixture.model.requests).toHaveLength(4);
  expect(await fixture.requestSuggestions(`${text}\nfoam();|`)).toMatchObject({
    source: 'cached',
    suggestions: [{ text: '\nsand();' }],
  });
});

const bodyChunks = ['high();', '\n', '  low();', '\n', '  mean();', '\n', '}\n', 'other();\n'];

test('CompletionPipeline suggests the lines after the requested line once the user has accepted the line, without another request', async () => {
  const fixture = new PipelineFixture({ chunks: bodyChunks });
  fixture.policy = { ...fixture.policy, maxLinesAhead: 4 };
  const { suggestions } = await fixture.requestSuggestions('if (a) {\n  const b = |\n}\n');
  expect(suggestions).toMatchObject([{ text: 'high();' }]);
  fixture.pipeline.recordAcceptance(suggestions[0]!.id);
  expect(await fixture.requestSuggestions('if (a) {\n  const b = high();|\n}\n')).toMatchObject({
    source: 'cached',
    suggestions: [{ text: '\n  low();\n  mean();' }],
  });
  expect(
    await fixture.requestSuggestions('if (a) {\n  const b = high();\n  l|\n}\n'),
  ).toMatchObject({
    source: 'cached',
    suggestions: [{ text: 'ow();\n  mean();' }],
  });
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline suggests a line before the following lines arrive', async () => {
  const fixture = new PipelineFixture({ chunks: bodyChunks, chunkMs: 1_000 });
  fixture.policy = { ...fixture.policy, maxLinesAhead: 4 };
  const call = fixture.startCall('if (a) {\n  const b = |\n}\n');
  await fixture.clock.advance(1_200);
  expect(call.suggestedTexts).toEqual(['high();']);
  const nextCall = fixture.startCall('if (a) {\n  const b = high();|\n}\n');
  await fixture.clock.advance(2_000);
  expect(nextCall.result).toMatchObject({
    source: 'pending',
    suggestions: [{ text: '\n  low();' }],
  });
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline sends no request for the rest of a line if the policy does not read lines ahead', async () => {
  const fixture = new PipelineFixture({ chunks: bodyChunks });
  await fixture.requestSuggestions('if (a) {\n  const b = |\n}\n');
  expect((await fixture.requestSuggestions('if (a) {\n  const b = high();|\n}\n')).reason).toEqual({
    kind: 'rule',
    rule: 'already-typed',
  });
});

test('CompletionPipeline suggests first a block, and then the code after the block', async () => {
  const fixture = new PipelineFixture(createReply('if (b) {\n    high();\n  }\n  low();'));
  const code = 'if (a) {\n  |\n}\n';
  const block = 'if (b) {\n    high();\n  }';
  expect(listSuggestionTexts(await fixture.requestSuggestions(code))).toEqual([block]);
  expect(
    listSuggestionTexts(await fixture.requestSuggestions(code.replace('|', `${block}|`))),
  ).toEqual(['\n  low();']);
});

test('CompletionPipeline prefetches the text after a visible suggestion if the policy allows prefetching', async () => {
  const fixture = new PipelineFixture(createReply('tides();'), createReply('\nwaves();'));
  fixture.policy = { ...fixture.policy, getPrefetchDelayMs: () => 0 };
  await fixture.requestSuggestions('const a = |');
  expect(fixture.model.requests).toHaveLength(2);
  expect(await fixture.requestSuggestions('const a = tides();|')).toMatchObject({
    source: 'cached',
    suggestions: [{ text: '\nwaves();' }],
  });
});

test('CompletionPipeline counts the wait for an open request as a part of the delay', async () => {
  const fixture = new PipelineFixture(
    { chunks: ['tides();'], firstChunkMs: 300 },
    createReply('waves();'),
  );
  fixture.startCall('const a = |');
  await fixture.clock.advance(100);
  fixture.policy = { ...fixture.policy, getDelayMs: () => 250 };
  fixture.startCall('const a = w|');
  await fixture.clock.advance(249);
  expect(fixture.model.requests).toHaveLength(1);
  await fixture.clock.advance(1);
  expect(fixture.model.requests).toHaveLength(2);
});

test('CompletionPipeline keeps the visible text if VS Code inserts a closing bracket while the user types the text', async () => {
  const fixture = new PipelineFixture(createReply('call({ a: 1 }, list[0]);\n'));
  expect(listSuggestionTexts(await fixture.requestSuggestions('x.|'))).toEqual([
    'call({ a: 1 }, list[0]);',
  ]);
  expect((await fixture.requestSuggestions('x.call(|)')).suggestions).toMatchObject([
    { text: '{ a: 1 }, list[0]);', replaceLength: 1 },
  ]);
  expect((await fixture.requestSuggestions('x.call({|})')).suggestions).toMatchObject([
    { text: ' a: 1 }, list[0]);', replaceLength: 2 },
  ]);
});

test('CompletionPipeline does not prefetch if prefetching is off or the accepted id is unknown', async () => {
  const fixture = new PipelineFixture(createReply('tides();'));
  fixture.settings = { ...fixture.settings, canPrefetch: false };
  const { suggestions } = await fixture.requestSuggestions('const a = |');
  fixture.pipeline.recordAcceptance(suggestions[0]!.id);
  fixture.settings = { ...fixture.settings, canPrefetch: true };
  fixture.pipeline.recordAcceptance(suggestions[0]!.id + 7);
  await fixture.clock.advance(1_000);
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline cancels a prefetch if the user types a different text', async () => {
  const fixture = new PipelineFixture(createReply('tides();'), {
    chunks: ['\nwaves();'],
    firstChunkMs: 2_000,
  });
  const { suggestions } = await fixture.requestSuggestions('const a = |');
  fixture.pipeline.recordAcceptance(suggestions[0]!.id);
  await fixture.clock.advance(100);
  fixture.startCall('const b = tides();|');
  await fixture.clock.advance(0);
  expect(fixture.model.requests[1]?.isAborted).toBe(true);
});

test('CompletionPipeline returns the different answers of three requests if the user triggers the completion explicitly', async () => {
  const fixture = new PipelineFixture(
    createReply('tides();'),
    createReply('waves();'),
    createReply('tides();'),
  );
  const result = await fixture.requestSuggestions('const a = |', { isExplicit: true });
  expect(listSuggestionTexts(result).toSorted()).toEqual(['tides();', 'waves();']);
  const temperatures = fixture.model.requests.map(({ request }) => request.request.temperature);
  expect(new Set(temperatures).size).toBe(3);
});

test('CompletionPipeline requests only the missing variants if the user triggers the completion explicitly', async () => {
  const fixture = new PipelineFixture(
    createReply('tides();'),
    createReply('waves();'),
    createReply('foam();'),
  );
  await fixture.requestSuggestions('const a = |');
  const result = await fixture.requestSuggestions('const a = |', { isExplicit: true });
  expect(listSuggestionTexts(result)[0]).toBe('tides();');
  expect(listSuggestionTexts(result)).toHaveLength(3);
  expect(fixture.model.requests).toHaveLength(3);
});

test('CompletionPipeline waits at most one second after the first variant if the user triggers the completion explicitly', async () => {
  const fixture = new PipelineFixture(
    createReply('tides();'),
    { firstChunkMs: 5_000 },
    { firstChunkMs: 5_000 },
  );
  const call = fixture.startCall('const a = |', { isExplicit: true });
  await fixture.clock.advance(1_300);
  expect(call.suggestedTexts).toEqual(['tides();']);
});

test('CompletionPipeline pauses after three consecutive failures, and sends requests again after a call of `clear`', async () => {
  const failure = { code: 'server-error', message: 'It failed.' } as const;
  const fixture = new PipelineFixture({ failure }, { failure }, { failure }, createReply('d'));
  expect((await fixture.requestSuggestions('const a = |')).reason).toEqual({
    kind: 'failed',
    failure,
  });
  for (const name of ['b', 'c']) {
    fixture.startCall(`const ${name} = |`);
    await fixture.clock.advance(1_000);
  }
  for (let count = 0; count < 20; count += 1) {
    const call = fixture.startCall(`const d${count} = |`);
    await fixture.clock.advance(500);
    expect(call.result?.reason).toMatchObject({ kind: 'paused', failure });
  }
  expect(fixture.model.requests).toHaveLength(3);
  fixture.pipeline.clear();
  await fixture.requestSuggestions('const e = |');
  expect(fixture.model.requests).toHaveLength(4);
});

test('CompletionPipeline does not repeat a request that returned an empty answer', async () => {
  const fixture = new PipelineFixture(createReply(''));
  expect((await fixture.requestSuggestions('const a = |')).reason).toEqual({
    kind: 'filtered',
    filter: 'blank',
  });
  expect((await fixture.requestSuggestions('const a = |')).reason).toEqual({
    kind: 'filtered',
    filter: 'blank',
  });
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline suggests the complete lines of an answer that was interrupted', async () => {
  const fixture = new PipelineFixture();
  const failure = { code: 'interrupted', message: 'It broke off.' } as const;
  fixture.model.sendRequest = async function* () {
    yield [{ type: 'text-delta', text: '  high();\n  lo' }];
    yield [{ type: 'stream-end', outcome: { kind: 'failed', failure } }];
  };
  expect(listSuggestionTexts(await fixture.requestSuggestions('if (a) {\n|\n}'))).toEqual([
    '  high();',
  ]);
});

test('CompletionPipeline returns a failure if sending throws an error', async () => {
  const fixture = new PipelineFixture();
  fixture.model.sendRequest = () => {
    throw new Error('broken');
  };
  expect((await fixture.requestSuggestions('const a = |')).reason).toMatchObject({
    kind: 'failed',
    failure: { code: 'internal-error' },
  });
});

test.each([
  ['the cache is cleared', (fixture: PipelineFixture): void => fixture.pipeline.clear()],
  ['the pipeline is disposed', (fixture: PipelineFixture): void => fixture.pipeline.dispose()],
])('CompletionPipeline sends no request if %s during the debounce delay', async (_, change) => {
  const fixture = new PipelineFixture(createReply('tides();'));
  fixture.policy = requestPolicies.economical;
  const call = fixture.startCall('cons|');
  await fixture.clock.advance(10);
  change(fixture);
  await fixture.clock.advance(20_000);
  expect(fixture.model.requests).toHaveLength(0);
  expect(call.result?.suggestions).toEqual([]);
});

test('CompletionPipeline sends one request for two simultaneous calls at the same position', async () => {
  const fixture = new PipelineFixture(createReply('tant;'), createReply('tant;'));
  fixture.policy = requestPolicies.economical;
  const { signal } = new AbortController();
  const resultPromises = [1, 2].map(async () =>
    fixture.pipeline.provide(createSnapshotOf('cons|'), { isExplicit: false, signal }),
  );
  await fixture.clock.advance(20_000);
  expect((await Promise.all(resultPromises)).map(listSuggestionTexts)).toEqual([
    ['tant;'],
    ['tant;'],
  ]);
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline sends no request during a pause, even if the user triggers the completion explicitly', async () => {
  const failure = { code: 'rate-limited', message: 'Wait.', retryAfterMs: 60_000 } as const;
  const fixture = new PipelineFixture({ failure });
  await fixture.requestSuggestions('const a = |');
  expect((await fixture.requestSuggestions('const a = |', { isExplicit: true })).reason?.kind).toBe(
    'paused',
  );
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline sends at most three requests if the user triggers the completion repeatedly at the same position', async () => {
  const fixture = new PipelineFixture(
    createReply(''),
    createReply('same;'),
    createReply('same;'),
    createReply('same;'),
  );
  for (let count = 0; count < 20; count += 1) {
    const call = fixture.startCall('const a = |', { isExplicit: true });
    await fixture.clock.advance(1_300);
    expect(call.result).toBeDefined();
  }
  expect(fixture.model.requests).toHaveLength(3);
});

test('CompletionPipeline sends at most 100 requests per minute', async () => {
  const fixture = new PipelineFixture();
  for (let count = 0; count < 150; count += 1) {
    fixture.startCall(`const a${count} = |`);
    await fixture.clock.advance(300);
  }
  expect(fixture.model.requests).toHaveLength(100);
  const refusedCall = fixture.startCall('const b = |');
  await fixture.clock.advance(0);
  expect(refusedCall.result?.reason).toEqual({ kind: 'rule', rule: 'too-many-requests' });
  await fixture.clock.advance(60_000);
  await fixture.requestSuggestions('const c = |');
  expect(fixture.model.requests).toHaveLength(101);
});

test('CompletionPipeline closes a stream of reasoning after 30 seconds', async () => {
  const fixture = new PipelineFixture();
  let isClosed = false;
  fixture.model.sendRequest = async function* (_, signal) {
    signal.addEventListener('abort', () => (isClosed = true), { once: true });
    for (let count = 0; count < 1_000 && !signal.aborted; count += 1) {
      await wait(1_000, { clock: fixture.clock, signal }).catch(() => {});
      yield [{ type: 'reasoning-delta', text: 'hm' }];
    }
  };
  fixture.startCall('const a = |');
  await fixture.clock.advance(40_000);
  expect(isClosed).toBe(true);
  expect(fixture.exchanges).toHaveLength(1);
});

test('CompletionPipeline reports one failure for a stream without an end event', async () => {
  const fixture = new PipelineFixture();
  fixture.model.sendRequest = async function* () {
    yield [{ type: 'text-delta', text: ' ' }];
  };
  expect((await fixture.requestSuggestions('const a = |')).reason?.kind).toBe('failed');
  expect(fixture.exchanges).toMatchObject([{ outcome: 'failed' }]);
});

test('CompletionPipeline reports a canceled request only once', async () => {
  const fixture = new PipelineFixture();
  fixture.model.sendRequest = async function* (_, signal) {
    await new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new Error('aborted'))),
    );
    yield [];
  };
  fixture.startCall('const a = |');
  await fixture.clock.advance(10);
  fixture.pipeline.clear();
  await fixture.clock.advance(10);
  expect(fixture.exchanges).toMatchObject([{ outcome: 'canceled' }]);
});

test('CompletionPipeline returns the rule "no-model" if no model is available', async () => {
  const fixture = new PipelineFixture();
  fixture.hasModel = false;
  expect((await fixture.requestSuggestions('const a = |')).reason).toEqual({
    kind: 'rule',
    rule: 'no-model',
  });
});

test('CompletionPipeline does not increase the delay at a line start after failed requests', async () => {
  const fixture = new PipelineFixture({ failure: serverError }, { failure: serverError });
  fixture.policy = requestPolicies.economical;
  for (const count of [1, 2]) {
    fixture.startCall(`${'a\n'.repeat(count)}|`);
    await fixture.clock.advance(1_000);
  }
  fixture.pipeline.clear();
  fixture.startCall('b\n\n\n|');
  await fixture.clock.advance(1);
  expect(fixture.model.requests).toHaveLength(3);
});

test('CompletionPipeline does not close a stream while the user sees the first lines of the stream', async () => {
  const body = ['  one();\n', '  two();\n', '  three();\n', '  four();\n', '  five();\n'];
  const fixture = new PipelineFixture({ chunks: body, chunkMs: 350 });
  fixture.startCall('function tide() {\n|\n');
  await fixture.clock.advance(560);
  const nextCall = fixture.startCall('function tide() {\n  o|\n');
  await fixture.clock.advance(0);
  expect(nextCall.suggestedTexts).toEqual(['ne();\n  two();']);
  await fixture.clock.advance(5_000);
  expect(fixture.model.requests[0]).toMatchObject({ isAborted: false, sentCount: 5 });
});

test('CompletionPipeline sends another request for the rest of a canceled partial answer', async () => {
  const body = ['  one();\n', '  two();\n', '  three();\n', '  four();\n'];
  const fixture = new PipelineFixture({ chunks: body, chunkMs: 350 }, createReply('\n  three();'));
  fixture.startCall('function tide() {\n|\n');
  await fixture.clock.advance(560);
  fixture.pipeline.handleCursorMove(undefined);
  const call = fixture.startCall('function tide() {\n  one();\n  two();|\n');
  await fixture.clock.advance(1_000);
  expect(call.result?.source).toBe('requested');
});

test('CompletionPipeline reports the prose filter for an answer that contains only prose', async () => {
  const fixture = new PipelineFixture(createReply('Sure, here is what you asked for:'));
  expect((await fixture.requestSuggestions('const a = |')).reason).toEqual({
    kind: 'filtered',
    filter: 'prose',
  });
});

test('CompletionPipeline tries another route once per suggestion if the server rejects the route, and does not pause requests', async () => {
  const refusal = { code: 'not-found', message: 'No route.', refusesRoute: true } as const;
  const fixture = new PipelineFixture(
    { failure: refusal },
    { failure: refusal },
    createReply('c();'),
  );
  fixture.route = 'infill';
  expect((await fixture.requestSuggestions('const a = |')).suggestions).toEqual([]);
  expect(fixture.model.requests.map(({ request }) => request.route)).toEqual(['infill', 'fim']);
  expect(listSuggestionTexts(await fixture.requestSuggestions('const b = |'))).toEqual(['c();']);
  expect(fixture.model.requests.at(-1)?.request.route).toBe('chat');
});

test('CompletionPipeline does not try another route after a failure that does not concern the route', async () => {
  const fixture = new PipelineFixture({
    failure: { code: 'server-error', message: 'It failed.' },
  });
  fixture.route = 'infill';
  await fixture.requestSuggestions('const a = |');
  expect(fixture.model.requests).toHaveLength(1);
  expect(fixture.route).toBe('infill');
});

const editAnswer = '<<<<<<< SEARCH\nlog(tide.level);\n=======\nlog(tide.unit);\n>>>>>>> REPLACE';
const editedText = 'tide.unit = 1|;\nlog(tide.level);\n';

/** Requests the edit that follows a change, and returns the promise of the result. */
function requestNextEdit({ pipeline }: PipelineFixture, signal = new AbortController().signal) {
  const change = { before: 'tide.level = 1;', after: 'tide.unit = 1;' };
  const editFunctions = { applyHunks, parseAnswerHunks };
  return requestModelEdit(createSnapshotOf(editedText), {
    change,
    editFunctions,
    pipeline,
    signal,
  });
}

test('CompletionPipeline requests a next edit from the model once, and reports the cost', async () => {
  const fixture = new PipelineFixture(createReply(editAnswer));
  const result = requestNextEdit(fixture);
  await fixture.clock.advance(1_000);
  expect(await result).toEqual({
    startLine: 1,
    startCharacter: 9,
    endLine: 1,
    endCharacter: 14,
    text: 'unit',
  });
  expect(fixture.model.requests.map(({ request }) => request.route)).toEqual(['chat']);
  expect(fixture.exchanges).toMatchObject([
    { outcome: 'complete', cost: { usd: expect.any(Number) } },
  ]);
});

test('CompletionPipeline returns no next edit after a failure, and sends no request during the pause that follows', async () => {
  const fixture = new PipelineFixture({ failure: { ...serverError, retryAfterMs: 10_000 } });
  for (const _ of [1, 2]) {
    const result = requestNextEdit(fixture);
    await fixture.clock.advance(1_000);
    expect(await result).toBeUndefined();
  }
  expect(fixture.model.requests).toHaveLength(1);
});

test('CompletionPipeline cancels the request for a next edit when the caller aborts', async () => {
  const fixture = new PipelineFixture(createReply(editAnswer));
  const abortController = new AbortController();
  const result = requestNextEdit(fixture, abortController.signal);
  await fixture.clock.advance(100);
  abortController.abort();
  expect(await result).toBeUndefined();
  expect(fixture.model.requests[0]?.isAborted).toBe(true);
});

test('CompletionPipeline.clear cancels the request for a next edit, after which the pipeline can send another request', async () => {
  const fixture = new PipelineFixture(createReply(editAnswer), createReply(editAnswer));
  const result = requestNextEdit(fixture);
  await fixture.clock.advance(100);
  fixture.pipeline.clear();
  expect(fixture.model.requests[0]?.isAborted).toBe(true);
  expect(await result).toBeUndefined();
  const nextEditPromise = requestNextEdit(fixture);
  await fixture.clock.advance(1_000);
  expect(await nextEditPromise).toMatchObject({ text: 'unit' });
});

test('CompletionPipeline does not use the answer for a next edit as a suggestion', async () => {
  const fixture = new PipelineFixture(createReply(editAnswer), createReply('0'));
  const result = requestNextEdit(fixture);
  expect(listSuggestionTexts(await fixture.requestSuggestions(editedText))).not.toContain(
    editAnswer,
  );
  await result;
  expect(fixture.model.requests).toHaveLength(2);
});

test('CompletionPipeline does not repeat a closing bracket that Enter moved to the next line at the end of a document', async () => {
  const fixture = new PipelineFixture(createReply('levels = {\n  low: a,\n}'));
  const firstResult = await fixture.requestSuggestions('const a = 1;\n|\n');
  expect(listSuggestionTexts(firstResult)).toEqual(['levels = {\n  low: a,\n}']);
  const movedResult = await fixture.requestSuggestions('const a = 1;\nlevels = {\n  |\n}\n');
  expect(listSuggestionTexts(movedResult)).toEqual(['low: a,']);
});
