import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import {
  type LoopbackPageServer,
  idleProtectionMs,
  startLoopbackPageServer,
} from './page-server.ts';

let clock: ManualClock;
let pageServer: LoopbackPageServer;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  clock = new ManualClock();
  pageServer = await startLoopbackPageServer({
    html: '<title>Page</title>',
    assets: {},
    calls: [],
    respond: async () => 404,
    clock,
    id: 'test',
  });
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  pageServer.dispose();
});

/** Opens a connection that sends only `head`, the start of a request. */
async function openConnection(head = ''): Promise<Socket> {
  const socket = connect(pageServer.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(head);
  return socket;
}

const loadPage = async (): Promise<string> =>
  (await fetch(`http://127.0.0.1:${pageServer.port}/`)).text();

/** Loads the page like a browser that sends its request some time after it opened the connection. */
async function loadPageSlowly(): Promise<string> {
  const socket = await openConnection();
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${pageServer.port}\r\nConnection: close\r\n\r\n`;
  if (!socket.destroyed) socket.write(head);
  let response = '';
  socket.on('data', (data) => (response += String(data)));
  if (!socket.destroyed) await once(socket, 'close');
  return response;
}

test.each([
  ['idle', ''],
  ['incomplete', 'GET / HTTP/1.1\r\nHost: 127'],
  [
    'half-sent',
    'POST /api/x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  ],
])(
  'startLoopbackPageServer serves the page despite many %s connections of other programs',
  async (_kind, head) => {
    for (let count = 0; count < 30; count += 1) await openConnection(head);
    expect(await loadPage()).toBe('<title>Page</title>');
  },
);

test('startLoopbackPageServer closes the oldest idle connections beyond the limit', async () => {
  const [firstSocket] = [await openConnection(), await openConnection()];
  const socketClosed = once(firstSocket, 'close');
  for (let count = 0; count < 6; count += 1) await openConnection();
  await clock.advance(idleProtectionMs);
  await openConnection();
  await socketClosed;
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([firstSocket]);
});

test.each([64, 100, 600])(
  'startLoopbackPageServer serves the page immediately despite %i new connections that stay open',
  async (count) => {
    for (let index = 0; index < count; index += 1) await openConnection();
    expect(await loadPageSlowly()).toContain('<title>Page</title>');
  },
);

test('startLoopbackPageServer closes the oldest of more than 512 new connections', async () => {
  for (let count = 0; count < 512; count += 1) await openConnection();
  const [firstSocket] = sockets;
  if (firstSocket === undefined) throw new Error('No connection was opened.');
  const listClosedIndexes = (): readonly number[] =>
    sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));
  expect(listClosedIndexes()).toEqual([]);
  const socketClosed = once(firstSocket, 'close');
  await openConnection();
  await socketClosed;
  expect(listClosedIndexes()).toEqual([0]);
});

test.each([8, 40, 100])(
  'startLoopbackPageServer serves the page despite %i idle connections that reconnect immediately',
  async (count) => {
    let isOpen = true;
    const reconnect = (): void => {
      if (!isOpen) return;
      const socket = connect(pageServer.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('close', reconnect);
    };
    for (let index = 0; index < count; index += 1) reconnect();
    for (let loadCount = 0; loadCount < 10; loadCount += 1) {
      expect(await loadPageSlowly()).toContain('<title>Page</title>');
      if (loadCount % 2 === 1) await clock.advance(idleProtectionMs);
    }
    isOpen = false;
  },
);

test('startLoopbackPageServer serves the page despite connections that send their request body only after the response', async () => {
  for (let count = 0; count < 8; count += 1) {
    const socket = await openConnection(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${pageServer.port}\r\nContent-Length: 1\r\n\r\n`,
    );
    await once(socket, 'data');
    socket.write('x');
  }
  expect(await loadPage()).toBe('<title>Page</title>');
});
