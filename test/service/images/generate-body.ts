import * as v from 'valibot';
import { anonymousUserSchema } from '../chat/body.ts';
import { formats } from './pixels.ts';

const createIntegerSchema = (min: number, max: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max)));
const textSchema = v.string();
const flagSchema = v.optional(v.boolean(), false);

/**
 * Schema of the body of `POST /image/generate` (spec §4.5). Rejects unknown keys. Does not check the limits of the
 * model.
 */
export const generateBodySchema = v.object({
  model: textSchema,
  prompt: v.pipe(textSchema, v.minLength(1)),
  negative_prompt: v.optional(textSchema),
  width: createIntegerSchema(1, 1280),
  height: createIntegerSchema(1, 1280),
  aspect_ratio: v.optional(textSchema),
  resolution: v.optional(textSchema),
  quality: v.optional(v.picklist(['low', 'medium', 'high'])),
  format: v.optional(v.picklist(formats), 'webp'),
  variants: createIntegerSchema(1, 4),
  return_binary: flagSchema,
  safe_mode: v.optional(v.boolean(), true),
  seed: createIntegerSchema(-999_999_999, 999_999_999),
  cfg_scale: v.optional(v.pipe(v.number(), v.gtValue(0), v.maxValue(20))),
  steps: createIntegerSchema(1, Number.MAX_SAFE_INTEGER),
  style_preset: v.optional(textSchema),
  style_references: v.optional(
    v.array(
      v.object({
        image: textSchema,
        strength: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(1))),
      }),
    ),
    [],
  ),
  lora_strength: createIntegerSchema(0, 100),
  hide_watermark: flagSchema,
  embed_exif_metadata: flagSchema,
  enable_web_search: flagSchema,
  enhance_prompt: flagSchema,
  disable_prompt_optimization_thinking: flagSchema,
  anon_user_id: v.optional(anonymousUserSchema),
});

export type GenerateBody = v.InferOutput<typeof generateBodySchema>;
