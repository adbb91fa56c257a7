import { defined, isRecord, stringOr } from '../base/json.ts';
import { notUnderstood, readJson } from './http/reply.ts';
import type { Citation } from './chat/chat-types.ts';
import type { ServiceContext } from './http/client.ts';
import { type Call, secretsOf, send } from './http/request.ts';
import type { PaidRequest } from './chat/spending.ts';

/** Longest query, in characters (service facts §4). */
export const longestQuery = 400;
/** What one call costs, in dollars (service facts §1.7). */
export const augmentPrice = 0.01;

const mostResults = 20;
const longestTitle = 300;
const longestExcerpt = 4_000;
/** Characters of a page; what comes after is left out. */
const longestPage = 200_000;
const mostBytes = 8 * 1024 * 1024;

export interface SearchOptions {
  readonly signal: AbortSignal;
  /** 1 to 20. */
  readonly limit?: number;
}

/** A page as text. */
export interface ScrapedPage {
  readonly url: string;
  /** Markdown, at most 200,000 characters. */
  readonly content: string;
  readonly isCut: boolean;
}

/**
 * Searches the web (service facts §4.9): the results in the service's order, each with an address of the web; what has
 * none is left out.
 * @throws ServiceError
 */
export async function searchWeb(
  context: ServiceContext,
  query: string,
  { signal, limit = 10 }: SearchOptions,
): Promise<readonly Citation[]> {
  const most = Math.min(Math.max(Math.trunc(limit), 1), mostResults);
  const body = { query: query.slice(0, longestQuery), limit: most };
  const { json, secrets } = await callAugment(context, '/augment/search', { body, signal });
  const results = isRecord(json) ? json['results'] : undefined;
  if (!Array.isArray(results)) throw notUnderstood(JSON.stringify(json), secrets);
  return results.flatMap(readResult).slice(0, most);
}

/**
 * The text of a page, which the service fetches (service facts §4.9).
 * @throws ServiceError
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
  if (typeof content !== 'string') throw notUnderstood(JSON.stringify(json), secrets);
  return { url, content: content.slice(0, longestPage), isCut: content.length > longestPage };
}

async function callAugment(
  context: ServiceContext,
  path: Call['path'],
  { body, signal }: { body: object; signal: AbortSignal },
): Promise<{ readonly json: unknown; readonly secrets: readonly string[] }> {
  const paid: PaidRequest = { kind: 'web', price: { usd: augmentPrice }, isBackground: false };
  try {
    await context.spending?.admit(paid, signal);
    const reply = await send(context, { method: 'POST', path, body }, signal);
    context.spending?.spent(paid, {});
    const secrets = secretsOf(reply.endpoint);
    return { json: await readJson(reply.body, { maxBytes: mostBytes, secrets }), secrets };
  } finally {
    context.spending?.ended(paid);
  }
}

function readResult(value: unknown): Citation[] {
  if (!isRecord(value)) return [];
  const { title, url, content, date } = value;
  if (typeof url !== 'string' || !isWebAddress(url)) return [];
  return [
    defined({
      title: stringOr(title, url).slice(0, longestTitle),
      url,
      content: stringOr(content, undefined)?.slice(0, longestExcerpt),
      date: stringOr(date, undefined)?.slice(0, 40),
    }),
  ];
}

const isWebAddress = (url: string): boolean =>
  /^https?:\/\/[^\s/]/iu.test(url) && url.length <= 2_048 && URL.canParse(url);
