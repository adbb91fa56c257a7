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
  createFormDraftSchema,
  editDraftSchema,
  inputImageSchema,
  studioCheckSchema,
  studioModelsSchema,
  studioStylesSchema,
} from './form.ts';
import {
  gallerySchema,
  imageActionSchema,
  imageDetailsSchema,
  imageViewSchema,
} from './gallery.ts';
import { studioJobSchema } from './job.ts';

/**
 * View state of the image studio. The host owns this state and sends it to the page. The page itself adds temporary
 * state, such as the section, the image in the large view and filters. Texts that depend on the service or the user's
 * language come from the host. The state contains no keys, command ids or image bytes.
 */
export const studioStateSchema = strictObject({
  models: studioModelsSchema,
  styles: studioStylesSchema,
  create: createFormDraftSchema,
  edit: editDraftSchema,
  /**
   * False if the host has restarted since the page last sent its drafts. The page then sends its persisted drafts in
   * change messages, and its persisted input images in `inputs-set`.
   */
  hasCurrentDrafts: boolean(),
  inputs: array(inputImageSchema),
  check: nullable(studioCheckSchema),
  /** Jobs, newest first. */
  jobs: array(studioJobSchema),
  /** Images of all jobs, and possibly other images of the gallery. */
  images: array(imageViewSchema),
  gallery: gallerySchema,
  account: accountSchema,
});

export type StudioState = InferOutput<typeof studioStateSchema>;

/** Protocol version for messages in both directions. Increment it when the meaning of a message changes. */
export const studioVersion = 2;

/** Maximum number of images per `images-put` message. A message with a long list would block the page. */
export const imagesPerMessage = 200;

/** Messages from the host to the studio page. */
export const studioHostMessageSchema = variant('type', [
  /** Complete state, sent in reply to `ready`. All later messages contain only changes. */
  strictObject({
    type: literal('state-set'),
    version: literal(studioVersion),
    state: studioStateSchema,
  }),
  strictObject({ type: literal('models-change'), models: studioModelsSchema }),
  strictObject({ type: literal('styles-change'), styles: studioStylesSchema }),
  /** Reply to `create-change` or `edit-change`. The page ignores the reply if the form has changed again. */
  strictObject({ type: literal('check-change'), check: studioCheckSchema }),
  /**
   * Replaces the contents of the create form, for example with the settings of an image. The page replies with
   * `create-change`.
   */
  strictObject({ type: literal('create-set'), draft: createFormDraftSchema }),
  strictObject({ type: literal('edit-set'), draft: editDraftSchema }),
  /**
   * Input images in the order of the request. The page shows the edit form if there is at least one, otherwise the
   * create form. The page replies with `edit-change` or `create-change` to get the price.
   */
  strictObject({ type: literal('inputs-change'), inputs: array(inputImageSchema) }),
  /**
   * New or changed job. The page adds a new job at the start of the list. Sent at most a few times per second, because
   * the page itself updates the elapsed time.
   */
  strictObject({ type: literal('job-put'), job: studioJobSchema }),
  strictObject({ type: literal('job-remove'), id: idSchema }),
  /** New or changed images of jobs or of the gallery. Sent before a `job-put` message that refers to the images. */
  strictObject({
    type: literal('images-put'),
    images: pipe(array(imageViewSchema), maxLength(imagesPerMessage)),
  }),
  strictObject({ type: literal('images-remove'), ids: array(idSchema) }),
  strictObject({ type: literal('gallery-change'), gallery: gallerySchema }),
  /** Reply to `image-select`. Sent again when the details of the selected image change. */
  strictObject({ type: literal('image-details'), details: imageDetailsSchema }),
  /**
   * Opens an image in the large view after a command outside of the page. Sent after the `images-put` message that
   * contains the image.
   */
  strictObject({ type: literal('image-show'), id: idSchema }),
  strictObject({
    type: literal('section-show'),
    section: picklist(['create', 'gallery']),
    /** True if the page must focus the prompt or the search field of the section. */
    focus: boolean(),
  }),
  strictObject({ type: literal('account-change'), account: accountSchema }),
  /** Sentence that the page announces to screen readers and shows at its bottom for a short time. */
  strictObject({ type: literal('notice-show'), text: pipe(string(), maxLength(1_000)) }),
]);

export type StudioHostMessage = InferOutput<typeof studioHostMessageSchema>;

/**
 * Adds a message to the list of messages that are waiting until the page can receive them. Removes an earlier message
 * that the new message makes obsolete, so that repeated changes do not accumulate.
 */
