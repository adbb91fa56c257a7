import { rm } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { imagesPerMessage } from '../../src/image/studio/protocol/messages.ts';
import type { ImageView } from '../../src/image/studio/protocol/gallery.ts';
import { launchBrowser } from '../support/browser.ts';
import { buildPage } from '../support/webview-page/build-page.ts';
import { failureView } from '../support/webview-page/chat-states.ts';
import { themeNames } from '../support/webview-page/page-html.ts';
import { type PageServer, startPageServer } from '../support/webview-page/page-server.ts';
import { ReusedPages } from '../support/webview-page/reused-pages.ts';
import { waitForPaint, setTheme } from '../support/webview-page/scene-page.ts';
import {
  listPostedMessages,
  openStudio,
  openStudioScene,
  sendToStudio,
} from '../support/webview-page/studio-page.ts';
import { openGallery, studioScenes } from '../support/webview-page/studio-scenes.ts';
import {
  createStudioCheck,
  createDraft,
  createImageDetails,
  createGalleryView,
  createImageView,
  createImageViews,
  createInputImage,
  createStudioJob,
  createPixelModel,
  createStudioModels,
  createStudioSetMessage,
} from '../support/webview-page/studio-states.ts';
import { findPageProblems } from './accessibility.ts';

let sharedBrowser: Browser;
let browser: ReusedPages;
let server: PageServer;
let pageFolder: string;
let page: Page;

beforeAll(async () => {
  pageFolder = await buildPage();
  [sharedBrowser, server] = await Promise.all([launchBrowser(), startPageServer(pageFolder)]);
  browser = new ReusedPages(sharedBrowser);
});

afterAll(async () => {
  await sharedBrowser.close();
  await server.close();
  await rm(pageFolder, { recursive: true });
});

afterEach(async ({ task }) => {
  const violations: string[] = await page.evaluate(() => Reflect.get(globalThis, 'violations'));
  await browser.releasePage(page, { hasFailed: task.result?.state === 'fail' });
  expect(violations).toEqual([]);
});

const findButton = (name: string | RegExp): Locator =>
  page.getByRole('button', { name, exact: true });
const getPromptField = (): Locator => page.getByRole('textbox', { name: 'Prompt', exact: true });
const getAnnouncement = (): Promise<string> =>
  page.locator('.visually-hidden[role=status]').innerText();
const readPostedTypes = async (): Promise<string[]> =>
  (await listPostedMessages(page)).map(({ type }) => type);
const readLastPostedMessage = async (): Promise<unknown> => (await listPostedMessages(page)).at(-1);
const getFocusedName = (): Promise<string | null> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
const readFocusedIndex = (): Promise<string | undefined> =>
  page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['index']);

/** Axe rules to disable. In VS Code, the window around the page provides the landmarks and headings. */
const disabledRules = { region: { enabled: false }, 'page-has-heading-one': { enabled: false } };

describe('the accessibility of the studio', () => {
  for (const scene of studioScenes) {
    test(`has no problem that axe reports in any theme in the scene "${scene.name}"`, async () => {
      page = await openStudioScene(scene, { browser, server });
      for (const theme of themeNames) {
        await setTheme(page, theme);
        const checkedRules = theme === themeNames[0] ? 'all' : 'colors';
        const problems = await findPageProblems(page, {
          rules: disabledRules,
          checkedRules,
        });
        expect({ theme, problems }).toEqual({ theme, problems: [] });
      }
    });
  }
});

describe('the studio layout', () => {
  for (const scene of studioScenes) {
    test.each([
      [250, 1],
      [1_100, 2],
    ])(
      `fits into the window in the scene "${scene.name}" at %i pixels and zoom %i`,
      async (width, zoom) => {
        page = await openStudioScene(scene, { browser, server, width, zoom });
        const overflowingElements = await page.evaluate(() =>
          [...document.querySelectorAll('#app *')]
            .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
            .filter((element) => element.closest('.visually-hidden, option') === null)
            .map((element) => element.className || element.tagName),
        );
        expect(overflowingElements).toEqual([]);
      },
    );
  }

  test('in a narrow window, places the form above the results and collapses the options', async () => {
    page = await openStudio({ browser, server, width: 400 });
    await sendToStudio(
      page,
      createStudioSetMessage({ images: [createImageView(0)], jobs: [createStudioJob()] }),
    );
    expect(await page.getByRole('group', { name: 'Size' }).isVisible()).toBe(false);
    await findButton('Options').click();
    expect(await page.getByRole('group', { name: 'Size' }).isVisible()).toBe(true);
    const [formBox, resultsBox] = await Promise.all(
      ['.form-column', '.results'].map((selector) => page.locator(selector).boundingBox()),
    );
    expect(resultsBox?.y).toBeGreaterThanOrEqual((formBox?.y ?? 0) + (formBox?.height ?? 0));
  });

  test('shows the sizes as a grid of tiles of the same width', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    const tiles = page.getByRole('radiogroup', { name: 'Size' }).locator('.choice.shaped');
    const boxes = await tiles.evaluateAll((elements) =>
      elements.map((tile) => {
        const { left, width } = tile.getBoundingClientRect();
        return { left: Math.round(left), width: Math.round(width) };
      }),
    );
    expect(boxes.length).toBeGreaterThan(3);
    expect(new Set(boxes.map(({ width }) => width)).size).toBe(1);
    const columnCount = new Set(boxes.map(({ left }) => left)).size;
    expect(columnCount).toBeGreaterThan(1);
    expect(columnCount).toBeLessThan(boxes.length);
  });

  test('keeps the shape and position of a placeholder when its image loads', async () => {
    page = await openStudio({ browser, server });
    const runningJob = createStudioJob({
      status: 'running',
      durationMs: null,
      width: 1_280,
      height: 720,
      images: [null],
    });
    await sendToStudio(page, createStudioSetMessage({ jobs: [runningJob] }));
    const placeholder = page.locator('.place');
    const boxBefore = await placeholder.boundingBox();
    expect((boxBefore?.width ?? 0) / (boxBefore?.height ?? 1)).toBeCloseTo(16 / 9, 1);
    await sendToStudio(
      page,
      { type: 'images-put', images: [createImageView(1)] },
      { type: 'job-put', job: { ...runningJob, status: 'done', images: ['i1'] } },
    );
    expect(await placeholder.boundingBox()).toEqual(boxBefore);
  });
});

