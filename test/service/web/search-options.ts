import * as v from 'valibot';
import type { Json } from '../../../src/base/json.ts';

/** Schema of {@link SearchOptions}. Covers the cases in which public documents disagree. */
export const searchOptionsSchema = v.strictObject({
  /** Chunk of a stream that contains the citations. */
  citations: v.optional(v.picklist(['first', 'last', 'both']), 'last'),
  /** Name of the call that returns results as documents: `web_search`, or the function with the vendor word. */
  documents: v.optional(v.picklist(['web_search', 'web_search_documents']), 'web_search'),
  /** URLs on reserved domains, or this service's own copies. */
  links: v.optional(v.picklist(['example', 'local']), 'example'),
  /** Replaces the search results, sent unchanged. */
  results: v.optional(v.array(v.custom<Json>(() => true))),
});

export type SearchOptions = v.InferOutput<typeof searchOptionsSchema>;
export type SearchOptionsChange = v.InferInput<typeof searchOptionsSchema>;

export const defaultSearchOptions: SearchOptions = v.parse(searchOptionsSchema, {});
