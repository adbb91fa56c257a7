/**
 * What the image studio shows, as data. The host owns it; the page draws it and holds what is only on the screen (which
 * section, which picture is large, filters). Texts that need the service's rules or the person's language come as
 * sentences from the host. Never in here: keys, command ids, bytes of pictures.
 * Schemas are the source, types are read off them.
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
/** Longer than any prompt that a service takes; the form counts against the model's own limit. */
const prompt = pipe(string(), maxLength(100_000));
/** An address that the webview may load: `asWebviewUri`, or `data:`. */
const address = pipe(string(), maxLength(8_192));
/** `$0.04`, `$0.18–0.35`; empty when the price is not known. */
const priceText = pipe(string(), maxLength(60));
const ratio = pipe(string(), maxLength(20));

/** How many pictures one call makes (spec §8). */
export const variantsSchema = picklist([1, 2, 3, 4]);
export const imageFormatSchema = picklist(['png', 'jpeg', 'webp']);

const choice = strictObject({ name, priceText });

/** How the model is sized, with the choices that the form offers as tiles. */
export const studioSizingSchema = variant('kind', [
  strictObject({
    kind: literal('pixels'),
    min: pixels,
    max: pixels,
    /** Custom width and height are multiples of it. */
    divisor: pixels,
    defaultWidth: pixels,
    defaultHeight: pixels,
    /** One tile each: a ratio and the size that it means with this model. */
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

/** A model that makes pictures, and what it takes: the form shows no more than that. */
export const studioModelSchema = strictObject({
  id: name,
  name,
  description: string(),
  offline: boolean(),
  /** `private`, `anonymized`, …; empty when unknown. */
  privacy: string(),
  traits: array(string()),
  /** Of one picture with the model's defaults. */
  priceText,
  /** What to know before choosing; empty when nothing. */
  warning: string(),
  /** Characters of the prompt, and of the negative prompt. */
  promptLimit: count,
  sizing: studioSizingSchema,
  /** Null when the model decides by itself. */
  steps: nullable(strictObject({ default: count, max: count })),
  /** Empty when there is no choice. */
  qualities: array(choice),
  defaultQuality: nullable(name),
  /** Negative prompt, guidance scale and style preset. */
  takesGuidance: boolean(),
  /** What web search adds to the price (may be empty); null when the model does not take it. */
  webSearchPrice: nullable(priceText),
  /** What a better prompt adds to the price (may be empty); null when it is not offered. */
  enhancePrice: nullable(priceText),
});

/** A model that changes pictures by an instruction. */
export const studioEditModelSchema = strictObject({
  id: name,
  name,
  offline: boolean(),
  privacy: string(),
  traits: array(string()),
  priceText,
  warning: string(),
  promptLimit: count,
  /** Empty: the picture keeps its shape. */
  ratios: array(ratio),
  resolutions: array(choice),
  /** How many pictures one call may take. */
  maxImages: pipe(number(), integer(), minValue(1)),
  enhancePrice: nullable(priceText),
});

export const studioModelsSchema = strictObject({
  create: array(studioModelSchema),
  edit: array(studioEditModelSchema),
  /** Ids to begin with where none is chosen: those used last; empty while there is none. */
  suggested: strictObject({ create: name, edit: name }),
  loading: boolean(),
  /** Why the list is a saved one, when it is: a sentence. */
  stale: nullable(string()),
  /** Why there is no list, when there is none. */
  failure: nullable(failureSchema),
});

/** Style presets (spec §4.6). `unasked` until `styles-request`. */
export const studioStylesSchema = strictObject({
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  names: array(name),
  /** Why it failed: a sentence. */
  problem: nullable(string()),
});

/** What the person chose for a new picture, whatever the model. Null is the model's own default. */
export const createDraftSchema = strictObject({
  /** Empty: none chosen yet. */
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
  /** Null is a random one. */
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

/** The instruction for the input pictures, which the host holds. */
export const editDraftSchema = strictObject({
  model: name,
  prompt,
  aspectRatio: nullable(ratio),
  resolution: nullable(name),
  format: nullable(imageFormatSchema),
  safeMode: boolean(),
  enhancePrompt: boolean(),
});

/** Where a problem belongs; `account` has no control in the form. */
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

/** What the host says about a draft: what it would cost, and what stands in its way. */
export const studioCheckSchema = strictObject({
  mode: picklist(['create', 'edit']),
  /** Number of the `create-change` or `edit-change` that this answers; 0 for the draft of `state-set`. */
  seq: count,
  /** Of the whole call, all variants and extras: stands on the button. */
  priceText,
  /** How the price is made up, a line; empty when there is nothing to explain. */
  priceDetail: string(),
  /** An `error` keeps the button from running and is its reason; a `warning` does not. A sentence each. */
  problems: array(
    strictObject({
      field: studioFieldSchema,
      severity: picklist(['error', 'warning']),
      text: string(),
    }),
  ),
  /** The shape the pictures will have, as far as it is known before. */
  width: pixels,
  height: pixels,
});

/** A picture to be changed. One of them or more: the form is the edit form. */
export const inputImageSchema = strictObject({
  /** The id of the gallery's picture, when it is one. */
  id: idSchema,
  label: name,
  src: address,
  thumb: nullable(address),
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

/** A picture of the gallery, as light as a list of thousands asks for. The rest comes as {@link imageDetailsSchema}. */
export const imageViewSchema = strictObject({
  id: idSchema,
  /** The picture itself. */
  src: address,
  /** A small copy of it; null until the page makes one (`thumbnail-made`). */
  thumb: nullable(address),
  width: pixels,
  height: pixels,
  /** Size of the picture's file. */
  bytes: count,
  /** What it was made from, for search and as its name: at most 500 characters. */
  prompt: pipe(string(), maxLength(500)),
  /** Display name of the model; empty when there was none to choose. */
  model: name,
  /** Milliseconds since the epoch. */
  createdAt: milliseconds,
  origin: imageOriginSchema,
  blurred: boolean(),
  contentViolation: boolean(),
  /** Why it is blurred or a placeholder: a sentence; empty when it is neither. */
  moderationText: string(),
  /** `missing`: the file was moved or deleted; the gallery's own copy can be saved again. */
  file: picklist(['unsaved', 'saved', 'missing']),
  /** Where it was saved, relative to the workspace; empty when it was not. */
  fileLabel: string(),
});

/**
 * What can be done with a picture; the page has a label and an icon for each. `edit` makes it the only input,
 * `use-as-input` one more; `use-settings` puts its request into the form (`create-set`), `same-seed` and `vary` start a
 * job at once. Copying the picture is done by the page alone.
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

/** What is shown of the one large picture. */
export const imageDetailsSchema = strictObject({
  id: idSchema,
  /** The exact request, a definition list: names and values as texts. */
  rows: array(strictObject({ label: name, value: string() })),
  /** The same as JSON, to copy. Without pictures and without keys. */
  json: string(),
  /** What it was made of, to compare with; null when there is none or it is gone. */
  source: nullable(strictObject({ src: address, label: name })),
  /** What can be done, in any order; what is not listed is not shown. */
  actions: array(
    strictObject({
      action: imageActionSchema,
      priceText,
      /** Why it cannot be done now: a sentence; empty when it can. */
      disabled: string(),
    }),
  ),
});

/** One call, or a call to be. */
export const studioJobSchema = strictObject({
  id: idSchema,
  origin: imageOriginSchema,
  /** The prompt, or what is done: `Upscale 2×`. */
  title: pipe(string(), maxLength(500)),
  /** Display name of the model. */
  model: name,
  /** `queued`, `running` and `waiting` (for another try) change by themselves. */
  status: picklist(['queued', 'running', 'waiting', 'done', 'failed', 'cancelled']),
  /** Milliseconds since the epoch; null while queued. */
  startedAt: nullable(milliseconds),
  /** From start to end; null while it goes on. */
  durationMs: nullable(milliseconds),
  /** Expected shape, then the real one: the places of the pictures are drawn with it. */
  width: pixels,
  height: pixels,
  /** One place per picture asked for: the id of an image, null while it is not there. Images are sent before. */
  images: array(nullable(idSchema)),
  /** While `waiting`: which try comes next of how many, and when (milliseconds since the epoch). */
  retry: nullable(strictObject({ next: count, of: count, at: milliseconds, reason: string() })),
  /** When `failed`; pictures that came before stay. */
  failure: nullable(failureSchema),
  /** What it cost, or will; empty when unknown. */
  costText: priceText,
});

export const gallerySchema = strictObject({
  /** `unasked` until `gallery-request`; images come in between as `images-put`, at most 200 at a time. */
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  /** Error of a failed load, or notice that a ready gallery lacks images of a newer version. */
  failure: nullable(failureSchema),
  /** How many there are, and how large they are together. */
  count,
  bytes: count,
  /** The oldest ones go beyond it. */
  capBytes: count,
});

export const studioStateSchema = strictObject({
  models: studioModelsSchema,
  styles: studioStylesSchema,
  create: createDraftSchema,
  edit: editDraftSchema,
  /**
   * False when the host started after the page last sent its drafts: then what the page kept of them by itself is
   * newer. It sends them as changes, and its input pictures as `inputs-set`.
   */
  draftsAreCurrent: boolean(),
  inputs: array(inputImageSchema),
  check: nullable(studioCheckSchema),
  /** Newest first. */
  jobs: array(studioJobSchema),
  /** At least the pictures of the jobs. */
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

/** A draft that was kept somewhere, or `undefined` for anything that is none, such as one of an earlier shape. */
export function readCreateDraft(value: unknown): CreateDraft | undefined {
  return is(createDraftSchema, value) ? value : undefined;
}

export function readEditDraft(value: unknown): EditDraft | undefined {
  return is(editDraftSchema, value) ? value : undefined;
}
