import { isRecord, readStringOr } from '../../../src/base/json.ts';
import type { ChatCall } from '../chat/call.ts';
import { listLastImages, getLastUserText } from '../chat/messages.ts';
import { getQuestion } from '../models/request.ts';
import { isTimely } from './rank.ts';
import { scrapeUrl } from './scrape-url.ts';
import type { Citation } from './built-in-web.ts';

/** Results of the web search for a chat call. */
export interface SearchResults {
  readonly citations: readonly Citation[];
  /** URLs of pages that the service could not read. */
  readonly unreadUrls: readonly string[];
  /** Number of billed lookups: one per search, one per page, and one per post. */
  readonly lookupCount: number;
}

export const emptySearchResults: SearchResults = { citations: [], unreadUrls: [], lookupCount: 0 };

const maxScrapedPages = 5;
const maxResults = 5;
const maxPosts = 3;

/**
 * Reads the pages whose URLs are in the question, if the request enables page reading. Otherwise, searches the web,
 * posts or both, as the request enables. Returns empty results if it enables none of them.
 */
export async function searchWebForCall(call: ChatCall): Promise<SearchResults> {
  const { body, settings, model, web } = call;
  if (settings.enable_web_scraping) {
    const urls = listUrls(getLastUserText(body));
    // If the question contains pages, the service reads them instead of a search.
    if (urls.length > 0) return readPages(urls);
  }
  if (listLastImages(body).length > 0) return emptySearchResults;
  const question = getQuestion(body);
  const { enable_web_search: searchMode } = settings;
  const isSearchRequested = searchMode === 'on' || (searchMode === 'auto' && isTimely(question));
  const shouldSearch = isSearchRequested && model.capabilities.supportsWebSearch;
  const pages = shouldSearch ? web.searchPages(question, maxResults) : [];
  const shouldSearchPosts = settings.enable_x_search && model.capabilities.supportsXSearch;
  const posts = shouldSearchPosts ? web.searchPosts(question, maxPosts) : [];
  const lookupCount = (shouldSearch ? 1 : 0) + posts.length;
  return { citations: [...pages, ...posts], unreadUrls: [], lookupCount };
}

const listUrls = (text: string): readonly string[] =>
  [...new Set(text.match(/https?:\/\/[^\s)>\]"'`]+/g))]
    .map((url) => url.replace(/[.,;:!?]+$/, ''))
    .slice(0, maxScrapedPages);

async function readPages(urls: readonly string[]): Promise<SearchResults> {
  const pages = await Promise.all(urls.map(async (url) => ({ url, page: await scrapeUrl(url) })));
  const citations = pages.flatMap(({ url, page }) =>
    page === undefined ? [] : [{ ...page, url }],
  );
  const unreadUrls = pages.flatMap(({ url, page }) => (page === undefined ? [url] : []));
  return { citations, unreadUrls, lookupCount: citations.length };
}

const maxSnippetLength = 300;

/** Returns the search results as JSON arguments of a tool call. Clients send no result for this call. */
export function formatDocumentsJson({ citations }: SearchResults): string {
  const documents = (citations as readonly unknown[])
    .filter(isRecord)
    .map(({ title, url, content, date }, index) => ({
      id: String(index + 1),
      title,
      url,
      snippet: readStringOr(content, '').slice(0, maxSnippetLength),
      published_at: date,
    }));
  return JSON.stringify({ documents });
}
