import {
  createAgentFixture,
  createCallEvent,
  createTextDelta,
  createTool,
} from '../support/agent-fixture.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, runRounds } from './rounds.ts';

/** Maximum overhead per tool call in milliseconds. Excludes the time for which the tool runs. */
const callLimitMs = 5;

/**
 * Measures agent turns of 200 steps with one tool call each. Compares the overhead per call with a limit, and the
 * duration of a turn with that of a turn of half the length. As with a real service, every step sends a complete
 * request.
 */
export async function runAgentLoopBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const stepCount = scaleCount(200, options.scale);
  const rounds = await runRounds(
    {
      onceMs: () => measureTurnOfSteps(stepCount),
      twiceMs: () => measureTurnOfSteps(stepCount * 2),
      limitMs: async () => callLimitMs,
    },
    options,
  );
  return [
    compareRounds('agent: a call, beyond its tool, against its limit', {
      rounds: rounds.map(({ onceMs, limitMs }) => ({
        extensionMs: onceMs / stepCount,
        baselineMs: limitMs,
      })),
      getExtensionValue: ({ extensionMs }) => extensionMs,
      getBaselineValue: ({ baselineMs }) => baselineMs,
      unit: 'ms',
      target: 1,
    }),
    compareRounds('agent: a turn of 400 steps, against one of 200', {
      rounds,
      getExtensionValue: ({ twiceMs }) => twiceMs,
      getBaselineValue: ({ onceMs }) => onceMs,
      unit: 'ms',
      target: 3.3,
    }),
  ];
}

/**
 * Returns the duration of a turn with `stepCount` tool calls in milliseconds. Excludes the time for which the tools
 * run.
 */
async function measureTurnOfSteps(stepCount: number): Promise<number> {
  let toolMs = 0;
  const readTool = createTool('read', ({ n }) => {
    const start = performance.now();
    const text = `line ${JSON.stringify(n)}\n`.repeat(100);
    toolMs += performance.now() - start;
    return text;
  });
  const fixture = createAgentFixture({
    tools: [readTool],
    answers: [
      ...Array.from({ length: stepCount }, (_, n) => [
        createTextDelta('Next.'),
        createCallEvent('read', { n }),
      ]),
      [createTextDelta('Done.')],
    ],
    model: { contextTokens: 1_000_000 },
  });
  const start = performance.now();
  await fixture.session.send('Go', []);
  const elapsedMs = performance.now() - start - toolMs;
  if (fixture.requests.length !== stepCount + 1) throw new Error('The turn ended early.');
  return elapsedMs;
}
