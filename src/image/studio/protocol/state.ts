/**
 * View state of the image studio. The host owns the state and sends it to the page. The page adds only transient view
 * state, such as the section, the large image and filters. Texts that depend on the service or the user's language come
 * from the host. The state contains no keys, command ids or image bytes.
 */
import { array, boolean, type InferOutput, nullable, strictObject } from 'valibot';
import { accountSchema } from '../../../account/protocol.ts';
import {
  createDraftSchema,
  editDraftSchema,
  inputImageSchema,
  studioCheckSchema,
  studioModelsSchema,
  studioStylesSchema,
} from './form.ts';
import { gallerySchema, imageViewSchema } from './gallery.ts';
import { studioJobSchema } from './job.ts';

export const studioStateSchema = strictObject({
  models: studioModelsSchema,
  styles: studioStylesSchema,
  create: createDraftSchema,
  edit: editDraftSchema,
  /**
   * False if the host restarted since the page last sent its drafts. The page then sends its persisted drafts as
   * changes, and its persisted input images as `inputs-set`.
   */
  draftsAreCurrent: boolean(),
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
