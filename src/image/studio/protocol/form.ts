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

export const countSchema = pipe(number(), integer(), minValue(0));
export const millisecondsSchema = pipe(number(), minValue(0));
/** Length of an image side in pixels. */
export const pixelsSchema = pipe(number(), integer(), minValue(1), maxValue(65_536));
export const nameSchema = pipe(string(), maxLength(300));
/** Prompt. Can be longer than the selected model permits: the form then shows a problem. */
export const promptSchema = pipe(string(), maxLength(100_000));
/** URI that the webview may load: a result of `asWebviewUri`, or a `data:` URI. */
export const uriSchema = pipe(string(), maxLength(8_192));
/** Price such as `$0.04` or `$0.18–0.35`. Empty if the price is unknown. */
export const priceTextSchema = pipe(string(), maxLength(60));
/** Ratio of width to height, such as `16:9`. */
export const ratioSchema = pipe(string(), maxLength(20));
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

const choiceSchema = strictObject({ name: nameSchema, priceText: priceTextSchema });

/**
 * Image size options of a model: in pixels, by aspect ratio, or by aspect ratio and resolution. The form shows the
 * pixel sizes and aspect ratios as tiles.
 */
export const studioSizingSchema = variant('kind', [
  strictObject({
    kind: literal('pixels'),
    min: pixelsSchema,
    max: pixelsSchema,
    /** Divisor of width and height, in pixels. Both must be multiples of this number. */
    divisor: pixelsSchema,
    defaultWidth: pixelsSchema,
    defaultHeight: pixelsSchema,
    /** Sizes to show as tiles: aspect ratio, and width and height in pixels for this model. */
    sizes: array(strictObject({ ratio: ratioSchema, width: pixelsSchema, height: pixelsSchema })),
    /** True if the service accepts only the sizes in `sizes`. */
    isFixed: boolean(),
  }),
  /** Size options of a model without size constraints. `pixels` is null if the model accepts no width and height. */
  strictObject({
    kind: literal('unknown'),
    ratios: array(ratioSchema),
    resolutions: array(choiceSchema),
    pixels: nullable(strictObject({ min: pixelsSchema, max: pixelsSchema, divisor: pixelsSchema })),
  }),
  strictObject({ kind: literal('ratio'), ratios: array(ratioSchema), defaultRatio: ratioSchema }),
  strictObject({
    kind: literal('tier'),
    ratios: array(ratioSchema),
    defaultRatio: ratioSchema,
    resolutions: array(choiceSchema),
    defaultResolution: nameSchema,
  }),
]);

/** Image model with its supported options. The form shows only controls for these options. */
export const studioModelSchema = strictObject({
  id: nameSchema,
  name: nameSchema,
  description: string(),
  offline: boolean(),
  /** Privacy level such as `private` or `anonymized`. Empty if the level is unknown. */
  privacy: string(),
  traits: array(string()),
  /** Price of one image with the model's default options. */
  priceText: priceTextSchema,
  /** Warning that the form shows with the model. Empty without a warning. */
  warning: string(),
  /** Maximum length of the prompt in characters. Also applies to the negative prompt. */
  promptLimit: countSchema,
  sizing: studioSizingSchema,
  /**
   * Maximum number of inference steps, and the default number. The default is null if it is unknown. `steps` is null if
   * the number is not configurable.
   */
  steps: nullable(strictObject({ default: nullable(countSchema), max: countSchema })),
  /** Selectable qualities. Empty if the model does not offer a choice. */
  qualities: array(choiceSchema),
  defaultQuality: nullable(nameSchema),
  /** True if the service accepts only size, quality, format and safe mode, and returns one image. */
  hasBasicOptionsOnly: boolean(),
  /** Price of web search. Empty if the price is unknown. Null if the model does not support web search. */
  webSearchPrice: nullable(priceTextSchema),
  /**
   * Price of prompt enhancement. Empty if the price is unknown. Null if the model does not support prompt enhancement.
   */
  enhancePrice: nullable(priceTextSchema),
});

