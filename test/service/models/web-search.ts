import { isRecord, type JsonRecord, stringOr } from '../../../src/base/json.ts';
import type { ChatCall } from '../chat/call.ts';
import { lastImages, lastUserText } from '../chat/messages.ts';
import { isTimely, relevantSentences } from '../web/rank.ts';
import { scrape } from '../web/scrape.ts';
import type { Citation } from '../web/web.ts';
import { type ModelRequest, questionOf } from './request.ts';

/** Results of the web search for a chat call. */
export interface SearchResults {
  readonly citations: readonly Citation[];
  /** URLs that could not be read. */
  readonly unread: readonly string[];
  /** Number of billed lookups: one for a search, one for each page, one for each post. */
  readonly lookups: number;
}

export const noResults: SearchResults = { citations: [], unread: [], lookups: 0 };

const maxScraped = 5;
const maxResults = 5;
const maxPosts = 3;

/** Searches the web or reads the pages in the question, depending on the request's parameters. */
export async function searchFor(call: ChatCall): Promise<SearchResults> {
  const { body, settings, model, web } = call;
  if (settings.enable_web_scraping) {
    const urls = urlsIn(lastUserText(body));
    // If the question contains pages, the service reads them instead of a search.
    if (urls.length > 0) return readPages(urls);
  }
  if (lastImages(body).length > 0) return noResults;
  const question = questionOf(body);
  const { enable_web_search: searchMode } = settings;
  const isSearchRequested = searchMode === 'on' || (searchMode === 'auto' && isTimely(question));
  const shouldSearch = isSearchRequested && model.capabilities.supportsWebSearch;
  const pages = shouldSearch ? web.search(question, maxResults) : [];
  const wantsPosts = settings.enable_x_search && model.capabilities.supportsXSearch;
  const posts = wantsPosts ? web.searchPosts(question, maxPosts) : [];
  const lookups = (shouldSearch ? 1 : 0) + posts.length;
  return { citations: [...pages, ...posts], unread: [], lookups };
}

const urlsIn = (text: string): readonly string[] =>
  [...new Set(text.match(/https?:\/\/[^\s)>\]"'`]+/g))]
    .map((url) => url.replace(/[.,;:!?]+$/, ''))
    .slice(0, maxScraped);

async function readPages(urls: readonly string[]): Promise<SearchResults> {
  const pages = await Promise.all(urls.map(async (url) => ({ url, page: await scrape(url) })));
  const citations = pages.flatMap(({ url, page }) =>
    page === undefined ? [] : [{ ...page, url }],
  );
  const unread = pages.flatMap(({ url, page }) => (page === undefined ? [url] : []));
  return { citations, unread, lookups: citations.length };
}

/** Quotes the results. Marks each statement with `^1^` if the request enables citations. */
export function answerFromWeb({ question, searchResults, call }: ModelRequest): string {
  const { citations, unread } = searchResults;
  const formatMark = (...numbers: readonly number[]): string =>
    call.settings.enable_web_citations ? `^${numbers.join(',')}^` : '';
  const points = citations.map(
    (citation, index) => `- ${statement(citation, question)}${formatMark(index + 1)}`,
  );
  const closingSentence =
    citations.length === 1
      ? 'That is all I found.'
      : `These ${citations.length} sources are all I found.`;
  const numbers = citations.map((_, index) => index + 1);
  const results = [
    `Here is what the web says about *${question.replaceAll(/\s+/g, ' ').slice(0, 60)}*:`,
    points.join('\n'),
    `${closingSentence}${formatMark(...numbers)}`,
  ];
  return [
    ...(citations.length === 0 ? [] : results),
    ...unread.map((url) => `I could not read ${url}.`),
  ].join('\n\n');
}

function statement(citation: unknown, question: string): string {
  // Tests can replace the results by any JSON value.
  const { title, content, date }: JsonRecord = isRecord(citation) ? citation : {};
  const text = stringOr(content, '').replace(/^#.*$/gm, '');
  const quote = relevantSentences(text, question, 1).join(' ');
  const day = stringOr(date, '') === '' ? '' : ` (${stringOr(date, '')})`;
  return `**${stringOr(title, 'A page')}**${day}: ${quote}`;
}

const maxSnippet = 300;

/**
 * Returns the JSON arguments of the call that reports the results as documents. Clients do not
 * answer this call.
 */
export function documentsJson({ citations }: SearchResults): string {
  const documents = (citations as readonly unknown[])
    .filter(isRecord)
    .map(({ title, url, content, date }, index) => ({
      id: String(index + 1),
      title,
      url,
      snippet: stringOr(content, '').slice(0, maxSnippet),
      published_at: date,
    }));
  return JSON.stringify({ documents });
}
