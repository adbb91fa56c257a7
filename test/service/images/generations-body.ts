import * as v from 'valibot';
import type { ImageModel } from '../catalog/image-models.ts';
import { type GenerateBody, generateBodySchema } from './generate-body.ts';
import { formats } from './pixels.ts';

const imageSizes = [
  'auto',
  '256x256',
  '512x512',
  '1024x1024',
  '1536x1024',
  '1024x1536',
  '1792x1024',
  '1024x1792',
] as const;

/**
 * Schema of the body of `POST /images/generations` (spec §4.7). Unknown keys are rejected, and some
 * known fields have no effect.
 */
export const generationsBodySchema = v.object({
  model: v.string(),
  prompt: v.pipe(v.string(), v.minLength(1), v.maxLength(1500)),
  size: v.nullish(v.picklist(imageSizes), 'auto'),
  n: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1)), 1),
  output_format: v.optional(v.picklist(formats), 'png'),
  response_format: v.nullish(v.picklist(['b64_json', 'url']), 'b64_json'),
  moderation: v.nullish(v.picklist(['auto', 'low']), 'auto'),
  quality: v.nullish(v.picklist(['auto', 'high', 'medium', 'low', 'hd', 'standard'])),
  style: v.nullish(v.picklist(['vivid', 'natural'])),
  background: v.nullish(v.picklist(['transparent', 'opaque', 'auto'])),
  output_compression: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
  user: v.optional(v.string()),
});

export type GenerationsBody = v.InferOutput<typeof generationsBodySchema>;

/** Converts the body to a body of `POST /image/generate`. Omits the size unless the model's sizes are in pixels. */
export function toGenerateBody(model: ImageModel, body: GenerationsBody): GenerateBody {
  const { prompt, size, moderation, output_format: format } = body;
  const [width, height] = size === 'auto' ? [] : size.split('x').map(Number);
  const generateRequest = v.parse(generateBodySchema, {
    model: model.record.id,
    prompt,
    format,
    safe_mode: moderation === 'auto',
  });
  return model.isPixelDiffusionModel ? { ...generateRequest, width, height } : generateRequest;
}
