import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/base/json.ts';
import { pauseFor } from '../chat/pace.ts';
import type { ServiceState } from '../service-state.ts';
import type { Fault } from './faults.ts';
import { applyBodyFault, createReplacementBody } from './faulty-body.ts';

/** Applies the planned faults to the requests of all routes. */
export function injectFaults(app: FastifyInstance, state: ServiceState): void {
  app.addHook('preHandler', async (request, reply) => {
    const fault = state.faults.takeFault({
      method: request.method,
      path: request.url.split('?', 1)[0] ?? '',
      modelId: getRequestedModel(request.body),
      isConnectionReused: request.isConnectionReused,
    });
    request.fault = fault;
    if (fault?.kind === 'hold' && fault.afterBytes === undefined) {
      await state.scripts.waitForRelease(fault.name, request.closeSignal);
    }
    return replyWithFault(request, reply);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { fault } = request;
    if (fault === undefined) return payload;
    if (fault.kind === 'body') return replaceBody(reply, fault);
    const body = applyBodyFault(toByteStream(payload), fault, {
      socket: request.raw.socket,
      waitForRelease: async (name) => {
        reply.raw.flushHeaders();
        await state.scripts.waitForRelease(name, request.closeSignal);
      },
    });
    if (body === undefined) return payload;
    reply.removeHeader('content-length');
    if (fault.kind === 'hold') setContentLength(reply, payload);
    if (fault.kind === 'truncated-gzip') reply.header('content-encoding', 'gzip');
    return Readable.from(body, { objectMode: false });
  });
}

/**
 * Sends a reply if the planned fault replaces the complete reply. Faults of other kinds change the body later, when it
 * is sent.
 */
async function replyWithFault(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { fault } = request;
  switch (fault?.kind) {
    case 'status':
      return reply
        .code(fault.status)
        .headers(fault.headers ?? {})
        .send(fault.body ?? { error: 'Inference processing failed' });
    case 'delay':
      await pauseFor(fault.ms, request.closeSignal);
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
      return resetConnection(request, reply);
    case 'keep-alive-reset':
      return resetConnection(request, reply);
    default:
      return undefined;
  }
}

function resetConnection(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack();
  request.raw.socket.resetAndDestroy();
  return reply;
}

function replaceBody(reply: FastifyReply, fault: Fault & { kind: 'body' }): Buffer {
  for (const name of ['content-length', 'content-encoding']) reply.removeHeader(name);
  reply.headers(fault.headers ?? {});
  if (fault.contentType !== undefined) reply.header('content-type', fault.contentType);
  return createReplacementBody(fault);
}

function setContentLength(reply: FastifyReply, payload: unknown): void {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return;
  reply.header('content-length', Buffer.byteLength(payload));
}

function getRequestedModel(body: unknown): string | undefined {
  const name = isRecord(body) ? (body['model'] ?? body['modelId']) : undefined;
  return typeof name === 'string' ? name : undefined;
}

function toByteStream(payload: unknown): AsyncIterable<string | Buffer> {
  if (payload instanceof Readable) return payload;
  return Readable.from([payload ?? ''].filter((chunk) => chunk !== '') as (string | Buffer)[]);
}
