import { systemClock } from '../../src/base/clock.ts';
import { createAnchor, CompletionCache } from '../../src/completion/completion-cache.ts';
import { CompletionPipeline } from '../../src/completion/pipeline.ts';
import { type Snapshot, snapshotLimits } from '../../src/completion/snapshot.ts';
import { readModel } from '../../src/service/read-model.ts';
import type { Model } from '../../src/service/model-types.ts';
import {
  type DocumentLines,
  getTextBefore,
  getTextAfter,
} from '../../src/completion/context/text-lines.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import {
  compareWithBaseline,
  compareRounds,
  computeMedian,
  computePercentile,
  runRounds,
} from './rounds.ts';
import { Stopwatch } from './stopwatch.ts';
import { isAddedElision } from '../../src/agent/edit/new-text-elision.ts';

const documentSizes = { small: 20_000, medium: 200_000, large: 1_000_000 } as const;
type Size = keyof typeof documentSizes;
/** Number of cached completions per document. Equal to the maximum of the cache. */
const cachedCount = 32;
/** Text of every cached completion. */
const cachedText = 'const level = gauge.average();';
/** Start of the cached text that the user has already typed. */
const typedText = 'const';

/**
 * Measures the processor time of a cache lookup in documents of 20 KB, 200 KB and 1 MB. Compares the cache of the
 * extension with a cache whose key is the complete text before the cursor. Also measures a complete provider call for a
 * cached suggestion, including document reads.
 */
export async function runCompletionCacheBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const [lookupCount, callCount] = [
    scaleCount(2_000, options.scale),
    scaleCount(100, options.scale),
  ];
  const documents = Object.fromEntries(
    Object.entries(documentSizes).map(([size, length]) => [size, new LongDocument(length)]),
  ) as Record<Size, LongDocument>;
  const rounds = await runRounds(
    {
      smallUs: async () => measureLookupUs(documents.small, lookupCount),
      mediumUs: async () => measureLookupUs(documents.medium, lookupCount),
      largeUs: async () => measureLookupUs(documents.large, lookupCount),
      naiveSmallUs: async () => measureNaiveLookupUs(documents.small, callCount),
      naiveLargeUs: async () => measureNaiveLookupUs(documents.large, callCount),
      callMs: () => measureCallMs(documents.large, lookupCount),
    },
    options,
  );
  const getFigure = (name: keyof (typeof rounds)[number]): number =>
    computeMedian(rounds.map((round) => round[name]));
  const commonOptions = { rounds, unit: 'µs' };
  const lookupTimes = (['smallUs', 'mediumUs', 'largeUs'] as const).map((name) =>
    getFigure(name).toFixed(1),
  );
  const naiveTimes = (['naiveSmallUs', 'naiveLargeUs'] as const).map((name) =>
    getFigure(name).toFixed(1),
  );
  console.log(
    `known suggestions looked up in 20 KB, 200 KB and 1 MB: ${lookupTimes.join(', ')} µs; keyed by all text, in 20 KB and 1 MB: ${naiveTimes.join(', ')} µs`,
  );
  return [
    compareWithBaseline('completion: look-up in 1 MB, to 20 µs', 'µs', 1, [
      getFigure('largeUs'),
      20,
    ]),
    compareRounds('completion: look-up in 1 MB, to one in 20 KB', {
      ...commonOptions,
      getExtensionValue: ({ largeUs }) => largeUs,
      getBaselineValue: ({ smallUs }) => smallUs,
      target: 3,
    }),
    compareRounds('completion: look-up in 1 MB, to a cache keyed by the text', {
      ...commonOptions,
      getExtensionValue: ({ largeUs }) => largeUs,
      getBaselineValue: ({ naiveLargeUs }) => naiveLargeUs,
      target: 1,
    }),
    compareRounds('completion: call for a known suggestion in 1 MB, p99, to 1 ms', {
      rounds,
      unit: 'ms',
      getExtensionValue: ({ callMs }) => callMs,
      getBaselineValue: () => 1,
      target: 1,
    }),
  ];
}

/** Document in which all lines of code differ. Stores an array of lines, as an editor does. */
class LongDocument implements DocumentLines {
  readonly #lines: string[];

