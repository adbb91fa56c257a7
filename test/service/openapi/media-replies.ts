import * as v from 'valibot';
import { generateBody } from '../images/generate-body.ts';

const text = v.string();
const base64 = v.pipe(text, v.regex(/^[A-Za-z0-9+/]+=*$/));

export const imageReply = v.strictObject({
  id: v.pipe(text, v.regex(/^generate-image-\d+$/)),
  images: v.array(base64),
  request: v.strictObject({ success: v.literal(true), data: v.object(generateBody.entries) }),
  timing: v.strictObject({
    inferenceDuration: v.number(),
    inferencePreprocessingTime: v.number(),
    inferenceQueueTime: v.number(),
    total: v.number(),
  }),
});

export const generationsReply = v.strictObject({
  created: v.pipe(v.number(), v.integer()),
  data: v.array(v.union([v.strictObject({ b64_json: base64 }), v.strictObject({ url: text })])),
});

export const styleList = v.strictObject({ object: v.literal('list'), data: v.array(text) });

export const transcript = v.strictObject({
  text,
  duration: v.number(),
  timestamps: v.optional(
    v.looseObject({
      word: v.array(v.strictObject({ word: text, start: v.number(), end: v.number() })),
    }),
  ),
});

export const searchReply = v.strictObject({
  query: text,
  results: v.array(v.strictObject({ title: text, url: text, content: text, date: text })),
});

export const scrapeReply = v.strictObject({
  url: text,
  content: text,
  format: v.literal('markdown'),
});

export const textReply = v.strictObject({ text, tokens: v.number() });

/** A persona (service facts §4.3). */
const character = v.strictObject({
  id: text,
  slug: text,
  name: text,
  description: v.nullable(text),
  author: text,
  adult: v.boolean(),
  featured: v.boolean(),
  webEnabled: v.boolean(),
  modelId: text,
  photoUrl: text,
  shareUrl: v.nullable(text),
  tags: v.array(text),
  stats: v.strictObject({
    averageRating: v.number(),
    imports: v.number(),
    ratingCount: v.number(),
    ratingSum: v.number(),
    userRating: v.null(),
  }),
  createdAt: text,
  updatedAt: text,
});

export const characterList = v.strictObject({
  object: v.literal('list'),
  data: v.array(character),
});

export const characterReply = v.strictObject({ object: v.literal('character'), data: character });

export const reviewList = v.strictObject({
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
