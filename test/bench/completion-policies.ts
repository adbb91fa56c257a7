import { wait } from '../../src/base/clock.ts';
import { AcceptanceStatistics } from '../../src/completion/acceptance.ts';
import { CompletionPipeline } from '../../src/completion/pipeline.ts';
import type { CompletionPorts, SuggestionProvider } from '../../src/completion/ports.ts';
import {
  createDelay,
  requestPolicies,
  type RequestPolicy,
} from '../../src/completion/request-timing.ts';
import { PlainDebounce } from '../support/typing-traces/plain-debounce.ts';
import type { Policy } from '../support/typing-traces/replay.ts';

/** Creates a policy for the replay of all traces of one user. */
export type CreatePolicy = () => Policy;

/**
 * Creates the extension's pipeline with a request policy. All traces share acceptance statistics, as documents of one
 * user do.
 * @param portsOf returns the ports that the pipeline uses, in place of the ports of the replay
 */
export function usePipeline(
  policy: RequestPolicy,
  portsOf: (ports: CompletionPorts) => CompletionPorts = (ports) => ports,
): CreatePolicy {
  return () => {
    const acceptance = new AcceptanceStatistics();
    return (ports) =>
      new CompletionPipeline({ ...portsOf(ports), getPolicy: () => policy }, acceptance);
  };
}

const createPlainDebounce: CreatePolicy = () => (ports) => new PlainDebounce(ports);

/**
 * Policy like the one of Copilot: waits 75 ms, and cancels an open request at the next key, except if the suggestion is
 * cached.
 */
const createPolicyLikeCopilot: CreatePolicy = () => {
  const create = usePipeline({
    delayMs: () => 75,
    prefetchDelayMs: () => undefined,
    linesAhead: 0,
  })();
  return (ports) =>
    prepareEachCall(create(ports), async (provider) => provider.didMoveCursor(undefined));
};

const pollMs = 150;

/**
 * Policy like the one of llama.vscode: no delay, but only one request at a time. The next call polls until the request,
 * which is never canceled, has ended. Each suggestion is followed by a request for the text after it.
 */
const createPolicyLikeLlama: CreatePolicy = () => {
  const create = usePipeline({ delayMs: () => 0, prefetchDelayMs: () => 0, linesAhead: 0 })();
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
    return prepareEachCall(provider, async (_, signal) => {
      while (openSignals.size > 0 && !signal.aborted)
        await wait(pollMs, { clock: ports.clock, signal }).catch(() => {});
    });
  };
};

const prepareEachCall = (
  provider: SuggestionProvider,
  prepare: (provider: SuggestionProvider, signal: AbortSignal) => Promise<void>,
): SuggestionProvider => ({
  async provide(snapshot, options) {
    await prepare(provider, options.signal);
    return provider.provide(snapshot, options);
  },
  didAccept: (id) => provider.didAccept(id),
  didMoveCursor: (cursor) => provider.didMoveCursor(cursor),
  clear: () => provider.clear(),
  dispose: () => provider.dispose(),
});

/** Policies of other extensions, by name. */
export const otherPolicies = {
  'plain debounce of 300 ms': createPlainDebounce,
  'like Copilot': createPolicyLikeCopilot,
  'like llama.vscode': createPolicyLikeLlama,
} as const satisfies Record<string, CreatePolicy>;

/** The extension's request policies, by value of the setting. */
export const ownPolicies = {
  eager: usePipeline(requestPolicies.eager),
  balanced: usePipeline(requestPolicies.balanced),
  economical: usePipeline(requestPolicies.economical),
} as const satisfies Record<keyof typeof requestPolicies, CreatePolicy>;

/**
 * Delays of the plotted variants of the balanced policy, in milliseconds. They show how latency
 * affects the number of requests.
 */
const frontierDelays = [100, 150, 200, 250, 300, 350, 450, 600, 1_000];

/**
 * Variants of the balanced policy with another delay at positions where suggestions are rarely
 * accepted, by delay.
 */
export const frontierPolicies: Readonly<Record<string, CreatePolicy>> = Object.fromEntries(
  frontierDelays.map((delay) => [
    `${delay} ms`,
    usePipeline({ ...requestPolicies.balanced, delayMs: createDelay(delay) }),
  ]),
);
