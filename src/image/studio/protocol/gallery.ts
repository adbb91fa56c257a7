import {
  array,
  boolean,
  type InferOutput,
  maxLength,
  nullable,
  picklist,
  pipe,
  strictObject,
  string,
} from 'valibot';
import {
  countSchema,
  millisecondsSchema,
  nameSchema,
  pixelsSchema,
  priceTextSchema,
  uriSchema,
  imageOriginSchema,
} from './form.ts';
import { failureSchema } from '../../../account/protocol.ts';
import { idSchema } from '../../../base/schema.ts';

/**
 * Image of the gallery, with only the fields that the grid shows. A gallery can contain thousands of images, so {@link
 * imageDetailsSchema} contains the other fields.
 */
export const imageViewSchema = strictObject({
  id: idSchema,
  /** URI of the full image. */
  src: uriSchema,
  /** URI of the thumbnail. Null until the page has created the thumbnail (`thumbnail-made`). */
  thumb: nullable(uriSchema),
  width: pixelsSchema,
  height: pixelsSchema,
  /** File size in bytes. */
  bytes: countSchema,
  /** First 500 characters of the prompt. Used for search and as the accessible name of the image. */
  prompt: pipe(string(), maxLength(500)),
  /** Display name of the model. Empty for an operation that uses no model. */
  model: nameSchema,
  /** Time of creation in milliseconds since the epoch. */
  createdAt: millisecondsSchema,
  origin: imageOriginSchema,
  blurred: boolean(),
  contentViolation: boolean(),
  /** Sentence with the reason why the image is blurred or a placeholder. Empty for other images. */
  moderationText: string(),
  /**
   * State of the file to which the user saved the image. `missing` means that the file was moved or deleted. The user
   * can then save the image again.
   */
  file: picklist(['unsaved', 'saved', 'missing']),
  /** Path of the saved file, relative to the workspace. Empty if the image is not saved. */
  fileLabel: string(),
});

/**
 * Actions that the user can start for an image of the gallery. The host carries out each action:
 * - `edit` makes the image the only input of the edit form, and `use-as-input` adds it to the inputs.
 * - `use-settings` copies the options of the image's request into the form. The host sends them with `create-set`.
 * - `same-seed` and `vary` immediately request another image with the same or another seed.
 *
 * Copying an image to the clipboard is not among these actions, because the page itself copies the image.
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

/** Details that the large view of an image shows. */
export const imageDetailsSchema = strictObject({
  id: idSchema,
  /** Fields of the request that created the image, as labels and values. */
  rows: array(strictObject({ label: nameSchema, value: string() })),
  /** Request as JSON, for the clipboard. Contains no image data and no keys. */
  json: string(),
  /** Source image to compare with the result. Null unless the image has exactly one source. */
  source: nullable(strictObject({ src: uriSchema, label: nameSchema })),
  /** Available actions, in any order. The page shows only these actions. */
  actions: array(
    strictObject({
      action: imageActionSchema,
      priceText: priceTextSchema,
      /** Sentence with the reason why the action is disabled. Empty if the action is enabled. */
      disabled: string(),
    }),
  ),
});

export const gallerySchema = strictObject({
  /**
   * Loading state of the gallery. `unasked` until the page sends `gallery-request`. When the state becomes `ready`, the
   * host sends the images in `images-put` messages of at most 200 images.
   */
  status: picklist(['unasked', 'loading', 'ready', 'failed']),
  /**
   * Failure to load the gallery. If `status` is `ready`, this is a notice that the list lacks images, because a newer
   * version of the extension stored them.
   */
  failure: nullable(failureSchema),
  /** Number of images in the gallery. `bytes` is their total size. */
  count: countSchema,
  bytes: countSchema,
  /**
   * Maximum total size of the images in bytes. If the total exceeds this size, images are deleted: first those with a
   * saved file, then the oldest.
   */
  capBytes: countSchema,
});

export type ImageView = InferOutput<typeof imageViewSchema>;
export type ImageAction = InferOutput<typeof imageActionSchema>;
export type ImageDetails = InferOutput<typeof imageDetailsSchema>;
export type GalleryView = InferOutput<typeof gallerySchema>;