describe('the studio form', () => {
  const commonFields = ['Images', 'Seed', 'Safe mode', 'Advanced'];
  test.each([
    [
      'harbour-pixel',
      ['Size', 'Style', 'Negative prompt', 'Steps', 'Improved prompt (+$0.04)'],
      ['Aspect ratio', 'Resolution', 'Quality', 'Web search (+$0.01)'],
    ],
    [
      'harbour-ratio',
      ['Aspect ratio', 'Style', 'Negative prompt', 'Steps'],
      ['Size', 'Resolution', 'Quality', 'Improved prompt (+$0.04)'],
    ],
    [
      'harbour-tier',
      [
        ...['Aspect ratio', 'Resolution', 'Quality', 'Style', 'Negative prompt'],
        'Web search (+$0.01)',
      ],
      ['Size', 'Steps'],
    ],
  ])(
    'hides only the options that the model %s does not support',
    async (model, visibleOptions, hiddenOptions) => {
      page = await openStudio({ browser, server });
      await sendToStudio(page, createStudioSetMessage({ create: createDraft({ model }) }));
      const options = page.locator('#form-options');
      const findLabel = (text: string): Locator => options.getByText(text, { exact: true });
      for (const text of [...commonFields, ...visibleOptions])
        expect(await findLabel(text).count(), text).toBe(1);
      for (const text of hiddenOptions) expect(await findLabel(text).count(), text).toBe(0);
    },
  );

  test('sends the options to the host, and starts the job on Ctrl+Enter and on Enter', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await getPromptField().fill('A boat');
    await page.getByText('16:9', { exact: true }).click();
    await page.getByRole('radio', { name: '4', exact: true }).check({ force: true });
    await page.locator('#seed').fill('42');
    await page.keyboard.press('Control+Enter');
    const draft = { prompt: 'A boat', width: 1_280, height: 720, variants: 4, seed: 42 };
    expect(await readLastPostedMessage()).toMatchObject({ type: 'create-run', draft });
    await getPromptField().press('Shift+Enter');
    expect(await getPromptField().inputValue()).toBe('A boat\n');
    await getPromptField().press('Enter');
    expect((await readPostedTypes()).filter((type) => type === 'create-run')).toHaveLength(2);
  });

  test('does not start a job on Enter during input method composition', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage({ create: createDraft({ prompt: 'にほ' }) }));
    await getPromptField().dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await readPostedTypes()).not.toContain('create-run');
  });

  test('shows the current price on the button, and no price while the price is unknown', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage({ create: createDraft({ prompt: 'A boat' }) }));
    await findButton('Generate · $0.01').waitFor();
    await page.getByRole('radio', { name: '4', exact: true }).check({ force: true });
    await findButton('Generate').waitFor();
    await expect.poll(readLastPostedMessage).toMatchObject({ type: 'create-change', seq: 1 });
    await sendToStudio(page, {
      type: 'check-change',
      check: createStudioCheck({ seq: 1, priceText: '$0.04' }),
    });
    await findButton('Generate · $0.04').waitFor();
  });

  test('shows the reason beside a disabled button, and as its description for screen readers', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    const runButton = findButton('Generate · $0.01');
    expect(await runButton.getAttribute('aria-disabled')).toBe('true');
    expect(
      await runButton.evaluate((element) => element.ariaDescribedByElements?.[0]?.textContent),
    ).toBe('Describe the image');
    await runButton.click({ force: true });
    expect(await getAnnouncement()).toBe('Describe the image');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('prompt');
    expect(await readPostedTypes()).not.toContain('create-run');
  });

  test('shows an error from the host at the affected field, and disables the button', async () => {
    page = await openStudio({ browser, server });
    const text = 'The width must be a multiple of 16.';
    await sendToStudio(
      page,
      createStudioSetMessage({
        create: createDraft({ prompt: 'A boat', width: 1_001, height: 512 }),
        check: createStudioCheck({ problems: [{ field: 'size', severity: 'error', text }] }),
      }),
    );
    await page.getByRole('group', { name: 'Size' }).getByText(text).waitFor();
    await getPromptField().press('Enter');
    expect(await getAnnouncement()).toBe(text);
    expect(await readPostedTypes()).not.toContain('create-run');
  });

  test('selects a typed model on Enter, but not an offline model', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage({ create: createDraft({ prompt: 'A boat' }) }));
    await findButton(/^Model: /u).focus();
    await page.keyboard.type('tide');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Tide' }).waitFor();
    await page.getByRole('combobox', { name: 'Filter by name' }).fill('tier');
    await page.keyboard.press('Enter');
    await findButton(/^Model: Harbour Tier /u).waitFor();
    await expect.poll(readLastPostedMessage).toMatchObject({ draft: { model: 'harbour-tier' } });
  });

  test('requests the style list once, and again after a failure', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await getPromptField().fill('Drawn again');
    const countStyleRequests = async (): Promise<number> =>
      (await readPostedTypes()).filter((type) => type === 'styles-request').length;
    await sendToStudio(page, {
      type: 'styles-change',
      styles: { status: 'loading', names: [], problem: null },
    });
    expect(await countStyleRequests()).toBe(1);
    const problem = 'The service cannot be reached.';
    await sendToStudio(page, {
      type: 'styles-change',
      styles: { status: 'failed', names: [], problem },
    });
    await findButton(/^Style: /u).click();
    await page.getByText(problem).waitFor();
    await findButton('Retry').click();
    expect(await countStyleRequests()).toBe(2);
  });

  test('keeps the prompt when the page reloads', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await getPromptField().fill('A boat that stays');
    await page.reload();
    await sendToStudio(page, createStudioSetMessage({ hasCurrentDrafts: false }));
    expect(await getPromptField().inputValue()).toBe('A boat that stays');
  });

  test('replaces an unsupported width or height with the nearest supported value', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await page.getByText('Custom', { exact: true }).click();
    const width = page.getByRole('spinbutton', { name: 'Width' });
    for (const [typedText, nearestValue] of [
      ['9000', '1280'],
      ['9001', '1280'],
      ['', '1280'],
      ['3', '256'],
    ] as const) {
      await width.fill(typedText);
      await width.press('Tab');
      expect(await width.inputValue()).toBe(nearestValue);
    }
    await expect
      .poll(readLastPostedMessage)
      .toMatchObject({ type: 'create-change', draft: { width: 256 } });
  });

  test('keeps an invalid seed, explains the problem and disables the button', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage({ create: createDraft({ prompt: 'A boat' }) }));
    const seedField = page.getByRole('textbox', { name: 'Seed' });
    const problem = 'A seed is a whole number from -999,999,999 to 999,999,999.';
    await seedField.fill('abc');
    await page.keyboard.press('Control+Enter');
    expect(await seedField.inputValue()).toBe('abc');
    expect(await getAnnouncement()).toBe(problem);
    expect(
      await seedField.evaluate((element) => element.ariaDescribedByElements?.[0]?.textContent),
    ).toContain(problem);
    expect(await readPostedTypes()).not.toContain('create-run');
    await findButton('Clear').click();
    expect(await seedField.inputValue()).toBe('');
    await seedField.fill('abc');
    await sendToStudio(page, {
      type: 'create-set',
      draft: createDraft({ prompt: 'A boat', seed: 7 }),
    });
    expect(await seedField.inputValue()).toBe('7');
  });

  test('shows the traits of a model in the model list', async () => {
    page = await openStudio({ browser, server });
    const traits = ['highest_quality', 'eliza-default', 'constructor'];
    const models = createStudioModels({ create: [createPixelModel({ privacy: '', traits })] });
    await sendToStudio(page, createStudioSetMessage({ models }));
    await findButton(/^Model: /u).click();
    await page.getByText('highest quality · eliza default · constructor').waitFor();
  });

  test('selects the old instruction text when the input image changes, so that typing replaces the text', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await sendToStudio(page, { type: 'inputs-change', inputs: [createInputImage(1)] });
    const promptField = page.getByRole('textbox', { name: 'Prompt' });
    await promptField.fill('Make it night');
    await sendToStudio(page, { type: 'inputs-change', inputs: [] });
    await sendToStudio(page, { type: 'inputs-change', inputs: [createInputImage(2)] });
    await page.keyboard.type('Add fog');
    expect(await promptField.inputValue()).toBe('Add fog');
  });

  test('edits one input image, combines several input images, and disables the button for too many images', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await sendToStudio(page, { type: 'inputs-change', inputs: [createInputImage(1)] });
    const instruction = page.getByRole('textbox', { name: 'Prompt' });
    await instruction.fill('Make it night');
    await instruction.press('Enter');
    expect(await readLastPostedMessage()).toMatchObject({
      type: 'edit-run',
      draft: { prompt: 'Make it night' },
    });
    await sendToStudio(page, {
      type: 'inputs-change',
      inputs: [createInputImage(1), createInputImage(2)],
    });
    await findButton('Edit').waitFor();
    await findButton('Move lighthouse-2.png forward').click();
    expect(await listPostedMessages(page)).toContainEqual({
      type: 'inputs-set',
      ids: ['i2', 'i1'],
    });
    await sendToStudio(page, {
      type: 'inputs-change',
      inputs: [1, 2, 3, 4].map((number) => createInputImage(number)),
    });
    await findButton('Edit').click({ force: true });
    expect(await getAnnouncement()).toBe('Too many images for this model: at most 3.');
  });
});

