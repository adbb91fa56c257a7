import { readFile, rm } from 'node:fs/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { MessageView } from '../../src/chat/protocol/view-state.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import {
  createMessageView,
  createRequestView,
  createStateSetMessage,
} from '../support/webview-page/chat-states.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { openPage } from '../support/webview-page/scene-page.ts';
import { createMixedText } from './markdown-texts.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, compareWithBaseline, runRounds } from './rounds.ts';

const unthrottledFlags = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];
const framesPerRound = 25;
const charactersPerFrame = 40;

/**
 * Measures the chat page with long conversations and answers: the processor time per delta, the error of the estimated
 * scroll height, and the memory use.
 */
export async function runConversationBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const dist = await buildPage();
  const [browser, server] = await Promise.all([
    launchBrowser(unthrottledFlags),
    startPageServer(dist),
  ]);
  const environment = { browser, server };
  try {
    return [
      await measureDeltaCost(environment, options),
      await measureScrollHeightError(environment, options),
      ...(await measureHugeAnswer(environment, options)),
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(dist, { recursive: true });
  }
}

interface Environment {
  readonly browser: Browser;
  readonly server: PageServer;
}

/**
 * Streams alternately into a page with a long conversation and a page with an empty conversation. Compares the CPU time
 * per delta of the main threads of both pages.
 */
async function measureDeltaCost(
  environment: Environment,
  options: BenchOptions,
): Promise<BenchResult> {
  const longChat = await openStreamingPage(environment, scaleCount(500, options.scale));
  const emptyChat = await openStreamingPage(environment, 0);
  const figures = await runRounds(
    { longMs: longChat.measureStream, emptyMs: emptyChat.measureStream },
    options,
  );
  await longChat.page.close();
  await emptyChat.page.close();
  return compareRounds('delta with 500 messages against one with none, main thread', {
    rounds: figures,
    getExtensionValue: ({ longMs }) => longMs,
    getBaselineValue: ({ emptyMs }) => emptyMs,
    unit: 'ms',
    target: 1.1,
  });
}

async function openStreamingPage(
  environment: Environment,
  count: number,
): Promise<{ readonly page: Page; readonly measureStream: () => Promise<number> }> {
  const page = await openChat(environment);
  const lastMessage = createMessageView({ id: 'last', status: 'streaming' });
  await showMessages(page, [...createHistory(count), createRequestView('r', 'Last'), lastMessage]);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const text = createMixedText(100_000);
  let start = 0;
  return {
    page,
    measureStream: async () => {
      await page.bringToFront();
      const startSeconds = await readMetric(cdp, 'TaskDuration');
      const length = framesPerRound * charactersPerFrame;
      await streamText(page, text.slice(start, start + length), charactersPerFrame);
      start += length;
      return (1_000 * ((await readMetric(cdp, 'TaskDuration')) - startSeconds)) / framesPerRound;
    },
  };
}

/**
 * Compares the error of the page's scroll height with a limit of 10 percent. While distant messages are not rendered,
 * the scroll height is an estimate.
 */
async function measureScrollHeightError(
  environment: Environment,
  options: BenchOptions,
): Promise<BenchResult> {
  const page = await openChat(environment);
  await showMessages(page, createHistory(scaleCount(500, options.scale)));
  const measureHeight = (): Promise<number> =>
    page.evaluate(() => document.querySelector('[role=log]')?.scrollHeight ?? 0);
  const estimatedHeight = await measureHeight();
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('#app * { content-visibility: visible !important }');
    document.adoptedStyleSheets = [sheet];
  });
  const realHeight = await measureHeight();
  await page.close();
  const deviation = 100 * Math.abs(estimatedHeight / realHeight - 1);
  return compareWithBaseline('scroll bar of 500 messages, deviation against 10 %', '%', 1, [
    deviation,
    10,
  ]);
}

async function measureHugeAnswer(
  environment: Environment,
  options: BenchOptions,
): Promise<BenchResult[]> {
  const text = createMixedText(scaleCount(10_000_000, options.scale));
  const streamedPage = await openChat(environment);
  await showMessages(streamedPage, [
    createRequestView('r', 'Last'),
    createMessageView({ id: 'last', status: 'streaming' }),
  ]);
  await streamText(streamedPage, text, 20_000);
  const streamedMb = await measureMemoryMb(environment.browser, streamedPage);
  await streamedPage.close();
  const savedPage = await openChat(environment);
  await showMessages(savedPage, [
    createRequestView('r', 'Last'),
    createMessageView({ id: 'last', text }),
  ]);
  const savedMb = await measureMemoryMb(environment.browser, savedPage);
  await savedPage.close();
  return [
    compareWithBaseline('memory of the page, 10 MB answer, against 250 MB', 'MB', 1, [
      streamedMb,
      250,
    ]),
    compareWithBaseline('memory of the page, saved 10 MB answer, against 250 MB', 'MB', 1, [
      savedMb,
      250,
    ]),
  ];
}

const createHistory = (count: number): MessageView[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? createRequestView(`u${index}`, `Request ${index}: what does this do, and why?`)
      : createMessageView({ id: `a${index}`, text: createMixedText(1_500) }),
  );

async function openChat({ browser, server }: Environment): Promise<Page> {
  const page = await openPage({ browser, server });
  await page.waitForLoadState('networkidle');
  // Without pauses between the frames, the browser reports no idle time.
  await page.evaluate(() => {
    const deadline = { didTimeout: false, timeRemaining: () => 10 };
    globalThis.requestIdleCallback = (run) => Number(setTimeout(() => run(deadline)));
    globalThis.cancelIdleCallback = clearTimeout;
  });
  return page;
}

/** Shows a conversation. Resolves after all messages are formatted. */
async function showMessages(page: Page, messages: MessageView[]): Promise<void> {
  const streamingId = messages.find(({ status }) => status === 'streaming')?.id ?? null;
  await page.evaluate(
    (state) => window.postMessage(state, '*'),
    createStateSetMessage({ messages, streaming: streamingId }),
  );
  await page.waitForFunction(
    (count) =>
      document.querySelectorAll('article').length === count &&
      !document.querySelector('.assistant > .plain'),
    messages.length,
    { timeout: 120_000 },
  );
  await page.waitForTimeout(1_000);
}

/** Streams a text into the last message, with one delta of `deltaLength` characters per frame. */
async function streamText(page: Page, text: string, deltaLength: number): Promise<void> {
  await page.evaluate(
    async ({ fullText, length }) => {
      const waitForFrame = (): Promise<void> =>
        new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      for (let start = 0; start < fullText.length; start += length) {
        const delta = {
          messageId: 'last',
          text: fullText.slice(start, start + length),
          reasoning: '',
        };
        window.postMessage({ type: 'text-delta', ...delta }, '*');
        await waitForFrame();
      }
    },
    { fullText: text, length: deltaLength },
  );
}

async function readMetric(cdp: CDPSession, metricName: string): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === metricName)?.value ?? Number.NaN;
}

/**
 * Collects the garbage of a page. Then returns the memory of the browser's largest renderer process, in MB. Requires
 * Linux.
 */
async function measureMemoryMb(browser: Browser, page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  for (let count = 0; count < 2; count++) await session.send('HeapProfiler.collectGarbage');
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  await cdp.detach();
  const sizes = await Promise.all(
    processInfo
      .filter(({ type }) => type === 'renderer')
      .map(async ({ id }) => {
        const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
        return Number(/^Pss:\s+(\d+)/mu.exec(rollup)?.[1] ?? Number.NaN) / 1_000;
      }),
  );
  return Math.max(...sizes);
}
