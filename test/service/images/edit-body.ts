import * as v from 'valibot';
import { editRatios } from '../catalog/edit-models.ts';

/** Schema of an image: file bytes from a form, base64, a data URL or a URL. */
const imageSchema = v.union([v.string(), v.instance(Buffer)]);

const commonFields = {
  prompt: v.pipe(v.string(), v.minLength(1), v.maxLength(32_768)),
  aspect_ratio: v.optional(v.picklist(editRatios)),
  resolution: v.optional(v.string()),
  output_format: v.optional(v.picklist(['jpeg', 'jpg', 'png', 'webp'])),
  safe_mode: v.optional(v.boolean(), true),
  enhance_prompt: v.optional(v.boolean(), false),
  disable_prompt_optimization_thinking: v.optional(v.boolean(), false),
};

/** Schema of the body of `POST /image/edit`. Rejects unknown keys. `modelId` is the former name of `model`. */
export const editBodySchema = v.object({
  ...commonFields,
  image: imageSchema,
  model: v.optional(v.string()),
  modelId: v.optional(v.string()),
});

/** Schema of the body of `POST /image/multi-edit`. Rejects unknown keys. */
export const multiEditBodySchema = v.object({
  ...commonFields,
  images: v.pipe(v.array(imageSchema), v.minLength(1)),
  modelId: v.optional(v.string()),
  quality: v.optional(v.picklist(['low', 'medium', 'high'])),
});

/**
 * Schema of the body of `POST /image/upscale`. Drops unknown keys, because older clients send fields that the service
 * has removed.
 */
export const upscaleBodySchema = v.object({
  image: imageSchema,
  scale: v.optional(v.picklist([2, 4]), 2),
  creativity: v.optional(v.number(), 0.01),
});

/**
 * Schema of the body of `POST /image/background-remove`. Rejects unknown keys. Exactly one of the fields must be set.
 */
export const backgroundBodySchema = v.object({
  image: v.optional(imageSchema),
  image_url: v.optional(v.string()),
});

/** Fields of an edit of one image or several images. Only edits of several images have the field `quality`. */
export type EditBody = Omit<v.InferOutput<typeof editBodySchema>, 'image' | 'model' | 'modelId'> &
  Partial<Pick<v.InferOutput<typeof multiEditBodySchema>, 'quality'>>;
