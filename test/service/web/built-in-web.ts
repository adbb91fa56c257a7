import { communityPages, socialPosts } from '../corpus/community.ts';
import { languagePages } from '../corpus/languages.ts';
import { newsPages, weatherPages } from '../corpus/news.ts';
import { releasePages } from '../corpus/releases.ts';
import { toolPages } from '../corpus/tools.ts';
import { type SearchOptions, defaultSearchOptions } from './search-options.ts';
import type { WebPage } from './page.ts';
import { isTimely, rankPages } from './rank.ts';

/** A web search result in a reply. */
export interface Citation {
  readonly title: string;
  readonly url: string;
  readonly content: string;
  readonly date: string;
}

const builtInPages = [
  ...languagePages,
  ...toolPages,
  ...newsPages,
  ...weatherPages,
  ...releasePages,
  ...communityPages,
];
const pagesByUrl = new Map([...builtInPages, ...socialPosts].map((page) => [page.url, page]));

/** Searches the built-in pages and posts. Never connects to another machine. */
export class BuiltInWeb {
  options: SearchOptions = defaultSearchOptions;
  /**
   * Origin of this service, such as `http://127.0.0.1:8080`. The service serves copies of the pages under this origin.
   */
  origin = '';

  reset(): void {
    this.options = defaultSearchOptions;
  }

  /**
   * Returns at most `maxResults` matching pages, best match first. If no page matches and the question concerns current
   * events, returns the latest news.
   */
  searchPages(question: string, maxResults: number): readonly Citation[] {
    const citations = this.#listResults(builtInPages, question, maxResults);
    if (citations.length > 0 || this.options.results !== undefined || !isTimely(question))
      return citations;
    return newsPages.slice(0, maxResults).map((page) => this.#createCitation(page));
  }

  /** Searches like {@link searchPages}, but among posts of a social network. */
  searchPosts(question: string, maxResults: number): readonly Citation[] {
    return this.#listResults(socialPosts, question, maxResults);
  }

  #listResults(
    pages: readonly WebPage[],
    question: string,
    maxResults: number,
  ): readonly Citation[] {
    // Tests can set results that violate the type.
    const { results } = this.options;
    if (results !== undefined)
      return results.slice(0, maxResults) as unknown as readonly Citation[];
    return rankPages(pages, question)
      .slice(0, maxResults)
      .map((page) => this.#createCitation(page));
  }

  #createCitation({ url: pageUrl, title, text, date }: WebPage): Citation {
    const isLocal = this.options.links === 'local';
    const url = isLocal ? `${this.origin}${getLocalPath(pageUrl)}` : pageUrl;
    return { title, url, content: text, date };
  }
}

/** Finds a page by its URL. Ignores the query, the fragment and a trailing slash. */
export const findPage = (url: string): WebPage | undefined =>
  pagesByUrl.get(url.replace(/[?#].*$/s, '').replace(/\/$/, ''));

/** Returns the path at which this service serves its copy of a page. */
export const getLocalPath = (url: string): string => url.replace(/^https:\/\//, '/pages/');