  constructor(length: number) {
    const formatLine = (index: number): string =>
      `  const station${index} = stations.get('station-${index}');`;
    this.#lines = Array.from(
      { length: Math.ceil(length / formatLine(10_000).length) },
      (_, index) => formatLine(index),
    );
  }

  get lineCount(): number {
    return this.#lines.length;
  }

  lineAt(line: number): { readonly text: string } {
    return { text: this.#lines[line] ?? '' };
  }

  /**
   * Creates a snapshot with a new line that contains `lineText`, and the cursor at its end. The new line follows the
   * line that is `index` lines before the last line.
   */
  createSnapshot(index: number, lineText = ''): Snapshot {
    const line = this.lineCount - 1 - index;
    const position = { line, character: this.lineAt(line).text.length };
    return {
      documentUri: 'file:///long.ts',
      languageId: 'typescript',
      path: 'long.ts',
      position: { line: line + 1, character: 2 + lineText.length },
      prefix: `${getTextBefore(this, position, snapshotLimits.prefix - 3 - lineText.length)}\n  ${lineText}`,
      suffix: getTextAfter(this, position, snapshotLimits.suffix),
      indentUnit: '  ',
    };
  }

  getText(): string {
    return this.#lines.join('\n');
  }
}

/** Returns the mean processor time of a lookup in a full cache, in microseconds. */
function measureLookupUs(document: LongDocument, lookupCount: number): number {
  const cache = new CompletionCache(systemClock);
  for (let index = 0; index < cachedCount; index += 1)
    cache.add({
      id: index,
      anchor: createAnchor(document.createSnapshot(index)),
      text: cachedText,
    });
  const snapshots = Array.from({ length: cachedCount }, (_, index) =>
    document.createSnapshot(index, typedText),
  );
  const watch = new Stopwatch();
  for (let count = 0; count < lookupCount; count += 1) {
    const position = snapshots[count % snapshots.length];
    if (position === undefined || cache.find(position).length !== 1)
      throw new Error('What is known was not found.');
  }
  return (1_000 * watch.ms) / lookupCount;
}

/**
 * Returns the mean processor time of a lookup in a cache whose key is the complete text before the cursor, in
 * microseconds. Includes the time to create the key.
 */
function measureNaiveLookupUs(document: LongDocument, callCount: number): number {
  const text = document.getText();
  const cachedTexts = new Map<string, string>();
  for (let index = 0; index < cachedCount; index += 1)
    cachedTexts.set(text.slice(0, text.length - index), cachedText);
  const watch = new Stopwatch();
  for (let count = 0; count < callCount; count += 1) {
    const prefix = text.slice(0, text.length - (count % cachedCount));
    if (cachedTexts.get(prefix) === undefined) throw new Error('What is known was not found.');
  }
  return (1_000 * watch.ms) / callCount;
}

/**
 * Returns the 99th percentile of the processor time of a provider call for a cached suggestion, in milliseconds.
 * Includes reading the document.
 */
async function measureCallMs(document: LongDocument, lookupCount: number): Promise<number> {
  const { signal } = new AbortController();
  const pipeline = new CompletionPipeline({
    clock: systemClock,
    getSettings: () => ({ isAutomatic: true, canSuggestInComments: true, canPrefetch: false }),
    getTarget: () => ({ model, route: 'chat' }),
    getPolicy: () => ({
      getDelayMs: () => 0,
      getPrefetchDelayMs: () => undefined,
      maxLinesAhead: 0,
    }),
    isElision: isAddedElision,
    getContext: () => [],
    async *sendRequest() {
      yield [
        { type: 'text-delta', text: cachedText },
        { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'stop' } },
      ];
    },
    reportExchange() {},
  });
  for (let index = 0; index < cachedCount; index += 1)
    await pipeline.provide(document.createSnapshot(index), { isExplicit: false, signal });
  const times: number[] = [];
  for (let count = 0; count < lookupCount; count += 1) {
    const watch = new Stopwatch();
    const snapshot = document.createSnapshot(count % cachedCount, typedText);
    const { source } = await pipeline.provide(snapshot, { isExplicit: false, signal });
    times.push(watch.ms);
    if (source !== 'cached') throw new Error(`A known suggestion was ${source}.`);
  }
  pipeline.dispose();
  return computePercentile(times, 0.99);
}

const model = readModel({ id: 'm', type: 'text', object: 'model', model_spec: {} }) as Model;
