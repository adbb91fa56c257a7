import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import type { Price } from '../catalog/media-record.ts';
import type { ModelRecord } from '../catalog/model.ts';
import { estimateTokens } from '../chat/tokens.ts';
import { type EmbeddingsBody, embeddingsBodySchema } from '../embeddings/body.ts';
import { embedText, encodeFloatsAsBase64 } from '../embeddings/embed.ts';
import { requireModelAccess } from '../keys/model-access.ts';
import { createModelHeaders } from '../model-headers.ts';
import { ApiError } from '../api-error.ts';
import {
  createCustomIssue,
  createInvalidRequestError,
  parseClosed,
  requireModelName,
} from '../validation.ts';
import type { ServiceState } from '../service-state.ts';
import { authenticateCaller } from '../x402/authenticate-caller.ts';

const maxTokens = 8192;

/** Adds `POST /embeddings`. */
export function addEmbeddingRoutes(app: FastifyInstance, state: ServiceState): void {
  app.post('/embeddings', (request, reply) => createEmbeddings(state, request, reply));
}

async function createEmbeddings(state: ServiceState, request: FastifyRequest, reply: FastifyReply) {
  const key = await authenticateCaller(state, request, reply);
  const body = readBody(request.body);
  const model = state.catalog.findEmbeddingModel(body.model);
  const dimensions = resolveDimensions(model, body);
  const inputs = [body.input].flat();
  inputs.forEach(checkLength);
  requireModelAccess(key, model);
  const tokenCount = inputs.reduce((sum, input) => sum + estimateTokens(input), 0);
  const { input: price } = model.model_spec.pricing as { readonly input: Price };
  const cost = Math.ceil(tokenCount * price.usd);
  state.accounts.requireFunds(key, Math.max(1, cost));
  const now = state.clock.now();
  reply.headers(
    state.limits.countRequest({ keyId: key.id, model: model.id, tier: 'embedding', now }),
  );
  reply.headers(createModelHeaders(state.naming, model));
  state.accounts.chargeAccount(key, cost, model.id);
  state.limits.spendTokens(key.id, model.id, tokenCount);
  return {
    object: 'list',
    model: model.id,
    data: inputs.map((input, index) => {
      const vector = embedText(input, dimensions);
      const embedding =
        body.encoding_format === 'base64' ? encodeFloatsAsBase64(vector) : [...vector];
      return { object: 'embedding', index, embedding };
    }),
    usage: { prompt_tokens: tokenCount, total_tokens: tokenCount },
  };
}

function readBody(rawBody: unknown): EmbeddingsBody {
  if (!isRecord(rawBody)) throw new ApiError(400, 'Invalid JSON request');
  requireModelName(rawBody['model']);
  const { input } = rawBody;
  if (Array.isArray(input) && input.some((item) => typeof item === 'number' || Array.isArray(item)))
    throw new ApiError(
      400,
      'Token array inputs are not supported. Pass a string or an array of strings.',
    );
  return parseClosed(embeddingsBodySchema, rawBody);
}

function resolveDimensions({ model_spec }: ModelRecord, { dimensions }: EmbeddingsBody): number {
  const modelDimensions = Number(model_spec['embeddingDimensions']);
  if (dimensions === undefined || dimensions === modelDimensions) return modelDimensions;
  if (model_spec['supportsCustomDimensions'] === true && dimensions < modelDimensions)
    return dimensions;
  const message = `dimensions is not supported by this model; it has ${modelDimensions}`;
  throw createInvalidRequestError([createCustomIssue(['dimensions'], message)]);
}

/**
 * Rejects an input that is too long. Estimates slightly fewer tokens than are billed, so that an input near the limit
 * is accepted.
 * @throws ApiError 400 if the input is too long
 */
function checkLength(input: string): void {
  if (Math.ceil((input.length / 3.2) * 0.95) <= maxTokens) return;
  throw new ApiError(400, `Input text exceeds the maximum token limit of ${maxTokens} tokens`);
}
