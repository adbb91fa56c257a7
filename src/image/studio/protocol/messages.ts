import {
  array,
  boolean,
  type InferOutput,
  literal,
  maxLength,
  picklist,
  pipe,
  safeParse,
  strictObject,
  string,
  variant,
} from 'valibot';
import {
  createDraftSchema,
  editDraftSchema,
  gallerySchema,
  imageDetailsSchema,
  imageViewSchema,
  inputPictureSchema,
  studioCheckSchema,
  studioJobSchema,
  studioModelsSchema,
  studioStateSchema,
  studioStylesSchema,
} from './state.ts';
import { accountSchema, idSchema } from '../../../chat/protocol/view-state.ts';

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
  strictObject({ type: literal('inputs-change'), inputs: array(inputPictureSchema) }),
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
