import {
  array,
  boolean,
  type InferOutput,
  integer,
  is,
  literal,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  strictObject,
  string,
  variant,
  maxLength,
  maxValue,
} from 'valibot';
import { failureSchema } from '../../../account/protocol.ts';
import { idSchema } from '../../../base/schema.ts';

export const count = pipe(number(), integer(), minValue(0));
export const milliseconds = pipe(number(), minValue(0));
/** Image side in pixels. */
export const pixels = pipe(number(), integer(), minValue(1), maxValue(65_536));
export const name = pipe(string(), maxLength(300));
/** Prompt. Longer than every model permits; the form checks the limit of the selected model. */
export const prompt = pipe(string(), maxLength(100_000));
/** URI that the webview may load: a result of `asWebviewUri`, or a `data:` URI. */
export const uri = pipe(string(), maxLength(8_192));
/** Price such as `$0.04` or `$0.18–0.35`. Empty when unknown. */
export const priceText = pipe(string(), maxLength(60));
/** Ratio of width to height, such as `16:9`. */
export const ratio = pipe(string(), maxLength(20));
export const imageOriginSchema = picklist([
  'generate',
  'edit',
  'combine',
  'upscale',
  'remove-background',
]);

/** Number of images per call (spec §8). */
export const variantsSchema = picklist([1, 2, 3, 4]);
export const imageFormatSchema = picklist(['png', 'jpeg', 'webp']);

const choice = strictObject({ name, priceText });

/**
 * Image size options of a model: in pixels, by aspect ratio, or by aspect ratio and resolution. The form shows the sizes
 * and ratios as tiles.
 */
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
    /** True if the service accepts no other sizes. */
    isFixed: boolean(),
  }),
  /** Sizing of a model without size constraints. `pixels` is null if the model accepts no width and height. */
  strictObject({
    kind: literal('unknown'),
    ratios: array(ratio),
    resolutions: array(choice),
    pixels: nullable(strictObject({ min: pixels, max: pixels, divisor: pixels })),
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
  /** Warning to show before the user selects the model. Empty if none exists. */
  warning: string(),
  /** Maximum length of the prompt in characters. Also applies to the negative prompt. */
  promptLimit: count,
  sizing: studioSizingSchema,
  /** Default number of steps, null if unknown, and maximum. Null if the number is not configurable. */
  steps: nullable(strictObject({ default: nullable(count), max: count })),
  /** Selectable qualities. Empty if the user cannot choose the quality. */
  qualities: array(choice),
  defaultQuality: nullable(name),
  /** True if the service accepts only a size, a quality, a format and the safe mode, and returns one image. */
  hasBasicOptionsOnly: boolean(),
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
  /** False if the aspect ratio has an effect only when several images are combined. */
  takesSingleImageRatio: boolean(),
  resolutions: array(choice),
  qualities: array(choice),
  /** Maximum number of input images per call. */
  maxImages: pipe(number(), integer(), minValue(1)),
  enhancePrice: nullable(priceText),
});

export const studioModelsSchema = strictObject({
  create: array(studioModelSchema),
  edit: array(studioEditModelSchema),
  /** Ids of the models that were used last, to preselect in a form without a model. Empty before the first use. */
  suggested: strictObject({ create: name, edit: name }),
  loading: boolean(),
  /** Reason why the model list comes from the cache, as a sentence. Null for a current list. */
  stale: nullable(string()),
  /** Failure that left the model list empty. Null if none exists. */
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
export const createFormDraftSchema = strictObject({
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
  quality: nullable(name),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  enhancePrompt: boolean(),
});

/** Form field that has a problem. `account` stands for a problem that no field can fix, such as a missing key. */
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
  /** Value of `seq` in the form change that the host checked; 0 for the draft in `state-set`. */
  seq: count,
  /** Price of the call with all images and extras. Shown on the button that starts the call. */
  priceText,
  /** Breakdown of the price in one line. Empty if no breakdown is needed. */
  priceDetail: string(),
  /** Sentence about chosen options that the request omits. Empty if the request omits none. */
  note: string(),
  /** True if requests omit options with the user's consent, so that the user can include these options again. */
  canRestore: boolean(),
  /** Problems, each with one sentence. An `error` disables the button that starts the call; a `warning` does not. */
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

export type StudioSizing = InferOutput<typeof studioSizingSchema>;
export type StudioModel = InferOutput<typeof studioModelSchema>;
export type StudioEditModel = InferOutput<typeof studioEditModelSchema>;
export type StudioModels = InferOutput<typeof studioModelsSchema>;
export type StudioStyles = InferOutput<typeof studioStylesSchema>;
export type CreateDraft = InferOutput<typeof createFormDraftSchema>;
export type EditDraft = InferOutput<typeof editDraftSchema>;
export type StudioField = InferOutput<typeof studioFieldSchema>;
export type StudioCheck = InferOutput<typeof studioCheckSchema>;
export type InputImage = InferOutput<typeof inputImageSchema>;

/** Reads a persisted draft. Returns `undefined` if it is invalid, for example because an earlier version wrote it. */
export function readCreateDraft(value: unknown): CreateDraft | undefined {
  return is(createFormDraftSchema, value) ? value : undefined;
}

export function readEditDraft(value: unknown): EditDraft | undefined {
  return is(editDraftSchema, value) ? value : undefined;
}
