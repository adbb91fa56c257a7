/**
 * View state of the image studio. The host owns the state and sends it to the page. The page adds only transient view
 * state, such as the section, the large image and filters. Texts that depend on the service or the user's language come
 * from the host. The state contains no keys, command ids or image bytes.
 */
import {
  array,
  boolean,
  type InferOutput,
  integer,
  is,
  literal,
  maxLength,
  maxValue,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  strictObject,
  string,
  variant,
} from 'valibot';
import { accountSchema, failureSchema } from '../../../account/protocol.ts';
import { idSchema } from '../../../base/schema.ts';

const count = pipe(number(), integer(), minValue(0));
const milliseconds = pipe(number(), minValue(0));
const pixels = pipe(number(), integer(), minValue(1), maxValue(65_536));
const name = pipe(string(), maxLength(300));
/** Prompt. The maximum length is above the limit of every model; the form checks the limit of the selected model. */
const prompt = pipe(string(), maxLength(100_000));
/** URI that the webview may load: a result of `asWebviewUri`, or a `data:` URI. */
const uri = pipe(string(), maxLength(8_192));
/** Price such as `$0.04` or `$0.18–0.35`. Empty when unknown. */
const priceText = pipe(string(), maxLength(60));
const ratio = pipe(string(), maxLength(20));

/** Number of images per call (spec §8). */
export const variantsSchema = picklist([1, 2, 3, 4]);
export const imageFormatSchema = picklist(['png', 'jpeg', 'webp']);

const choice = strictObject({ name, priceText });

/** Kind of sizing of a model, with the sizes and ratios that the form shows as tiles. */
export const studioSizingSchema = variant('kind', [
  strictObject({
    kind: literal('pixels'),
    min: pixels,
    max: pixels,
    /** Width and height are multiples of this number of pixels. */
    divisor: pixels,
    defaultWidth: pixels,
    defaultHeight: pixels,
    /** Sizes to show as tiles: the aspect ratio, and the size in pixels with this model. */
    sizes: array(strictObject({ ratio, width: pixels, height: pixels })),
  }),
  strictObject({ kind: literal('ratio'), ratios: array(ratio), defaultRatio: ratio }),
  strictObject({
    kind: literal('tier'),
    ratios: array(ratio),
    defaultRatio: ratio,
    resolutions: array(choice),
    defaultResolution: name,
  }),
]);

/** Image model with its supported options. The form shows controls only for these options. */
export const studioModelSchema = strictObject({
  id: name,
  name,
  description: string(),
  offline: boolean(),
  /** Privacy level such as `private` or `anonymized`. Empty when unknown. */
  privacy: string(),
  traits: array(string()),
  /** Price of one image with the model's defaults. */
  priceText,
  /** Warning to show before the user selects the model. Empty if there is none. */
  warning: string(),
  /** Maximum length of the prompt in characters. Also applies to the negative prompt. */
  promptLimit: count,
  sizing: studioSizingSchema,
  /** Number of steps: default and maximum. Null if it is not configurable. */
  steps: nullable(strictObject({ default: count, max: count })),
  /** Selectable qualities. Empty if the user cannot choose the quality. */
  qualities: array(choice),
  defaultQuality: nullable(name),
  /** True if the negative prompt, guidance scale and style preset have an effect. */
  takesGuidance: boolean(),
  /** Price of web search. Empty when unknown. Null if the model does not support web search. */
  webSearchPrice: nullable(priceText),
  /** Price of prompt enhancement. Empty when unknown. Null if the model does not support prompt enhancement. */
  enhancePrice: nullable(priceText),
});

/** Model that edits images according to an instruction. */
export const studioEditModelSchema = strictObject({
  id: name,
  name,
  offline: boolean(),
  privacy: string(),
  traits: array(string()),
  priceText,
  warning: string(),
  promptLimit: count,
  /** Selectable aspect ratios. Empty if the output keeps the input's aspect ratio. */
  ratios: array(ratio),
  resolutions: array(choice),
  /** Maximum number of input images per call. */
  maxImages: pipe(number(), integer(), minValue(1)),
  enhancePrice: nullable(priceText),
});

export const studioModelsSchema = strictObject({
  create: array(studioModelSchema),
  edit: array(studioEditModelSchema),
  /** Ids of the last used models, to preselect in a form without a model. Empty before the first use. */
  suggested: strictObject({ create: name, edit: name }),
  loading: boolean(),
  /** Reason why the model list comes from the cache, as a sentence. Null for a current list. */
  stale: nullable(string()),
  /** Failure that left the model list empty. Null if there is none. */
  failure: nullable(failureSchema),
});

