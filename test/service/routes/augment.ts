import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { estimateTokens } from '../chat/tokens.ts';
import { extractText, maxFileBytes } from '../files/extract-text.ts';
import { acceptForms } from '../form-data.ts';
import { toMicro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { ApiError } from '../api-error.ts';
import { parseOpen } from '../validation.ts';
import { scrapeUrl } from '../web/scrape-url.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

export const searchBodySchema = v.object({
  query: v.pipe(v.string(), v.minLength(1), v.maxLength(400)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)), 10),
  search_provider: v.optional(v.string()),
});

export const scrapeBodySchema = v.object({ url: v.string() });

/** Price of one web search, or of reading one page. Text extraction from files is free. */
const lookupPrice = toMicro(0.01);

/** Adds the routes for web search, page reading and text extraction. */
export function addAugmentRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/augment/search', (request, reply) => searchWeb(state, request, reply));
  app.post('/augment/scrape', (request, reply) => scrapePage(state, request, reply));
  app.register(async (scope) => {
    acceptForms(scope, state);
    scope.post('/augment/text-parser', (request, reply) => extractFileText(state, request, reply));
  });
}

async function searchWeb(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const { query, limit } = parseOpen(searchBodySchema, request.body);
  authorizeAugment(state, { key, reply, name: 'augment-search' });
  const results = state.web.searchPages(query, limit);
  state.accounts.chargeAccount(key, lookupPrice, 'augment-search');
  return { query, results };
}

async function scrapePage(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const { url } = parseOpen(scrapeBodySchema, request.body);
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new ApiError(400, 'Invalid URL');
  authorizeAugment(state, { key, reply, name: 'augment-scrape' });
  const page = await scrapeUrl(url);
  if (page === undefined) throw new ApiError(422, 'The page could not be read');
  state.accounts.chargeAccount(key, lookupPrice, 'augment-scrape');
  return { url, content: page.content, format: 'markdown' };
}

async function extractFileText(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  await authenticateCaller(state, request, reply);
  const { file } = (request.body ?? {}) as { file?: unknown };
  if (!Buffer.isBuffer(file)) throw new ApiError(400, 'No file provided');
  if (file.length > maxFileBytes) {
    throw new ApiError(413, { code: 'PAYLOAD_TOO_LARGE', error: 'File is too large' });
  }
  const text = readFileText(file);
  return { text, tokens: estimateTokens(text) };
}

function readFileText(file: Buffer): string {
  try {
    return extractText(file);
  } catch {
    throw new ApiError(422, 'The file could not be read');
  }
}

interface AugmentCaller {
  readonly key: ApiKey;
  readonly reply: FastifyReply;
  readonly name: string;
}

function authorizeAugment(state: ServiceState, { key, reply, name }: AugmentCaller): void {
  state.accounts.requireFunds(key, lookupPrice);
  const now = state.clock.now();
  reply.headers(state.limits.countRequest({ keyId: key.id, model: name, tier: 'augment', now }));
}
