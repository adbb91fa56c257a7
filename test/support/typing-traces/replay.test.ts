import { expect, test } from 'vitest';
import type { SuggestionProvider } from '../../../src/completion/ports.ts';
import { CompletionPipeline } from '../../../src/completion/pipeline.ts';
import { AcceptanceStatistics } from '../../../src/completion/acceptance.ts';
import { requestPolicies } from '../../../src/completion/request-timing.ts';
import { type PolicyFigures, sumTokens } from './figures.ts';
import { PlainDebounce } from './plain-debounce.ts';
import { type Policy, replayTrace } from './replay.ts';
import { computeIntervalMs } from './rhythm.ts';
import type { Trace } from './trace.ts';
import { traces } from './traces.ts';

const createDebounceProvider: Policy = (ports) => new PlainDebounce(ports);
const createExtensionProvider: Policy = (ports) => new CompletionPipeline(ports);
const createEmptyProvider: Policy = () => emptyProvider;
const traceNames = traces.map(({ name }) => name);

const emptyProvider: SuggestionProvider = {
  provide: async () => ({ suggestions: [], source: 'none' }),
  recordAcceptance() {},
  handleCursorMove() {},
  clear() {},
  dispose() {},
};

/** Results of replays by trace name and policy. Shared, because several tests use the same replays. */
const replayPromises = new Map<string, Promise<PolicyFigures>>();

test.each(traceNames)(
  'a replay of the trace %s produces the same text under all policies',
  async (name) => {
    const emptyFigures = await replayOnce(name, createEmptyProvider);
    expect(emptyFigures.keyCount).toBeGreaterThan(300);
    expect((await replayOnce(name, createDebounceProvider)).text).toBe(emptyFigures.text);
    expect((await replayOnce(name, createExtensionProvider)).text).toBe(emptyFigures.text);
  },
);

test.each(traceNames)(
  'in a replay of the trace %s, the policies show only suggestions that continue the surrounding text',
  async (name) => {
    expect((await replayOnce(name, createExtensionProvider)).staleSuggestions).toEqual([]);
    expect((await replayOnce(name, createDebounceProvider)).staleSuggestions).toEqual([]);
  },
);

test.each(traceNames)(
  'in a replay of the trace %s, the extension sends no request while the user types the suggested text',
  async (name) => {
    expect((await replayOnce(name, createExtensionProvider)).requestsWhileVisible).toEqual([]);
  },
);

test.each(traceNames)(
  'in a replay of the trace %s, the extension keeps a suggestion visible while the user types the suggested text',
  async (name) => {
    const { flickers } = await replayOnce(name, createExtensionProvider);
    expect(flickers).toEqual([]);
  },
);

/** Maximum number of requests that each policy sends, as a multiple of the number that a plain debounce sends. */
const maxRequestRatios = { eager: 1.6, balanced: 1.06, economical: 0.45 };

test.each(Object.entries(requestPolicies))(
  'over all traces, the %s policy does not exceed its request limit',
  async (name, policy) => {
    const acceptanceStatistics = new AcceptanceStatistics();
    let [requestCount, debounceRequestCount] = [0, 0];
    for (const trace of traces) {
      const figures = await replayTrace(
        trace,
        (ports) =>
          new CompletionPipeline({ ...ports, getPolicy: () => policy }, acceptanceStatistics),
      );
      requestCount += figures.requests.length;
      debounceRequestCount += (await replayOnce(trace.name, createDebounceProvider)).requests
        .length;
    }
    const maxRatio = maxRequestRatios[name as keyof typeof maxRequestRatios];
    expect(requestCount).toBeLessThanOrEqual(maxRatio * debounceRequestCount);
  },
);

