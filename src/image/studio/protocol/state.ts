/**
 * View state of the image studio. The host owns it; the page renders it and holds only transient
 * view state, such as the section, the large image and filters. Texts that depend on the service's
 * rules or the user's language come from the host. Contains no keys, command ids or image bytes.
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
/** Maximum length above that of any service. The form checks the model's own limit. */
const prompt = pipe(string(), maxLength(100_000));
/** URI that the webview may load: from `asWebviewUri`, or `data:`. */
const uri = pipe(string(), maxLength(8_192));
/** Price such as `$0.04` or `$0.18–0.35`. Empty when unknown. */
const priceText = pipe(string(), maxLength(60));
const ratio = pipe(string(), maxLength(20));

/** Number of images per call (spec §8). */
export const variantsSchema = picklist([1, 2, 3, 4]);
export const imageFormatSchema = picklist(['png', 'jpeg', 'webp']);

const choice = strictObject({ name, priceText });

/** Sizing of a model, with the choices that the form shows as tiles. */
export const studioSizingSchema = variant('kind', [
  strictObject({
    kind: literal('pixels'),
    min: pixels,
    max: pixels,
    /** Width and height must be multiples of this number of pixels. */
    divisor: pixels,
    defaultWidth: pixels,
    defaultHeight: pixels,
    /** Sizes that the form shows as tiles: a ratio, and its size in pixels with this model. */
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

/** Image model with its supported options. The form shows only these options. */
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
  /** Warning before choosing the model. Empty without one. */
  warning: string(),
  /** Maximum length of the prompt, and of the negative prompt, in characters. */
  promptLimit: count,
  sizing: studioSizingSchema,
  /** Null when the number of steps is not configurable. */
  steps: nullable(strictObject({ default: count, max: count })),
  /** Selectable qualities. Empty if the user cannot choose the quality. */
  qualities: array(choice),
  defaultQuality: nullable(name),
  /** True when negative prompt, guidance scale and style preset have an effect. */
  takesGuidance: boolean(),
  /** Price of web search. Empty if unknown. Null if the model does not support web search. */
  webSearchPrice: nullable(priceText),
  /** Price of prompt enhancement. Empty if unknown. Null if the model does not offer it. */
  enhancePrice: nullable(priceText),
});

/** Model that edits images by an instruction. */
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
  /** Ids of the last used models, for a form without a model. Empty before the first use. */
  suggested: strictObject({ create: name, edit: name }),
  loading: boolean(),
  /** Reason why the list is cached instead of current, as a sentence. Null for a current list. */
  stale: nullable(string()),
  /** Failure that left the list empty. */
  failure: nullable(failureSchema),
});

/** Style presets (spec §4.6). `status` is `unasked` until the page sends `styles-request`. */
export const studioStylesSchema = strictObject({
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  names: array(name),
  /** Reason of the failure, as a sentence. */
  problem: nullable(string()),
});

/**
 * The user's options for a new image, independent of the model. Null stands for the model's
 * default.
 */