describe('the studio jobs', () => {
  test('are announced to screen readers at start, end, failure and cancellation, but not every second', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    const runningJob = createStudioJob({
      status: 'running',
      startedAt: Date.now() - 12_500,
      durationMs: null,
      images: [null, null],
    });
    await sendToStudio(page, { type: 'job-put', job: runningJob });
    expect(await getAnnouncement()).toBe('Generating');
    await page.getByText(/Generating · (?:1[3-9]|[2-9]\d) s/u).waitFor();
    expect(await getAnnouncement()).toBe('Generating');
    await findButton('Cancel').click();
    expect(await readLastPostedMessage()).toEqual({ type: 'job-cancel', id: 'j1' });
    await sendToStudio(page, { type: 'job-put', job: { ...runningJob, status: 'canceled' } });
    expect(await getAnnouncement()).toBe('Canceled');
    await sendToStudio(page, {
      type: 'job-put',
      job: createStudioJob({ id: 'j2', status: 'running', images: [null] }),
    });
    await sendToStudio(page, {
      type: 'job-put',
      job: createStudioJob({ id: 'j2', status: 'failed', images: [null], failure: failureView }),
    });
    expect(await getAnnouncement()).toBe(`Failed. ${failureView.title}`);
    await page.getByText(failureView.title, { exact: true }).waitFor();
    await sendToStudio(
      page,
      { type: 'images-put', images: [createImageView(0)] },
      { type: 'job-put', job: createStudioJob({ id: 'j2' }) },
    );
    expect(await getAnnouncement()).toBe('Done');
  });

  test.each([400, 1_100])(
    'scroll a started job into view in a window of %i pixels, but not a job that ends',
    async (width) => {
      page = await openStudio({ browser, server, width });
      await sendToStudio(
        page,
        createStudioSetMessage({
          images: createImageViews(8),
          jobs: Array.from({ length: 8 }, (_, index) =>
            createStudioJob({ id: `d${index}`, images: [`i${index}`] }),
          ),
        }),
      );
      const oldestCard = page.locator('[data-job="d7"]');
      await oldestCard.scrollIntoViewIfNeeded();
      const startedJob = createStudioJob({ status: 'running', images: [null] });
      const card = page.locator('[data-job="j1"]');
      await sendToStudio(page, { type: 'job-put', job: startedJob });
      await waitForPaint(page);
      const readTop = (item: Locator): Promise<number> =>
        item.locator('.job-head').evaluate((head) => head.getBoundingClientRect().top);
      expect(await readTop(card)).toBeGreaterThanOrEqual(0);
      expect(await readTop(card)).toBeLessThan(400);
      await oldestCard.scrollIntoViewIfNeeded();
      await sendToStudio(page, { type: 'job-put', job: { ...startedJob, status: 'canceled' } });
      await card.getByText('Canceled').waitFor({ state: 'attached' });
      expect(await readTop(card)).toBeLessThan(0);
    },
  );

  test('share one tab stop, in which arrow keys move between remove buttons and Delete removes a job', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(
      page,
      createStudioSetMessage({
        images: createImageViews(2),
        jobs: [createStudioJob({ images: ['i0'] }), createStudioJob({ id: 'j2', images: ['i1'] })],
      }),
    );
    const tabStops = page.locator('.results button[tabindex="0"]');
    expect(await tabStops.count()).toBe(1);
    await tabStops.focus();
    await page.keyboard.press('ArrowDown');
    expect(await getFocusedName()).toBe('Close');
    await page.keyboard.press('Delete');
    expect(await readLastPostedMessage()).toEqual({ type: 'job-dismiss', id: 'j2' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Delete');
    expect(await readLastPostedMessage()).toEqual({
      type: 'image-act',
      id: 'i1',
      action: 'delete',
    });
  });

  test('show that they wait for an automatic retry', async () => {
    page = await openStudio({ browser, server });
    const retry = { next: 2, of: 3, at: Date.now() + 3_600_000, reason: 'At capacity.' };
    await sendToStudio(
      page,
      createStudioSetMessage({
        jobs: [createStudioJob({ status: 'waiting', images: [null], retry })],
      }),
    );
    await page.getByText(/At capacity\. Trying again… 2\/3 \(3\d\d\d s\)/u).waitFor();
  });

  test('count down to the next possible retry after a failure', async () => {
    page = await openStudio({ browser: sharedBrowser, server });
    const now = Date.now();
    await page.clock.setFixedTime(now);
    const retryAt = now + 12_000;
    await sendToStudio(
      page,
      createStudioSetMessage({
        jobs: [
          createStudioJob({
            status: 'failed',
            images: [null],
            failure: { ...failureView, retryAt },
          }),
        ],
      }),
    );
    await page.getByText('Try again in 12 s', { exact: true }).waitFor();
    await page.clock.setFixedTime(now + 3_000);
    await page.getByText('Try again in 9 s', { exact: true }).waitFor();
    await sendToStudio(page, {
      type: 'job-put',
      job: createStudioJob({
        status: 'failed',
        images: [null],
        failure: { ...failureView, retryAt: now },
      }),
    });
    expect(await page.getByText(/^Try again in/u).count()).toBe(0);
  });

  test('show the reason for a blurred image as text and in the accessible name', async () => {
    page = await openStudio({ browser, server });
    const moderationText = 'Blurred by safe mode';
    await sendToStudio(
      page,
      createStudioSetMessage({
        images: [createImageView(0, { blurred: true, moderationText })],
        jobs: [createStudioJob()],
      }),
    );
    await page.getByRole('paragraph').filter({ hasText: moderationText }).waitFor();
    await findButton(/oil on canvas\. [^.]+\. Blurred by safe mode$/u).waitFor();
  });
});

