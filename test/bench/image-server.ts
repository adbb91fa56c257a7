/**
 * Server that replies to every request with a prepared image. Uses a plain socket, because it has the least overhead.
 * The path starts with the format of the reply and the image size in bytes, a multiple of 4: `/binary/4096/…`,
 * `/json/4096/…` (spec §2.5), `/openai/4096/…` (§4.7). Prints its port.
 */
import { createServer, type Socket } from 'node:net';

const preparedImages = new Map<string, Buffer>();

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => {});
  let requestText = '';
  socket.on('data', (bytes) => {
    requestText += bytes.toString('latin1');
    const [head = '', body] = requestText.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (body === undefined || body.length < length) return;
    requestText = '';
    sendReply(socket, head.split('/').slice(1));
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(address.port);
});
process.on('disconnect', () => process.exit());

function sendReply(socket: Socket, [format = '', size = '']: readonly string[]): void {
  const key = `${format}/${size}`;
  const reply = preparedImages.get(key) ?? prepareResponse(format, Number(size));
  preparedImages.set(key, reply);
  socket.write(reply);
}

function prepareResponse(format: string, byteCount: number): Buffer {
  const imageBytes = createFakePng(byteCount);
  if (format === 'binary') return prependHead('image/png', imageBytes);
  const base64 = imageBytes.toString('base64');
  const reply =
    format === 'openai'
      ? { created: 1_760_000_000, data: [{ b64_json: base64 }] }
      : { id: 'generate-image-1', images: [base64], request: null, timing: { total: 900 } };
  return prependHead('application/json; charset=utf-8', Buffer.from(JSON.stringify(reply)));
}

const prependHead = (type: string, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
    ),
    body,
  ]);

/** Creates bytes that start and end like a PNG image. The content is the same in every run. */
function createFakePng(size: number): Buffer {
  const words = new Uint32Array(size / 4);
  let state = 7;
  for (let index = 0; index < words.length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[index] = state ^ (state >>> 15);
  }
  const bytes = Buffer.from(words.buffer);
  bytes.write('\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\x04\0\0\0\x04\0\b\x02', 'latin1');
  bytes.write('\0\0\0\0IEND\xAEB`\x82', bytes.length - 12, 'latin1');
  return bytes;
}
