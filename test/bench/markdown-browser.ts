import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import type { StreamRun } from './markdown-page.ts';

/** Cost of streaming a text into a page. */
export interface RenderCost {
  /** CPU time of the page's main thread for all frames, in milliseconds. Does not depend on other programs. */
  readonly mainThreadMs: number;
  readonly mainThreadMsPerFrame: number;
  /** Duration of each frame in milliseconds, including its paint. */
  readonly frameDurationsMs: readonly number[];
}

export type MeasureStream = (run: StreamRun) => Promise<RenderCost>;

/**
 * Measures the time that the page needs to open a stored answer, until its first paint, in milliseconds. `restored`
 * formats the text in steps, as after a reload, and `at once` formats all of it immediately.
 */
export type MeasureSavedAnswer = (mode: 'restored' | 'at once', text: string) => Promise<number>;

/** Opens a page that contains all renderers. Each measurement starts with a new document. */
export async function openPage(
  browser: Browser,
): Promise<{ measure: MeasureStream; measureSaved: MeasureSavedAnswer }> {
  const script = await buildPageScript();
  const css = await readFile('webview/markdown/markdown.css', 'utf8');
  const page = await browser.newPage({ viewport: { width: 420, height: 700 } });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });

  const openNewDocument = async (): Promise<void> => {
    await page.goto('about:blank');
    await page.addStyleTag({ content: css });
    await page.addScriptTag({ content: script });
  };
  const readTaskMs = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };

  return {
    measure: async (run) => {
      await openNewDocument();
      await page.evaluate((markdownRun) => globalThis.markdownBench.prepare(markdownRun), run);
      const startMs = await readTaskMs();
      const durations = await page.evaluate(() => globalThis.markdownBench.measureStream());
      const mainThreadMs = (await readTaskMs()) - startMs;
      return {
        mainThreadMs,
        frameDurationsMs: durations,
        mainThreadMsPerFrame: mainThreadMs / run.frameCount,
      };
    },
    measureSaved: async (mode, text) => {
      await openNewDocument();
      await page.evaluate((savedText) => globalThis.markdownBench.loadSavedText(savedText), text);
      return page.evaluate(
        (openingMode) => globalThis.markdownBench.measureOpening(openingMode),
        mode,
      );
    },
  };
}

async function buildPageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['test/bench/markdown-page.ts'],
    bundle: true,
    minify: true,
    format: 'iife',
    write: false,
  });
  return outputFiles[0]!.text;
}
