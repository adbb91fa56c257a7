import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readLineRange } from '../../src/agent/tools/vscode/large-file.ts';
import { findRipgrep, listFilesWithRipgrep } from '../../src/workspace/vscode/ripgrep.ts';
import type { FileScope, TextQuery } from '../../src/workspace/search.ts';
import { searchWithRipgrep } from '../../src/workspace/vscode/ripgrep-search.ts';
import { DiskSource } from '../../src/workspace/vscode/search-scope.ts';
import { scanFiles } from '../../src/workspace/vscode/scan.ts';
import { installServer } from '../support/vscode/server-install.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, getLongestBlockMs, runRounds } from './rounds.ts';
import { commonWord, type GeneratedFiles, generateFiles, rareWord } from './search-files.ts';

const { signal } = new AbortController();

/**
 * Compares two searches of the extension in 50,000 files with plain ripgrep. One search uses ripgrep, the other does
 * not. Also measures the time to read lines of a large file.
 */
export async function runSearchBenchmarks(
  options: BenchOptions,
  findRipgrepPath: () => Promise<string> = findEditorRipgrep,
): Promise<BenchResult[]> {
  const ripgrepPath = await findRipgrepPath();
  await using files = await generateFiles(scaleCount(50_000, options.scale));
  const search = new SearchBenchmark({ ripgrepPath, files, options });
  return [
    ...(await search.measureLiteralSearch()),
    await search.measureLimitedSearch(),
    ...(await search.measureWithoutRipgrep()),
    await search.measureListing(),
    await measureLargeFileLines(files.folder, options),
  ];
}

/** Returns the path of ripgrep in VS Code's server. Installs the server if it is missing. */
async function findEditorRipgrep(): Promise<string> {
  const { folder: appRoot } = await installServer();
  const ripgrepPath = await findRipgrep({ appRoot, path: '', folders: [] });
  if (ripgrepPath === undefined) throw new Error(`VS Code's server in ${appRoot} has no ripgrep.`);
  return ripgrepPath;
}

interface SearchOptions {
  /** Path of the ripgrep program. */
  readonly ripgrepPath: string;
  readonly files: GeneratedFiles;
  readonly options: BenchOptions;
}

class SearchBenchmark {
  readonly #ripgrepPath: string;
  readonly #folder: string;
  readonly #files: GeneratedFiles;
  readonly #options: BenchOptions;
  readonly #scope: FileScope;

