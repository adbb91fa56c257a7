import {
  type StudioHostMessage,
  studioVersion,
  type StudioState,
} from '../../../src/image/studio/protocol/messages.ts';
import type {
  CreateDraft,
  EditDraft,
  InputImage,
  StudioCheck,
  StudioEditModel,
  StudioModel,
  StudioModels,
} from '../../../src/image/studio/protocol/form.ts';
import type {
  GalleryView,
  ImageDetails,
  ImageView,
} from '../../../src/image/studio/protocol/gallery.ts';
import type { StudioJob } from '../../../src/image/studio/protocol/job.ts';
import { createImageUrl, createThumbnailUrl } from './studio-images.ts';

/** Functions that create messages of the host to the image studio. Their arguments replace default values. */

/** Creates a model whose sizes are in pixels and that supports nearly all options. */
export const createPixelModel = (change: Partial<StudioModel> = {}): StudioModel => ({
  id: 'harbour-pixel',
  name: 'Harbour Pixel',
  description: 'Quick images in any size.',
  offline: false,
  privacy: 'private',
  traits: ['default', 'fastest'],
  priceText: '$0.01',
  warning: '',
  promptLimit: 1_500,
  sizing: {
    kind: 'pixels',
    min: 256,
    max: 1_280,
    divisor: 16,
    defaultWidth: 1_024,
    defaultHeight: 1_024,
    sizes: [
      { ratio: '1:1', width: 1_024, height: 1_024 },
      { ratio: '3:2', width: 1_248, height: 832 },
      { ratio: '16:9', width: 1_280, height: 720 },
      { ratio: '21:9', width: 1_280, height: 544 },
      { ratio: '9:16', width: 720, height: 1_280 },
      { ratio: '2:3', width: 832, height: 1_248 },
    ],
    isFixed: false,
  },
  steps: { default: 25, max: 30 },
  qualities: [],
  defaultQuality: null,
  hasBasicOptionsOnly: false,
  webSearchPrice: null,
  enhancePrice: '$0.04',
  ...change,
});

/** Creates a model whose sizes are aspect ratios. */
export const createRatioModel = (change: Partial<StudioModel> = {}): StudioModel =>
  createPixelModel({
    id: 'harbour-ratio',
    name: 'Harbour Ratio',
    description: 'Careful images with words in them.',
    privacy: 'anonymized',
    traits: [],
    priceText: '$0.03',
    promptLimit: 3_000,
    sizing: {
      kind: 'ratio',
      ratios: ['1:1', '3:2', '16:9', '21:9', '9:16', '2:3', '4:5'],
      defaultRatio: '1:1',
    },
    steps: { default: 20, max: 50 },
    enhancePrice: null,
    ...change,
  });

/** Creates a model with aspect ratios, resolutions, qualities and web search. */
export const createTierModel = (change: Partial<StudioModel> = {}): StudioModel =>
  createRatioModel({
    id: 'harbour-tier',
    name: 'Harbour Tier',
    description: 'Large images that know today’s world.',
    priceText: '$0.18–0.35',
    promptLimit: 32_768,
    sizing: {
      kind: 'tier',
      ratios: ['1:1', '3:2', '16:9', '9:16'],
      defaultRatio: '16:9',
      resolutions: [
        { name: '1K', priceText: '$0.18' },
        { name: '2K', priceText: '$0.23' },
        { name: '4K', priceText: '$0.35' },
      ],
      defaultResolution: '1K',
    },
    steps: null,
    qualities: [
      { name: 'low', priceText: '$0.04' },
      { name: 'medium', priceText: '$0.10' },
      { name: 'high', priceText: '$0.18' },
    ],
    defaultQuality: 'high',
    webSearchPrice: '$0.01',
    enhancePrice: '$0.04',
    ...change,
  });

export const createEditModel = (change: Partial<StudioEditModel> = {}): StudioEditModel => ({
  id: 'harbour-edit',
  name: 'Harbour Edit',
  offline: false,
  privacy: 'private',
  traits: ['default'],
  priceText: '$0.04',
  warning: '',
  promptLimit: 32_768,
  ratios: ['auto', '1:1', '16:9', '9:16'],
  takesSingleImageRatio: true,
  resolutions: [
    { name: '1K', priceText: '$0.04' },
    { name: '2K', priceText: '$0.08' },
  ],
  qualities: [],
  maxImages: 3,
  enhancePrice: '$0.04',
  ...change,
});

export const createStudioModels = (change: Partial<StudioModels> = {}): StudioModels => ({
  create: [
    createPixelModel(),
    createRatioModel(),
    createTierModel(),
    createRatioModel({ id: 'tide', name: 'Tide', offline: true, warning: 'Removed on 2027-01-15' }),
  ],
  edit: [
    createEditModel(),
    createEditModel({ id: 'mend', name: 'Mend', maxImages: 1, ratios: [], resolutions: [] }),
  ],
  suggested: { create: 'harbour-pixel', edit: createEditModel().id },
  loading: false,
  stale: null,
  failure: null,
  ...change,
});

export const createDraft = (change: Partial<CreateDraft> = {}): CreateDraft => ({
  model: 'harbour-pixel',
  prompt: '',
  negativePrompt: '',
  width: null,
  height: null,
  aspectRatio: null,
  resolution: null,
  quality: null,
  steps: null,
  cfgScale: null,
  seed: null,
  stylePreset: null,
  format: null,
  safeMode: true,
  webSearch: false,
  enhancePrompt: false,
  hideWatermark: false,
  embedExifMetadata: false,
  variants: 1,
  ...change,
});