export function addPendingMessage(
  pendingMessages: StudioHostMessage[],
  message: StudioHostMessage,
): void {
  const target = getReplacedPagePart(message);
  const obsoleteIndex = pendingMessages.findIndex(
    (otherMessage) => getReplacedPagePart(otherMessage) === target,
  );
  if (target !== undefined && obsoleteIndex !== -1) pendingMessages.splice(obsoleteIndex, 1);
  pendingMessages.push(message);
}

/**
 * Returns the part of the page that a message replaces completely. Undefined for a message that adds or removes items.
 */
function getReplacedPagePart(message: StudioHostMessage): string | undefined {
  switch (message.type) {
    case 'images-put':
    case 'images-remove':
    case 'job-remove':
      return undefined;
    case 'job-put':
      return `job ${message.job.id}`;
    default:
      return message.type;
  }
}

/** Maximum size of a thumbnail in bytes. */
export const maxThumbnailBytes = 64 * 1_024;
/** Maximum length of a thumbnail's longer side in pixels. */
export const thumbnailSidePx = 320;

const sequenceNumberSchema = pipe(number(), integer(), minValue(1));

/** Messages from the studio page to the host. The host ignores ids that it does not know. */
export const studioPageMessageSchema = variant('type', [
  /** Sent once per page load, with the page's protocol version. The host replies with `state-set`. */
  strictObject({ type: literal('ready'), version: pipe(number(), integer()) }),
  /**
   * Contents of the create form after a change. Sent at most a few times per second. The host stores the contents and
   * replies with `check-change`.
   */
  strictObject({
    type: literal('create-change'),
    seq: sequenceNumberSchema,
    draft: createFormDraftSchema,
  }),
  /** Contents of the edit form after a change. `seq` counts the changes of both forms. */
  strictObject({ type: literal('edit-change'), seq: sequenceNumberSchema, draft: editDraftSchema }),
  /**
   * Starts a job for a draft of the create form. The host checks the draft again, and replies with `check-change` if it
   * is invalid.
   */
  strictObject({ type: literal('create-run'), draft: createFormDraftSchema }),
  /** Starts a job that edits the input image, or combines the input images if there are several. */
  strictObject({ type: literal('edit-run'), draft: editDraftSchema }),
  strictObject({ type: literal('job-cancel'), id: idSchema }),
  /** Removes a completed job from the page. The images of the job stay in the gallery. */
  strictObject({ type: literal('job-dismiss'), id: idSchema }),
  /**
   * Runs an action of a failure card. `source` identifies the card by what failed: a job, the model list, the gallery
   * or the account.
   */
  strictObject({
    type: literal('action-run'),
    source: picklist(['job', 'models', 'gallery', 'account']),
    jobId: nullable(idSchema),
    action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  }),
  /**
   * Id of the image that the user opened in the large view, or null after closing it. The host replies with
   * `image-details`.
   */
  strictObject({ type: literal('image-select'), id: nullable(idSchema) }),
  /**
   * Runs an action on an image. For an action that cannot be undone, such as `delete`, the host first asks the user to
   * confirm.
   */
  strictObject({ type: literal('image-act'), id: idSchema, action: imageActionSchema }),
  strictObject({
    type: literal('images-delete'),
    ids: pipe(array(idSchema), minLength(1), maxLength(100_000)),
  }),
  /** Deletes the whole gallery. The host first asks the user to confirm. */
  strictObject({ type: literal('gallery-clear') }),
  /** Opens an input box for the size limit of the gallery. */
  strictObject({ type: literal('gallery-resize') }),
  /** Opens a dialog in which the user selects input images. */
  strictObject({ type: literal('input-pick') }),
  strictObject({ type: literal('input-remove'), id: idSchema }),
  /**
   * Sets the input images and their order. Also restores the input images of a page after the host restarted. The host
   * ignores unknown ids.
   */
  strictObject({
    type: literal('inputs-set'),
    ids: pipe(array(idSchema), maxLength(100)),
  }),
  /** Removes all input images, so that the page shows the create form again. */
  strictObject({ type: literal('inputs-clear') }),
  /** Stops omitting options from requests to the selected model. The host replies with `check-change`. */
  strictObject({ type: literal('unsent-restore') }),
  /** Refreshes the model list from the service. */
  strictObject({ type: literal('models-request') }),
  strictObject({ type: literal('styles-request') }),
  /** Loads the gallery. Sent when the user first opens the gallery section, and again to retry after a failure. */
  strictObject({ type: literal('gallery-request') }),
  /**
   * Thumbnail that the page created: a WebP image with sides of at most 320 pixels. The host validates it before
   * storing it.
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
