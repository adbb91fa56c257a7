import {
  array,
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
import { createDraftSchema, editDraftSchema, imageActionSchema } from './state.ts';
import { idSchema } from '../../../chat/protocol/view-state.ts';

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