export const createEditDraft = (change: Partial<EditDraft> = {}): EditDraft => ({
  model: 'harbour-edit',
  prompt: '',
  aspectRatio: null,
  resolution: null,
  quality: null,
  format: null,
  safeMode: true,
  enhancePrompt: false,
  ...change,
});

export const createStudioCheck = (change: Partial<StudioCheck> = {}): StudioCheck => ({
  mode: 'create',
  seq: 0,
  priceText: '$0.01',
  priceDetail: '',
  note: '',
  canRestore: false,
  problems: [],
  width: 1_024,
  height: 1_024,
  ...change,
});

const prompts = [
  'A lighthouse at dusk, oil on canvas',
  'Isometric harbour with small boats and cranes',
  'Fog over pine trees, wide and quiet',
  'A paper boat in a puddle, close up',
  'Portrait of an old sailor, side light',
];
const imageShapes = [
  [1_024, 1_024],
  [1_280, 720],
  [720, 1_280],
  [1_248, 832],
  [832, 1_248],
] as const;

/** Creates an image. Its shape, prompt and color depend on `index`. */
export function createImageView(index: number, change: Partial<ImageView> = {}): ImageView {
  const [width, height] = imageShapes[index % imageShapes.length] ?? imageShapes[0];
  return {
    id: `i${index}`,
    src: createImageUrl(index, width, height),
    thumb: createThumbnailUrl(index, width, height),
    width,
    height,
    bytes: 160_000,
    prompt: prompts[index % prompts.length] ?? '',
    model: index % 3 === 0 ? 'Harbour Tier' : 'Harbour Pixel',
    createdAt: 1_790_000_000_000 - index * 60_000,
    origin: 'generate',
    blurred: false,
    contentViolation: false,
    moderationText: '',
    file: 'unsaved',
    fileLabel: '',
    ...change,
  };
}

export const createImageViews = (count: number, change: Partial<ImageView> = {}): ImageView[] =>
  Array.from({ length: count }, (_, index) => createImageView(index, change));

export const createStudioJob = (change: Partial<StudioJob> = {}): StudioJob => ({
  id: 'j1',
  origin: 'generate',
  title: prompts[0] ?? '',
  model: 'Harbour Pixel',
  status: 'done',
  startedAt: 1_790_000_000_000,
  durationMs: 8_400,
  width: 1_024,
  height: 1_024,
  images: ['i0'],
  retry: null,
  failure: null,
  costText: '$0.01',
  ...change,
});

export const createImageDetails = (change: Partial<ImageDetails> = {}): ImageDetails => ({
  id: 'i0',
  rows: [
    { label: 'Prompt', value: prompts[0] ?? '' },
    { label: 'Model', value: 'Harbour Pixel (harbour-pixel)' },
    { label: 'Size', value: '1024 × 1024' },
    { label: 'Seed', value: '482910' },
    { label: 'Cost', value: '$0.01' },
  ],
  json: JSON.stringify({ model: 'harbour-pixel', prompt: prompts[0], seed: 482_910 }, null, 2),
  source: null,
  actions: [
    { action: 'save', priceText: '', disabled: '' },
    { action: 'insert', priceText: '', disabled: '' },
    { action: 'open', priceText: '', disabled: '' },
    { action: 'reveal', priceText: '', disabled: 'Save the image first.' },
    { action: 'same-seed', priceText: '$0.01', disabled: '' },
    { action: 'vary', priceText: '$0.01', disabled: '' },
    { action: 'upscale-2', priceText: '$0.02', disabled: '' },
    { action: 'upscale-4', priceText: '$0.08', disabled: '' },
    { action: 'edit', priceText: '', disabled: '' },
    { action: 'remove-background', priceText: '$0.02', disabled: '' },
    { action: 'use-as-input', priceText: '', disabled: '' },
    { action: 'use-settings', priceText: '', disabled: '' },
    { action: 'delete', priceText: '', disabled: '' },
  ],
  ...change,
});

export const createGalleryView = (change: Partial<GalleryView> = {}): GalleryView => ({
  status: 'unasked',
  failure: null,
  count: 0,
  bytes: 0,
  capBytes: 500 * 1_024 * 1_024,
  ...change,
});

export const createInputImage = (index: number, change: Partial<InputImage> = {}): InputImage => ({
  id: `i${index}`,
  label: `lighthouse-${index}.png`,
  src: createImageUrl(index, 640, 480),
  thumb: null,
  width: 640,
  height: 480,
  ...change,
});

export const createStudioState = (change: Partial<StudioState> = {}): StudioState => ({
  models: createStudioModels(),
  styles: { status: 'unasked', names: [], problem: null },
  create: createDraft(),
  edit: createEditDraft(),
  hasCurrentDrafts: true,
  inputs: [],
  check: createStudioCheck(),
  jobs: [],
  images: [],
  gallery: createGalleryView(),
  account: { status: 'signed-in', profile: 'Default', address: '', message: null, actions: [] },
  ...change,
});

export const createStudioSetMessage = (change: Partial<StudioState> = {}): StudioHostMessage => ({
  type: 'state-set',
  version: studioVersion,
  state: createStudioState(change),
});
