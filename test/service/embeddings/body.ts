import * as v from 'valibot';

const textSchema = v.pipe(v.string(), v.minLength(1));

/** Schema of the body of `POST /embeddings`. */
export const embeddingsBodySchema = v.object({
  model: v.string(),
  input: v.union([textSchema, v.pipe(v.array(textSchema), v.minLength(1), v.maxLength(2048))]),
  encoding_format: v.optional(v.picklist(['float', 'base64']), 'float'),
  dimensions: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  user: v.optional(v.string()),
});

export type EmbeddingsBody = v.InferOutput<typeof embeddingsBodySchema>;
