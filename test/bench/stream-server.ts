/**
 * Server that replies to every chat request with a prepared reply. Uses a plain socket, because it has the least
 * overhead. The path selects the reply: `/<deltas>/<largest chunk>/…` sends it immediately, `/paced/<deltas>/<per
 * second>/…` at the given number of deltas per second. Prints its port.
 */
import { createServer, type Socket } from 'node:net';

const words = [
  'Der ',
  'quick ',
  'brown ',
  '狐が',
  'jumps ',
  'over ',
  'the ',
  'lazy ',
  'dög. ',
  '🙂 ',
];
const preparedStreams = new Map<string, Buffer>();

const server = createServer((socket) => {
  socket.setNoDelay(true).on('error', () => {});
  let requestText = '';
  socket.on('data', (bytes) => {
    requestText += bytes.toString('latin1');
    const [head = '', body] = requestText.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (body === undefined || body.length < length) return;
    requestText = '';
    answerRequest(socket, head.split('/').slice(1));
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(address.port);
});
process.on('disconnect', () => process.exit());

const replyHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n';

function answerRequest(
  socket: Socket,
  [firstSegment = '', secondSegment = '', thirdSegment = '']: readonly string[],
): void {
  if (firstSegment === 'paced')
    return sendAtPace(socket, Number(secondSegment), Number(thirdSegment));
  const key = `${firstSegment}/${secondSegment}`;
  const reply =
    preparedStreams.get(key) ?? prepareStream(Number(firstSegment), Number(secondSegment));
  preparedStreams.set(key, reply);
  socket.write(reply);
}

function sendAtPace(socket: Socket, deltaCount: number, deltasPerSecond: number): void {
  const start = performance.now();
  let sentCount = 0;
  socket.write(replyHead);
  const timer = setInterval(() => {
    for (
      ;
      sentCount < ((performance.now() - start) * deltasPerSecond) / 1_000 && sentCount < deltaCount;
      sentCount++
    ) {
      const sentAt = performance.timeOrigin + performance.now();
      socket.write(encodeChunk(Buffer.from(formatEvent(sentCount, `${sentAt} `))));
    }
    if (sentCount < deltaCount) return;
    clearInterval(timer);
    socket.write(
      Buffer.concat([encodeChunk(Buffer.from('data: [DONE]\n\n')), Buffer.from('0\r\n\r\n')]),
    );
  }, 1);
}

function prepareStream(deltaCount: number, maxChunkSize: number): Buffer {
  const events = Array.from({ length: deltaCount }, (_, index) =>
    formatEvent(index, words[index % words.length] ?? ''),
  );
  const bytes = Buffer.from(`${events.join('')}data: [DONE]\n\n`);
  const random = createRandom(7);
  const chunks: Buffer[] = [Buffer.from(replyHead)];
  for (let offset = 0; offset < bytes.length;) {
    const size = 1 + Math.floor(random() * maxChunkSize);
    chunks.push(encodeChunk(bytes.subarray(offset, offset + size)));
    offset += size;
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

function formatEvent(index: number, content: string): string {
  const chunk = {
    id: 'chatcmpl-0123456789abcdef0123456789abcdef',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'bench-model-70b-instruct',
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content },
        finish_reason: null,
        logprobs: null,
        n: index,
      },
    ],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

const encodeChunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Creates a Park–Miller random number generator. The chunks therefore have the same sizes in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
