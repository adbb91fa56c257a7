import * as v from 'valibot';
import type { Json } from '../../../src/base/json.ts';

/**
 * Schema of {@link SearchOptions}. Public documents describe web search differently. Each option selects one of the
 * described behaviors.
 */
export const searchOptionsSchema = v.strictObject({
  /** Chunk of a stream that contains the citations: the first, the last, or both. */
  citations: v.optional(v.picklist(['first', 'last', 'both']), 'last'),
  /**
   * Name of the tool call that contains the search results. The service sends `web_search_documents` with the vendor
   * prefix in the name.
   */
  documents: v.optional(v.picklist(['web_search', 'web_search_documents']), 'web_search'),
  /**
   * Type of the URLs in citations: `example` for URLs on domains reserved for examples, `local` for URLs of the copies
   * that this service serves.
   */
  links: v.optional(v.picklist(['example', 'local']), 'example'),
  /** Search results to send unchanged in place of the found pages. */
  results: v.optional(v.array(v.custom<Json>(() => true))),
});

export type SearchOptions = v.InferOutput<typeof searchOptionsSchema>;
export type SearchOptionsChange = v.InferInput<typeof searchOptionsSchema>;

export const defaultSearchOptions: SearchOptions = v.parse(searchOptionsSchema, {});
