import { wait } from '../../src/base/clock.ts';
import { AcceptanceStatistics } from '../../src/completion/acceptance.ts';
import { CompletionPipeline } from '../../src/completion/pipeline.ts';
import type { CompletionPorts, SuggestionProvider } from '../../src/completion/ports.ts';
import {
  createDelayFunction,
  requestPolicies,
  type RequestPolicy,
} from '../../src/completion/request-timing.ts';
import { PlainDebounce } from '../support/typing-traces/plain-debounce.ts';
import type { Policy } from '../support/typing-traces/replay.ts';

/** Creates the policy under which all traces of one user are replayed. */
export type CreatePolicy = () => Policy;

/**
 * Returns a function that creates the extension's completion pipeline with a request policy. All traces of a user share
 * one set of acceptance statistics, as all documents of a user do in the extension.
 * @param changePorts changes the functions with which the pipeline reads the editor state and sends requests
 */
export function createPipelineFactory(
  policy: RequestPolicy,
  changePorts: (ports: CompletionPorts) => CompletionPorts = (ports) => ports,
): CreatePolicy {
  return () => {
    const statistics = new AcceptanceStatistics();
    return (ports) =>
      new CompletionPipeline({ ...changePorts(ports), getPolicy: () => policy }, statistics);
  };
}

const createPlainDebounce: CreatePolicy = () => (ports) => new PlainDebounce(ports);

/**
 * Policy similar to that of Copilot: waits 75 ms before a request. The next key press cancels a pending request, unless
 * a cached suggestion matches.
 */
const createPolicyLikeCopilot: CreatePolicy = () => {
  const create = createPipelineFactory({
    getDelayMs: () => 75,
    getPrefetchDelayMs: () => undefined,
    maxLinesAhead: 0,
  })();
  return (ports) =>
    addPreparation(create(ports), async (provider) => provider.handleCursorMove(undefined));
};

const pollIntervalMs = 150;

/**
 * Policy similar to that of llama.vscode: sends requests without delay, one at a time. Never cancels a request, so the
 * next call polls until the pending request has ended. After each suggestion, requests the text that follows it.
 */
const createPolicyLikeLlama: CreatePolicy = () => {
  const create = createPipelineFactory({
    getDelayMs: () => 0,
    getPrefetchDelayMs: () => 0,
    maxLinesAhead: 0,
  })();
  return (ports) => {
    const openSignals = new Set<AbortSignal>();
    const provider = create({
      ...ports,
      async *sendRequest(request) {
        const { signal } = new AbortController();
        openSignals.add(signal);
        try {
          yield* ports.sendRequest(request, signal);
        } finally {
          openSignals.delete(signal);
        }
      },
    });
    return addPreparation(provider, async (_, signal) => {
      while (openSignals.size > 0 && !signal.aborted)
        await wait(pollIntervalMs, { clock: ports.clock, signal }).catch(() => {});
    });
  };
};

const addPreparation = (
  provider: SuggestionProvider,
  prepare: (provider: SuggestionProvider, signal: AbortSignal) => Promise<void>,
): SuggestionProvider => ({
  async provide(snapshot, options) {
    await prepare(provider, options.signal);
    return provider.provide(snapshot, options);
  },
  recordAcceptance: (id) => provider.recordAcceptance(id),
  handleCursorMove: (cursor) => provider.handleCursorMove(cursor),
  clear: () => provider.clear(),
  dispose: () => provider.dispose(),
});

/** Policies similar to those of other extensions, by name. */
export const otherPolicies = {
  'plain debounce of 300 ms': createPlainDebounce,
  'like Copilot': createPolicyLikeCopilot,
  'like llama.vscode': createPolicyLikeLlama,
} as const satisfies Record<string, CreatePolicy>;

/** Request policies of the extension, by the value of the setting that selects them. */
export const ownPolicies = {
  eager: createPipelineFactory(requestPolicies.eager),
  balanced: createPipelineFactory(requestPolicies.balanced),
  economical: createPipelineFactory(requestPolicies.economical),
} as const satisfies Record<keyof typeof requestPolicies, CreatePolicy>;

/**
 * Request delays in milliseconds. The plot contains one variant of the balanced policy per delay, to show how the delay
 * affects latency and the number of requests.
 */
const frontierDelays = [100, 150, 200, 250, 300, 350, 450, 600, 1_000];

/**
 * Variants of the balanced policy by name. Each uses another delay at positions where suggestions are rarely accepted.
 */
export const frontierPolicies: Readonly<Record<string, CreatePolicy>> = Object.fromEntries(
  frontierDelays.map((delay) => [
    `${delay} ms`,
    createPipelineFactory({ ...requestPolicies.balanced, getDelayMs: createDelayFunction(delay) }),
  ]),
);
