import { omitUndefined, isRecord, readStringOr } from '../base/json.ts';
import { createUnrecognizedResponseError, readJson } from './http/response.ts';
import type { Citation } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import {
  bindToEndpoint,
  findEndpoint,
  type ServiceCall,
  listSecrets,
  sendCall,
} from './http/request.ts';
import { createUnchargedRetryCheck } from './http/uncharged-retries.ts';
import type { PaidRequest } from './chat/spending.ts';

/** Maximum length of a search query in characters. */
export const maxQueryLength = 400;
/** Price in US dollars of one web search or of fetching one web page. */
export const augmentPriceUsd = 0.01;

const maxResults = 20;
const maxTitleLength = 300;
const maxExcerptLength = 4_000;
/** Maximum length of a web page's text in characters. Longer texts are truncated. */
const maxPageLength = 200_000;
const maxBytes = 8 * 1024 * 1024;

export interface SearchOptions {
  readonly signal: AbortSignal;
  /** Maximum number of results, 1 to 20. */
  readonly limit?: number;
}

/** Text content of a web page. */
export interface ScrapedPage {
  readonly url: string;
  /** Text as Markdown, at most 200,000 characters. */
  readonly content: string;
  readonly isTruncated: boolean;
}

/**
 * Searches the web. Returns the results in the order in which the service sent them. Omits results without a web URL.
 * @throws ServiceError if the request fails
 */
export async function searchWeb(
  context: ServiceContext,
  query: string,
  { signal, limit = 10 }: SearchOptions,
): Promise<readonly Citation[]> {
  const maxCount = Math.min(Math.max(Math.trunc(limit), 1), maxResults);
  const body = { query: query.slice(0, maxQueryLength), limit: maxCount };
  const { json, secrets } = await callAugment(context, '/augment/search', { body, signal });
  const results = isRecord(json) ? json['results'] : undefined;
  if (!Array.isArray(results)) throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  return results.flatMap(readCitations).slice(0, maxCount);
}

/**
 * Returns the text of a web page. The service fetches the page.
 * @throws ServiceError if the request fails
 */
export async function scrapePage(
  context: ServiceContext,
  url: string,
  { signal }: { signal: AbortSignal },
): Promise<ScrapedPage> {
  const { json, secrets } = await callAugment(context, '/augment/scrape', {
    body: { url },
    signal,
  });
  const content = isRecord(json) ? json['content'] : undefined;
  if (typeof content !== 'string')
    throw createUnrecognizedResponseError(JSON.stringify(json), secrets);
  return {
    url,
    content: content.slice(0, maxPageLength),
    isTruncated: content.length > maxPageLength,
  };
}

async function callAugment(
  context: ServiceContext,
  path: ServiceCall['path'],
  { body, signal }: { body: object; signal: AbortSignal },
): Promise<{ readonly json: unknown; readonly secrets: readonly string[] }> {
  const paidRequest: PaidRequest = {
    kind: 'web',
    price: { usd: augmentPriceUsd },
    isBackground: false,
  };
  const binding = bindToEndpoint(await findEndpoint(context));
  try {
    await context.spending?.authorizeRequest(paidRequest, signal);
    const canRetry = createUnchargedRetryCheck(context.clock);
    const response = await sendCall(
      context,
      { method: 'POST', path, body, canRetry, ...binding },
      signal,
    );
    context.spending?.recordSpending(paidRequest, {});
    const secrets = listSecrets(response.endpoint);
    return { json: await readJson(response.body, { maxBytes, secrets }), secrets };
  } finally {
    context.spending?.releaseReservedPrice(paidRequest);
  }
}

function readCitations(value: unknown): Citation[] {
  if (!isRecord(value)) return [];
  const { title, url, content, date } = value;
  if (typeof url !== 'string' || !isWebUrl(url)) return [];
  return [
    omitUndefined({
      title: readStringOr(title, url).slice(0, maxTitleLength),
      url,
      content: readStringOr(content, undefined)?.slice(0, maxExcerptLength),
      date: readStringOr(date, undefined)?.slice(0, 40),
    }),
  ];
}

const isWebUrl = (url: string): boolean =>
  /^https?:\/\/[^\s/]/iu.test(url) && url.length <= 2_048 && URL.canParse(url);
