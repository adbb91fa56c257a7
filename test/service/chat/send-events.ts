import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { resetSocket } from '../control/reset-socket.ts';
import { ApiError } from '../api-error.ts';
import { type RawBytes, StreamCut, StreamFailure } from './reply.ts';

/** Sends the events of a stream. Resets the connection if a script ends the reply with `reset`. */
export function sendEvents(
  events: AsyncIterable<string>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
  return reply.send(Readable.from(resetConnectionOnCut(events, request)));
}

async function* resetConnectionOnCut(
  events: AsyncIterable<string>,
  request: FastifyRequest,
): AsyncGenerator<string> {
  try {
    for await (const event of events) {
      request.sentText = (request.sentText ?? '') + event;
      yield event;
    }
  } catch (error) {
    if (!(error instanceof StreamCut)) throw error;
    request.isCutByScript = true;
    await resetSocket(request.raw.socket);
  }
}

/**
 * Collects all chunks of a reply, for a request without streaming.
 * @throws ApiError if a fault or a script fails the stream or ends it early
 */
export async function collectChunks<C extends object>(
  chunks: AsyncIterable<C | RawBytes>,
): Promise<C[]> {
  try {
    const collectedChunks = await Array.fromAsync(chunks);
    return collectedChunks.filter((chunk): chunk is C => !('raw' in chunk));
  } catch (error) {
    if (error instanceof StreamFailure || error instanceof StreamCut)
      throw new ApiError(500, 'Inference processing failed');
    throw error;
  }
}
