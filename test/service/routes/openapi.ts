import type { FastifyInstance } from 'fastify';
import type { Json } from '../../../src/base/json.ts';
import type { ServiceState } from '../service-state.ts';

/** Adds `GET /doc/api/swagger.yaml`, which is not below the base URL. */
export function addOpenApiRoutes(app: FastifyInstance, { naming }: ServiceState): void {
  app.get('/doc/api/swagger.yaml', async (_, reply) => {
    const [{ createDocument }, { toYaml }] = await Promise.all([
      import('../openapi/document.ts'),
      import('../openapi/yaml.ts'),
    ]);
    reply.type('application/yaml; charset=utf-8');
    return toYaml(createDocument(naming) as unknown as Json);
  });
}
