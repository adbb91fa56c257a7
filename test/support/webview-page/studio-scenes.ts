import type { Page } from 'playwright-core';
import type { StudioHostMessage } from '../../../src/image/studio/protocol/messages.ts';
import { failure } from './chat-states.ts';
import {
  check,
  createDraft,
  details,
  editDraft,
  gallery,
  image,
  images,
  input,
  job,
  studioModels,
  studioSet,
} from './studio-states.ts';

/** A state of the image studio that tests check and screenshots show. */
export interface StudioScene {
  readonly name: string;
  readonly messages: readonly StudioHostMessage[];
  /** Performs user actions after the page has received the messages. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const prompt = 'A lighthouse at dusk, oil on canvas, wide brush strokes';
const styles = {
  status: 'ready',
  names: ['3D Model', 'Analog Film', 'Anime', 'Cinematic', 'Comic Book', 'Watercolor'],
  problem: null,
} as const;
const ready = gallery({ status: 'ready', count: 60, bytes: 312 * 1_024 * 1_024 });

export const openGallery = (page: Page): Promise<void> =>
  page.getByRole('tab', { name: 'Gallery' }).click();

/** Expands the options, which are collapsed in a narrow window. */
export async function unfold(page: Page): Promise<void> {
  const fold = page.getByRole('button', { name: 'Options' });
  if (await fold.isVisible()) await fold.click();
}

async function openFirstImage(page: Page): Promise<void> {
  await page.locator('.place.tile').first().click();
}

const withDetails = (
  change: Parameters<typeof details>[0] = {},
): ((page: Page) => Promise<void>) => {
  const message = { type: 'image-details', details: details(change) };
  return async (page) => {
    await openFirstImage(page);
    await page.evaluate((hostMessage) => window.postMessage(hostMessage, '*'), message);
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  };
};

export const studioScenes: readonly StudioScene[] = [
  { name: 'empty', messages: [studioSet()] },
  {
    name: 'pixels',
    messages: [
      studioSet({
        styles: { ...styles, names: [...styles.names] },
        create: createDraft({ prompt, seed: 482_910, stylePreset: 'Watercolor', variants: 4 }),
        check: check({ priceText: '$0.04', priceDetail: '4 × $0.01' }),
      }),
    ],
    prepare: unfold,
  },
  {
    name: 'tier',
    messages: [
      studioSet({
        create: createDraft({ model: 'harbour-tier', prompt, webSearch: true }),
        check: check({ priceText: '$0.19', priceDetail: '$0.18 + $0.01 for web search' }),
      }),
    ],
    prepare: unfold,
  },
  {
    name: 'problems',
    messages: [
      studioSet({
        create: createDraft({ prompt, width: 1_001, height: 512 }),
        check: check({
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
    prepare: unfold,
  },
  {
    name: 'models',
    messages: [studioSet({ create: createDraft({ prompt }) })],
    prepare: (page) => page.getByRole('button', { name: /^Model: / }).click(),
  },
  {
    name: 'styles-failed',
    messages: [
      studioSet({
        create: createDraft({ prompt }),
        styles: { status: 'failed', names: [], problem: 'The service cannot be reached.' },
      }),
    ],
    prepare: async (page) => {
      await unfold(page);
      await page.getByRole('button', { name: /^Style: / }).click();
    },
  },
  {
    name: 'no-models',
    messages: [
      studioSet({
        create: createDraft({ model: '' }),
        models: studioModels({ create: [], edit: [], failure }),
        check: null,
      }),
    ],
  },
  {
    name: 'jobs',
    messages: [
      studioSet({
        create: createDraft({ prompt, variants: 4 }),
        images: [
          image(0),
          image(1, {
            contentViolation: true,
            moderationText: 'The service replaced the image: its content is not allowed.',
          }),
          image(2, { blurred: true, moderationText: 'Blurred by safe mode' }),
          image(3),
          image(4),
          image(5),
        ],
        jobs: [
          job({
            id: 'j5',
            status: 'running',
            startedAt: Date.now() - 12_400,
            durationMs: null,
            images: [null, null, null, null],
            costText: '$0.04',
          }),
          job({
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
          job({
            id: 'j3',
            title: 'A paper boat',
            status: 'failed',
            images: [null],
            failure,
            costText: '',
          }),
          job({ id: 'j2', title: 'Four boats', images: ['i0', 'i3', 'i4', 'i5'] }),
          job({ id: 'j1', title: 'A crowd', images: ['i1', 'i2'] }),
          job({ id: 'j0', title: 'Too slow', status: 'canceled', images: [null], costText: '' }),
        ],
      }),
    ],
  },
  {
    name: 'image-menu',
    messages: [studioSet({ images: [image(0), image(1)], jobs: [job({ images: ['i0', 'i1'] })] })],
    prepare: async (page) => {
      await withDetails()(page);
      await page.getByRole('button', { name: 'More actions' }).click();
    },
  },
  {
    name: 'large-view',
    messages: [studioSet({ images: [image(0), image(1)], jobs: [job({ images: ['i0', 'i1'] })] })],
    prepare: async (page) => {
      await withDetails()(page);
      await page.getByText('Details', { exact: true }).click();
    },
  },
  {
    name: 'compare',
    messages: [
      studioSet({ images: [image(1, { origin: 'upscale' })], jobs: [job({ images: ['i1'] })] }),
    ],
    prepare: async (page) => {
      await withDetails({ id: 'i1', source: { src: image(6).src, label: 'lighthouse.png' } })(page);
      await page.getByRole('button', { name: 'Compare' }).click();
    },
  },
  {
    name: 'missing-file',
    messages: [
      studioSet({
        images: [image(0, { file: 'missing', fileLabel: 'docs/images/lighthouse-482910.png' })],
        jobs: [job()],
      }),
    ],
    prepare: withDetails(),
  },
  {
    name: 'edit',
    messages: [
      studioSet({
        inputs: [input(1), input(2)],
        edit: editDraft({ prompt: 'Put the boat of the second picture into the first' }),
        check: check({ mode: 'edit', priceText: '$0.04' }),
      }),
    ],
    prepare: unfold,
  },
  {
    name: 'gallery',
    messages: [
      studioSet({ gallery: ready }),
      {
        type: 'images-put',
        images: [
          image(0, { file: 'missing' }),
          image(1, { blurred: true, moderationText: 'Blurred by safe mode' }),
          ...images(60).slice(2),
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
    messages: [studioSet({ gallery: gallery({ status: 'ready' }) })],
    prepare: openGallery,
  },
  {
    name: 'gallery-loading',
    messages: [studioSet({ gallery: gallery({ status: 'loading' }) })],
    prepare: async (page) => {
      await openGallery(page);
      await page.getByRole('status', { name: 'Loading' }).waitFor();
    },
  },
  {
    name: 'gallery-none-found',
    messages: [studioSet({ gallery: ready, images: images(20) })],
    prepare: async (page) => {
      await openGallery(page);
      await page.getByRole('searchbox', { name: 'Find' }).fill('zeppelin');
    },
  },
  {
    name: 'gallery-failed',
    messages: [studioSet({ gallery: gallery({ status: 'failed', failure }) })],
    prepare: openGallery,
  },
];
