import { fork, type ChildProcess } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { measureColdStart } from './cold-stream.ts';
import {
  compareRounds,
  getLongestBlockMs,
  computeMedian,
  computePercentile,
  runRounds,
} from './rounds.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import {
  closeClients,
  streamWithFetch,
  streamWithOpenAi,
  streamWithExtension,
  streamBytesWithUndici,
  type StreamClient,
} from './stream-clients.ts';
import { EventStreamDecoder } from '../../src/service/chat/chat-stream.ts';

/**
 * Compares the extension's stream client with three others: one that reads raw bytes, a hand-written client and the
 * `openai` SDK. The server runs in a separate process.
 */
export async function runStreamClientBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const deltaCount = scaleCount(100_000, options.scale);
  const server = fork(new URL('stream-server.ts', import.meta.url), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    const origin = `http://127.0.0.1:${await readPort(server)}`;
    return [
      ...(await measureSaturatedStream('fine', `${origin}/${deltaCount}/512`, options)),
      ...(await measureSaturatedStream('coarse', `${origin}/${deltaCount}/16384`, options)),
      ...(await measureAtRealPace(origin, options)),
      ...(await measureFirstDelta(`${origin}/1/512`, options)),
      await measureColdStart(`${origin}/1/512`, options),
      await measureDeltaGrowth(origin, options),
      await measureEventGrowth(options),
    ];
  } finally {
    server.kill();
    await closeClients();
  }
}

async function measureSaturatedStream(
  chunkKind: string,
  url: string,
  options: BenchOptions,
): Promise<BenchResult[]> {
  const payloads = await readPayloads(url);
  const longestBlocks = { extensionMs: [] as number[], openAiMs: [] as number[] };
  const rounds = await runRounds(
    {
      extensionMs: () => drainStream(streamWithExtension, url, longestBlocks.extensionMs),
      openAiMs: () => drainStream(streamWithOpenAi, url, longestBlocks.openAiMs),
      bytesMs: () => drainStream(streamBytesWithUndici, url),
      parseMs: async () => {
        const start = performance.now();
        for (const payload of payloads) JSON.parse(payload);
        return performance.now() - start;
      },
    },
    options,
  );
  const commonOptions = {
    rounds,
    unit: 'ms',
    getExtensionValue: (round: { extensionMs: number }) => round.extensionMs,
  };
  const blockRounds = longestBlocks.extensionMs.map((extensionMs, index) => ({
    extensionMs,
    openAiMs: longestBlocks.openAiMs[index] ?? 0,
  }));
  return [
    compareRounds(`stream, saturated, ${chunkKind} chunks, to bytes + JSON.parse`, {
      ...commonOptions,
      getBaselineValue: (round) => round.bytesMs + round.parseMs,
      target: chunkKind === 'fine' ? 1.1 : 1.25,
    }),
    compareRounds(`stream, saturated, ${chunkKind} chunks, to openai SDK`, {
      ...commonOptions,
      getBaselineValue: (round) => round.openAiMs,
      target: 1 / 3,
    }),
    compareRounds(`stream, saturated, ${chunkKind} chunks, longest block, to openai SDK`, {
      rounds: blockRounds.slice(options.warmUpCount),
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: (round) => round.openAiMs,
      target: 0.1,
    }),
  ];
}

async function drainStream(
  client: StreamClient<unknown>,
  url: string,
  longestBlocks?: number[],
): Promise<number> {
  const delayHistogram = monitorEventLoopDelay({ resolution: 1 });
  let chunkCount = 0;
  delayHistogram.enable();
  const start = performance.now();
  await client(url, () => chunkCount++);
  const elapsedMs = performance.now() - start;
  delayHistogram.disable();
  longestBlocks?.push(getLongestBlockMs(delayHistogram));
  if (chunkCount === 0) throw new Error('nothing was read');
  return elapsedMs;
}

async function readPayloads(url: string): Promise<string[]> {
  const payloads: string[] = [];
  const events = new EventStreamDecoder({ onEvent: (data) => payloads.push(data) });
  await streamBytesWithUndici(url, (bytes) => events.decodeBytes(bytes));
  return payloads.filter((payload) => payload !== '[DONE]');
}

async function measureAtRealPace(origin: string, options: BenchOptions): Promise<BenchResult[]> {
  const deltaCount = scaleCount(200, options.scale);
  const { warmUpCount } = options;
  const url = `${origin}/paced/${deltaCount}/200`;
  const delays: Record<'extensionMs' | 'bytesMs', number[]> = { extensionMs: [], bytesMs: [] };
  const cpuTimes: Record<'extensionMs' | 'fetchMs', number[]> = { extensionMs: [], fetchMs: [] };
  const rounds = await runRounds(
    {
      extensionMs: () =>
        recordCpuTime(cpuTimes.extensionMs, () =>
          drainStream(recordTextDelays(streamWithExtension, delays.extensionMs), url),
        ),
      fetchMs: () => recordCpuTime(cpuTimes.fetchMs, () => drainStream(streamWithFetch, url)),
      bytesMs: () => drainStream(recordByteDelays(delays.bytesMs), url),
    },
    options,
  );
  const latencies = rounds.map((_, round) => {
    const computeP99 = (figures: readonly number[]): number =>
      computePercentile(
        figures.slice((warmUpCount + round) * deltaCount, (warmUpCount + round + 1) * deltaCount),
        0.99,
      );
    return { extensionMs: computeP99(delays.extensionMs), bytesMs: computeP99(delays.bytesMs) };
  });
  const cpuRounds = cpuTimes.extensionMs
    .map((extensionMs, index) => ({ extensionMs, fetchMs: cpuTimes.fetchMs[index] ?? 0 }))
    .slice(options.warmUpCount);
  return [
    compareRounds('stream, 200 deltas/s, whole time, to bytes', {
      rounds,
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: (round) => round.bytesMs,
      target: 1.01,
    }),
    compareRounds('stream, 200 deltas/s, delivery p99, to bytes', {
      rounds: latencies,
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: (round) => round.bytesMs,
      target: (baselineMs) => (baselineMs + 0.25) / baselineMs,
    }),
    compareRounds('stream, 200 deltas/s, CPU, to fetch + eventsource-parser', {
      rounds: cpuRounds,
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: (round) => round.fetchMs,
      target: 1.15,
    }),
  ];
}

