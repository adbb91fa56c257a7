import type { Page } from 'playwright-core';
import type { StudioHostMessage } from '../../../src/image/studio/protocol/messages.ts';
import { failureView } from './chat-states.ts';
import {
  createStudioCheck,
  createDraft,
  createImageDetails,
  createEditDraft,
  createGalleryView,
  createImageView,
  createImageViews,
  createInputImage,
  createStudioJob,
  createStudioModels,
  createStudioSetMessage,
} from './studio-states.ts';

/** State of the image studio. Tests check its rendering, and the screenshot command captures it. */
export interface StudioScene {
  readonly name: string;
  readonly messages: readonly StudioHostMessage[];
  /** Performs user actions in the page after it has received the messages. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const samplePrompt = 'A lighthouse at dusk, oil on canvas, wide brush strokes';
const readyStyles = {
  status: 'ready',
  names: ['3D Model', 'Analog Film', 'Anime', 'Cinematic', 'Comic Book', 'Watercolor'],
  problem: null,
} as const;
const readyGallery = createGalleryView({ status: 'ready', count: 60, bytes: 312 * 1_024 * 1_024 });

export const openGallery = (page: Page): Promise<void> =>
  page.getByRole('tab', { name: 'Gallery' }).click();

/** Expands the options, which are collapsed in a narrow window. */
export async function expandOptions(page: Page): Promise<void> {
  const optionsButton = page.getByRole('button', { name: 'Options' });
  if (await optionsButton.isVisible()) await optionsButton.click();
}

async function openFirstImage(page: Page): Promise<void> {
  await page.locator('.place.tile').first().click();
}

const createDetailsSender = (
  change: Parameters<typeof createImageDetails>[0] = {},
): ((page: Page) => Promise<void>) => {
  const message = { type: 'image-details', details: createImageDetails(change) };
  return async (page) => {
    await openFirstImage(page);
    await page.evaluate((hostMessage) => window.postMessage(hostMessage, '*'), message);
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  };
};

export const studioScenes: readonly StudioScene[] = [
  { name: 'empty', messages: [createStudioSetMessage()] },
  {
    name: 'pixels',
    messages: [
      createStudioSetMessage({
        styles: { ...readyStyles, names: [...readyStyles.names] },
        create: createDraft({
          prompt: samplePrompt,
          seed: 482_910,
          stylePreset: 'Watercolor',
          variants: 4,
        }),
        check: createStudioCheck({ priceText: '$0.04', priceDetail: '4 × $0.01' }),
      }),
    ],
    prepare: expandOptions,
  },
  {
    name: 'tier',
    messages: [
      createStudioSetMessage({
        create: createDraft({ model: 'harbour-tier', prompt: samplePrompt, webSearch: true }),
        check: createStudioCheck({
          priceText: '$0.19',
          priceDetail: '$0.18 + $0.01 for web search',
        }),
      }),
    ],
    prepare: expandOptions,
  },
  {
    name: 'problems',
    messages: [
      createStudioSetMessage({
        create: createDraft({ prompt: samplePrompt, width: 1_001, height: 512 }),
        check: createStudioCheck({
          problems: [
            { field: 'size', severity: 'error', text: 'The width must be a multiple of 16.' },
            { field: 'seed', severity: 'warning', text: 'Only the first image uses the seed.' },
          ],
        }),
        account: {
          status: 'needs-attention',
          profile: 'Default',
          address: '',
          message: 'The balance is used up.',
          actions: [{ action: 'add-credits', label: 'Add credits' }],
        },
      }),
    ],
    prepare: expandOptions,
  },
  {
    name: 'models',
    messages: [createStudioSetMessage({ create: createDraft({ prompt: samplePrompt }) })],
    prepare: (page) => page.getByRole('button', { name: /^Model: / }).click(),
  },
  {
    name: 'styles-failed',
    messages: [
      createStudioSetMessage({
        create: createDraft({ prompt: samplePrompt }),
        styles: { status: 'failed', names: [], problem: 'The service cannot be reached.' },
      }),
    ],
    prepare: async (page) => {
      await expandOptions(page);
      await page.getByRole('button', { name: /^Style: / }).click();
    },
  },
  {
    name: 'no-models',
    messages: [
      createStudioSetMessage({
        create: createDraft({ model: '' }),
        models: createStudioModels({ create: [], edit: [], failure: failureView }),
        check: null,
      }),
    ],
  },
  {
    name: 'jobs',
    messages: [
      createStudioSetMessage({
        create: createDraft({ prompt: samplePrompt, variants: 4 }),
        images: [
          createImageView(0),
          createImageView(1, {
            contentViolation: true,
            moderationText: 'The service replaced the image: its content is not allowed.',
          }),
          createImageView(2, { blurred: true, moderationText: 'Blurred by safe mode' }),
          createImageView(3),
          createImageView(4),
          createImageView(5),
        ],
        jobs: [
          createStudioJob({
            id: 'j5',
            status: 'running',
            startedAt: Date.now() - 12_400,
            durationMs: null,
            images: [null, null, null, null],
            costText: '$0.04',
          }),
          createStudioJob({
            id: 'j4',
            status: 'waiting',
            startedAt: Date.now() - 30_000,
            durationMs: null,
            title: 'Fog over pine trees',
            width: 1_280,
            height: 720,
            images: [null],
            retry: {
              next: 2,
              of: 3,
              at: Date.now() + 4_000_000,
              reason: 'The model is at capacity.',
            },
          }),
          createStudioJob({
            id: 'j3',
            title: 'A paper boat',
            status: 'failed',
            images: [null],
            failure: failureView,
            costText: '',
          }),
          createStudioJob({ id: 'j2', title: 'Four boats', images: ['i0', 'i3', 'i4', 'i5'] }),
          createStudioJob({ id: 'j1', title: 'A crowd', images: ['i1', 'i2'] }),
          createStudioJob({
            id: 'j0',
            title: 'Too slow',
            status: 'canceled',
            images: [null],
            costText: '',
          }),
        ],
      }),
    ],
  },
  {
    name: 'image-menu',
    messages: [
      createStudioSetMessage({
        images: [createImageView(0), createImageView(1)],
        jobs: [createStudioJob({ images: ['i0', 'i1'] })],
      }),
    ],
    prepare: async (page) => {
      await createDetailsSender()(page);
      await page.getByRole('button', { name: 'More actions' }).click();
    },
  },
  {
    name: 'large-view',
    messages: [
      createStudioSetMessage({
        images: [createImageView(0), createImageView(1)],
        jobs: [createStudioJob({ images: ['i0', 'i1'] })],
      }),
    ],
    prepare: async (page) => {
      await createDetailsSender()(page);
      await page.getByText('Details', { exact: true }).click();
    },
  },
  {
    name: 'compare',
    messages: [
      createStudioSetMessage({
        images: [createImageView(1, { origin: 'upscale' })],
        jobs: [createStudioJob({ images: ['i1'] })],
      }),
    ],
    prepare: async (page) => {
      await createDetailsSender({
        id: 'i1',
        source: { src: createImageView(6).src, label: 'lighthouse.png' },
      })(page);
      await page.getByRole('button', { name: 'Compare' }).click();
    },
  },
  {
    name: 'missing-file',
    messages: [
      createStudioSetMessage({
        images: [
          createImageView(0, { file: 'missing', fileLabel: 'docs/images/lighthouse-482910.png' }),
        ],
        jobs: [createStudioJob()],
      }),
    ],
    prepare: createDetailsSender(),
  },
  {
    name: 'edit',
    messages: [
      createStudioSetMessage({
        inputs: [createInputImage(1), createInputImage(2)],
        edit: createEditDraft({ prompt: 'Put the boat of the second picture into the first' }),
        check: createStudioCheck({ mode: 'edit', priceText: '$0.04' }),
      }),
    ],
    prepare: expandOptions,
  },
  {
    name: 'gallery',
    messages: [
      createStudioSetMessage({ gallery: readyGallery }),
      {
        type: 'images-put',
        images: [
          createImageView(0, { file: 'missing' }),
          createImageView(1, { blurred: true, moderationText: 'Blurred by safe mode' }),
          ...createImageViews(60).slice(2),
        ],
      },
    ],
    prepare: async (page) => {
      await openGallery(page);
      await page.getByRole('gridcell').nth(2).focus();
      await page.keyboard.press('Space');
    },
  },
  {
    name: 'gallery-empty',
    messages: [createStudioSetMessage({ gallery: createGalleryView({ status: 'ready' }) })],
    prepare: openGallery,
  },
  {
    name: 'gallery-loading',
    messages: [createStudioSetMessage({ gallery: createGalleryView({ status: 'loading' }) })],
    prepare: async (page) => {
      await openGallery(page);
      await page.getByRole('status', { name: 'Loading' }).waitFor();
    },
  },
  {
    name: 'gallery-none-found',
    messages: [createStudioSetMessage({ gallery: readyGallery, images: createImageViews(20) })],
    prepare: async (page) => {
      await openGallery(page);
      await page.getByRole('searchbox', { name: 'Find' }).fill('zeppelin');
    },
  },
  {
    name: 'gallery-failed',
    messages: [
      createStudioSetMessage({
        gallery: createGalleryView({ status: 'failed', failure: failureView }),
      }),
    ],
    prepare: openGallery,
  },
];
