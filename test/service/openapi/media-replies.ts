import * as v from 'valibot';
import { generateBodySchema } from '../images/generate-body.ts';

const textSchema = v.string();
const base64Schema = v.pipe(textSchema, v.regex(/^[A-Za-z0-9+/]+=*$/));

export const imageReplySchema = v.strictObject({
  id: v.pipe(textSchema, v.regex(/^generate-image-\d+$/)),
  images: v.array(base64Schema),
  request: v.strictObject({ success: v.literal(true), data: v.object(generateBodySchema.entries) }),
  timing: v.strictObject({
    inferenceDuration: v.number(),
    inferencePreprocessingTime: v.number(),
    inferenceQueueTime: v.number(),
    total: v.number(),
  }),
});

export const generationsReplySchema = v.strictObject({
  created: v.pipe(v.number(), v.integer()),
  data: v.array(
    v.union([v.strictObject({ b64_json: base64Schema }), v.strictObject({ url: textSchema })]),
  ),
});

export const styleListSchema = v.strictObject({
  object: v.literal('list'),
  data: v.array(textSchema),
});

export const transcriptSchema = v.strictObject({
  text: textSchema,
  duration: v.number(),
  timestamps: v.optional(
    v.looseObject({
      word: v.array(v.strictObject({ word: textSchema, start: v.number(), end: v.number() })),
    }),
  ),
});

export const searchReplySchema = v.strictObject({
  query: textSchema,
  results: v.array(
    v.strictObject({ title: textSchema, url: textSchema, content: textSchema, date: textSchema }),
  ),
});

export const scrapeReplySchema = v.strictObject({
  url: textSchema,
  content: textSchema,
  format: v.literal('markdown'),
});

export const textReplySchema = v.strictObject({ text: textSchema, tokens: v.number() });

/** A persona as returned by `GET /characters`. */
const characterSchema = v.strictObject({
  id: textSchema,
  slug: textSchema,
  name: textSchema,
  description: v.nullable(textSchema),
  author: textSchema,
  adult: v.boolean(),
  featured: v.boolean(),
  webEnabled: v.boolean(),
  modelId: textSchema,
  photoUrl: textSchema,
  shareUrl: v.nullable(textSchema),
  tags: v.array(textSchema),
  stats: v.strictObject({
    averageRating: v.number(),
    imports: v.number(),
    ratingCount: v.number(),
    ratingSum: v.number(),
    userRating: v.null(),
  }),
  createdAt: textSchema,
  updatedAt: textSchema,
});

export const characterListSchema = v.strictObject({
  object: v.literal('list'),
  data: v.array(characterSchema),
});

export const characterReplySchema = v.strictObject({
  object: v.literal('character'),
  data: characterSchema,
});

export const reviewListSchema = v.strictObject({
  object: v.literal('list'),
  data: v.array(v.unknown()),
  pagination: v.strictObject({
    page: v.number(),
    pageSize: v.number(),
    total: v.number(),
    totalPages: v.number(),
  }),
  summary: v.strictObject({ averageRating: v.number(), totalReviews: v.number() }),
});