describe('the image viewer of the studio', () => {
  async function openLargeView(
    change: Parameters<typeof createImageDetails>[0] = {},
  ): Promise<void> {
    page = await openStudio({ browser, server });
    await sendToStudio(
      page,
      createStudioSetMessage({
        images: createImageViews(3),
        jobs: [createStudioJob({ images: ['i0', 'i1', 'i2'] })],
      }),
    );
    await page.locator('.place.tile').first().click();
    await sendToStudio(page, { type: 'image-details', details: createImageDetails(change) });
  }

  test('opens on Enter, shows other images on arrow keys, and returns to the thumbnail on Escape', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(
      page,
      createStudioSetMessage({
        images: createImageViews(3),
        jobs: [createStudioJob({ images: ['i0', 'i1', 'i2'] })],
      }),
    );
    await page.locator('.place.tile').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i1' });
    await page.keyboard.press('ArrowRight');
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i2' });
    await page.keyboard.press('Escape');
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: null });
    expect(await getFocusedName()).toMatch(/^3 of 3\./u);
    await page.keyboard.press('Delete');
    expect(await readLastPostedMessage()).toEqual({
      type: 'image-act',
      id: 'i2',
      action: 'delete',
    });
  });

  const findMenuItem = (name: string | RegExp): Locator => page.getByRole('menuitem', { name });

  test('has a toolbar of three actions and a menu, with one tab stop', async () => {
    await openLargeView();
    const buttons = page.getByRole('toolbar').getByRole('button');
    expect(
      await buttons.evaluateAll((elements) =>
        elements.map((item) => item.getAttribute('aria-label')),
      ),
    ).toEqual(['Save', 'Insert', 'Edit', 'More actions']);
    const tabStops = page.getByRole('toolbar').locator('button[tabindex="0"]');
    expect(await tabStops.count()).toBe(1);
    await tabStops.focus();
    await page.keyboard.press('End');
    expect(await getFocusedName()).toBe('More actions');
  });

  test('opens the menu by keyboard, shows prices, and explains disabled actions', async () => {
    await openLargeView();
    await findButton('More actions').focus();
    await page.keyboard.press('Enter');
    expect(await getFocusedName()).toBe('Copy');
    for (let index = 0; index < 2; index += 1) await page.keyboard.press('ArrowDown');
    expect(await getFocusedName()).toBe('Reveal in explorer. Save the image first.');
    await page.keyboard.press('Enter');
    expect(await getAnnouncement()).toBe('Save the image first.');
    await page.keyboard.press('Escape');
    expect(await getFocusedName()).toBe('More actions');
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(await page.getByRole('toolbar').count()).toBe(1);
    await findButton('More actions').click();
    await findMenuItem('Upscale 2× · $0.02').click();
    expect((await listPostedMessages(page)).filter(({ type }) => type === 'image-act')).toEqual([
      { type: 'image-act', id: 'i0', action: 'upscale-2' },
    ]);
  });

  test('closes the menu when the focus leaves the menu', async () => {
    await openLargeView();
    await findButton('More actions').click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  async function copyFromMenu(): Promise<void> {
    await findButton('More actions').click();
    await findMenuItem('Copy').click();
  }

  test('reports an image that cannot be copied', async () => {
    await openLargeView();
    await page.evaluate(() => {
      navigator.clipboard.write = () => Promise.reject(new DOMException('', 'NotAllowedError'));
    });
    await copyFromMenu();
    await expect.poll(getAnnouncement).toBe('Copying is not possible here.');
  });

  test('does not copy an image of more than 100 million pixels, even if the host reports a smaller size', async () => {
    await openLargeView();
    await sendToStudio(page, {
      type: 'images-put',
      images: [createImageView(0, { src: '/image/0/12000x9000.svg' })],
    });
    await page.evaluate(() => {
      navigator.clipboard.write = async ([item]) => void (await item?.getType('image/png'));
    });
    await copyFromMenu();
    await expect.poll(getAnnouncement).toBe('Copying is not possible here.');
  });

  test('copies an image as PNG', async () => {
    await openLargeView();
    await page.evaluate(() => {
      navigator.clipboard.write = async ([item]) => {
        const blob = await item?.getType('image/png');
        const head = new Uint8Array((await blob?.arrayBuffer()) ?? []).subarray(0, 4);
        Reflect.set(globalThis, 'copied', [...head]);
      };
    });
    await copyFromMenu();
    await expect.poll(getAnnouncement).toBe('Copied');
    expect(await page.evaluate(() => Reflect.get(globalThis, 'copied'))).toEqual([137, 80, 78, 71]);
  });

  test('shows the exact request, including markup, as text', async () => {
    await openLargeView({ rows: [{ label: 'Prompt', value: '<img src=x onerror=alert(1)>' }] });
    await page.getByText('Details', { exact: true }).click();
    expect(await page.getByRole('definition').innerText()).toBe('<img src=x onerror=alert(1)>');
  });

  test('compares images with a slider that has an accessible name and value and supports keys', async () => {
    await openLargeView({ source: { src: createImageView(6).src, label: 'lighthouse.png' } });
    await findButton('Compare').click();
    const slider = page.getByRole('slider', { name: 'Compare' });
    expect(await slider.getAttribute('aria-valuetext')).toBe('50 % lighthouse.png');
    const line = page.locator('.compare-line');
    const boxBefore = await line.boundingBox();
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    expect(await slider.getAttribute('aria-valuetext')).toBe('51 % lighthouse.png');
    expect((await line.boundingBox())?.x).toBeGreaterThan(boxBefore?.x ?? Infinity);
    await page.keyboard.press('Home');
    expect(await slider.getAttribute('aria-valuetext')).toBe('0 % lighthouse.png');
    // Arrow keys move the slider and do not open the next image.
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i0' });
  });

  test('opens again with the same sequence of images after the page reloads', async () => {
    await openLargeView();
    await findButton('Next').click();
    await page.reload();
    await sendToStudio(
      page,
      createStudioSetMessage({
        images: createImageViews(3),
        jobs: [createStudioJob({ images: ['i0', 'i1', 'i2'] })],
      }),
    );
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i1' });
    await page.getByText('2 of 3').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Back');
    await page.keyboard.press('ArrowRight');
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i2' });
    await page.keyboard.press('Escape');
    await page.reload();
    await sendToStudio(
      page,
      createStudioSetMessage({
        images: createImageViews(3),
        jobs: [createStudioJob({ images: ['i0', 'i1', 'i2'] })],
      }),
    );
    expect(await readPostedTypes()).not.toContain('image-select');
  });

  test("stays open if the host shows the viewer's section again, and closes if the host shows another section", async () => {
    await openLargeView();
    await sendToStudio(page, { type: 'section-show', section: 'create', focus: true });
    await sendToStudio(page, { type: 'section-show', section: 'create', focus: false });
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i0' });
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Back');
    await sendToStudio(page, { type: 'section-show', section: 'gallery', focus: true });
    expect(await listPostedMessages(page)).toContainEqual({ type: 'image-select', id: null });
    await sendToStudio(page, { type: 'section-show', section: 'create', focus: true });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('prompt');
  });

  test('stays open when input images are restored after a restart', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    await sendToStudio(page, { type: 'inputs-change', inputs: [createInputImage(1)] });
    await openGallery(page);
    await sendToStudio(page, { type: 'images-put', images: createImageViews(3) });
    await page.getByRole('gridcell').first().click();
    await page.reload();
    await sendToStudio(
      page,
      createStudioSetMessage({ hasCurrentDrafts: false, images: createImageViews(3) }),
    );
    expect(await listPostedMessages(page)).toContainEqual({ type: 'inputs-set', ids: ['i1'] });
    await sendToStudio(page, { type: 'inputs-change', inputs: [createInputImage(1)] });
    expect(await readLastPostedMessage()).not.toEqual({ type: 'image-select', id: null });
    expect(await findButton('Back').isVisible()).toBe(true);
  });

  test('zooms to full size, scrolls by keys and dragging, and resets the zoom on Escape before closing', async () => {
    page = await openStudio({ browser, server, width: 700, height: 500 });
    const wideImage = createImageView(0, { width: 2_000, height: 1_500 });
    await sendToStudio(
      page,
      createStudioSetMessage({ images: [wideImage], jobs: [createStudioJob()] }),
    );
    await page.locator('.place.tile').click();
    const [largeImage, stage] = [page.locator('.large'), page.locator('.stage')];
    const readScrollLeft = (): Promise<number> => stage.evaluate((element) => element.scrollLeft);
    expect((await largeImage.boundingBox())?.width).toBeLessThan(700);
    await findButton('Zoom').press('Enter');
    expect((await largeImage.boundingBox())?.width).toBe(2_000);
    expect(await getFocusedName()).toMatch(/^Image in full size\./u);
    const centerOffset = await readScrollLeft();
    expect(centerOffset).toBeGreaterThan(500);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(readScrollLeft).toBeLessThan(centerOffset);
    expect((await readPostedTypes()).filter((type) => type === 'image-select')).toHaveLength(1);
    const { x = 0, y = 0 } = (await stage.boundingBox()) ?? {};
    const previousOffset = await readScrollLeft();
    await page.mouse.move(x + 200, y + 60);
    await page.mouse.down();
    await page.mouse.move(x + 100, y + 60, { steps: 4 });
    await page.mouse.up();
    expect(await readScrollLeft()).toBeGreaterThan(previousOffset);
    expect(await findButton('Zoom').getAttribute('aria-pressed')).toBe('true');
    await page.keyboard.press('Escape');
    expect((await largeImage.boundingBox())?.width).toBeLessThan(700);
    await largeImage.click();
    expect((await largeImage.boundingBox())?.width).toBe(2_000);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: null });
  });

  test('shows compared images in full size when zoomed', async () => {
    page = await openStudio({ browser, server });
    const wideImage = createImageView(0, { width: 2_000, height: 1_500 });
    await sendToStudio(
      page,
      createStudioSetMessage({ images: [wideImage], jobs: [createStudioJob()] }),
    );
    await page.locator('.place.tile').click();
    const source = { src: createImageView(6).src, label: 'lighthouse.png' };
    await sendToStudio(page, { type: 'image-details', details: createImageDetails({ source }) });
    await findButton('Compare').click();
    await findButton('Zoom').click();
    expect((await page.locator('.compare-space').boundingBox())?.width).toBe(2_000);
    const slider = page.getByRole('slider', { name: 'Compare' });
    await slider.press('ArrowRight');
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^51 %/u);
  });

  test("uses most of the window's height in a low window", async () => {
    page = await openStudio({ browser, server, width: 1_100, height: 760, zoom: 2 });
    await sendToStudio(
      page,
      createStudioSetMessage({ images: [createImageView(0)], jobs: [createStudioJob()] }),
    );
    await page.locator('.place.tile').click();
    await sendToStudio(page, { type: 'image-details', details: createImageDetails() });
    const stage = page.locator('.stage');
    await stage.scrollIntoViewIfNeeded();
    const [{ height = 0 }, panelBox] = [
      (await stage.boundingBox()) ?? {},
      await page.locator('.image-view').boundingBox(),
    ];
    expect(height).toBeGreaterThanOrEqual(0.6 * (panelBox?.height ?? Infinity));
  });

  test('shows the next image when the current image is deleted', async () => {
    await openLargeView();
    await sendToStudio(page, { type: 'images-remove', ids: ['i0'] });
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: 'i1' });
    await sendToStudio(page, { type: 'images-remove', ids: ['i1', 'i2'] });
    expect(await readLastPostedMessage()).toEqual({ type: 'image-select', id: null });
  });
});

