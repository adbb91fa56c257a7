import * as v from 'valibot';

const text = v.pipe(v.string(), v.minLength(1));

/** Schema of the body of `POST /embeddings` (service facts §4.4). */
export const embeddingsBody = v.object({
  model: v.string(),
  input: v.union([text, v.pipe(v.array(text), v.minLength(1), v.maxLength(2048))]),
  encoding_format: v.optional(v.picklist(['float', 'base64']), 'float'),
  dimensions: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  user: v.optional(v.string()),
});

export type EmbeddingsBody = v.InferOutput<typeof embeddingsBody>;
