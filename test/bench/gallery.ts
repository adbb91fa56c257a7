import { rm } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { imagesPerMessage } from '../../src/protocol/studio-host-message.ts';
import type { ImageView } from '../../src/protocol/studio-state.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { openStudio, tell } from '../support/webview-page/studio-page.ts';
import { gallery, images, studioSet } from '../support/webview-page/studio-states.ts';
import type { BenchResult } from './result.ts';
import { against, compare, median, rounds, type Side } from './rounds.ts';

const total = 2_000;
const longTaskMs = 50;

/**
 * The gallery with 2,000 pictures in the studio's own page, in headless Chromium: opened and scrolled from one end to the
 * other, against a plain grid that has all of them in the page. The figure is the longest task of the page's thread.
 */
export async function galleryBenchmarks(): Promise<BenchResult[]> {
  const dist = await buildPage();
  const [browser, server] = await Promise.all([launchBrowser(), startPageServer(dist)]);
  try {
    const all = images(total);
    const figures = await rounds({
      ours: studioSide(browser, server, all),
      plain: plainSide(browser, server, all),
    });
    const longest = median(figures.map(({ ours }) => ours));
    return [
      compare('gallery of 2,000 pictures, longest task against a plain grid', {
        rounds: figures,
        ours: ({ ours }) => ours,
        theirs: ({ plain }) => plain,
        unit: 'ms',
        target: 0.5,
      }),
      against('gallery of 2,000 pictures, longest task against 50 ms', 'ms', 1, [
        longest,
        longTaskMs,
      ]),
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(dist, { recursive: true });
  }
}

/** Milliseconds of the longest task from the first picture to the end of the scroll. */
function studioSide(browser: Browser, server: PageServer, all: readonly ImageView[]): Side {
  return async () => {
    const page = await openStudio({ browser, server });
    try {
      await tell(page, studioSet({ gallery: gallery({ status: 'ready', count: all.length }) }));
      await page.evaluate(watchTasks);
      for (let at = 0; at < all.length; at += imagesPerMessage) {
        await tell(page, { type: 'images-put', images: all.slice(at, at + imagesPerMessage) });
      }
      await page.getByRole('tab', { name: 'Gallery' }).click();
      await page.getByRole('gridcell').first().waitFor();
      return await longestWhileScrolling(page, '.gallery-scroll');
    } finally {
      await page.close();
    }
  };
}

/** The same pictures, all at once, as images in a wrapping row. */
function plainSide(browser: Browser, server: PageServer, all: readonly ImageView[]): Side {
  const sources = all.map(({ thumb, src, width, height }) => ({
    src: thumb ?? src,
    width,
    height,
  }));
  return async () => {
    const page = await openStudio({ browser, server });
    try {
      await page.evaluate(watchTasks);
      await page.evaluate(drawPlainGrid, sources);
      return await longestWhileScrolling(page, '#plain');
    } finally {
      await page.close();
    }
  };
}

async function longestWhileScrolling(page: Page, selector: string): Promise<number> {
  await page.locator(selector).evaluate(scrollToEnd);
  return page.evaluate(() => Reflect.get(globalThis, 'longestTask') as number);
}

/**
 * Runs in the page. A timer that comes late had to wait for a task: it was as long at most. Chromium's own report of
 * long tasks begins at 50 ms, too late for a figure below.
 */
function watchTasks(): void {
  const every = 4;
  let due = performance.now() + every;
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - due);
    Reflect.set(globalThis, 'longestTask', longest);
    due = performance.now() + every;
    setTimeout(look, every);
  };
  setTimeout(look, every);
}

/** Runs in the page. */
function drawPlainGrid(
  all: readonly { readonly src: string; readonly width: number; readonly height: number }[],
): void {
  const grid = document.createElement('div');
  grid.id = 'plain';
  grid.style.setProperty('height', '700px');
  grid.style.setProperty('overflow-y', 'scroll');
  for (const { src, width, height } of all) {
    const image = document.createElement('img');
    image.src = src;
    image.width = Math.round((width / height) * 176);
    image.height = 176;
    grid.append(image);
  }
  document.body.replaceChildren(grid);
}

/** Runs in the page: a page of pictures per frame, to the end. */
async function scrollToEnd(element: Element): Promise<void> {
  const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  const end = element.scrollHeight;
  for (let top = 0; top <= end; top += 300) {
    element.scrollTop = top;
    await frame();
  }
  await frame();
}
