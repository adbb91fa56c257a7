import {
  array,
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
  imageOriginSchema,
} from './form.ts';
import { failureSchema } from '../../../account/protocol.ts';
import { idSchema } from '../../../base/schema.ts';

/** Call of the image API: queued, running or completed. */
export const studioJobSchema = strictObject({
  id: idSchema,
  origin: imageOriginSchema,
  /** Prompt, or the name of an operation without a prompt, such as `Upscale 2×`. */
  title: pipe(string(), maxLength(500)),
  /** Display name of the model. */
  model: nameSchema,
  /**
   * State of the job. `queued`, `running` and `waiting` (for a retry) can change without a user action. The other
   * states are final.
   */
  status: picklist(['queued', 'running', 'waiting', 'done', 'failed', 'canceled']),
  /** Start time in milliseconds since the epoch. Null while the job is queued. */
  startedAt: nullable(millisecondsSchema),
  /** Time from start to completion in milliseconds. Null until the job is completed. */
  durationMs: nullable(millisecondsSchema),
  /**
   * Width and height of each image in pixels, for which the page reserves space. Both are the expected values until the
   * first image is received, then the actual ones.
   */
  width: pixelsSchema,
  height: pixelsSchema,
  /**
   * Ids of the images, one entry per requested image. Null until the image is received. The host sends an image before
   * this list contains its id.
   */
  images: array(nullable(idSchema)),
  /**
   * Next attempt, set while the job is `waiting`. `next` is its number and `of` the maximum number of attempts, both
   * counted from 1. `at` is its start time in milliseconds since the epoch.
   */
  retry: nullable(
    strictObject({ next: countSchema, of: countSchema, at: millisecondsSchema, reason: string() }),
  ),
  /** Failure of a `failed` job. Images that were received before the failure stay in the gallery. */
  failure: nullable(failureSchema),
  /** Actual cost of a completed job, otherwise the expected cost. Empty if the cost is unknown. */
  costText: priceTextSchema,
});

export type StudioJob = InferOutput<typeof studioJobSchema>;