const getNow = (): number => performance.timeOrigin + performance.now();

/**
 * Returns a client that also records the latency of each delta in milliseconds. The text of each delta must be the time
 * at which it was sent.
 */
const recordTextDelays =
  (client: StreamClient, delays: number[]): StreamClient =>
  (url, onText) =>
    client(url, (text) => {
      delays.push(getNow() - Number(text));
      onText(text);
    });

const recordByteDelays =
  (delays: number[]): StreamClient<Uint8Array> =>
  (url, onBytes) =>
    streamBytesWithUndici(url, (bytes) => {
      const receivedAt = getNow();
      const sentAt = /"content":"([\d.]+) /.exec(Buffer.from(bytes).toString())?.[1];
      if (sentAt !== undefined) delays.push(receivedAt - Number(sentAt));
      onBytes(bytes);
    });

async function recordCpuTime(cpuTimes: number[], run: () => Promise<number>): Promise<number> {
  let elapsedMs = 0;
  cpuTimes.push(
    await measureCpuTime(async () => {
      elapsedMs = await run();
    }),
  );
  return elapsedMs;
}

/**
 * Returns the processor time of this process while `run` runs, in milliseconds. Does not depend on other load of the
 * machine.
 */
async function measureCpuTime(run: () => Promise<unknown>): Promise<number> {
  const startUsage = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(startUsage);
  return (user + system) / 1e3;
}

async function measureFirstDelta(url: string, options: BenchOptions): Promise<BenchResult[]> {
  const requestCount = scaleCount(60, options.scale);
  const rounds = await runRounds(
    {
      extensionMs: () => measureTimeToFirstDelta(streamWithExtension, url, requestCount),
      openAiMs: () => measureTimeToFirstDelta(streamWithOpenAi, url, requestCount),
      bytesMs: () => measureTimeToFirstDelta(streamBytesWithUndici, url, requestCount),
    },
    options,
  );
  const commonOptions = {
    rounds,
    unit: 'ms',
    getExtensionValue: (round: { extensionMs: number }) => round.extensionMs,
  };
  return [
    compareRounds('stream, time to first delta, to bytes', {
      ...commonOptions,
      getBaselineValue: (round) => round.bytesMs,
      target: 1.2,
    }),
    compareRounds('stream, time to first delta, to openai SDK', {
      ...commonOptions,
      getBaselineValue: (round) => round.openAiMs,
      target: 0.6,
    }),
  ];
}

/** Returns the median time to the first delta in milliseconds, for consecutive requests on a warm connection. */
async function measureTimeToFirstDelta(
  client: StreamClient<unknown>,
  url: string,
  requestCount: number,
): Promise<number> {
  const times: number[] = [];
  for (let request = 0; request < requestCount; request++) {
    const start = performance.now();
    let firstDeltaMs = 0;
    await client(url, () => (firstDeltaMs ||= performance.now() - start));
    times.push(firstDeltaMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return computeMedian(times);
}

async function measureDeltaGrowth(origin: string, options: BenchOptions): Promise<BenchResult> {
  const deltaCount = scaleCount(100_000, options.scale);
  const createMeasure = (count: number) => () =>
    measureCpuTime(() => drainStream(streamWithExtension, `${origin}/${count}/4096`));
  const rounds = await runRounds(
    { onceMs: createMeasure(deltaCount), fourfoldMs: createMeasure(4 * deltaCount) },
    options,
  );
  return compareRounds('stream, growth for twice the deltas (100k to 400k)', {
    rounds,
    unit: 'ms',
    getExtensionValue: (round) => Math.sqrt(round.fourfoldMs / round.onceMs),
    getBaselineValue: () => 1,
    target: 2.2,
  });
}

async function measureEventGrowth(options: BenchOptions): Promise<BenchResult> {
  const createMeasure = (megabytes: number) => (): Promise<number> => {
    const bytes = Buffer.from(
      `data: ${'x'.repeat(scaleCount(megabytes * 2 ** 20, options.scale))}\n\n`,
    );
    const events = new EventStreamDecoder({ onEvent: () => {} }, 2 ** 26);
    return measureCpuTime(async () => {
      for (let offset = 0; offset < bytes.length; offset += 1_400)
        events.decodeBytes(bytes.subarray(offset, offset + 1_400));
    });
  };
  const rounds = await runRounds(
    { smallMs: createMeasure(1), largeMs: createMeasure(16) },
    options,
  );
  return compareRounds('stream, growth for twice the length of one event (1 to 16 MB)', {
    rounds,
    unit: 'ms',
    getExtensionValue: (round) => (round.largeMs / round.smallMs) ** 0.25,
    getBaselineValue: () => 1,
    target: 2.2,
  });
}

function readPort(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    server.once('exit', () => reject(new Error('the server did not start')));
  });
}