  constructor({ ripgrepPath, files, options }: SearchOptions) {
    const { folder } = files;
    this.#ripgrepPath = ripgrepPath;
    this.#folder = folder;
    this.#files = files;
    this.#options = options;
    this.#scope = {
      folder,
      searchPath: '',
      // VS Code excludes these by default.
      hiddenGlobs: ['**/.svn', '**/.hg', '**/.DS_Store', '**/Thumbs.db', '**/node_modules'],
      excludeGlobs: [],
      nameGlobs: undefined,
      usesIgnoreFiles: true,
      parentIgnoreFiles: [],
    };
  }

  async measureLiteralSearch(): Promise<BenchResult[]> {
    const firstMatchTimes: Record<'extensionMs' | 'baselineMs', number[]> = {
      extensionMs: [],
      baselineMs: [],
    };
    const rounds = await runRounds(
      {
        extensionMs: () =>
          this.#searchWithExtension(rareWord, {
            firstMatchTimes: firstMatchTimes.extensionMs,
            expectedCount: this.#files.rareFileCount,
          }),
        baselineMs: () =>
          this.#searchWithRipgrep(
            ['--line-number', '--fixed-strings', rareWord],
            firstMatchTimes.baselineMs,
          ),
      },
      this.#options,
    );
    const firstMatchRounds = firstMatchTimes.extensionMs
      .map((extensionMs, index) => ({
        extensionMs,
        baselineMs: firstMatchTimes.baselineMs[index] ?? 0,
      }))
      .slice(this.#options.warmUpCount);
    const commonOptions = {
      unit: 'ms',
      getExtensionValue: (round: SearchRound) => round.extensionMs,
      getBaselineValue: getBaselineMs,
    };
    return [
      compareRounds('search, 50,000 files, to ripgrep', {
        ...commonOptions,
        rounds,
        target: 1.15,
      }),
      compareRounds('search, 50,000 files, first result, to ripgrep', {
        ...commonOptions,
        rounds: firstMatchRounds,
        target: (baselineMs) => (baselineMs + 5) / baselineMs,
      }),
    ];
  }

  async measureLimitedSearch(): Promise<BenchResult> {
    const rounds = await runRounds(
      {
        extensionMs: () =>
          this.#searchWithExtension(commonWord, { maxMatches: 200, expectedCount: 201 }),
        baselineMs: () => this.#searchWithRipgrep(['--line-number', '--fixed-strings', commonWord]),
      },
      this.#options,
    );
    return compareRounds('search, common word, 200 results, to all of them by ripgrep', {
      rounds,
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: getBaselineMs,
      target: 0.3,
    });
  }

  async measureWithoutRipgrep(): Promise<BenchResult[]> {
    const chunkCount = scaleCount(150, this.#options.scale);
    const blockTimes: Record<'extensionMs' | 'busyMs', number[]> = { extensionMs: [], busyMs: [] };
    const rounds = await runRounds(
      {
        extensionMs: () =>
          recordLongestBlock(blockTimes.extensionMs, () => this.#searchWithoutRipgrep(rareWord)),
        baselineMs: () => this.#searchWithRipgrep(['--line-number', '--fixed-strings', rareWord]),
        busyMs: () => recordLongestBlock(blockTimes.busyMs, () => yieldRepeatedly(chunkCount)),
      },
      this.#options,
    );
    const blockRounds = blockTimes.extensionMs.map((extensionMs, index) => ({
      extensionMs,
      baselineMs: blockTimes.busyMs[index] ?? 0,
    }));
    const commonOptions = {
      unit: 'ms',
      getExtensionValue: (round: SearchRound) => round.extensionMs,
      getBaselineValue: getBaselineMs,
    };
    return [
      compareRounds('search without ripgrep, 50,000 files, to ripgrep', {
        ...commonOptions,
        rounds,
        target: 2.5,
      }),
      // On a loaded machine, the operating system occasionally delays even short chunks of work.
      compareRounds('search without ripgrep, longest block, to work in pieces of 6 ms', {
        ...commonOptions,
        rounds: blockRounds.slice(this.#options.warmUpCount),
        target: (baselineMs) => (baselineMs + 10) / baselineMs,
      }),
    ];
  }

  async measureListing(): Promise<BenchResult> {
    const rounds = await runRounds(
      {
        extensionMs: () => this.#listFiles(),
        baselineMs: () => this.#searchWithRipgrep(['--files']),
      },
      this.#options,
    );
    return compareRounds('list of 50,000 files, to ripgrep', {
      rounds,
      unit: 'ms',
      getExtensionValue: (round) => round.extensionMs,
      getBaselineValue: getBaselineMs,
      target: 1.3,
    });
  }

  async #searchWithExtension(
    text: string,
    {
      maxMatches = Number.POSITIVE_INFINITY,
      firstMatchTimes,
      expectedCount,
    }: {
      readonly maxMatches?: number;
      readonly firstMatchTimes?: number[];
      readonly expectedCount: number;
    },
  ): Promise<number> {
    const start = performance.now();
    let [foundCount, firstMatchMs] = [0, 0];
    await searchWithRipgrep(this.#scope, {
      program: this.#ripgrepPath,
      query: createQuery(text, maxMatches),
      signal,
      onLine() {
        firstMatchMs ||= performance.now() - start;
        return ++foundCount <= maxMatches;
      },
    });
    const elapsedMs = performance.now() - start;
    assertCount(expectedCount, foundCount);
    firstMatchTimes?.push(firstMatchMs);
    return elapsedMs;
  }

  async #searchWithoutRipgrep(text: string): Promise<number> {
    let foundCount = 0;
    const start = performance.now();
    await scanFiles({
      source: new DiskSource(this.#folder),
      scope: this.#scope,
      query: createQuery(text, Number.POSITIVE_INFINITY),
      signal,
      accepts: () => true,
      onLine: () => ++foundCount > 0,
    });
    assertCount(this.#files.rareFileCount, foundCount);
    return performance.now() - start;
  }

  async #listFiles(): Promise<number> {
    let foundCount = 0;
    const start = performance.now();
    const scope = this.#scope;
    const onPath = (): boolean => ++foundCount > 0;
    await listFilesWithRipgrep({ program: this.#ripgrepPath, scope, signal, onPath });
    assertCount(this.#files.fileCount, foundCount);
    return performance.now() - start;
  }

  /**
   * Runs ripgrep without a configuration file, and discards its output. Resolves with the elapsed time in milliseconds.
   * @param firstMatchTimes receives the time until the first output, in milliseconds
   */
  #searchWithRipgrep(args: readonly string[], firstMatchTimes?: number[]): Promise<number> {
    return new Promise((resolve, reject) => {
      const start = performance.now();
      let firstMatchMs = 0;
      const child = spawn(this.#ripgrepPath, ['--no-config', '--no-require-git', ...args, './'], {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.on('data', () => (firstMatchMs ||= performance.now() - start));
      child.once('error', reject);
      child.once('close', () => {
        firstMatchTimes?.push(firstMatchMs);
        resolve(performance.now() - start);
      });
    });
  }
}

async function recordLongestBlock(
  blockTimes: number[],
  run: () => Promise<number>,
): Promise<number> {
  const delayHistogram = monitorEventLoopDelay({ resolution: 1 });
  delayHistogram.enable();
  const elapsedMs = await run();
  delayHistogram.disable();
  blockTimes.push(getLongestBlockMs(delayHistogram));
  return elapsedMs;
}

/**
 * Keeps the thread busy for about the duration of a search, and yields to the event loop every 6 ms. Resolves with the
 * elapsed time in milliseconds.
 */
async function yieldRepeatedly(chunkCount: number): Promise<number> {
  const start = performance.now();
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const chunkEndTime = performance.now() + 6;
    while (performance.now() < chunkEndTime);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return performance.now() - start;
}

interface SearchRound {
  readonly extensionMs: number;
  readonly baselineMs: number;
}

const getBaselineMs = (round: SearchRound): number => round.baselineMs;

const createQuery = (text: string, maxMatches: number): TextQuery => ({
  text,
  isRegex: false,
  isCaseSensitive: true,
  contextLineCount: 0,
  maxMatches,
});

async function measureLargeFileLines(folder: string, options: BenchOptions): Promise<BenchResult> {
  const path = join(folder, 'large.log');
  const lines = Array.from(
    { length: scaleCount(1_000_000, options.scale) },
    (_, index) => `${index + 1} ${'x'.repeat(43)}`,
  );
  await writeFile(path, lines.join('\n'));
  const [firstLine, lastLine] = [
    scaleCount(900_000, options.scale),
    scaleCount(901_000, options.scale),
  ];
  const limits = { lines: lastLine - firstLine + 1, bytes: 1e6 };
  const rounds = await runRounds(
    {
      async extensionMs() {
        const start = performance.now();
        const { bytes } = await readLineRange(path, {
          firstLine,
          limits,
          signal,
        });
        const elapsedMs = performance.now() - start;
        assertCount(limits.lines, Buffer.from(bytes).toString().trimEnd().split('\n').length);
        return elapsedMs;
      },
      baselineMs: () => readFirstLines(path, lastLine),
    },
    options,
  );
  return compareRounds('lines 900,000 to 901,000 of 50 MB, to reading 901,000 lines', {
    rounds,
    unit: 'ms',
    getExtensionValue: (round) => round.extensionMs,
    getBaselineValue: getBaselineMs,
    target: 1.2,
  });
}

/**
 * Reads the first lines of a file with the simplest implementation that stops after `count` lines. Resolves with the
 * elapsed time in milliseconds.
 */
async function readFirstLines(path: string, count: number): Promise<number> {
  const start = performance.now();
  let lineCount = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_024 * 1_024 })) {
    const bytes = chunk as Buffer;
    for (
      let index = bytes.indexOf(10);
      index >= 0 && lineCount < count;
      index = bytes.indexOf(10, index + 1)
    )
      lineCount += 1;
    if (lineCount >= count) break;
  }
  assertCount(count, lineCount);
  return performance.now() - start;
}

function assertCount(expectedCount: number, foundCount: number): void {
  if (foundCount !== expectedCount)
    throw new Error(`Found ${foundCount} instead of ${expectedCount}.`);
}
