import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type LoopbackPage, startLoopbackPage } from './page-server.ts';

let page: LoopbackPage;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  page = await startLoopbackPage({
    html: '<title>Page</title>',
    assets: {},
    calls: [],
    respond: async () => 404,
    clock: systemClock,
    id: 'test',
  });
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  page.dispose();
});

/** Opens a connection that sends only `head`. */
async function openConnection(head = ''): Promise<Socket> {
  const socket = connect(page.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(head);
  return socket;
}

const loadPage = async (): Promise<string> =>
  (await fetch(`http://127.0.0.1:${page.port}/`)).text();

test.each([
  ['idle', ''],
  ['incomplete', 'GET / HTTP/1.1\r\nHost: 127'],
  [
    'half-sent',
    'POST /api/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  ],
])('serves the page despite many %s connections of other programs', async (_kind, head) => {
  for (let count = 0; count < 30; count += 1) await openConnection(head);
  expect(await loadPage()).toBe('<title>Page</title>');
});

test('closes the oldest idle connections beyond the limit', async () => {
  const [first] = [await openConnection(), await openConnection()];
  const closed = once(first, 'close');
  for (let count = 0; count < 7; count += 1) await openConnection();
  await closed;
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([first]);
});

test('serves the page despite connections that complete their requests after the response', async () => {
  for (let count = 0; count < 8; count += 1) {
    const socket = await openConnection(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${page.port}\r\nContent-Length: 1\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.write('x');
  }
  expect(await loadPage()).toBe('<title>Page</title>');
});
