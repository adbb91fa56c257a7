import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import type { FastifyError, FastifyReply } from 'fastify';
import { ApiError } from './api-error.ts';
import { createCommonHeaders } from './common-headers.ts';
import type { ServiceState } from './service-state.ts';

/** Converts an error of Fastify to an error in the service's format. */
export function toApiError(error: FastifyError): ApiError {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(413, { code: 'PAYLOAD_TOO_LARGE', error: 'Request body is too large' });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError(415, 'Invalid request content-type');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError(400, 'Invalid HTTP request');
    default:
      return new ApiError(500, 'Inference processing failed');
  }
}

const maxDrainedBytes = 256 * 1024 * 1024;

/**
 * Reads and discards the rest of a request body. Otherwise, closing the connection would reset it, and the client would
 * not receive the reply.
 */
export async function drainRequest(request: IncomingMessage): Promise<void> {
  let drainedBytes = 0;
  request.on('data', (bytes: Buffer) => {
    drainedBytes += bytes.length;
    if (drainedBytes > maxDrainedBytes) request.destroy();
  });
  request.resume();
  await finished(request).catch(() => undefined);
}

/**
 * Replies to a request whose URL path is not valid percent-encoding or has a parameter that is too long. Fastify calls
 * neither hooks nor error handlers for such requests.
 */
export function replyToInvalidUrl(
  state: ServiceState,
  error: FastifyError,
  reply: FastifyReply,
): void {
  const { status, body } =
    error.code === 'FST_ERR_BAD_URL'
      ? new ApiError(400, 'Invalid URL')
      : new ApiError(404, 'Not found');
  void reply.code(status).headers(createCommonHeaders(state, status)).send(body);
}

/** Replies to bytes that are not an HTTP request, and closes the connection. */
export function replyToInvalidRequest(socket: Socket): void {
  const body = JSON.stringify({ error: 'Invalid HTTP request' });
  const headers = [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  if (socket.writable) socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
  else socket.destroy();
}
