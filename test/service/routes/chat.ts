import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireKey } from '../auth.ts';
import { type ChatCall, readCall } from '../chat/call.ts';
import { type Chunk, joinChunks } from '../chat/chunks.ts';
import { eventStream } from '../chat/event-stream.ts';
import { checkCall } from '../chat/gates.ts';
import { chunksOf, planReply, type RawBytes, StreamCut, StreamFailure } from '../chat/reply.ts';
import { forward } from '../chat/upstream.ts';
import { resetSocket } from '../control/reset-socket.ts';
import { modelHeaders } from '../model-headers.ts';
import type { ApiKey } from '../money/accounts.ts';
import { Problem } from '../problem.ts';
import type { World } from '../world.ts';

/** `POST /chat/completions`. */
export function chatRoutes(app: FastifyInstance, world: World): void {
  app.post('/chat/completions', async (request, reply) => {
    const key = requireKey(world, request, reply);
    const call = readCall(request.body, {
      words: world.words,
      catalogue: world.catalogue,
      seed: world.options.seed,
    });
    admit(world, { call, key, reply });
    const { upstream } = world.options;
    if (upstream !== undefined) return forward(world, { call, key, request, reply, upstream });
    return respond(world, { call, key, request, reply });
  });
}

interface Exchange {
  readonly call: ChatCall;
  readonly key: ApiKey;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function admit(world: World, { call, key, reply }: Omit<Exchange, 'request'>): void {
  checkCall(call);
  world.accounts.requireFunds(key);
  const { record, tier } = call.model;
  const now = world.clock.now();
  reply.headers(world.limits.take({ keyId: key.id, model: record.id, tier, now }));
  reply.headers(modelHeaders(world.words, record));
}

async function respond(world: World, { call, key, request, reply }: Exchange): Promise<unknown> {
  const plan = await planReply(world, call, request.closed);
  const chunks = chunksOf(world, { call, plan, key });
  if (call.body.stream !== true) return wholeReply(world, chunks);
  reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache');
  const shown = call.settings.include_search_results_in_stream;
  const events = eventStream(chunks, world.words, shown);
  return reply.send(Readable.from(untilReset(events, request)));
}

/** Resets the connection where a script says so. */
async function* untilReset(
  events: AsyncIterable<string>,
  request: FastifyRequest,
): AsyncGenerator<string> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof StreamCut)) throw error;
    request.cutByScript = true;
    await resetSocket(request.raw.socket);
  }
}

async function wholeReply(world: World, chunks: AsyncIterable<Chunk | RawBytes>): Promise<unknown> {
  try {
    const all = await Array.fromAsync(chunks);
    return world.words.fromNeutral(
      joinChunks(all.filter((each): each is Chunk => !('raw' in each))),
    );
  } catch (error) {
    if (error instanceof StreamFailure || error instanceof StreamCut)
      throw new Problem(500, 'Inference processing failed');
    throw error;
  }
}