/** Model that edits images according to an instruction. */
export const studioEditModelSchema = strictObject({
  id: nameSchema,
  name: nameSchema,
  offline: boolean(),
  privacy: string(),
  traits: array(string()),
  priceText: priceTextSchema,
  warning: string(),
  promptLimit: countSchema,
  /** Selectable aspect ratios. Empty if the output keeps the input's aspect ratio. */
  ratios: array(ratioSchema),
  /** False if the aspect ratio has an effect only when several images are combined. */
  takesSingleImageRatio: boolean(),
  resolutions: array(choiceSchema),
  qualities: array(choiceSchema),
  /** Maximum number of input images per call. */
  maxImages: pipe(number(), integer(), minValue(1)),
  enhancePrice: nullable(priceTextSchema),
});

export const studioModelsSchema = strictObject({
  create: array(studioModelSchema),
  edit: array(studioEditModelSchema),
  /**
   * Id of the most recently used model for each form. The form selects this model if no model is selected. Empty before
   * the first use.
   */
  suggested: strictObject({ create: nameSchema, edit: nameSchema }),
  loading: boolean(),
  /** Sentence with the reason why the model list comes from the cache. Null for a current list. */
  stale: nullable(string()),
  /** Failure that prevented loading the model list. Null without a failure. */
  failure: nullable(failureSchema),
});

/** Style presets of the service (spec §4.6). `status` is `unasked` until the page sends `styles-request`. */
export const studioStylesSchema = strictObject({
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  names: array(nameSchema),
  /** Sentence with the reason why loading failed. Null if loading did not fail. */
  problem: nullable(string()),
});

/** The user's options for a new image, independent of the model. Null means the model's default. */
export const createFormDraftSchema = strictObject({
  /** Model id. Empty until the user selects a model. */
  model: nameSchema,
  prompt: promptSchema,
  negativePrompt: promptSchema,
  width: nullable(countSchema),
  height: nullable(countSchema),
  aspectRatio: nullable(ratioSchema),
  resolution: nullable(nameSchema),
  quality: nullable(nameSchema),
  steps: nullable(countSchema),
  cfgScale: nullable(number()),
  /** Seed of the request. Null means a new random seed for each request. */
  seed: nullable(pipe(number(), integer())),
  stylePreset: nullable(nameSchema),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  webSearch: boolean(),
  enhancePrompt: boolean(),
  hideWatermark: boolean(),
  embedExifMetadata: boolean(),
  variants: variantsSchema,
});

/**
 * Instruction and options for an edit of the input images. Does not contain the input images, which the host stores
 * separately.
 */
export const editDraftSchema = strictObject({
  model: nameSchema,
  prompt: promptSchema,
  aspectRatio: nullable(ratioSchema),
  resolution: nullable(nameSchema),
  quality: nullable(nameSchema),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  enhancePrompt: boolean(),
});

/**
 * Form field to which a problem belongs. A problem that no form field can resolve, such as a missing API key, belongs
 * to `account`.
 */
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
  /** Sequence number (`seq`) of the form change that was checked. 0 for the draft in the message `state-set`. */
  seq: countSchema,
  /** Price of the call with all images and extras. Shown on the button that starts the call. */
  priceText: priceTextSchema,
  /** Parts of the price, in one line. Empty if the price has only one part. */
  priceDetail: string(),
  /** Sentence about chosen options that the request omits. Empty if the request omits none. */
  note: string(),
  /** True if the user previously agreed to omit options. The user can then include these options again. */
  canRestore: boolean(),
  /**
   * Problems, each described in one sentence. An `error` disables the button that starts the call. A `warning` does not
   * disable it.
   */
  problems: array(
    strictObject({
      field: studioFieldSchema,
      severity: picklist(['error', 'warning']),
      text: string(),
    }),
  ),
  /** Expected width and height of the image in pixels. Both are 1 if no model is selected. */
  width: pixelsSchema,
  height: pixelsSchema,
});

/** Input image of an edit. The page shows the edit form if there is at least one. */
export const inputImageSchema = strictObject({
  /** Id of the gallery image, or a generated id for an image file. */
  id: idSchema,
  label: nameSchema,
  src: uriSchema,
  thumb: nullable(uriSchema),
  width: pixelsSchema,
  height: pixelsSchema,
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
