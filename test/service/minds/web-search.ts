import type { ChatCall } from '../chat/call.ts';
import { lastImages, lastUserText } from '../chat/messages.ts';
import { isTimely } from '../web/rank.ts';
import { scrape } from '../web/scrape.ts';
import type { Citation } from '../web/web.ts';
import { questionOf } from './question.ts';

/** What a call learns from the web. */
export interface Findings {
  readonly citations: readonly Citation[];
  /** Addresses that could not be read. */
  readonly unread: readonly string[];
  /** How many add-ons are billed: one for a search, one for each page that was read, one for each post. */
  readonly lookups: number;
}

export const nothingFound: Findings = { citations: [], unread: [], lookups: 0 };

const mostScraped = 5;
const mostResults = 5;
const mostPosts = 3;

/** Looks up what this call is answered from; nothing when search is off or has nothing to do. */
export async function searchFor(call: ChatCall): Promise<Findings> {
  const { body, settings, model, web } = call;
  if (settings.enable_web_scraping) {
    const addresses = addressesIn(lastUserText(body));
    // Reading pages replaces the search.
    if (addresses.length > 0) return read(addresses);
  }
  if (lastImages(body).length > 0) return nothingFound;
  const question = questionOf(body);
  const searches = wantsSearch(call, question) && model.capabilities.supportsWebSearch;
  const pages = searches ? web.search(question, mostResults) : [];
  const wantsPosts = settings.enable_x_search && model.capabilities.supportsXSearch;
  const posts = wantsPosts ? web.searchPosts(question, mostPosts) : [];
  const lookups = (searches ? 1 : 0) + posts.length;
  return { citations: [...pages, ...posts], unread: [], lookups };
}

const wantsSearch = ({ settings }: ChatCall, question: string): boolean =>
  settings.enable_web_search === 'on' ||
  (settings.enable_web_search === 'auto' && isTimely(question));

const addressesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/https?:\/\/[^\s)>\]"'`]+/g))]
    .map((address) => address.replace(/[.,;:!?]+$/, ''))
    .slice(0, mostScraped);

async function read(addresses: readonly string[]): Promise<Findings> {
  const pages = await Promise.all(addresses.map(async (url) => ({ url, page: await scrape(url) })));
  const citations = pages.flatMap(({ url, page }) =>
    page === undefined ? [] : [{ ...page, url }],
  );
  const unread = pages.flatMap(({ url, page }) => (page === undefined ? [url] : []));
  return { citations, unread, lookups: citations.length };
}
