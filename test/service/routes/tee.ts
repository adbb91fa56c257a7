import type { FastifyInstance } from 'fastify';
import { optionalKey } from '../auth.ts';
import { Problem } from '../problem.ts';
import { customIssue, invalidRequest, requireModel } from '../validation.ts';
import type { World } from '../world.ts';

/** `GET /tee/attestation`. A key is optional, but must be right when given. */
export function teeRoutes(app: FastifyInstance, world: World): void {
  app.get('/tee/attestation', async (request, reply) => {
    optionalKey(world, request, reply);
    const { model, nonce = '' } = request.query as { model?: string; nonce?: string };
    requireModel(model);
    if (!/^[0-9a-f]{64}$/iu.test(nonce)) {
      throw invalidRequest([customIssue(['nonce'], 'Must be 64 hexadecimal digits')]);
    }
    const { capabilities, record } = world.catalogue.findText(model ?? '');
    if (!capabilities.supportsTeeAttestation && !capabilities.supportsE2EE) {
      throw new Problem(400, 'This model does not run in an enclave');
    }
    return world.enclave.attest(record.id, nonce.toLowerCase());
  });
}
