import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Fault } from './faults.ts';
import { resetSocket } from './reset-socket.ts';

type Bytes = AsyncIterable<string | Buffer>;

/** Applies a fault to the bytes of a body; `undefined` when the fault leaves bodies unchanged. */
export function applyBodyFault(
  body: Bytes,
  fault: Fault,
  { socket, held }: { socket: Socket; held: (name: string) => Promise<void> },
): Bytes | undefined {
  switch (fault.kind) {
    case 'hold':
      if (fault.afterBytes === undefined) return undefined;
      return hold(body, fault.afterBytes, () => held(fault.name));
    case 'drip':
      return drip(body, fault);
    case 'reset':
      return cut(body, fault.afterBytes, () => resetSocket(socket));
    case 'end':
      return cut(body, fault.afterBytes);
    case 'bad-json':
      return insert(body, fault.afterEvents, 'data: {"id":"chatcmpl-1","choices":[{"index":0,\n\n');
    case 'error-event':
      return replaceRest(body, fault.afterEvents, errorEvent(fault));
    case 'no-done':
      return withoutDone(body);
    case 'stay-open':
      return stayOpen(body, socket);
    case 'huge-event':
      return insert(body, fault.afterEvents, hugeEvent(fault.bytes));
    case 'truncated-gzip':
      return truncatedGzip(body);
    default:
      return undefined;
  }
}

/** Returns the body that a fault sends instead of the reply's. */
export function replacementBody({ base64, text = '', size = 0 }: Fault & { kind: 'body' }): Buffer {
  const given = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  if (given.length >= size) return given;
  const noise = new Uint32Array(Math.ceil((size - given.length) / 4));
  let state = 1;
  for (let index = 0; index < noise.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise[index] = state;
  }
  return Buffer.concat([given, Buffer.from(noise.buffer)]).subarray(0, size);
}

async function* hold(body: Bytes, size: number, release: () => Promise<void>): FaultyBytes {
  let left = size;
  let released: Promise<void> | undefined;
  for await (const chunk of buffers(body)) {
    const early = chunk.subarray(0, left);
    left -= early.length;
    if (early.length > 0) yield early;
    if (early.length === chunk.length) continue;
    await (released ??= release());
    yield chunk.subarray(early.length);
  }
}

async function* drip(
  body: Bytes,
  { bytes, everyMs }: { bytes: number; everyMs: number },
): FaultyBytes {
  for await (const chunk of buffers(body)) {
    for (let at = 0; at < chunk.length; at += bytes) {
      yield chunk.subarray(at, at + bytes);
      await delay(everyMs);
    }
  }
}

type FaultyBytes = AsyncGenerator<string | Buffer>;

async function* cut(body: Bytes, size: number, then?: () => Promise<void>): FaultyBytes {
  let left = size;
  for await (const chunk of buffers(body)) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) break;
  }
  await then?.();
}

async function* insert(body: Bytes, afterEvents = 1, event: string): FaultyBytes {
  let seen = 0;
  for await (const original of events(body)) {
    if (seen++ === afterEvents) yield event;
    yield original;
  }
}

async function* replaceRest(body: Bytes, afterEvents = 1, event: string): FaultyBytes {
  let seen = 0;
  for await (const original of events(body)) {
    if (seen++ === afterEvents) break;
    yield original;
  }
  yield event;
  yield 'data: [DONE]\n\n';
}

async function* withoutDone(body: Bytes): FaultyBytes {
  for await (const event of events(body)) {
    if (event !== 'data: [DONE]\n\n') yield event;
  }
}

async function* stayOpen(body: Bytes, socket: Socket): FaultyBytes {
  yield* body;
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
}

async function* truncatedGzip(body: Bytes): FaultyBytes {
  const whole: Buffer[] = [];
  for await (const chunk of buffers(body)) whole.push(chunk);
  const packed = gzipSync(Buffer.concat(whole));
  yield packed.subarray(0, Math.floor(packed.length / 2));
}

function errorEvent({ shape, message, code }: Fault & { kind: 'error-event' }): string {
  const text = message ?? 'The model is currently overloaded. Please try again later.';
  const details = {
    message: text,
    type: 'server_error',
    code: code ?? 'model_overloaded',
    param: null,
  };
  const prefix = shape === 'named' ? 'event: error\n' : '';
  const data = { error: shape === 'string' ? text : details };
  return `${prefix}data: ${JSON.stringify(data)}\n\n`;
}

function hugeEvent(bytes: number): string {
  const choice = { index: 0, delta: { content: 'x'.repeat(bytes) }, finish_reason: null };
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] })}\n\n`;
}

async function* buffers(body: Bytes): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk);
}

/** Splits a body into server-sent events, each with its blank line. */
async function* events(body: Bytes): AsyncGenerator<string> {
  let pending = '';
  for await (const chunk of body) {
    const parts = (pending + chunk.toString()).split('\n\n');
    pending = parts.pop() ?? '';
    for (const part of parts) yield `${part}\n\n`;
  }
  if (pending !== '') yield pending;
}
