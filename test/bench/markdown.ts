import { launchBrowser } from '../support/browser.ts';
import type { BenchResult } from './result.ts';
import { markdownBundle } from './markdown-bundle.ts';
import { type Cost, type Measure, openPage, type OpenSaved } from './markdown-browser.ts';
import type { StreamRun } from './markdown-page.ts';
import { mix, openBlocks } from './markdown-texts.ts';
import { compare, median } from './rounds.ts';

const asFastAsPossible = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/** Lengths at which a long answer is sampled instead of streamed whole. */
const samplesOfMegabyte = [100_000, 300_000, 500_000, 700_000, 900_000];
const samplesOfShort = [10_000, 30_000, 50_000, 70_000, 90_000];
const framesPerMegabyte = 10_000;

/**
 * Streamed Markdown in headless Chromium against appending bare text and against parsing, sanitising
 * and replacing everything at every frame. Answers of 1 MB are sampled at five lengths.
 */
export async function markdownBenchmarks(): Promise<BenchResult[]> {
  const browser = await launchBrowser(asFastAsPossible);
  try {
    const { measure, openSaved } = await openPage(browser);
    return [
      ...(await shortAnswer(measure)),
      ...(await longAnswer(measure)),
      ...(await openBlock(measure, 'fence', { target: 0.5, longest: 16 })),
      ...(await openBlock(measure, 'list', { target: 0.6, longest: 16 })),
      ...(await openBlock(measure, 'paragraph', { target: 0.6, longest: 16 })),
      ...(await openBlock(measure, 'table', { target: 2.6, longest: 50 })),
      await savedAnswer(openSaved),
      ...(await markdownBundle()),
    ];
  } finally {
    await browser.close();
  }
}

async function shortAnswer(measure: Measure): Promise<BenchResult[]> {
  const text = mix(101_000);
  const whole = { text, prefill: 0, perFrame: 100, frames: 1000 };
  const figures = await inTurn(3, {
    ours: () => measure({ renderer: 'ours', ...whole }),
    bare: () => measure({ renderer: 'bare', ...whole }),
  });
  const sampled = await inTurn(2, {
    ours: () => sample(measure, { renderer: 'ours', text, lengths: samplesOfShort, frames: 8 }),
    full: () => sample(measure, { renderer: 'full', text, lengths: samplesOfShort, frames: 8 }),
  });
  return [
    mainThread('100 KB answer against bare text', figures, 1.8),
    compare('100 KB answer against full re-rendering, main thread per frame (sampled)', {
      rounds: sampled,
      ours: ({ ours }) => mean(ours.map(({ perFrame }) => perFrame)),
      theirs: ({ full }) => mean(full.map(({ perFrame }) => perFrame)),
      unit: 'ms',
      target: 0.1,
    }),
  ];
}

async function longAnswer(measure: Measure): Promise<BenchResult[]> {
  const text = mix(1_000_000);
  const run = (renderer: StreamRun['renderer']) => () =>
    sample(measure, { renderer, text, lengths: samplesOfMegabyte, frames: 30 });
  const figures = await inTurn(3, { ours: run('ours'), bare: run('bare') });
  const total = (costs: readonly Cost[]): number =>
    mean(costs.map(({ perFrame }) => perFrame)) * framesPerMegabyte;
  return [
    compare('1 MB answer against bare text, main thread (sampled)', {
      rounds: figures,
      ours: ({ ours }) => total(ours),
      theirs: ({ bare }) => total(bare),
      unit: 'ms',
      target: 0.8,
    }),
    bound(
      '1 MB answer, growth per frame and 100 KB',
      0.1,
      figures.map(({ ours }) => growth(ours)),
    ),
    bound(
      '1 MB answer, longest frame',
      16,
      figures.map(({ ours }) => longestOf(ours)),
    ),
  ];
}

async function openBlock(
  measure: Measure,
  kind: keyof typeof openBlocks,
  { target, longest }: { readonly target: number; readonly longest: number },
): Promise<BenchResult[]> {
  const text = openBlocks[kind](101_000);
  const run = (renderer: StreamRun['renderer'], frames: number) => () =>
    measure({ renderer, text, prefill: 0, perFrame: 400, frames });
  const figures = await inTurn(3, {
    ours: run('ours', 250),
    bare: run('bareNode', 250),
    half: run('ours', 125),
  });
  return [
    mainThread(`One open ${kind} of 100 KB against one growing text node`, figures, target),
    bound(
      `One open ${kind}, longest frame`,
      longest,
      figures.map(({ ours }) => ours.longest),
    ),
    compare(`One open ${kind}, main thread at 100 KB against 50 KB`, {
      rounds: figures,
      ours: ({ ours }) => ours.main,
      theirs: ({ half }) => half.main,
      unit: 'ms',
      target: 2.4,
    }),
  ];
}

async function savedAnswer(openSaved: OpenSaved): Promise<BenchResult> {
  const text = mix(1_000_000);
  const figures = await inTurn(3, {
    ours: () => openSaved('restored', text),
    whole: () => openSaved('at once', text),
  });
  return compare('Saved answer of 1 MB, first paint against rendering it at once', {
    rounds: figures,
    ours: ({ ours }) => ours,
    theirs: ({ whole }) => whole,
    unit: 'ms',
    target: 0.2,
  });
}

function mainThread(
  name: string,
  figures: readonly { readonly ours: Cost; readonly bare: Cost }[],
  target: number,
): BenchResult {
  return compare(`${name}, main thread`, {
    rounds: figures,
    ours: ({ ours }) => ours.main,
    theirs: ({ bare }) => bare.main,
    unit: 'ms',
    target,
  });
}

/** A figure that has a bound of its own: compared with the bound, so the ratio to meet is 1. */
function bound(name: string, theirs: number, figures: readonly number[]): BenchResult {
  const ours = median(figures);
  const ratio = ours / theirs;
  return { name, ours, theirs, ratio, unit: 'ms', target: 1, met: ratio <= 1 };
}

async function sample(
  measure: Measure,
  run: Pick<StreamRun, 'renderer' | 'text' | 'frames'> & { readonly lengths: readonly number[] },
): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const prefill of run.lengths) costs.push(await measure({ ...run, prefill, perFrame: 100 }));
  return costs;
}

/** Least-squares slope of the frame's cost over the text's length, per 100 KB. */
function growth(costs: readonly Cost[]): number {
  const lengths = samplesOfMegabyte.map((length) => length / 100_000);
  const center = mean(lengths);
  const average = mean(costs.map(({ perFrame }) => perFrame));
  const products = costs.map(({ perFrame }, at) => (lengths[at]! - center) * (perFrame - average));
  return mean(products) / mean(lengths.map((length) => (length - center) ** 2));
}

function longestOf(costs: readonly Cost[]): number {
  return Math.max(...costs.map(({ longest }) => longest));
}

function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

/** Runs every side once per round, another one first each time. */
async function inTurn<Sides extends Record<string, () => Promise<unknown>>>(
  count: number,
  sides: Sides,
): Promise<{ [Name in keyof Sides]: Awaited<ReturnType<Sides[Name]>> }[]> {
  const entries = Object.entries(sides);
  const results: Record<string, unknown>[] = [];
  for (let round = 0; round < count; round += 1) {
    const figures: Record<string, unknown> = {};
    for (let turn = 0; turn < entries.length; turn += 1) {
      const [name, side] = entries[(round + turn) % entries.length]!;
      figures[name] = await side();
    }
    results.push(figures);
  }
  return results as { [Name in keyof Sides]: Awaited<ReturnType<Sides[Name]>> }[];
}
