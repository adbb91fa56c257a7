import { launchBrowser } from '../support/browser.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { measureMarkdownBundle } from './markdown-bundle.ts';
import {
  type RenderCost,
  type MeasureStream,
  openPage,
  type MeasureSavedAnswer,
} from './markdown-browser.ts';
import type { StreamRun } from './markdown-page.ts';
import { createMixedText, openBlocks } from './markdown-texts.ts';
import { compareRounds, computeMedian, runRounds } from './rounds.ts';

const unthrottledFlags = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/**
 * Text lengths, in characters, at which a long answer is measured. Streaming the complete answer would take too long.
 */
const megabyteSampleLengths = [100_000, 300_000, 500_000, 700_000, 900_000];
const shortSampleLengths = [10_000, 30_000, 50_000, 70_000, 90_000];
const framesPerMegabyte = 10_000;

/**
 * Measures streamed Markdown in headless Chromium. Compares the renderer of the extension with two others: one appends
 * plain text, and the other parses, sanitizes and replaces the complete text in every frame. Measures answers of 1 MB
 * at only five text lengths.
 */
export async function runMarkdownBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const browser = await launchBrowser(unthrottledFlags);
  try {
    const { measure, measureSaved } = await openPage(browser);
    const measureBlock = (
      kind: keyof typeof openBlocks,
      goals: BlockGoals,
    ): Promise<BenchResult[]> => measureOpenBlock(kind, { measure, goals, options });
    return [
      ...(await measureShortAnswer(measure, options)),
      ...(await measureLongAnswer(measure, options)),
      ...(await measureBlock('fence', { maxTimeRatio: 0.5, maxFrameMs: 16, maxGrowth: 2.2 })),
      ...(await measureBlock('list', { maxTimeRatio: 0.6, maxFrameMs: 16, maxGrowth: 2.6 })),
      ...(await measureBlock('paragraph', { maxTimeRatio: 0.8, maxFrameMs: 33, maxGrowth: 3.5 })),
      ...(await measureBlock('table', { maxTimeRatio: 0.6, maxFrameMs: 50, maxGrowth: 2.2 })),
      await measureSavedAnswer(measureSaved, options),
      ...(await measureMarkdownBundle()),
    ];
  } finally {
    await browser.close();
  }
}

async function measureShortAnswer(
  measure: MeasureStream,
  options: BenchOptions,
): Promise<BenchResult[]> {
  const text = createMixedText(scaleCount(101_000, options.scale));
  const longRun = {
    text,
    prefilledLength: 0,
    charactersPerFrame: 100,
    frameCount: scaleCount(1_000, options.scale),
  };
  const lengths = shortSampleLengths.map((length) => scaleCount(length, options.scale));
  const figures = await runRounds(
    {
      extensionCost: () => measure({ renderer: 'extension', ...longRun }),
      baselineCost: () => measure({ renderer: 'plainText', ...longRun }),
    },
    options,
  );
  const rounds = await runRounds(
    {
      extensionCosts: () =>
        measureSample(measure, { renderer: 'extension', text, lengths, frameCount: 8 }),
      baselineCosts: () =>
        measureSample(measure, { renderer: 'fullRender', text, lengths, frameCount: 8 }),
    },
    options,
  );
  return [
    measureMainThread('100 KB answer against bare text', figures, 1.8),
    compareRounds('100 KB answer against full re-rendering, main thread per frame (sampled)', {
      rounds,
      getExtensionValue: ({ extensionCosts }) =>
        computeMean(extensionCosts.map(({ mainThreadMsPerFrame }) => mainThreadMsPerFrame)),
      getBaselineValue: ({ baselineCosts }) =>
        computeMean(baselineCosts.map(({ mainThreadMsPerFrame }) => mainThreadMsPerFrame)),
      unit: 'ms',
      target: 0.1,
    }),
  ];
}

async function measureLongAnswer(
  measure: MeasureStream,
  options: BenchOptions,
): Promise<BenchResult[]> {
  const text = createMixedText(scaleCount(1_000_000, options.scale));
  const lengths = megabyteSampleLengths.map((length) => scaleCount(length, options.scale));
  const frameCount = scaleCount(30, options.scale);
  const createMeasure = (renderer: StreamRun['renderer']) => () =>
    measureSample(measure, { renderer, text, lengths, frameCount });
  const figures = await runRounds(
    { extensionCosts: createMeasure('extension'), baselineCosts: createMeasure('plainText') },
    options,
  );
  const sumCosts = (costs: readonly RenderCost[]): number =>
    computeMean(costs.map(({ mainThreadMsPerFrame }) => mainThreadMsPerFrame)) * framesPerMegabyte;
  return [
    compareRounds('1 MB answer against bare text, main thread (sampled)', {
      rounds: figures,
      getExtensionValue: ({ extensionCosts }) => sumCosts(extensionCosts),
      getBaselineValue: ({ baselineCosts }) => sumCosts(baselineCosts),
      unit: 'ms',
      target: 0.8,
    }),
    compareWithLimit(
      '1 MB answer, growth per frame and 100 KB',
      0.1,
      computeMedian(figures.map(({ extensionCosts }) => computeCostGrowth(extensionCosts))),
    ),
    compareWithLimit(
      '1 MB answer, longest frame',
      16,
      findLongestFrameMs(figures.map(({ extensionCosts }) => extensionCosts)),
    ),
  ];
}

