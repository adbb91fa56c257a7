import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as v from 'valibot';
import { estimateTokens } from '../chat/tokens.ts';
import { extractText, mostFileBytes } from '../files/extract-text.ts';
import { readForms } from '../images/upload.ts';
import { micro } from '../money/amounts.ts';
import type { ApiKey } from '../money/api-key.ts';
import { Problem } from '../problem.ts';
import { parseOpen } from '../validation.ts';
import { scrape } from '../web/scrape.ts';
import type { World } from '../world.ts';
import { requireCaller } from '../x402/caller.ts';

const searchBody = v.object({
  query: v.pipe(v.string(), v.minLength(1), v.maxLength(400)),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20)), 10),
  search_provider: v.optional(v.string()),
});

const scrapeBody = v.object({ url: v.string() });

/** Of a search and of a page; files are free. */
const price = micro(0.01);

/** What chats do with the web and with files, for whoever wants it alone (service facts §4.6). */
export function augmentRoutes(app: FastifyInstance, world: World): void {
  app.post('/augment/search', (request, reply) => search(world, request, reply));
  app.post('/augment/scrape', (request, reply) => read(world, request, reply));
  app.register(async (scope) => {
    readForms(scope, world);
    scope.post('/augment/text-parser', (request, reply) => parse(world, request, reply));
  });
}

async function search(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const { query, limit } = parseOpen(searchBody, request.body);
  admit(world, { key, reply, name: 'augment-search' });
  const results = world.web.search(query, limit);
  world.accounts.charge(key, price, 'augment-search');
  return { query, results };
}

async function read(world: World, request: FastifyRequest, reply: FastifyReply) {
  const key = await requireCaller(world, request, reply);
  const { url } = parseOpen(scrapeBody, request.body);
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new Problem(400, 'Invalid URL');
  admit(world, { key, reply, name: 'augment-scrape' });
  const page = await scrape(url);
  if (page === undefined) throw new Problem(422, 'The page could not be read');
  world.accounts.charge(key, price, 'augment-scrape');
  return { url, content: page.content, format: 'markdown' };
}

async function parse(world: World, request: FastifyRequest, reply: FastifyReply) {
  await requireCaller(world, request, reply);
  const { file } = (request.body ?? {}) as { file?: unknown };
  if (!Buffer.isBuffer(file)) throw new Problem(400, 'No file provided');
  if (file.length > mostFileBytes) {
    throw new Problem(413, { code: 'PAYLOAD_TOO_LARGE', error: 'File is too large' });
  }
  const text = textOf(file);
  return { text, tokens: estimateTokens(text) };
}

function textOf(file: Buffer): string {
  try {
    return extractText(file);
  } catch {
    throw new Problem(422, 'The file could not be read');
  }
}

interface Caller {
  readonly key: ApiKey;
  readonly reply: FastifyReply;
  readonly name: string;
}

function admit(world: World, { key, reply, name }: Caller): void {
  world.accounts.requireFunds(key, price);
  const now = world.clock.now();
  reply.headers(world.limits.take({ keyId: key.id, model: name, tier: 'augment', now }));
}
