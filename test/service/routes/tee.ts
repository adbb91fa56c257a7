import type { FastifyInstance } from 'fastify';
import { readOptionalKey } from '../auth.ts';
import { ApiError } from '../api-error.ts';
import { createCustomIssue, createInvalidRequestError, requireModelName } from '../validation.ts';
import type { ServiceState } from '../service-state.ts';

/** Adds `GET /tee/attestation`. Requests need no key, but a key in a request must be valid. */
export function addTeeRoutes(app: FastifyInstance, state: ServiceState): void {
  app.get('/tee/attestation', async (request, reply) => {
    readOptionalKey(state, request, reply);
    const { model, nonce = '' } = request.query as { model?: string; nonce?: string };
    requireModelName(model);
    if (!/^[0-9a-f]{64}$/iu.test(nonce)) {
      throw createInvalidRequestError([
        createCustomIssue(['nonce'], 'Must be 64 hexadecimal digits'),
      ]);
    }
    const { capabilities, record } = state.catalog.findTextModel(model ?? '');
    if (!capabilities.supportsTeeAttestation && !capabilities.supportsE2EE) {
      throw new ApiError(400, 'This model does not run in an enclave');
    }
    return state.enclave.createAttestation(record.id, nonce.toLowerCase());
  });
}
