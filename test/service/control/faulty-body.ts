import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Fault } from './faults.ts';
import { resetSocket } from './reset-socket.ts';

type ByteStream = AsyncIterable<string | Buffer>;

/** Returns the body with the changes of the fault. Returns undefined if this kind of fault does not change the body. */
export function applyBodyFault(
  body: ByteStream,
  fault: Fault,
  { socket, waitForRelease }: { socket: Socket; waitForRelease: (name: string) => Promise<void> },
): ByteStream | undefined {
  switch (fault.kind) {
    case 'hold':
      if (fault.afterBytes === undefined) return undefined;
      return holdBodyAfter(body, fault.afterBytes, () => waitForRelease(fault.name));
    case 'drip':
      return sendSlowly(body, fault);
    case 'reset':
      return cutBodyAfter(body, fault.afterBytes, () => resetSocket(socket));
    case 'end':
      return cutBodyAfter(body, fault.afterBytes);
    case 'bad-json':
      return insertEvent(
        body,
        fault.afterEvents,
        'data: {"id":"chatcmpl-1","choices":[{"index":0,\n\n',
      );
    case 'error-event':
      return replaceRemainingEvents(body, fault.afterEvents, formatErrorEvent(fault));
    case 'no-done':
      return omitDoneEvent(body);
    case 'stay-open':
      return leaveConnectionOpen(body, socket);
    case 'huge-event':
      return insertEvent(body, fault.afterEvents, createHugeEvent(fault.bytes));
    case 'truncated-gzip':
      return truncateGzip(body);
    default:
      return undefined;
  }
}

/** Returns the body that a fault of the kind `body` sends in place of the reply's body. */
export function createReplacementBody({
  base64,
  text = '',
  size = 0,
}: Fault & { kind: 'body' }): Buffer {
  const content = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  if (content.length >= size) return content;
  const noise = new Uint32Array(Math.ceil((size - content.length) / 4));
  let randomState = 1;
  for (let index = 0; index < noise.length; index++) {
    randomState = (Math.imul(randomState, 1_664_525) + 1_013_904_223) >>> 0;
    noise[index] = randomState;
  }
  return Buffer.concat([content, Buffer.from(noise.buffer)]).subarray(0, size);
}

async function* holdBodyAfter(
  body: ByteStream,
  size: number,
  waitForRelease: () => Promise<void>,
): FaultyBytes {
  let remainingBytes = size;
  let releasePromise: Promise<void> | undefined;
  for await (const chunk of toBuffers(body)) {
    const allowedBytes = chunk.subarray(0, remainingBytes);
    remainingBytes -= allowedBytes.length;
    if (allowedBytes.length > 0) yield allowedBytes;
    if (allowedBytes.length === chunk.length) continue;
    await (releasePromise ??= waitForRelease());
    yield chunk.subarray(allowedBytes.length);
  }
}

async function* sendSlowly(
  body: ByteStream,
  { bytes, everyMs }: { bytes: number; everyMs: number },
): FaultyBytes {
  for await (const chunk of toBuffers(body)) {
    for (let offset = 0; offset < chunk.length; offset += bytes) {
      yield chunk.subarray(offset, offset + bytes);
      await delay(everyMs);
    }
  }
}

type FaultyBytes = AsyncGenerator<string | Buffer>;

async function* cutBodyAfter(
  body: ByteStream,
  size: number,
  onEnd?: () => Promise<void>,
): FaultyBytes {
  let remainingBytes = size;
  for await (const chunk of toBuffers(body)) {
    yield chunk.subarray(0, remainingBytes);
    remainingBytes -= chunk.length;
    if (remainingBytes <= 0) break;
  }
  await onEnd?.();
}

async function* insertEvent(body: ByteStream, precedingEventCount = 1, event: string): FaultyBytes {
  let eventCount = 0;
  for await (const originalEvent of splitEvents(body)) {
    if (eventCount++ === precedingEventCount) yield event;
    yield originalEvent;
  }
}

async function* replaceRemainingEvents(
  body: ByteStream,
  precedingEventCount = 1,
  event: string,
): FaultyBytes {
  let eventCount = 0;
  for await (const originalEvent of splitEvents(body)) {
    if (eventCount++ === precedingEventCount) break;
    yield originalEvent;
  }
  yield event;
  yield 'data: [DONE]\n\n';
}

async function* omitDoneEvent(body: ByteStream): FaultyBytes {
  for await (const event of splitEvents(body)) {
    if (event !== 'data: [DONE]\n\n') yield event;
  }
}

async function* leaveConnectionOpen(body: ByteStream, socket: Socket): FaultyBytes {
  yield* body;
  if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
}

async function* truncateGzip(body: ByteStream): FaultyBytes {
  const bodyChunks: Buffer[] = [];
  for await (const chunk of toBuffers(body)) bodyChunks.push(chunk);
  const compressedBody = gzipSync(Buffer.concat(bodyChunks));
  yield compressedBody.subarray(0, Math.floor(compressedBody.length / 2));
}

function formatErrorEvent({ shape, message, code }: Fault & { kind: 'error-event' }): string {
  const text = message ?? 'The model is currently overloaded. Please try again later.';
  const details = {
    message: text,
    type: 'server_error',
    code: code ?? 'model_overloaded',
    param: null,
  };
  const eventLine = shape === 'named' ? 'event: error\n' : '';
  const data = { error: shape === 'string' ? text : details };
  return `${eventLine}data: ${JSON.stringify(data)}\n\n`;
}

function createHugeEvent(byteCount: number): string {
  const choice = { index: 0, delta: { content: 'x'.repeat(byteCount) }, finish_reason: null };
  return `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] })}\n\n`;
}

async function* toBuffers(body: ByteStream): AsyncGenerator<Buffer> {
  for await (const chunk of body) yield Buffer.from(chunk);
}

/** Splits a body into server-sent events, each including its blank line. */
async function* splitEvents(body: ByteStream): AsyncGenerator<string> {
  let pendingText = '';
  for await (const chunk of body) {
    const eventTexts = (pendingText + chunk.toString()).split('\n\n');
    pendingText = eventTexts.pop() ?? '';
    for (const eventText of eventTexts) yield `${eventText}\n\n`;
  }
  if (pendingText !== '') yield pendingText;
}