export const createDraftSchema = strictObject({
  /** Empty until the user chooses a model. */
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
  /** Null for a random seed. */
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

/** Instruction and options for the input images, which the host holds. */
export const editDraftSchema = strictObject({
  model: name,
  prompt,
  aspectRatio: nullable(ratio),
  resolution: nullable(name),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  enhancePrompt: boolean(),
});

/** Field of a problem. `account` has no control in the form. */
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

/** The host's check of a draft: its price and its problems. */
export const studioCheckSchema = strictObject({
  mode: picklist(['create', 'edit']),
  /** `seq` of the change that the host checked; 0 for the draft of `state-set`. */
  seq: count,
  /** Price of the whole call with all variants and extras, shown on the button. */
  priceText,
  /** Breakdown of the price, in one line. Empty when there is nothing to explain. */
  priceDetail: string(),
  /** Problems, a sentence each. An `error` disables the button; a `warning` does not. */
  problems: array(
    strictObject({
      field: studioFieldSchema,
      severity: picklist(['error', 'warning']),
      text: string(),
    }),
  ),
  /** Expected size of the images in pixels, if known. */
  width: pixels,
  height: pixels,
});

/** Input image of an edit. With at least one, the page shows the edit form. */
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
 * Image of the gallery, with only the fields that a list of thousands of images needs. {@link
 * imageDetailsSchema} contains the other fields.
 */
export const imageViewSchema = strictObject({
  id: idSchema,
  /** URI of the full image. */
  src: uri,
  /** URI of the thumbnail. Null until the page creates one (`thumbnail-made`). */
  thumb: nullable(uri),
  width: pixels,
  height: pixels,
  /** File size. */
  bytes: count,
  /** Prompt, for search and as the image's name: at most 500 characters. */
  prompt: pipe(string(), maxLength(500)),
  /** Display name of the model. Empty for operations without one. */
  model: name,
  /** Milliseconds since the epoch. */
  createdAt: milliseconds,
  origin: imageOriginSchema,
  blurred: boolean(),
  contentViolation: boolean(),
  /**
   * Reason why the image is blurred or replaced by a placeholder, as a sentence. Empty for other
   * images.
   */
  moderationText: string(),
  /**
   * State of the saved file. `missing`: the file was moved or deleted, and the user can save the
   * image again.
   */
  file: picklist(['unsaved', 'saved', 'missing']),
  /** Path of the saved file, relative to the workspace. Empty if the image is not saved. */
  fileLabel: string(),
});

/**
 * Actions on an image; the page has a label and an icon for each. `edit` makes it the only input,
 * `use-as-input` adds an input, `use-settings` copies its request into the form (`create-set`),
 * `same-seed` and `vary` start a job at once. The page copies images without the host.
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
  /** Exact request, as names and values. */
  rows: array(strictObject({ label: name, value: string() })),
  /** Request as JSON, to copy. Contains neither images nor keys. */
  json: string(),
  /** Source image for a comparison. Null if the image has no single source. */
  source: nullable(strictObject({ src: uri, label: name })),
  /** Available actions, in any order. The page shows only these. */
  actions: array(
    strictObject({
      action: imageActionSchema,
      priceText,
      /** Reason why the action is disabled, as a sentence. Empty when enabled. */
      disabled: string(),
    }),
  ),
});

/** Call of the image API, or one that waits in the queue. */
export const studioJobSchema = strictObject({
  id: idSchema,
  origin: imageOriginSchema,
  /** Prompt, or the name of the operation: `Upscale 2×`. */
  title: pipe(string(), maxLength(500)),
  /** Display name of the model. */
  model: name,
  /** Status. `queued`, `running` and `waiting` (for a retry) change without a user action. */
  status: picklist(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']),
  /** Milliseconds since the epoch; null while queued. */
  startedAt: nullable(milliseconds),
  /** Duration from start to end. Null until the job ends. */
  durationMs: nullable(milliseconds),
  /**
   * Expected size, or the actual size once an image is received. The page reserves space of this
   * size for each image.
   */
  width: pixels,
  height: pixels,
  /**
   * One slot per requested image: the image's id, or null until the image is received. The host
   * sends the image before its id.
   */
  images: array(nullable(idSchema)),
  /**
   * Next attempt while `waiting`: its number, the maximum, and its time in milliseconds since the
   * epoch.
   */
  retry: nullable(strictObject({ next: count, of: count, at: milliseconds, reason: string() })),
  /** Failure of a `failed` job. Images received before the failure stay. */
  failure: nullable(failureSchema),
  /** Actual or expected cost. Empty when unknown. */
  costText: priceText,
});

export const gallerySchema = strictObject({
  /**
   * Loading state. `unasked` until the page sends `gallery-request`. The images follow as
   * `images-put` messages, at most 200 at a time.
   */
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  /** Error of a failed load, or notice that a ready gallery lacks images of a newer version. */
  failure: nullable(failureSchema),
  /** Number of images, and their total size. */
  count,
  bytes: count,
  /** Size limit. Beyond it, the oldest images are deleted. */
  capBytes: count,
});

export const studioStateSchema = strictObject({
  models: studioModelsSchema,
  styles: studioStylesSchema,
  create: createDraftSchema,
  edit: editDraftSchema,
  /**
   * False if the host started after the page last sent its drafts. The drafts that the page
   * persisted are then newer, so the page sends them as changes and its inputs as `inputs-set`.
   */
  draftsAreCurrent: boolean(),
  inputs: array(inputImageSchema),
  check: nullable(studioCheckSchema),
  /** Newest first. */
  jobs: array(studioJobSchema),
  /** Images, including at least the images of all jobs. */
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

/**
 * Reads a persisted draft. Returns `undefined` for an invalid value, such as a draft of an earlier
 * version.
 */
export function readCreateDraft(value: unknown): CreateDraft | undefined {
  return is(createDraftSchema, value) ? value : undefined;
}

export function readEditDraft(value: unknown): EditDraft | undefined {
  return is(editDraftSchema, value) ? value : undefined;
}
