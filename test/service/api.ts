import { randomBytes } from 'node:crypto';
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { secretOf } from './auth.ts';
import { compressReplies } from './compression.ts';
import { injectFaults } from './control/fault-hooks.ts';
import { recordBody, recordRequests } from './control/record-hooks.ts';
import { Problem } from './problem.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { audioRoutes } from './routes/audio.ts';
import { augmentRoutes } from './routes/augment.ts';
import { billingRoutes } from './routes/billing.ts';
import { characterRoutes } from './routes/characters.ts';
import { chatRoutes } from './routes/chat.ts';
import { completionRoutes } from './routes/completions.ts';
import { embeddingRoutes } from './routes/embeddings.ts';
import { imageEditRoutes } from './routes/image-edits.ts';
import { imageRoutes } from './routes/images.ts';
import { modelRoutes } from './routes/models.ts';
import { pageRoutes } from './routes/pages.ts';
import { responseRoutes } from './routes/responses.ts';
import { teeRoutes } from './routes/tee.ts';
import { web3KeyRoutes } from './routes/web3-key.ts';
import { x402Routes } from './routes/x402.ts';
import type { World } from './world.ts';
import { showWalletBalances } from './x402/balance-header.ts';

const bodyLimit = 35 * 1024 * 1024;
const version = '20260821.104500';

/** The API server; not listening yet. */
export function createApi(world: World): FastifyInstance {
  const app = fastify({ bodyLimit, forceCloseConnections: true });
  recordRequests(app, world);
  readBodies(app, world);
  countFailures(app, world);
  compressReplies(app);
  addCommonHeaders(app, world);
  showWalletBalances(app, world);
  injectFaults(app, world);
  readStakes(app, world);
  app.setErrorHandler<FastifyError | Problem>((error, _, reply) => {
    const { status, headers, body } = error instanceof Problem ? error : problemOf(error);
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(() => {
    throw new Problem(404, 'Not found');
  });
  const routes = [
    modelRoutes,
    chatRoutes,
    completionRoutes,
    responseRoutes,
    embeddingRoutes,
    imageRoutes,
    imageEditRoutes,
    audioRoutes,
    characterRoutes,
    augmentRoutes,
    apiKeyRoutes,
    billingRoutes,
    x402Routes,
    web3KeyRoutes,
    teeRoutes,
  ];
  pageRoutes(app);
  app.register(
    async (scope) => {
      for (const add of routes) add(scope, world);
    },
    { prefix: '/api/v1' },
  );
  return app;
}

/** Only JSON is read, but for routes that take forms; every other type is refused with 415. */
function readBodies(app: FastifyInstance, world: World): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (request: FastifyRequest, text: string): Promise<unknown> => {
      recordBody(world, request, text);
      try {
        return JSON.parse(text);
      } catch {
        throw new Problem(400, 'Invalid JSON request');
      }
    },
  );
}

/** Asking too often, and leaving, are counted elsewhere or not at all. */
const noFailures = new Set([429, 499]);

function countFailures(app: FastifyInstance, world: World): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode } = reply;
    const caller = secretOf(request);
    if (caller === undefined || statusCode < 400 || noFailures.has(statusCode)) return;
    const now = world.clock.now();
    const isBlocked = world.failures.note(caller, now);
    const key = isBlocked ? world.accounts.keys.find(caller) : undefined;
    if (key !== undefined) world.limits.noteBlock(key.id, now);
  });
}

/** What a wallet's account holds follows from the chain, which is asked once a day. */
function readStakes(app: FastifyInstance, { accounts, stakers }: World): void {
  app.addHook('preHandler', async (request) => {
    const key = accounts.keys.find(secretOf(request) ?? '');
    if (key !== undefined) await stakers.refresh(key.accountId);
  });
}

function addCommonHeaders(app: FastifyInstance, { clock, words }: World): void {
  app.addHook('onSend', async (_, reply) => {
    const now = new Date(clock.now());
    reply.headers({
      date: now.toUTCString(),
      'cf-ray': `${randomBytes(8).toString('hex')}-LOCAL`,
      [words.header('version')]: version,
      [words.header('timestamp')]: now.toISOString(),
    });
    if (reply.statusCode >= 400) reply.header(words.header('host-name'), 'local');
  });
}

/** The service's words for what the framework refused. */
function problemOf(error: FastifyError): Problem {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(413, { code: 'PAYLOAD_TOO_LARGE', error: 'Request body is too large' });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(415, 'Invalid request content-type');
    default:
      return new Problem(500, 'Inference processing failed');
  }
}
