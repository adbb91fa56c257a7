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

/** Raised when either side changes meaning. */
export const studioVersion = 1;

/** A list of thousands comes in pieces of this size, so that no piece holds up the page. */
export const imagesPerMessage = 200;

/** What the host tells the image studio. */
export const studioHostMessageSchema = variant('type', [
  /** The whole state: answer to `ready`. Everything after it is a difference. */
  strictObject({
    type: literal('state-set'),
    version: literal(studioVersion),
    state: studioStateSchema,
  }),
  strictObject({ type: literal('models-change'), models: studioModelsSchema }),
  strictObject({ type: literal('styles-change'), styles: studioStylesSchema }),
  /** Answer to `create-change` and `edit-change`; an older answer than the newest change counts for nothing. */
  strictObject({ type: literal('check-change'), check: studioCheckSchema }),
  /** Replaces what is in the create form: a picture's settings were taken over. The page answers with `create-change`. */
  strictObject({ type: literal('create-set'), draft: createDraftSchema }),
  strictObject({ type: literal('edit-set'), draft: editDraftSchema }),
  /**
   * In the order in which they are sent. With the first one the page goes over to the edit form, without any back to the
   * create form, and sends `edit-change` or `create-change` for the price.
   */
  strictObject({ type: literal('inputs-change'), inputs: array(inputImageSchema) }),
  /** A job, new (then it stands first) or changed. Never more than some per second: the page counts time by itself. */
  strictObject({ type: literal('job-put'), job: studioJobSchema }),
  strictObject({ type: literal('job-remove'), id: idSchema }),
  /** Pictures, new or changed: those of a job before the job names them, and the gallery's. */
  strictObject({
    type: literal('images-put'),
    images: pipe(array(imageViewSchema), maxLength(imagesPerMessage)),
  }),
  strictObject({ type: literal('images-remove'), ids: array(idSchema) }),
  strictObject({ type: literal('gallery-change'), gallery: gallerySchema }),
  /** Answer to `image-select`, and again when something of it changes while it is selected. */
  strictObject({ type: literal('image-details'), details: imageDetailsSchema }),
  /** Shows a picture large, for a command outside the page. Sent after the picture. */
  strictObject({ type: literal('image-show'), id: idSchema }),
  strictObject({
    type: literal('section-show'),
    section: picklist(['create', 'gallery']),
    /** The prompt (or the search) takes the focus. */
    focus: boolean(),
  }),
  strictObject({ type: literal('account-change'), account: accountSchema }),
  /** A sentence for the live region and a short-lived line at the bottom. */
  strictObject({ type: literal('notice-show'), text: pipe(string(), maxLength(1_000)) }),
]);

export type StudioHostMessage = InferOutput<typeof studioHostMessageSchema>;

/** The message, or `undefined` for anything that is not one. */
export function readStudioHostMessage(value: unknown): StudioHostMessage | undefined {
  const result = safeParse(studioHostMessageSchema, value);
  return result.success ? result.output : undefined;
}

/** A thumbnail is no larger. */
export const maxThumbnailBytes = 64 * 1_024;
/** Longest side of a thumbnail, in pixels. */
export const thumbnailSide = 320;

const seq = pipe(number(), integer(), minValue(1));

/** What the image studio asks of the host. Ids are looked up host-side; an unknown one is ignored. */
export const studioPageMessageSchema = variant('type', [
  /** Sent once per load: the host answers with `state-set`. */
  strictObject({ type: literal('ready'), version: pipe(number(), integer()) }),
  /** The create form changed (at most some times per second): the host keeps the draft and answers with `check-change`. */
  strictObject({ type: literal('create-change'), seq, draft: createDraftSchema }),
  /** The same of the edit form. `seq` counts over both. */
  strictObject({ type: literal('edit-change'), seq, draft: editDraftSchema }),
  /** Starts a job. The host checks the draft again, and answers a bad one with `check-change`. */
  strictObject({ type: literal('create-run'), draft: createDraftSchema }),
  /** Starts an edit of the input pictures; several are combined. */
  strictObject({ type: literal('edit-run'), draft: editDraftSchema }),
  strictObject({ type: literal('job-cancel'), id: idSchema }),
  /** Takes a job that is over off the page; its pictures stay in the gallery. */
  strictObject({ type: literal('job-dismiss'), id: idSchema }),
  /** An action of a failure card: of a job, of the model list or gallery when `source` says so, or of the account. */
  strictObject({
    type: literal('action-run'),
    source: picklist(['job', 'models', 'gallery', 'account']),
    jobId: nullable(idSchema),
    action: pipe(string(), regex(/^[a-z-]{1,32}$/u)),
  }),
  /** A picture is shown large (null: none any more): the host answers with `image-details`. */
  strictObject({ type: literal('image-select'), id: nullable(idSchema) }),
  /** `delete` asks in the host, as everything does that cannot be taken back. */
  strictObject({ type: literal('image-act'), id: idSchema, action: imageActionSchema }),
  strictObject({
    type: literal('images-delete'),
    ids: pipe(array(idSchema), minLength(1), maxLength(100_000)),
  }),
  /** Deletes the whole gallery; the host asks first. */
  strictObject({ type: literal('gallery-clear') }),
  /** Chooses a picture of the workspace or the machine as input. */
  strictObject({ type: literal('input-pick') }),
  strictObject({ type: literal('input-remove'), id: idSchema }),
  /** The inputs in another order, or those from before a restart; unknown ids are left out. */
  strictObject({
    type: literal('inputs-set'),
    ids: pipe(array(idSchema), maxLength(100)),
  }),
  /** Back to the create form. */
  strictObject({ type: literal('inputs-clear') }),
  /** The model list again, from the service. */
  strictObject({ type: literal('models-request') }),
  strictObject({ type: literal('styles-request') }),
  /** The gallery, when its section is shown first, and again after it failed. */
  strictObject({ type: literal('gallery-request') }),
  /** A WebP of at most 320 pixels that the page drew of a picture without one. The host checks it like any picture. */
  strictObject({
    type: literal('thumbnail-made'),
    id: idSchema,
    bytes: pipe(instance(Uint8Array), minLength(1), maxLength(maxThumbnailBytes)),
  }),
]);

export type StudioPageMessage = InferOutput<typeof studioPageMessageSchema>;

/** The message, or `undefined` for anything that is not one. */
export function readStudioPageMessage(value: unknown): StudioPageMessage | undefined {
  const result = safeParse(studioPageMessageSchema, value);
  return result.success ? result.output : undefined;
}
