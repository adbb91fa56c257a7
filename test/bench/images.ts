import { type ChildProcess, execFile, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { ImageCalls } from './image-client.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, runRounds } from './rounds.ts';

/**
 * Measures the time to save images of 8 MB and 32 MB from a response. Compares the client of the extension with
 * `fetch`, with the `openai` SDK, and with a client that discards the bytes. Each measurement uses a new process.
 */
export async function runImageBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  // Writes to an in-memory folder if possible, so that the disk does not affect the result.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'images-'));
  const server = fork(new URL('image-server.ts', import.meta.url), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  try {
    const origin = `http://127.0.0.1:${await readPort(server)}`;
    const clients = await FreshClients.build({ folder, origin, ...options });
    return [
      ...(await measureJsonReplies(clients)),
      ...(await measureBinaryReplies(clients)),
      ...(await measureImageGrowth(clients)),
    ];
  } finally {
    server.kill();
    await rm(folder, { recursive: true });
  }
}

async function measureJsonReplies(clients: FreshClients): Promise<BenchResult[]> {
  const rounds = await clients.measureRounds({
    extensionCalls: ['json', 'json', 8],
    bytesCalls: ['bytes', 'json', 8],
    fetchCalls: ['fetch-json', 'json', 8],
    openAiCalls: ['openai', 'openai', 8],
  });
  const compareRequests = createComparison('image of 8 MB in JSON', rounds);
  return [
    compareRequests(
      'time, to bytes',
      (round) => [round.extensionCalls.laterCallMs, round.bytesCalls.laterCallMs],
      {
        maxRatio: 2,
      },
    ),
    compareRequests(
      'time, to fetch',
      (round) => [round.extensionCalls.laterCallMs, round.fetchCalls.laterCallMs],
      {
        maxRatio: 0.75,
      },
    ),
    compareRequests(
      'time, to openai SDK',
      (round) => [round.extensionCalls.laterCallMs, round.openAiCalls.laterCallMs],
      {
        maxRatio: 0.75,
      },
    ),
    compareRequests(
      'first time, to openai SDK',
      (round) => [round.extensionCalls.firstCallMs, round.openAiCalls.firstCallMs],
      {
        maxRatio: 0.8,
      },
    ),
    compareRequests(
      'peak memory, to bytes',
      (round) => [round.extensionCalls.peakMegabytes, round.bytesCalls.peakMegabytes],
      {
        maxExcess: 10,
      },
    ),
    compareRequests(
      'peak memory, to fetch',
      (round) => [round.extensionCalls.peakMegabytes, round.fetchCalls.peakMegabytes],
      {
        maxRatio: 0.6,
      },
    ),
    compareRequests(
      'peak memory, to openai SDK',
      (round) => [round.extensionCalls.peakMegabytes, round.openAiCalls.peakMegabytes],
      {
        maxRatio: 0.6,
      },
    ),
    compareRequests(
      'longest block, to bytes',
      (round) => [round.extensionCalls.longestBlockMs, round.bytesCalls.longestBlockMs],
      {
        maxExcess: 10,
      },
    ),
  ];
}

async function measureBinaryReplies(clients: FreshClients): Promise<BenchResult[]> {
  const rounds = await clients.measureRounds({
    extensionCalls: ['binary', 'binary', 8],
    bytesCalls: ['bytes', 'binary', 8],
    fetchCalls: ['fetch-binary', 'binary', 8],
  });
  const compareRequests = createComparison('image of 8 MB as bytes', rounds);
  return [
    compareRequests(
      'time, to bytes',
      (round) => [round.extensionCalls.laterCallMs, round.bytesCalls.laterCallMs],
      {
        maxRatio: 1.4,
      },
    ),
    compareRequests(
      'time, to fetch',
      (round) => [round.extensionCalls.laterCallMs, round.fetchCalls.laterCallMs],
      {
        maxRatio: 0.7,
      },
    ),
    compareRequests(
      'peak memory, to bytes',
      (round) => [round.extensionCalls.peakMegabytes, round.bytesCalls.peakMegabytes],
      {
        maxExcess: 5,
      },
    ),
    compareRequests(
      'peak memory, to fetch',
      (round) => [round.extensionCalls.peakMegabytes, round.fetchCalls.peakMegabytes],
      {
        maxRatio: 0.8,
      },
    ),
    compareRequests(
      'longest block, to bytes',
      (round) => [round.extensionCalls.longestBlockMs, round.bytesCalls.longestBlockMs],
      {
        maxExcess: 10,
      },
    ),
  ];
}

async function measureImageGrowth(clients: FreshClients): Promise<BenchResult[]> {
  const rounds = await clients.measureRounds({
    smallJsonCalls: ['json', 'json', 8],
    largeJsonCalls: ['json', 'json', 32],
    smallBinaryCalls: ['binary', 'binary', 8],
    largeBinaryCalls: ['binary', 'binary', 32],
    largeBytesCalls: ['bytes', 'binary', 32],
  });
  const compareRequests = createComparison('image of 32 MB', rounds);
  return [
    compareRequests(
      'in JSON, peak memory, to 8 MB',
      (round) => [round.largeJsonCalls.peakMegabytes, round.smallJsonCalls.peakMegabytes],
      {
        maxExcess: 5,
      },
    ),
    compareRequests(
      'as bytes, peak memory, to 8 MB',
      (round) => [round.largeBinaryCalls.peakMegabytes, round.smallBinaryCalls.peakMegabytes],
      {
        maxRatio: 1.1,
      },
    ),
    compareRequests(
      'as bytes, peak memory, to bytes',
      (round) => [round.largeBinaryCalls.peakMegabytes, round.largeBytesCalls.peakMegabytes],
      { maxRatio: 1.1 },
    ),
  ];
}

/**
 * Goal of a comparison: the maximum ratio to the value of the alternative, or the maximum difference from it, in the
 * unit of the value.
 */
type RelativeLimit = { readonly maxRatio: number } | { readonly maxExcess: number };

type ValuePair = readonly [extensionValue: number, baselineValue: number];

const createComparison =
  <Round>(subject: string, rounds: readonly Round[]) =>
  (title: string, getPair: (round: Round) => ValuePair, goal: RelativeLimit): BenchResult =>
    compareRounds(`${subject}, ${title}`, {
      rounds,
      unit: title.includes('memory') ? 'MB' : 'ms',
      getExtensionValue: (round) => getPair(round)[0],
      getBaselineValue: (round) => getPair(round)[1],
      target: (baselineValue) =>
        'maxRatio' in goal ? goal.maxRatio : (baselineValue + goal.maxExcess) / baselineValue,
    });

/** Method to save the image, format of the reply, and image size in megabytes. */
type ImageRun = readonly [method: string, format: string, megabytes: number];

interface ClientOptions extends BenchOptions {
  readonly folder: string;
  readonly origin: string;
}

/**
 * Builds one program with all ways to save an image, bundled like the extension. Runs it in a new process for each
 * measurement.
 */
class FreshClients {
  readonly #script: string;
  readonly #file: string;
  readonly #options: ClientOptions;

  private constructor(options: ClientOptions) {
    this.#script = join(options.folder, 'client.cjs');
    this.#file = join(options.folder, 'image.png');
    this.#options = options;
  }

  static async build(options: ClientOptions): Promise<FreshClients> {
    const clients = new FreshClients(options);
    await build({
      entryPoints: [join(import.meta.dirname, 'image-client.ts')],
      outfile: clients.#script,
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'cjs',
      // As in the product, exclude undici's second, experimental HTTP parser.
      define: { esbuildDetection: 'true' },
      logLevel: 'error',
    });
    return clients;
  }

  /** Measures each of the given runs once per round. Returns the values of each round by name of the run. */
  measureRounds<Name extends string>(
    runs: Readonly<Record<Name, ImageRun>>,
  ): Promise<Record<Name, ImageCalls>[]> {
    const names = Object.keys(runs) as Name[];
    const sides = Object.fromEntries(
      names.map((name) => [name, () => this.#measureCalls(runs[name])]),
    ) as Record<Name, () => Promise<ImageCalls>>;
    return runRounds<Record<Name, ImageCalls>>(sides, this.#options);
  }

  async #measureCalls([method, format, megabytes]: ImageRun): Promise<ImageCalls> {
    const { origin, scale } = this.#options;
    const byteCount = 4 * scaleCount(megabytes * 2 ** 18, scale);
    const url = `${origin}/${format}/${byteCount}`;
    const args = [this.#script, method, url, this.#file, String(byteCount)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as ImageCalls;
  }
}

function readPort(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.stdout?.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    server.once('exit', () => reject(new Error('the server did not start')));
  });
}
