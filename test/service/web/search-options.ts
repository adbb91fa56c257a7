import * as v from 'valibot';
import type { Json } from '../../../src/base/json.ts';

/**
 * Schema of {@link SearchOptions}. Public documents about the service describe web search in different ways, and each
 * option selects one of them.
 */
export const searchOptionsSchema = v.strictObject({
  /** Chunk of a stream that contains the citations: the first chunk, the last chunk, or both. */
  citations: v.optional(v.picklist(['first', 'last', 'both']), 'last'),
  /**
   * Name of the tool call that contains the search results. To `web_search_documents`, the service adds the prefix of
   * the deployment.
   */
  documents: v.optional(v.picklist(['web_search', 'web_search_documents']), 'web_search'),
  /**
   * URLs in citations: `example` for URLs on domains that are reserved for examples, `local` for the copies of these
   * pages on this service.
   */
  links: v.optional(v.picklist(['example', 'local']), 'example'),
  /** Search results to send unchanged in place of the pages that the search found. */
  results: v.optional(v.array(v.custom<Json>(() => true))),
});

export type SearchOptions = v.InferOutput<typeof searchOptionsSchema>;
export type SearchOptionsChange = v.InferInput<typeof searchOptionsSchema>;

export const defaultSearchOptions: SearchOptions = v.parse(searchOptionsSchema, {});
