import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import { pause } from '../chat/pace.ts';
import type { World } from '../world.ts';
import { faultyBody } from './faulty-body.ts';

/** Makes the planned faults happen, whatever route was asked for. */
export function injectFaults(app: FastifyInstance, world: World): void {
  app.addHook('preHandler', async (request, reply) => {
    const fault = world.faults.take({
      path: request.url.split('?', 1)[0] ?? '',
      model: modelOf(request.body),
      connectionReused: request.connectionReused,
    });
    request.fault = fault;
    return failAtOnce(request, reply);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { fault } = request;
    if (fault === undefined) return payload;
    const body = faultyBody(bytesOf(payload), fault, request.raw.socket);
    if (body === undefined) return payload;
    reply.removeHeader('content-length');
    if (fault.kind === 'truncated-gzip') reply.header('content-encoding', 'gzip');
    return Readable.from(body, { objectMode: false });
  });
}

/** Faults instead of a reply; the others change the body later. */
async function failAtOnce(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { fault } = request;
  switch (fault?.kind) {
    case 'status':
      return reply
        .code(fault.status)
        .headers(fault.headers ?? {})
        .send(fault.body ?? { error: 'Inference processing failed' });
    case 'delay':
      await pause(fault.ms, request.closed);
      return undefined;
    case 'redirect':
      return reply
        .code(fault.status ?? 307)
        .header('location', fault.to)
        .send('');
    case 'html':
      return reply.type('text/html; charset=utf-8').send('<!doctype html><h1>Please sign in</h1>');
    case 'reset':
      if (fault.afterBytes > 0) return undefined;
      return resetNow(request, reply);
    case 'keep-alive-reset':
      return resetNow(request, reply);
    default:
      return undefined;
  }
}

function resetNow(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}

const modelOf = (body: unknown): string | undefined =>
  isRecord(body) && typeof body['model'] === 'string' ? body['model'] : undefined;

function bytesOf(payload: unknown): AsyncIterable<string | Buffer> {
  if (payload instanceof Readable) return payload;
  return Readable.from([payload ?? ''].filter((each) => each !== '') as (string | Buffer)[]);
}