test('over all traces, the extension shows suggestions for longer and wastes fewer tokens than the plain debounce policy', async () => {
  const extensionResults = await Promise.all(
    traceNames.map((name) => replayOnce(name, createExtensionProvider)),
  );
  const debounceResults = await Promise.all(
    traceNames.map((name) => replayOnce(name, createDebounceProvider)),
  );
  expect(computeVisibleRatio(extensionResults)).toBeGreaterThan(
    computeVisibleRatio(debounceResults),
  );
  expect(computeWastedTokenRatio(extensionResults)).toBeLessThan(
    computeWastedTokenRatio(debounceResults),
  );
});

test('a replay records a suggestion as stale if it was made for another cursor position', async () => {
  const { staleSuggestions } = await replayTrace(getLastTrace(), (ports) =>
    repeatSuggestion(new PlainDebounce(ports)),
  );
  expect(staleSuggestions.length).toBeGreaterThan(0);
});

test('a replay records a suggestion that flickers', async () => {
  const { flickers } = await replayTrace(getLastTrace(), (ports) =>
    dropSuggestions(new CompletionPipeline(ports)),
  );
  expect(flickers.length).toBeGreaterThan(0);
});

test('two replays of a trace have the same results', async () => {
  const { name } = getLastTrace();
  expect(await replayTrace(getLastTrace(), createExtensionProvider)).toEqual(
    await replayOnce(name, createExtensionProvider),
  );
});

test('computeIntervalMs returns the same intervals on every machine', () => {
  expect([
    computeIntervalMs('withinWord', '1'),
    computeIntervalMs('thought', '1'),
    computeIntervalMs('erase', 'x'),
  ]).toEqual([221, 3_165, 101]);
});

async function replayOnce(name: string, policy: Policy): Promise<PolicyFigures> {
  const trace = traces.find((candidate) => candidate.name === name) ?? getLastTrace();
  const key = `${name} ${[createEmptyProvider, createDebounceProvider, createExtensionProvider].indexOf(policy)}`;
  const figures = replayPromises.get(key) ?? replayTrace(trace, policy);
  replayPromises.set(key, figures);
  return figures;
}

/** Returns the fraction of all idle time during which a suggestion is visible. */
const computeVisibleRatio = (results: readonly PolicyFigures[]): number =>
  sumBy(results, ({ visibleIdleMs }) => visibleIdleMs) / sumBy(results, ({ idleMs }) => idleMs);

/** Returns the number of wasted tokens per character that was accepted and is in the final text. */
const computeWastedTokenRatio = (results: readonly PolicyFigures[]): number =>
  sumBy(results, ({ requests }) => sumTokens(requests).wastedTokens) /
  sumBy(results, ({ retainedCharacterCount }) => retainedCharacterCount);

const sumBy = (
  results: readonly PolicyFigures[],
  getFigure: (figures: PolicyFigures) => number,
): number => results.reduce((sum, figures) => sum + getFigure(figures), 0);

function getLastTrace(): Trace {
  const trace = traces.at(-1);
  if (trace === undefined) throw new Error('No trace exists.');
  return trace;
}

/** Returns a provider that returns the first suggestion of the given provider again at every later position. */
function repeatSuggestion(provider: SuggestionProvider): SuggestionProvider {
  let firstSuggestions: Awaited<ReturnType<SuggestionProvider['provide']>> | undefined;
  return {
    ...emptyProvider,
    async provide(snapshot, options) {
      const providedSuggestions = firstSuggestions ?? (await provider.provide(snapshot, options));
      if (providedSuggestions.suggestions.length > 0) firstSuggestions = providedSuggestions;
      return providedSuggestions;
    },
  };
}

/** Returns a provider that omits every second suggestion of the given provider. */
function dropSuggestions(provider: SuggestionProvider): SuggestionProvider {
  let isOmitted = false;
  return {
    ...emptyProvider,
    async provide(snapshot, options) {
      const providedSuggestions = await provider.provide(snapshot, options);
      isOmitted = providedSuggestions.suggestions.length > 0 && !isOmitted;
      return isOmitted ? { suggestions: [], source: 'none' } : providedSuggestions;
    },
  };
}
