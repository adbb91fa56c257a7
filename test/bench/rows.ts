import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import type { MessageView } from '../../src/chat/protocol/view-state.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import { message, request, stateSet, toolCall } from '../support/webview-page/chat-states.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { openPage } from '../support/webview-page/scene-page.ts';
import { type BenchOptions, scaled } from './options.ts';
import type { BenchResult } from './result.ts';
import { compare, rounds, type Side } from './rounds.ts';

const answersPerTurn = 50;
const asFastAsPossible = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/**
 * Measures opening a conversation with 2,000 tool call rows in the chat page, in headless Chromium,
 * from the host message to after the paint. Compares it with one plain line of text per row.
 */
export async function rowBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const [total, perHundred] = [scaled(2_000, options.scale), scaled(20, options.scale)];
  const dist = await buildPage();
  const [browser, server] = await Promise.all([
    launchBrowser(asFastAsPossible),
    startPageServer(dist),
  ]);
  try {
    const open = (messages: readonly MessageView[]): Side => opening(browser, server, messages);
    const figures = await rounds(
      {
        rows: open(answers(total, (at) => ({ toolCalls: [edit(at)] }))),
        reads: open(
          answers(total, (at) => ({ toolCalls: [toolCall({ target: `src/${at}.ts` })] })),
        ),
        lines: open(answers(total, (at) => ({ text: line(at) }))),
        manyRows: open(answers(perHundred, () => ({ toolCalls: hundred(edit) }))),
        manyLines: open(answers(perHundred, () => ({ text: hundred(line).join('\n\n') }))),
      },
      options,
    );
    const about = { rounds: figures, unit: 'ms' };
    return [
      compare('2,000 tool rows, one per answer, against lines of text', {
        ...about,
        ours: ({ rows }) => rows,
        theirs: ({ lines }) => lines,
        target: 1.5,
      }),
      compare('2,000 reads, folded to a row per turn, against lines of text', {
        ...about,
        ours: ({ reads }) => reads,
        theirs: ({ lines }) => lines,
        target: 1.5,
      }),
      compare('2,000 tool rows, a hundred per answer, against lines of text', {
        ...about,
        ours: ({ manyRows }) => manyRows,
        theirs: ({ manyLines }) => manyLines,
        target: 1.5,
      }),
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(dist, { recursive: true });
  }
}

const line = (at: number): string => `Edited src/components/file-${at}.ts in 41 ms`;

const edit = (at: number) =>
  toolCall({
    id: `t${at}`,
    name: 'edit_file',
    verb: 'Edited',
    target: `src/components/file-${at}.ts`,
    readOnly: false,
    durationMs: 41,
  });

const hundred = <Each>(of: (at: number) => Each): Each[] =>
  Array.from({ length: 100 }, (_, at) => of(at));

/** Turns of 50 answers each. */
function answers(count: number, of: (at: number) => Partial<MessageView>): MessageView[] {
  return Array.from({ length: count }, (_, at) => [
    ...(at % answersPerTurn === 0 ? [request(`u${at}`, `Request ${at}`)] : []),
    message({ id: `a${at}`, ...of(at) }),
  ]).flat();
}

/** Measures in milliseconds in a new page, so that only the browser is warm. */
function opening(browser: Browser, server: PageServer, messages: readonly MessageView[]): Side {
  const state = stateSet({ messages: [...messages] });
  return async () => {
    const page = await openPage({ browser, server });
    try {
      await page.waitForLoadState('networkidle');
      return await page.evaluate(openedAndPainted, state);
    } finally {
      await page.close();
    }
  };
}

/** Runs in the page. */
function openedAndPainted(state: HostMessage): Promise<number> {
  return new Promise((resolve) => {
    const start = performance.now();
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => resolve(performance.now() - start));
    port1.start();
    const look = (): void => {
      if (document.querySelector('article') === null) requestAnimationFrame(look);
      else port2.postMessage(undefined);
    };
    window.postMessage(state, '*');
    requestAnimationFrame(look);
  });
}