/** Style presets of the service (spec §4.6). `status` is `unasked` until the page sends `styles-request`. */
export const studioStylesSchema = strictObject({
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  names: array(name),
  /** Reason why loading failed, as a sentence. Null if loading did not fail. */
  problem: nullable(string()),
});

/** The user's options for a new image, independent of the model. Null means the model's default. */
export const createDraftSchema = strictObject({
  /** Model id. Empty until the user selects a model. */
  model: name,
  prompt,
  negativePrompt: prompt,
  width: nullable(count),
  height: nullable(count),
  aspectRatio: nullable(ratio),
  resolution: nullable(name),
  quality: nullable(name),
  steps: nullable(count),
  cfgScale: nullable(number()),
  /** Seed. Null for a random seed. */
  seed: nullable(pipe(number(), integer())),
  stylePreset: nullable(name),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  webSearch: boolean(),
  enhancePrompt: boolean(),
  hideWatermark: boolean(),
  embedExifMetadata: boolean(),
  variants: variantsSchema,
});

/** Instruction and options for an edit of the input images. The host stores the input images separately. */
export const editDraftSchema = strictObject({
  model: name,
  prompt,
  aspectRatio: nullable(ratio),
  resolution: nullable(name),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  enhancePrompt: boolean(),
});

/** Form field that has a problem. `account` means a problem that no control can fix, such as a missing key. */
export const studioFieldSchema = picklist([
  'model',
  'prompt',
  'negativePrompt',
  'size',
  'aspectRatio',
  'resolution',
  'quality',
  'steps',
  'cfgScale',
  'seed',
  'stylePreset',
  'format',
  'webSearch',
  'enhancePrompt',
  'variants',
  'inputs',
  'account',
]);

/** Result of the host's check of a draft: the price and the problems. */
export const studioCheckSchema = strictObject({
  mode: picklist(['create', 'edit']),
  /** `seq` of the change that the host checked; 0 for the draft in `state-set`. */
  seq: count,
  /** Price of the call with all images and extras. Shown on the button. */
  priceText,
  /** Breakdown of the price in one line. Empty if no breakdown is needed. */
  priceDetail: string(),
  /** Problems, each with one sentence. An `error` disables the button; a `warning` does not. */
  problems: array(
    strictObject({
      field: studioFieldSchema,
      severity: picklist(['error', 'warning']),
      text: string(),
    }),
  ),
  /** Expected image size in pixels; 1 × 1 without a model. */
  width: pixels,
  height: pixels,
});

/** Input image of an edit. The page shows the edit form if there is at least one. */
export const inputImageSchema = strictObject({
  /** Id of the gallery image, or a generated id for a file. */
  id: idSchema,
  label: name,
  src: uri,
  thumb: nullable(uri),
  width: pixels,
  height: pixels,
});

export const imageOriginSchema = picklist([
  'generate',
  'edit',
  'combine',
  'upscale',
  'remove-background',
]);

/**
 * Image of the gallery with the fields for the grid view, because the gallery can have thousands of images. {@link
 * imageDetailsSchema} contains the other fields.
 */
export const imageViewSchema = strictObject({
  id: idSchema,
  /** URI of the full image. */
  src: uri,
  /** URI of the thumbnail. Null until the page creates the thumbnail (`thumbnail-made`). */
  thumb: nullable(uri),
  width: pixels,
  height: pixels,
  /** File size in bytes. */
  bytes: count,
  /** Prompt in at most 500 characters. Used for search and as the accessible name of the image. */
  prompt: pipe(string(), maxLength(500)),
  /** Display name of the model. Empty for an operation without a model. */
  model: name,
  /** Time of creation in milliseconds since the epoch. */
  createdAt: milliseconds,
  origin: imageOriginSchema,
  blurred: boolean(),
  contentViolation: boolean(),
  /** Reason why the image is blurred or a placeholder, as a sentence. Empty for other images. */
  moderationText: string(),
  /**
   * State of the saved file. `missing` means that the file was moved or deleted, so the user can save the image again.
   */
  file: picklist(['unsaved', 'saved', 'missing']),
  /** Path of the saved file, relative to the workspace. Empty if the image is not saved. */
  fileLabel: string(),
});

/**
 * Actions on an image. The page defines a label and an icon for each. `edit` replaces all input images with the image,
 * and `use-as-input` adds the image. `use-settings` copies the image's request into the form (`create-set`).
 * `same-seed` and `vary` start a job immediately. The page copies images to the clipboard without the host.
 */
export const imageActionSchema = picklist([
  'save',
  'insert',
  'open',
  'reveal',
  'same-seed',
  'vary',
  'upscale-2',
  'upscale-4',
  'edit',
  'remove-background',
  'use-as-input',
  'use-settings',
  'delete',
]);

