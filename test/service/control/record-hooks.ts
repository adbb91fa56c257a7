import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseJson } from '../../../src/base/json.ts';
import type { ApiKey } from '../money/api-key.ts';
import type { ServiceState } from '../service-state.ts';
import type { Fault } from './faults.ts';
import type { RecordedRequest } from './request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    recordedRequest: RecordedRequest;
    /** Signal that is aborted when the client disconnects or the reply is complete. */
    closeSignal: AbortSignal;
    isConnectionReused: boolean;
    fault: Fault | undefined;
    /** True after a script has reset the connection; otherwise undefined. */
    isCutByScript: boolean | undefined;
    key: ApiKey | undefined;
    /** Text of the body that was sent so far. Undefined unless the reply is JSON or a stream of events. */
    sentText: string | undefined;
  }
}

/** Records time, headers, body and outcome of every request. */
export function recordRequests(app: FastifyInstance, state: ServiceState): void {
  const connectionCounter = new ConnectionCounter();
  for (const name of [
    'recordedRequest',
    'closeSignal',
    'isConnectionReused',
    'fault',
    'isCutByScript',
    'key',
    'sentText',
  ]) {
    app.decorateRequest(name, undefined);
  }
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw;
    const connection = connectionCounter.countRequest(socket);
    request.isConnectionReused = connection.requestCount > 1;
    request.recordedRequest = state.log.addRequest({
      method: request.method,
      path: request.url,
      headers: getDefinedHeaders(request),
      connection: connection.id,
      startedAt: Date.now(),
    });
    const initialBytes = socket.bytesWritten;
    const closeController = new AbortController();
    request.closeSignal = closeController.signal;
    reply.raw.once('close', () => {
      closeController.abort();
      const { recordedRequest } = request;
      recordedRequest.closedAt = Date.now();
      recordedRequest.status = reply.raw.statusCode;
      recordedRequest.abortedByClient = !reply.raw.writableFinished && !isIntendedReset(request);
      recordedRequest.bytesSent = socket.bytesWritten - initialBytes;
      state.log.notifyChange();
    });
  });
}

/** Records the body. Must be called before the body is parsed. */
export function recordBody(state: ServiceState, request: FastifyRequest, text: string): void {
  request.recordedRequest.body = parseJson(text) ?? text;
  state.log.notifyChange();
}

/** Returns a callback that records the number of answer tokens sent. */
export const createTokenRecorder =
  ({ recordedRequest }: FastifyRequest) =>
  (tokens: number): void => {
    recordedRequest.tokensSent = tokens;
  };

class ConnectionCounter {
  readonly #connections = new WeakMap<Socket, { readonly id: number; requestCount: number }>();
  #nextId = 1;

  countRequest(socket: Socket): { readonly id: number; readonly requestCount: number } {
    const connection = this.#connections.get(socket) ?? { id: this.#nextId++, requestCount: 0 };
    connection.requestCount += 1;
    this.#connections.set(socket, connection);
    return connection;
  }
}

function getDefinedHeaders({ raw }: FastifyRequest): Record<string, string | string[]> {
  const entries = Object.entries(raw.headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, string | string[]>;
}

const isIntendedReset = ({ fault, isCutByScript }: FastifyRequest): boolean =>
  isCutByScript === true || fault?.kind === 'reset' || fault?.kind === 'keep-alive-reset';
