import { abortFailure } from '../http/network-failure.ts';
import type { Reply } from '../http/request.ts';

/** What the body of a reply to an image call is: one picture's bytes, JSON, or neither. */
export type ImageBodyKind = 'picture' | 'json' | 'neither';

/** Enough to know each of the picture formats. */
const headLength = 12;

/**
 * Reads as much of a body as it takes to know what it is: its own first bytes decide, whatever its type says, and an
 * empty one reads as JSON. `body` is all of it, and fails at once when `signal` is aborted.
 */
export async function recognise(
  reply: Reply,
  signal: AbortSignal,
): Promise<{ kind: ImageBodyKind; body: AsyncIterable<Uint8Array> }> {
  const rest = reply.body[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (head.length < headLength) {
    const next = await rest.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return { kind: kindOf(head), body: together(head, rest, signal) };
}

function kindOf(head: Uint8Array): ImageBodyKind {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headLength));
  const text = start.toString('latin1');
  if (pictureStarts.some((pattern) => pattern.test(text))) return 'picture';
  return /^(\xef\xbb\xbf)?[\t\n\r ]*([[{]|$)/.test(text) ? 'json' : 'neither';
}

/** PNG, JPEG, WebP. */
const pictureStarts = [/^\x89PNG\r\n/, /^\xff\xd8\xff/, /^RIFF[^]{4}WEBP/];

async function* together(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      if (signal.aborted) throw abortFailure(signal);
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}
