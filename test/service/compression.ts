import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const smallest = 1024;
const withBrotli = promisify(brotliCompress);
const withGzip = promisify(gzip);

/** The best quality takes seconds for the megabytes of a reply with images. */
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** Compresses larger JSON replies when the client accepts it; streams are never compressed. */
export function compressReplies(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < smallest) return payload;
    const accepted = request.headers['accept-encoding'] ?? '';
    const encoding = /\bbr\b/.test(accepted)
      ? 'br'
      : /\bgzip\b/.test(accepted)
        ? 'gzip'
        : undefined;
    if (encoding === undefined) return payload;
    reply.removeHeader('content-length');
    reply.headers({ 'content-encoding': encoding, vary: 'accept-encoding' });
    return encoding === 'br' ? withBrotli(payload, quick) : withGzip(payload);
  });
}
