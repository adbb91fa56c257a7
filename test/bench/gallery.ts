import { rm } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { imagesPerMessage } from '../../src/image/studio/protocol/messages.ts';
import type { ImageView } from '../../src/image/studio/protocol/gallery.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { openStudio, sendToStudio } from '../support/webview-page/studio-page.ts';
import { drawImage, createThumbnailUrl } from '../support/webview-page/studio-images.ts';
import {
  createGalleryView,
  createImageViews,
  createStudioSetMessage,
} from '../support/webview-page/studio-states.ts';
import { type BenchOptions, scaleCount } from './options.ts';
import type { BenchResult } from './result.ts';
import { compareRounds, runRounds, type MeasureSide } from './rounds.ts';

/**
 * Number of distinct thumbnails. Several images show the same thumbnail under different URLs, so that the browser loads
 * and decodes every image.
 */
const drawingCount = 20;
const longTaskMs = 50;

/**
 * Measures the gallery of the studio with 2,000 images in headless Chromium. Opens the gallery and scrolls to its end.
 * Compares the longest task of the main thread with that of a plain grid of all images.
 */
export async function runGalleryBenchmarks(options: BenchOptions): Promise<BenchResult[]> {
  const dist = await buildPage();
  const [browser, server] = await Promise.all([launchBrowser(), startPageServer(dist)]);
  try {
    const allImages = createImageViews(scaleCount(2_000, options.scale)).map((image, index) => ({
      ...image,
      thumb: `/thumbnail/${index}.webp`,
    }));
    const drawnThumbnails = await drawThumbnails(allImages.slice(0, drawingCount));
    const figures = await runRounds(
      {
        extensionMs: createStudioMeasure({ browser, server, drawnThumbnails }, allImages),
        plainMs: createPlainGridMeasure({ browser, server, drawnThumbnails }, allImages),
      },
      options,
    );
    const thumbnailResult = await measureThumbnailCreation(
      { browser, server, drawnThumbnails },
      options,
    );
    return [
      compareRounds('gallery of 2,000 images, longest task against a plain grid', {
        rounds: figures,
        getExtensionValue: ({ extensionMs }) => extensionMs,
        getBaselineValue: ({ plainMs }) => plainMs,
        unit: 'ms',
        target: 0.5,
      }),
      compareRounds('gallery of 2,000 images, longest task against 50 ms', {
        rounds: figures,
        getExtensionValue: ({ extensionMs }) => extensionMs,
        getBaselineValue: () => longTaskMs,
        unit: 'ms',
        target: 1,
      }),
      thumbnailResult,
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(dist, { recursive: true });
  }
}

/**
 * Measures the longest task of the main thread while the studio creates the thumbnail of an image of 4096 × 4096
 * pixels.
 */
async function measureThumbnailCreation(
  { browser, server }: GalleryBench,
  options: BenchOptions,
): Promise<BenchResult> {
  const sidePx = scaleCount(4_096, options.scale);
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const imageBytes = await sharp({
    create: { width: sidePx, height: sidePx, channels: 3, background: '#357', noise },
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const image = createImageViews(1).map((view) => ({ ...view, width: sidePx, height: sidePx }))[0];
  if (image === undefined) throw new Error('There is no image.');
  const createThumbnail: MeasureSide = async () => {
    const page = await openStudio({ browser, server });
    try {
      await page.route('**/large.png', (route) =>
        route.fulfill({ contentType: 'image/png', body: imageBytes }),
      );
      await sendToStudio(
        page,
        createStudioSetMessage({ gallery: createGalleryView({ status: 'ready', count: 1 }) }),
      );
      return await measureLongestTask(page, async () => {
        const images = [{ ...image, src: '/large.png', thumb: null }];
        await sendToStudio(page, { type: 'images-put', images });
        await page.getByRole('tab', { name: 'Gallery' }).click();
        await page.locator('.gallery-cell img[src^="blob:"]').waitFor();
      });
    } finally {
      await page.close();
    }
  };
  return compareRounds('first thumbnail of 4096² pixels, longest task against 50 ms', {
    rounds: await runRounds({ extensionMs: createThumbnail }, options),
    getExtensionValue: ({ extensionMs }) => extensionMs,
    getBaselineValue: () => longTaskMs,
    unit: 'ms',
    target: 1,
  });
}

interface GalleryBench {
  readonly browser: Browser;
  readonly server: PageServer;
  readonly drawnThumbnails: readonly Buffer[];
}

/**
 * Creates the thumbnails as WebP files, the format that the studio uses. SVG files would not be comparable, because the
 * main thread of the page would have to draw them.
 */
const drawThumbnails = (allImages: readonly ImageView[]): Promise<Buffer[]> =>
  Promise.all(
    allImages.map(({ width, height }, index) =>
      sharp(Buffer.from(drawImage(createThumbnailUrl(index, width, height)) ?? ''))
        .webp()
        .toBuffer(),
    ),
  );

async function openStudioWithThumbnails({
  browser,
  server,
  drawnThumbnails,
}: GalleryBench): Promise<Page> {
  const page = await openStudio({ browser, server });
  await page.route('**/thumbnail/*', (route) => {
    const index = Number(/\d+(?=\.webp$)/u.exec(route.request().url())?.[0] ?? 0);
    const body = drawnThumbnails[index % drawnThumbnails.length];
    return body === undefined ? route.abort() : route.fulfill({ contentType: 'image/webp', body });
  });
  return page;
}

/**
 * Returns a function that measures the longest task of the studio's main thread, from the first image message to the
 * end of the scrolling.
 */
function createStudioMeasure(bench: GalleryBench, allImages: readonly ImageView[]): MeasureSide {
  return async () => {
    const page = await openStudioWithThumbnails(bench);
    try {
      await sendToStudio(
        page,
        createStudioSetMessage({
          gallery: createGalleryView({ status: 'ready', count: allImages.length }),
        }),
      );
      return await measureLongestTask(page, async () => {
        for (let index = 0; index < allImages.length; index += imagesPerMessage) {
          await sendToStudio(page, {
            type: 'images-put',
            images: allImages.slice(index, index + imagesPerMessage),
          });
        }
        await page.getByRole('tab', { name: 'Gallery' }).click();
        await page.getByRole('gridcell').first().waitFor();
        await page.locator('.gallery-scroll').evaluate(scrollToEnd);
      });
    } finally {
      await page.close();
    }
  };
}

/**
 * Returns a function that measures the longest task of the main thread for a plain grid, which renders all images
 * immediately.
 */
function createPlainGridMeasure(bench: GalleryBench, allImages: readonly ImageView[]): MeasureSide {
  const sources = allImages.map(({ thumb, src, width, height }) => ({
    src: thumb ?? src,
    width,
    height,
  }));
  return async () => {
    const page = await openStudioWithThumbnails(bench);
    try {
      return await measureLongestTask(page, async () => {
        await page.evaluate(drawPlainGrid, sources);
        await page.locator('#plain').evaluate(scrollToEnd);
      });
    } finally {
      await page.close();
    }
  };
}

/**
 * Returns the processor time of the longest task of the main thread while `action` runs, in milliseconds. Excludes the
 * time during which the thread waits for other processes.
 */
async function measureLongestTask(page: Page, action: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await action();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threadIds = new Set(trace.traceEvents.filter(isPageThread).map(getThreadId));
  const tasks = trace.traceEvents.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && threadIds.has(getThreadId(event)),
  );
  if (tasks.length === 0) throw new Error('The trace has no tasks.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the task in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const getThreadId = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;

const isPageThread = ({ name, args }: TraceEvent): boolean =>
  name === 'thread_name' && args?.name === 'CrRendererMain';

/** Renders a plain grid of all images. Runs in the page. */
function drawPlainGrid(
  allImages: readonly { readonly src: string; readonly width: number; readonly height: number }[],
): void {
  const grid = document.createElement('div');
  grid.id = 'plain';
  grid.style.setProperty('height', '700px');
  grid.style.setProperty('overflow-y', 'scroll');
  for (const { src, width, height } of allImages) {
    const image = document.createElement('img');
    image.src = src;
    image.width = Math.round((width / height) * 176);
    image.height = 176;
    grid.append(image);
  }
  document.body.replaceChildren(grid);
}

/** Scrolls one viewport height per frame, to the end. Runs in the page. */
async function scrollToEnd(element: Element): Promise<void> {
  const waitForFrame = (): Promise<unknown> =>
    new Promise((resolve) => requestAnimationFrame(resolve));
  await waitForFrame();
  const end = element.scrollHeight;
  for (let scrollTop = 0; scrollTop <= end; scrollTop += 300) {
    element.scrollTop = scrollTop;
    await waitForFrame();
  }
  await waitForFrame();
}
