import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import type { MessageView } from '../../src/chat/protocol/view-state.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import {
  createMessageView,
  createRequestView,
  createStateSetMessage,
  createToolCallView,
} from '../support/webview-page/chat-states.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { openPage } from '../support/webview-page/scene-page.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, runRounds, type MeasureSide } from './rounds.ts';

const answersPerTurn = 50;
const unthrottledFlags = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/**
 * Measures the time to open a conversation with 2,000 tool call rows in the chat page, in headless Chromium. The time
 * starts with the host's message and ends with the paint. Compares the chat page with a page that renders one plain
 * line per row.
 */
export async function runRowBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const [totalCount, perHundredCount] = [
    scaleCount(2_000, options.scale),
    scaleCount(20, options.scale),
  ];
  const dist = await buildPage();
  const [browser, server] = await Promise.all([
    launchBrowser(unthrottledFlags),
    startPageServer(dist),
  ]);
  try {
    const createMeasure = (messages: readonly MessageView[]): MeasureSide =>
      createOpeningMeasure(browser, server, messages);
    const figures = await runRounds(
      {
        rowsMs: createMeasure(
          createAnswers(totalCount, (index) => ({ toolCalls: [createEditCall(index)] })),
        ),
        readsMs: createMeasure(
          createAnswers(totalCount, (index) => ({
            toolCalls: [createToolCallView({ target: `src/${index}.ts` })],
          })),
        ),
        linesMs: createMeasure(createAnswers(totalCount, (index) => ({ text: createLine(index) }))),
        manyRowsMs: createMeasure(
          createAnswers(perHundredCount, () => ({ toolCalls: createItemPerTurn(createEditCall) })),
        ),
        manyLinesMs: createMeasure(
          createAnswers(perHundredCount, () => ({
            text: createItemPerTurn(createLine).join('\n\n'),
          })),
        ),
      },
      options,
    );
    const rowOptions = { rounds: figures, unit: 'ms' };
    return [
      compareRounds('2,000 tool rows, one per answer, against lines of text', {
        ...rowOptions,
        getExtensionValue: ({ rowsMs }) => rowsMs,
        getBaselineValue: ({ linesMs }) => linesMs,
        target: 1.5,
      }),
      compareRounds('2,000 reads, folded to a row per turn, against lines of text', {
        ...rowOptions,
        getExtensionValue: ({ readsMs }) => readsMs,
        getBaselineValue: ({ linesMs }) => linesMs,
        target: 1.5,
      }),
      compareRounds('2,000 tool rows, a hundred per answer, against lines of text', {
        ...rowOptions,
        getExtensionValue: ({ manyRowsMs }) => manyRowsMs,
        getBaselineValue: ({ manyLinesMs }) => manyLinesMs,
        target: 1.5,
      }),
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(dist, { recursive: true });
  }
}

const createLine = (index: number): string => `Edited src/components/file-${index}.ts in 41 ms`;

const createEditCall = (index: number) =>
  createToolCallView({
    id: `t${index}`,
    name: 'edit_file',
    verb: 'Edit',
    target: `src/components/file-${index}.ts`,
    readOnly: false,
    durationMs: 41,
  });

const createItemPerTurn = <Item>(createItem: (index: number) => Item): Item[] =>
  Array.from({ length: 100 }, (_, index) => createItem(index));

/**
 * Creates `count` answers in turns of 50 answers each. `createItem` returns the properties of an answer by its index,
 * for example its tool calls.
 */
function createAnswers(
  count: number,
  createItem: (index: number) => Partial<MessageView>,
): MessageView[] {
  return Array.from({ length: count }, (_, index) => [
    ...(index % answersPerTurn === 0 ? [createRequestView(`u${index}`, `Request ${index}`)] : []),
    createMessageView({ id: `a${index}`, ...createItem(index) }),
  ]).flat();
}

/**
 * Returns a function that measures the time to open a conversation, in milliseconds. Each measurement uses a new page
 * of a browser that is already running.
 */
function createOpeningMeasure(
  browser: Browser,
  server: PageServer,
  messages: readonly MessageView[],
): MeasureSide {
  const state = createStateSetMessage({ messages: [...messages] });
  return async () => {
    const page = await openPage({ browser, server });
    try {
      await page.waitForLoadState('networkidle');
      return await page.evaluate(openAndWaitForPaint, state);
    } finally {
      await page.close();
    }
  };
}

/** Resolves with the time from the host's message until the paint, in milliseconds. Runs in the page. */
function openAndWaitForPaint(state: HostMessage): Promise<number> {
  return new Promise((resolve) => {
    const start = performance.now();
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => resolve(performance.now() - start));
    port1.start();
    const checkRows = (): void => {
      if (document.querySelector('article') === null) requestAnimationFrame(checkRows);
      else port2.postMessage(undefined);
    };
    window.postMessage(state, '*');
    requestAnimationFrame(checkRows);
  });
}
