import * as v from 'valibot';
import type { Json } from '../../../src/base/json.ts';

/**
 * Schema of {@link SearchOptions}. Each option selects one of several behaviors, because public documents disagree
 * about them.
 */
export const searchOptionsSchema = v.strictObject({
  /** Chunk of a stream that contains the citations: the first, the last, or both. */
  citations: v.optional(v.picklist(['first', 'last', 'both']), 'last'),
  /** Name of the tool call that contains the search results. `web_search_documents` is sent with the vendor prefix. */
  documents: v.optional(v.picklist(['web_search', 'web_search_documents']), 'web_search'),
  /**
   * URLs in citations: on domains reserved for examples, or of the copies that this service serves.
   */
  links: v.optional(v.picklist(['example', 'local']), 'example'),
  /** Search results to send unchanged in place of the found pages. */
  results: v.optional(v.array(v.custom<Json>(() => true))),
});

export type SearchOptions = v.InferOutput<typeof searchOptionsSchema>;
export type SearchOptionsChange = v.InferInput<typeof searchOptionsSchema>;

export const defaultSearchOptions: SearchOptions = v.parse(searchOptionsSchema, {});
