import * as v from 'valibot';
import type { Json } from '../../../src/base/json.ts';

/** How searches of the web show in replies. Where public documents disagree, one can choose. */
export const searchOptionsSchema = v.strictObject({
  /** Which chunk of a stream has the citations. */
  citations: v.optional(v.picklist(['first', 'last', 'both']), 'last'),
  /** Results as documents are a call of `web_search`, or of the function with the maker's word in its name. */
  documents: v.optional(v.picklist(['web_search', 'web_search_documents']), 'web_search'),
  /** Addresses on reserved domains, or where this service has the same pages. */
  links: v.optional(v.picklist(['example', 'local']), 'example'),
  /** In place of whatever a search finds, as it is. */
  results: v.optional(v.array(v.custom<Json>(() => true))),
});

export type SearchOptions = v.InferOutput<typeof searchOptionsSchema>;
export type SearchOptionsChange = v.InferInput<typeof searchOptionsSchema>;

export const defaultSearchOptions: SearchOptions = v.parse(searchOptionsSchema, {});