interface BlockGoals {
  /** Maximum main-thread time of the extension, as a multiple of the main-thread time of the alternative. */
  readonly maxTimeRatio: number;
  /** Maximum duration of a frame in milliseconds. */
  readonly maxFrameMs: number;
  /**
   * Maximum time of the extension for 100 KB, as a multiple of its time for 50 KB. The browser lays out an open
   * paragraph as a whole, so the value is 3.5 even for a single growing text node.
   */
  readonly maxGrowth: number;
}

async function measureOpenBlock(
  kind: keyof typeof openBlocks,
  {
    measure,
    goals: { maxTimeRatio, maxFrameMs, maxGrowth: growthTarget },
    options,
  }: {
    readonly measure: MeasureStream;
    readonly goals: BlockGoals;
    readonly options: BenchOptions;
  },
): Promise<BenchResult[]> {
  const text = openBlocks[kind](scaleCount(101_000, options.scale));
  const halfFrameCount = scaleCount(125, options.scale);
  const createMeasure = (renderer: StreamRun['renderer'], frameCount: number) => () =>
    measure({ renderer, text, prefilledLength: 0, charactersPerFrame: 400, frameCount });
  const figures = await runRounds(
    {
      extensionCost: createMeasure('extension', 2 * halfFrameCount),
      baselineCost: createMeasure('plainNode', 2 * halfFrameCount),
      halfCost: createMeasure('extension', halfFrameCount),
    },
    options,
  );
  return [
    measureMainThread(
      `One open ${kind} of 100 KB against one growing text node`,
      figures,
      maxTimeRatio,
    ),
    compareWithLimit(
      `One open ${kind}, longest frame`,
      maxFrameMs,
      findLongestFrameMs(figures.map(({ extensionCost }) => [extensionCost])),
    ),
    compareRounds(`One open ${kind}, main thread at 100 KB against 50 KB`, {
      rounds: figures,
      getExtensionValue: ({ extensionCost }) => extensionCost.mainThreadMs,
      getBaselineValue: ({ halfCost }) => halfCost.mainThreadMs,
      unit: 'ms',
      target: growthTarget,
    }),
  ];
}

async function measureSavedAnswer(
  measureSaved: MeasureSavedAnswer,
  options: BenchOptions,
): Promise<BenchResult> {
  const text = createMixedText(scaleCount(1_000_000, options.scale));
  const figures = await runRounds(
    {
      extensionMs: () => measureSaved('restored', text),
      wholeMs: () => measureSaved('at once', text),
    },
    options,
  );
  return compareRounds('Saved answer of 1 MB, first paint against rendering it at once', {
    rounds: figures,
    getExtensionValue: ({ extensionMs }) => extensionMs,
    getBaselineValue: ({ wholeMs }) => wholeMs,
    unit: 'ms',
    target: 0.2,
  });
}

function measureMainThread(
  name: string,
  figures: readonly { readonly extensionCost: RenderCost; readonly baselineCost: RenderCost }[],
  target: number,
): BenchResult {
  return compareRounds(`${name}, main thread`, {
    rounds: figures,
    getExtensionValue: ({ extensionCost }) => extensionCost.mainThreadMs,
    getBaselineValue: ({ baselineCost }) => baselineCost.mainThreadMs,
    unit: 'ms',
    target,
  });
}

/** Compares a value of the extension with a maximum, both in milliseconds. The target ratio is therefore 1. */
function compareWithLimit(name: string, limitMs: number, valueMs: number): BenchResult {
  const ratio = valueMs / limitMs;
  return {
    name,
    extensionValue: valueMs,
    baselineValue: limitMs,
    ratio,
    unit: 'ms',
    target: 1,
    isMet: ratio <= 1,
  };
}

async function measureSample(
  measure: MeasureStream,
  run: Pick<StreamRun, 'renderer' | 'text' | 'frameCount'> & {
    readonly lengths: readonly number[];
  },
): Promise<RenderCost[]> {
  const costs: RenderCost[] = [];
  for (const prefilledLength of run.lengths)
    costs.push(await measure({ ...run, prefilledLength, charactersPerFrame: 100 }));
  return costs;
}

/**
 * Returns how much the cost per frame grows with each additional 100 KB of text, in milliseconds. Computed by least
 * squares.
 */
function computeCostGrowth(costs: readonly RenderCost[]): number {
  const lengths = megabyteSampleLengths.map((length) => length / 100_000);
  const meanLength = computeMean(lengths);
  const averageMs = computeMean(costs.map(({ mainThreadMsPerFrame }) => mainThreadMsPerFrame));
  const products = costs.map(
    ({ mainThreadMsPerFrame }, index) =>
      (lengths[index]! - meanLength) * (mainThreadMsPerFrame - averageMs),
  );
  return computeMean(products) / computeMean(lengths.map((length) => (length - meanLength) ** 2));
}

/**
 * Returns the duration of the longest frame in milliseconds. The duration of a frame is its median over all rounds,
 * because other programs interrupt different frames in each round.
 */
function findLongestFrameMs(rounds: readonly (readonly RenderCost[])[]): number {
  const [firstCosts = []] = rounds;
  const durations = firstCosts.flatMap(({ frameDurationsMs: frames }, runIndex) =>
    frames.map((_, frameIndex) =>
      computeMedian(
        rounds.map((costs) => costs[runIndex]?.frameDurationsMs[frameIndex] ?? Number.NaN),
      ),
    ),
  );
  return Math.max(...durations);
}

function computeMean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}
