import {
  array,
  boolean,
  type InferOutput,
  instance,
  integer,
  literal,
  maxLength,
  minLength,
  minValue,
  nullable,
  number,
  picklist,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
  variant,
} from 'valibot';
import { accountSchema } from '../../../account/protocol.ts';
import { idSchema } from '../../../base/schema.ts';
import {
  createDraftSchema,
  editDraftSchema,
  gallerySchema,
  imageActionSchema,
  imageDetailsSchema,
  imageViewSchema,
  inputImageSchema,
  studioCheckSchema,
  studioJobSchema,
  studioModelsSchema,
  studioStateSchema,
  studioStylesSchema,
} from './state.ts';

/** Version of both message families. Raise it when the meaning of a message changes. */
export const studioVersion = 1;

/** Number of images per `images-put` message, so that a long list does not block the page. */
export const imagesPerMessage = 200;

/** Messages from the host to the studio page. */
export const studioHostMessageSchema = variant('type', [
  /** Complete state, in reply to `ready`. All later messages contain only changes. */
  strictObject({
    type: literal('state-set'),
    version: literal(studioVersion),
    state: studioStateSchema,
  }),
  strictObject({ type: literal('models-change'), models: studioModelsSchema }),
  strictObject({ type: literal('styles-change'), styles: studioStylesSchema }),
  /** Reply to `create-change` and `edit-change`. The page ignores replies to older changes. */
  strictObject({ type: literal('check-change'), check: studioCheckSchema }),
  /** Replaces the create form with an image's settings. The page replies with `create-change`. */
  strictObject({ type: literal('create-set'), draft: createDraftSchema }),
  strictObject({ type: literal('edit-set'), draft: editDraftSchema }),
  /**
   * Input images in the order of the request. The first input switches the page to the edit form,
   * and an empty list switches back. The page replies with `edit-change` or `create-change` to get
   * the price.
   */
  strictObject({ type: literal('inputs-change'), inputs: array(inputImageSchema) }),
  /**
   * New or changed job. A new job is first in the list. Sent a few times per second at most: the
   * page counts the time itself.
   */
  strictObject({ type: literal('job-put'), job: studioJobSchema }),
  strictObject({ type: literal('job-remove'), id: idSchema }),
  /**
   * New or changed images of a job or of the gallery. A job refers to its images only after this
   * message.
   */
  strictObject({
    type: literal('images-put'),
    images: pipe(array(imageViewSchema), maxLength(imagesPerMessage)),
  }),
  strictObject({ type: literal('images-remove'), ids: array(idSchema) }),
  strictObject({ type: literal('gallery-change'), gallery: gallerySchema }),
  /** Reply to `image-select`, sent again when the details of the selected image change. */
  strictObject({ type: literal('image-details'), details: imageDetailsSchema }),
  /**
   * Opens an image in the large view, for a command outside of the page. Sent after the image
   * itself.
   */
  strictObject({ type: literal('image-show'), id: idSchema }),
  strictObject({
    type: literal('section-show'),
    section: picklist(['create', 'gallery']),
    /** True when the prompt or the search field receives the focus. */
    focus: boolean(),
  }),
  strictObject({ type: literal('account-change'), account: accountSchema }),
  /** Sentence for the live region and for a transient line at the bottom. */
  strictObject({ type: literal('notice-show'), text: pipe(string(), maxLength(1_000)) }),
]);

export type StudioHostMessage = InferOutput<typeof studioHostMessageSchema>;

/** Validates a message. Returns `undefined` for an invalid message. */
export function readStudioHostMessage(value: unknown): StudioHostMessage | undefined {
  const result = safeParse(studioHostMessageSchema, value);
  return result.success ? result.output : undefined;
}

/** Size limit of a thumbnail, in bytes. */
export const maxThumbnailBytes = 64 * 1_024;
/** Longest side of a thumbnail, in pixels. */
export const thumbnailSide = 320;

const seq = pipe(number(), integer(), minValue(1));

/** Messages from the studio page to the host. The host ignores unknown ids. */
export const studioPageMessageSchema = variant('type', [
  /** Sent once per page load. The host replies with `state-set`. */
  strictObject({ type: literal('ready'), version: pipe(number(), integer()) }),
  /**
   * The create form changed. Sent a few times per second at most. The host stores the draft and
   * replies with `check-change`.
   */
  strictObject({ type: literal('create-change'), seq, draft: createDraftSchema }),
  /** The edit form changed. `seq` counts changes of both forms. */
  strictObject({ type: literal('edit-change'), seq, draft: editDraftSchema }),
  /**
   * Starts a job. The host validates the draft again and replies to an invalid one with
   * `check-change`.
   */
  strictObject({ type: literal('create-run'), draft: createDraftSchema }),
  /** Starts an edit of the input image, or combines several. */
  strictObject({ type: literal('edit-run'), draft: editDraftSchema }),
  strictObject({ type: literal('job-cancel'), id: idSchema }),
  /** Removes a completed job from the page. Its images stay in the gallery. */
  strictObject({ type: literal('job-dismiss'), id: idSchema }),
  /**
   * Runs the action of a failure card. The card belongs to a job, the model list, the gallery or
   * the account.
   */
  strictObject({
    type: literal('action-run'),
    source: picklist(['job', 'models', 'gallery', 'account']),
    jobId: nullable(idSchema),
    action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  }),
  /**
   * An image was opened in the large view (null: closed). The host replies with `image-details`.
   */
  strictObject({ type: literal('image-select'), id: nullable(idSchema) }),
  /**
   * Runs an action on an image. The host confirms actions that cannot be undone, such as `delete`.
   */
  strictObject({ type: literal('image-act'), id: idSchema, action: imageActionSchema }),
  strictObject({
    type: literal('images-delete'),
    ids: pipe(array(idSchema), minLength(1), maxLength(100_000)),
  }),
  /** Deletes the whole gallery after a confirmation by the host. */
  strictObject({ type: literal('gallery-clear') }),
  /** Opens a dialog to choose input images. */
  strictObject({ type: literal('input-pick') }),
  strictObject({ type: literal('input-remove'), id: idSchema }),
  /** Reorders the inputs, or restores those from before a restart. The host drops unknown ids. */
  strictObject({
    type: literal('inputs-set'),
    ids: pipe(array(idSchema), maxLength(100)),
  }),
  /** Removes all inputs, which returns to the create form. */
  strictObject({ type: literal('inputs-clear') }),
  /** Refreshes the model list from the service. */
  strictObject({ type: literal('models-request') }),
  strictObject({ type: literal('styles-request') }),
  /** Loads the gallery: when its section is first shown, and after a failure. */
  strictObject({ type: literal('gallery-request') }),
  /**
   * WebP thumbnail of at most 320 pixels that the page rendered. The host validates it like any
   * image.
   */
  strictObject({
    type: literal('thumbnail-made'),
    id: idSchema,
    bytes: pipe(instance(Uint8Array), minLength(1), maxLength(maxThumbnailBytes)),
  }),
]);

export type StudioPageMessage = InferOutput<typeof studioPageMessageSchema>;

/** Validates a message. Returns `undefined` for an invalid message. */
export function readStudioPageMessage(value: unknown): StudioPageMessage | undefined {
  const result = safeParse(studioPageMessageSchema, value);
  return result.success ? result.output : undefined;
}
