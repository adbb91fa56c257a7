import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import { readBearerToken } from './auth.ts';
import { injectFaults } from './control/fault-hooks.ts';
import { recordBody, recordRequests } from './control/record-hooks.ts';
import { ApiError } from './api-error.ts';
import { createCommonHeaders } from './common-headers.ts';
import {
  drainRequest,
  replyToInvalidRequest,
  replyToInvalidUrl,
  toApiError,
} from './http-errors.ts';
import { observeReplies } from './openapi/observe-replies.ts';
import { addApiKeyRoutes } from './routes/api-keys.ts';
import { addAudioRoutes } from './routes/audio.ts';
import { addAugmentRoutes } from './routes/augment.ts';
import { addBillingRoutes } from './routes/billing.ts';
import { addCharacterRoutes } from './routes/characters.ts';
import { addChatRoutes } from './routes/chat.ts';
import { addCompletionRoutes } from './routes/completions.ts';
import { addEmbeddingRoutes } from './routes/embeddings.ts';
import { addImageEditRoutes } from './routes/image-edits.ts';
import { addImageRoutes } from './routes/images.ts';
import { addModelRoutes } from './routes/models.ts';
import { addOpenApiRoutes } from './routes/openapi.ts';
import { addPageRoutes } from './routes/pages.ts';
import { addResponseRoutes } from './routes/responses.ts';
import { addTeeRoutes } from './routes/tee.ts';
import { addWeb3KeyRoutes } from './routes/web3-key.ts';
import { addX402Routes } from './routes/x402.ts';
import type { ServiceState } from './service-state.ts';
import { addBalanceHeaders } from './x402/balance-header.ts';

const maxBodyBytes = 35 * 1024 * 1024;

/** Creates the API server. The server does not listen yet. */
export function createApi(state: ServiceState): FastifyInstance {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    frameworkErrors: (error, _, reply) => replyToInvalidUrl(state, error, reply),
    clientErrorHandler: (_, socket) => replyToInvalidRequest(socket),
  });
  recordRequests(app, state);
  rejectOtherContentTypes(app, state);
  countFailures(app, state);
  observeReplies(app, state);
  compressReplies(app);
  addCommonHeaders(app, state);
  addBalanceHeaders(app, state);
  injectFaults(app, state);
  refreshStakes(app, state);
  app.setErrorHandler<FastifyError | ApiError>(async (error, request, reply) => {
    const { status, headers, body } = error instanceof ApiError ? error : toApiError(error);
    if (status === 413) await drainRequest(request.raw);
    return reply.code(status).headers(headers).send(body);
  });
  app.setNotFoundHandler(() => {
    throw new ApiError(404, 'Not found');
  });
  const routeInstallers = [
    addModelRoutes,
    addChatRoutes,
    addCompletionRoutes,
    addResponseRoutes,
    addEmbeddingRoutes,
    addImageRoutes,
    addImageEditRoutes,
    addAudioRoutes,
    addCharacterRoutes,
    addAugmentRoutes,
    addApiKeyRoutes,
    addBillingRoutes,
    addX402Routes,
    addWeb3KeyRoutes,
    addTeeRoutes,
  ];
  addPageRoutes(app);
  addOpenApiRoutes(app, state);
  app.register(
    async (scope) => {
      for (const addRoutes of routeInstallers) addRoutes(scope, state);
    },
    { prefix: '/api/v1' },
  );
  return app;
}

/** Makes all routes reject content types other than JSON with status 415, except the routes that accept forms. */
function rejectOtherContentTypes(app: FastifyInstance, state: ServiceState): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (request: FastifyRequest, text: string): Promise<unknown> => {
      recordBody(state, request, text);
      // Clients set the content type of every request, even of a deletion without a body.
      if (text === '' && request.method === 'DELETE') return undefined;
      try {
        return JSON.parse(text);
      } catch {
        throw new ApiError(400, 'Invalid JSON request');
      }
    },
  );
}

/**
 * Statuses that do not count toward the failed requests for which a caller is blocked: 429 (rate limit) and 499 (the
 * client disconnected).
 */
const uncountedStatuses = new Set([429, 499]);

function countFailures(app: FastifyInstance, state: ServiceState): void {
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode } = reply;
    const callerToken = readBearerToken(request);
    const isRejected = statusCode >= 400 && statusCode < 500 && !uncountedStatuses.has(statusCode);
    if (callerToken === undefined || !isRejected) return;
    const now = state.clock.now();
    const isBlocked = state.failures.recordFailure(callerToken, now);
    const key = isBlocked ? state.accounts.keys.findKey(callerToken) : undefined;
    if (key !== undefined) state.limits.recordBlock(key.id, now);
  });
}

/**
 * Makes every route first read the stake of the caller's wallet from the chain, unless the stake was already read on
 * this UTC day.
 */
function refreshStakes(app: FastifyInstance, { accounts, stakers }: ServiceState): void {
  app.addHook('preHandler', async (request) => {
    const key = accounts.keys.findKey(readBearerToken(request) ?? '');
    if (key !== undefined) await stakers.refreshStake(key.accountId);
  });
}

function addCommonHeaders(app: FastifyInstance, state: ServiceState): void {
  app.addHook('onSend', async (_, reply) => {
    reply.headers(createCommonHeaders(state, reply.statusCode));
  });
}

const minCompressedLength = 1024;
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/**
 * Options that make Brotli compression fast. At its best quality, Brotli takes seconds for a reply that contains
 * images.
 */
const fastBrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/**
 * Compresses JSON replies that exceed a minimum length, if the client accepts compression. Streams stay uncompressed.
 */
function compressReplies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minCompressedLength) return payload;
    const acceptedEncodings = request.headers['accept-encoding'] ?? '';
    const encoding = /\bbr\b/.test(acceptedEncodings)
      ? 'br'
      : /\bgzip\b/.test(acceptedEncodings)
        ? 'gzip'
        : undefined;
    if (encoding === undefined) return payload;
    reply.removeHeader('content-length');
    reply.headers({ 'content-encoding': encoding, vary: 'accept-encoding' });
    return encoding === 'br' ? compressBrotli(payload, fastBrotliOptions) : compressGzip(payload);
  });
}