describe('the studio gallery', () => {
  const imageCount = 2_000;

  async function openFullGallery(
    images: readonly ImageView[] = createImageViews(imageCount),
  ): Promise<void> {
    page = await openStudio({ browser, server });
    await sendToStudio(
      page,
      createStudioSetMessage({
        gallery: createGalleryView({ status: 'ready', count: images.length }),
      }),
    );
    for (let index = 0; index < images.length; index += imagesPerMessage) {
      await sendToStudio(page, {
        type: 'images-put',
        images: images.slice(index, index + imagesPerMessage),
      });
    }
    await openGallery(page);
    await page.getByRole('gridcell').first().waitFor();
  }

  test('requests the images when the user first opens the gallery', async () => {
    page = await openStudio({ browser, server });
    await sendToStudio(page, createStudioSetMessage());
    expect(await readPostedTypes()).not.toContain('gallery-request');
    await openGallery(page);
    expect(await readLastPostedMessage()).toEqual({ type: 'gallery-request' });
  });

  test('shows the images, and a notice if a newer version stored the gallery', async () => {
    await openFullGallery(createImageViews(3));
    const newerVersionFailure = { ...failureView, code: 'newer-version', actions: [] };
    await sendToStudio(page, {
      type: 'gallery-change',
      gallery: createGalleryView({ status: 'ready', failure: newerVersionFailure }),
    });
    await page.getByText(failureView.title, { exact: true }).waitFor();
    expect(await page.getByRole('gridcell').count()).toBe(3);
  });

  test('renders only the images near the viewport at any scroll position of 2,000 images', async () => {
    await openFullGallery();
    const scrollArea = page.locator('.gallery-scroll');
    const cells = page.getByRole('gridcell');
    for (const scrollRatio of [0, 0.5, 1]) {
      await scrollArea.evaluate((element, ratio) => {
        element.scrollTop = element.scrollHeight * ratio;
      }, scrollRatio);
      await waitForPaint(page);
      expect(await cells.count()).toBeGreaterThan(12);
      expect(await cells.count()).toBeLessThan(90);
    }
    const lastCell = page.locator(`[data-index="${imageCount - 1}"]`);
    expect(
      await lastCell.evaluate((element) => element.getBoundingClientRect().bottom),
    ).toBeLessThan(760);
    expect(Number(await page.getByRole('grid').getAttribute('aria-rowcount'))).toBeGreaterThan(200);
  });

  test('supports the keyboard navigation of a grid, and has one tab stop', async () => {
    await openFullGallery();
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await readFocusedIndex()).toBe('1');
    await page.keyboard.press('End');
    const lastIndex = Number(await readFocusedIndex());
    await page.keyboard.press('Home');
    expect(await readFocusedIndex()).toBe('0');
    await page.keyboard.press('ArrowDown');
    expect(await readFocusedIndex()).toBe(String(lastIndex + 1));
    await page.keyboard.press('Control+End');
    expect(await readFocusedIndex()).toBe(String(imageCount - 1));
    expect(await page.locator('[role=gridcell][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Enter');
    expect(await readLastPostedMessage()).toEqual({
      type: 'image-select',
      id: `i${imageCount - 1}`,
    });
    await page.keyboard.press('Escape');
    expect(await readFocusedIndex()).toBe(String(imageCount - 1));
    await page.keyboard.press('Delete');
    expect(await readLastPostedMessage()).toEqual({
      type: 'images-delete',
      ids: [`i${imageCount - 1}`],
    });
  });

  test('shows a selection check box on the focused image, and mirrors arrow keys in a right-to-left layout', async () => {
    await openFullGallery(createImageViews(10));
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    const cells = page.getByRole('gridcell');
    await cells.first().focus();
    await page.keyboard.press('ArrowLeft');
    expect(await readFocusedIndex()).toBe('1');
    expect(await cells.nth(1).locator('.cell-check').isVisible()).toBe(true);
    expect(await cells.nth(2).locator('.cell-check').isVisible()).toBe(false);
    const [firstBox, secondBox] = [
      await cells.nth(0).boundingBox(),
      await cells.nth(1).boundingBox(),
    ];
    expect(secondBox?.x).toBeLessThan(firstBox?.x ?? 0);
  });

  test('keeps the focus on an image that the user scrolls out of view', async () => {
    await openFullGallery();
    await page.getByRole('gridcell').nth(1).focus();
    await page.locator('.gallery-scroll').evaluate((element) => {
      element.scrollTop = element.scrollHeight / 2;
    });
    await waitForPaint(page);
    expect(await readFocusedIndex()).toBe('1');
  });

  test('restores the scroll position and the search text after the page reloads', async () => {
    const allImages = createImageViews(600);
    await openFullGallery(allImages);
    await page.getByRole('searchbox').fill('fog');
    const scrollArea = page.locator('.gallery-scroll');
    await scrollArea.evaluate((element) => element.scrollTo(0, 300));
    await waitForPaint(page);
    await page.reload();
    await sendToStudio(
      page,
      createStudioSetMessage({ gallery: createGalleryView({ status: 'loading' }) }),
    );
    for (const [from, to] of [
      [0, 20],
      [20, 200],
      [200, 400],
      [400, 600],
    ]) {
      await sendToStudio(page, { type: 'images-put', images: allImages.slice(from, to) });
    }
    expect(await page.getByRole('searchbox').inputValue()).toBe('fog');
    expect(await scrollArea.evaluate((element) => element.scrollTop)).toBe(300);
    await scrollArea.hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(() => scrollArea.evaluate((element) => element.scrollTop)).toBe(0);
    await sendToStudio(page, { type: 'images-remove', ids: ['i599'] });
    expect(await scrollArea.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test('deletes the selected images', async () => {
    await openFullGallery(createImageViews(10));
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Delete');
    expect(await readLastPostedMessage()).toEqual({ type: 'images-delete', ids: ['i0', 'i1'] });
    await sendToStudio(page, { type: 'images-remove', ids: ['i0', 'i1'] });
    await findButton('Delete All').waitFor();
  });

  test('lets the host show the input box for the size limit of the gallery', async () => {
    await openFullGallery(createImageViews(10));
    await findButton('Gallery size').click();
    expect(await readLastPostedMessage()).toEqual({ type: 'gallery-resize' });
  });

  test('searches by text, filters by model, and clears the filters', async () => {
    await openFullGallery(createImageViews(30));
    await page.getByRole('searchbox').fill('fog pine');
    await page.getByText('6 of 30').waitFor();
    await page.getByRole('combobox', { name: 'Model' }).selectOption('Harbour Tier');
    await page.getByText('2 of 30').waitFor();
    await page.getByRole('searchbox').fill('zeppelin');
    await findButton('Clear').click();
    await page.getByText('30 images').waitFor();
  });

  test('does not load a huge image that has no thumbnail', async () => {
    const hugeImage = { thumb: null, width: 10_000, height: 10_000 };
    await openFullGallery([
      createImageView(0, { ...hugeImage, src: '/image/0/8x8.svg' }),
      createImageView(1, { thumb: null, src: '/image/1/1280x720.webp' }),
    ]);
    await page.locator('.gallery-cell img[src^="blob:"]').waitFor();
    expect(await page.locator('.gallery-cell img').count()).toBe(1);
    const thumbnailMessages = (await listPostedMessages(page)).filter(
      ({ type }) => type === 'thumbnail-made',
    );
    expect(thumbnailMessages).toMatchObject([{ id: 'i1' }]);
  });

  test('creates missing thumbnails of visible images with the same aspect ratio', async () => {
    const views = createImageViews(200, { thumb: null });
    await openFullGallery(
      views.map((view) => ({ ...view, src: view.src.replace(/svg$/u, 'webp') })),
    );
    const listCreatedThumbnails = (): Promise<unknown[]> =>
      page.evaluate(() =>
        (Reflect.get(globalThis, 'posted') as { type: string; id: string; bytes: Uint8Array }[])
          .filter(({ type }) => type === 'thumbnail-made')
          .map(({ id, bytes }) => ({
            id,
            size: bytes.byteLength,
            head: String.fromCharCode(...bytes.subarray(8, 12)),
          })),
      );
    await expect.poll(async () => (await listCreatedThumbnails()).length).toBeGreaterThan(12);
    await waitForPaint(page);
    const thumbnailMessages = (await listCreatedThumbnails()) as {
      id: string;
      size: number;
      head: string;
    }[];
    expect(new Set(thumbnailMessages.map(({ id }) => id)).size).toBe(thumbnailMessages.length);
    expect(thumbnailMessages.every(({ head, size }) => head === 'WEBP' && size <= 65_536)).toBe(
      true,
    );
    // The page requests only thumbnails near the visible rows.
    expect(thumbnailMessages.every(({ id }) => Number(id.slice(1)) < 90)).toBe(true);
    expect(await page.locator('.gallery-cell img[src^="blob:"]').count()).toBeGreaterThan(12);
  });
});
