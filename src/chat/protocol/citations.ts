import { array, type InferOutput, literal, maxLength, pipe, strictObject, string } from 'valibot';

const text = (longest: number) => pipe(string(), maxLength(longest));

/** Where an answer is from. A source that may not be opened has an empty address. */
const citationSchema = strictObject({
  title: text(300),
  url: text(4_096),
  /** Of the address: `docs.example.com`; empty without one. */
  host: text(300),
  /** The words that were found. */
  quote: text(1_000),
  date: text(40),
});

/** In the order of their numbers, which begin at 1. */
export const citationsSchema = pipe(array(citationSchema), maxLength(50));

/** The sources of an answer that is still being written. */
export const citationsPutSchema = strictObject({
  type: literal('citations-put'),
  messageId: text(64),
  citations: citationsSchema,
});

export type CitationView = InferOutput<typeof citationSchema>;