/** Details of the image in the large view. */
export const imageDetailsSchema = strictObject({
  id: idSchema,
  /** Fields of the exact request, as labels and values. */
  rows: array(strictObject({ label: name, value: string() })),
  /** Request as JSON, for the clipboard. Contains no image data and no keys. */
  json: string(),
  /** Source image to compare with the result. Null unless the image has exactly one source. */
  source: nullable(strictObject({ src: uri, label: name })),
  /** Available actions in any order. The page hides all other actions. */
  actions: array(
    strictObject({
      action: imageActionSchema,
      priceText,
      /** Reason why the action is disabled, as a sentence. Empty if the action is enabled. */
      disabled: string(),
    }),
  ),
});

/** Call of the image API: queued, running or completed. */
export const studioJobSchema = strictObject({
  id: idSchema,
  origin: imageOriginSchema,
  /** Prompt, or the name of the operation, such as `Upscale 2×`. */
  title: pipe(string(), maxLength(500)),
  /** Display name of the model. */
  model: name,
  /** `queued`, `running` and `waiting` (before a retry) change without a user action; the other states are final. */
  status: picklist(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']),
  /** Start time in milliseconds since the epoch. Null while queued. */
  startedAt: nullable(milliseconds),
  /** Time from start to completion in milliseconds. Null until the job is completed. */
  durationMs: nullable(milliseconds),
  /**
   * Size of each image in pixels: expected, then actual after the first image is received. The page reserves this
   * space.
   */
  width: pixels,
  height: pixels,
  /** Image ids, one per requested image. Null until the image is received. The host sends the image before its id. */
  images: array(nullable(idSchema)),
  /**
   * Next attempt while `waiting`: `next` and `of` count attempts from 1, `at` is the time in milliseconds since the
   * epoch.
   */
  retry: nullable(strictObject({ next: count, of: count, at: milliseconds, reason: string() })),
  /** Failure of a `failed` job. Images that were received before the failure stay in the gallery. */
  failure: nullable(failureSchema),
  /** Actual or expected cost of the job. Empty when unknown. */
  costText: priceText,
});

export const gallerySchema = strictObject({
  /**
   * Loading state. `unasked` until the page sends `gallery-request`. Once loaded, the images follow in `images-put`
   * messages of at most 200 images.
   */
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  /** Failure of loading. For a `ready` gallery, a notice that images of a newer version are missing. */
  failure: nullable(failureSchema),
  /** Number of images and their total size in bytes. */
  count,
  bytes: count,
  /** Maximum total size of the images in bytes. Above it, the oldest images are deleted. */
  capBytes: count,
});

export const studioStateSchema = strictObject({
  models: studioModelsSchema,
  styles: studioStylesSchema,
  create: createDraftSchema,
  edit: editDraftSchema,
  /**
   * False if the host restarted since the page last sent its drafts. The page then sends its persisted drafts as
   * changes, and its persisted input images as `inputs-set`.
   */
  draftsAreCurrent: boolean(),
  inputs: array(inputImageSchema),
  check: nullable(studioCheckSchema),
  /** Jobs, newest first. */
  jobs: array(studioJobSchema),
  /** Images of all jobs, and possibly other images of the gallery. */
  images: array(imageViewSchema),
  gallery: gallerySchema,
  account: accountSchema,
});

export type StudioSizing = InferOutput<typeof studioSizingSchema>;
export type StudioModel = InferOutput<typeof studioModelSchema>;
export type StudioEditModel = InferOutput<typeof studioEditModelSchema>;
export type StudioModels = InferOutput<typeof studioModelsSchema>;
export type StudioStyles = InferOutput<typeof studioStylesSchema>;
export type CreateDraft = InferOutput<typeof createDraftSchema>;
export type EditDraft = InferOutput<typeof editDraftSchema>;
export type StudioField = InferOutput<typeof studioFieldSchema>;
export type StudioCheck = InferOutput<typeof studioCheckSchema>;
export type InputImage = InferOutput<typeof inputImageSchema>;
export type ImageView = InferOutput<typeof imageViewSchema>;
export type ImageAction = InferOutput<typeof imageActionSchema>;
export type ImageDetails = InferOutput<typeof imageDetailsSchema>;
export type StudioJob = InferOutput<typeof studioJobSchema>;
export type GalleryView = InferOutput<typeof gallerySchema>;
export type StudioState = InferOutput<typeof studioStateSchema>;

/** Reads a persisted draft. Returns `undefined` if it is invalid, for example because an earlier version wrote it. */
export function readCreateDraft(value: unknown): CreateDraft | undefined {
  return is(createDraftSchema, value) ? value : undefined;
}

export function readEditDraft(value: unknown): EditDraft | undefined {
  return is(editDraftSchema, value) ? value : undefined;
}
