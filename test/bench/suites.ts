import type { BenchOptions } from './options.ts';
import type { BenchResult } from './result.ts';

interface Suite {
  /**
   * Options of a full run. They are large enough that two runs give similar medians, and small enough that a run of all
   * suites takes less than 12 minutes.
   */
  readonly options: BenchOptions;
  /** Set for suites that need VS Code and a build in `dist`. Unit tests skip these suites. */
  readonly needsVsCode?: true;
  /** Minimum scale with which the suite can measure all values. */
  readonly minScale?: number;
  readonly run: (options: BenchOptions) => Promise<BenchResult[]>;
}

/** All suites by name, in the order in which they run. */
export const suites: Readonly<Record<string, Suite>> = {
  stream: {
    options: { roundCount: 5, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./stream-client.ts')).runStreamClientBenchmarks(options),
  },
  messages: {
    options: { roundCount: 9, warmUpCount: 6, scale: 1 },
    run: async (options) => (await import('./messages.ts')).runMessageBenchmarks(options),
  },
  markdown: {
    options: { roundCount: 5, warmUpCount: 0, scale: 1 },
    run: async (options) => (await import('./markdown.ts')).runMarkdownBenchmarks(options),
  },
  paint: {
    options: { roundCount: 15, warmUpCount: 1, scale: 1 },
    needsVsCode: true,
    minScale: 1,
    run: async (options) => (await import('./first-paint.ts')).runFirstPaintBenchmarks(options),
  },
  search: {
    options: { roundCount: 5, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./search.ts')).runSearchBenchmarks(options),
  },
  rows: {
    options: { roundCount: 5, warmUpCount: 1, scale: 1 },
    run: async (options) => [
      ...(await (await import('./rows.ts')).runRowBenchmarks(options)),
      ...(await (await import('./conversation-cost.ts')).runConversationBenchmarks(options)),
    ],
  },
  startup: {
    options: { roundCount: 11, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./startup.ts')).runStartupBenchmarks(options),
  },
  edits: {
    options: { roundCount: 9, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./edits.ts')).runEditBenchmarks(options),
  },
  gallery: {
    options: { roundCount: 5, warmUpCount: 0, scale: 1 },
    run: async (options) => (await import('./gallery.ts')).runGalleryBenchmarks(options),
  },
  agent: {
    options: { roundCount: 5, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./agent-loop.ts')).runAgentLoopBenchmarks(options),
  },
  images: {
    options: { roundCount: 5, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./images.ts')).runImageBenchmarks(options),
  },
  completion: {
    options: { roundCount: 5, warmUpCount: 1, scale: 1 },
    run: async (options) => (await import('./completion.ts')).runCompletionBenchmarks(options),
  },
  keystrokes: {
    options: { roundCount: 5, warmUpCount: 0, scale: 1 },
    needsVsCode: true,
    // A shorter input causes only one request, and the first request is measured separately.
    minScale: 0.3,
    run: async (options) => (await import('./keystrokes.ts')).runKeystrokeBenchmarks(options),
  },
};
