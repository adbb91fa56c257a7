import * as net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnLoopback } from '../../../test/support/loopback.ts';
import { SpareConnections } from './spare-connections.ts';

test('SpareConnections uses a spare connection for one request only, even if the request arrives while the connection is being opened', async () => {
  const { spareConnections, url, connect, countConnections } = await startServer();
  const firstSocket = await connect();
  spareConnections.openSpareConnection(url);
  spareConnections.openSpareConnection(url);
  const [secondSocket, thirdSocket] = await Promise.all([connect(), connect()]);
  expect(new Set([firstSocket, secondSocket, thirdSocket]).size).toBe(3);
  expect(countConnections()).toBe(3);
});

test('SpareConnections opens no spare connection for an unknown origin or an HTTP/2 origin', async () => {
  const { spareConnections, url, connect, countConnections } = await startServer({
    alpnProtocol: 'h2',
  });
  spareConnections.openSpareConnection(url);
  await connect();
  spareConnections.openSpareConnection(url);
  spareConnections.openSpareConnection(new URL('http://127.0.0.1:9/'));
  expect(countConnections()).toBe(1);
});

test('SpareConnections rejects with the error of a connection that fails to open', async () => {
  const { connect, stop } = await startServer();
  await stop();
  await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('SpareConnections opens a new connection after a spare connection failed to open', async () => {
  const { spareConnections, url, connect, stop } = await startServer();
  await connect();
  await stop();
  spareConnections.openSpareConnection(url);
  await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each<[string, (socket: net.Socket) => void]>([
  ['closed', (socket) => socket.end()],
  ['reset', (socket) => socket.resetAndDestroy()],
  ['sent data to', (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n')],
])(
  'SpareConnections replaces a spare connection that the server has %s',
  async (_description, breakConnection) => {
    const { spareConnections, url, connect, waitForConnection, countConnections, waitForClose } =
      await startServer();
    await connect();
    spareConnections.openSpareConnection(url);
    breakConnection(await waitForConnection(2));
    await waitForClose(2);
    expect((await connect()).destroyed).toBe(false);
    expect(countConnections()).toBe(3);
  },
);

test('SpareConnections closes a spare connection after the idle timeout and opens another on request', async () => {
  const { spareConnections, url, connect, waitForClose, countConnections } = await startServer({
    keepMs: 20,
  });
  await connect();
  spareConnections.openSpareConnection(url);
  await waitForClose(2);
  spareConnections.openSpareConnection(url);
  expect(countConnections()).toBe(3);
});

test('SpareConnections does not close a connection in use after the idle timeout', async () => {
  const { spareConnections, url, connect, waitForClose } = await startServer({ keepMs: 20 });
  await connect();
  spareConnections.openSpareConnection(url);
  const connectionInUse = await connect();
  spareConnections.openSpareConnection(url);
  // The second spare connection is newer, so the timeout of the connection in use has passed, too.
  await waitForClose(3);
  expect(connectionInUse.destroyed).toBe(false);
});

test('SpareConnections.close closes the spare connection and prevents further spare connections', async () => {
  const { spareConnections, url, connect, waitForClose, countConnections } = await startServer();
  await connect();
  spareConnections.openSpareConnection(url);
  spareConnections.close();
  await waitForClose(2);
  spareConnections.openSpareConnection(url);
  expect(countConnections()).toBe(2);
});

/** Starts a server and returns its connections, numbered from 1 in opening order. */
async function startServer({
  alpnProtocol,
  keepMs = 10_000,
}: { alpnProtocol?: string; keepMs?: number } = {}) {
  const sockets: net.Socket[] = [];
  const peerResolvers: PromiseWithResolvers<net.Socket>[] = [];
  const getPeer = (connectionIndex: number): PromiseWithResolvers<net.Socket> =>
    (peerResolvers[connectionIndex] ??= Promise.withResolvers<net.Socket>());
  let arrivedCount = 0;
  const server = await listenOnLoopback(
    net.createServer((socket) => {
      getPeer(++arrivedCount).resolve(socket.on('error', () => {}));
    }),
  );
  const stopServer = (): Promise<void> => Promise.resolve(server[Symbol.asyncDispose]());
  const spareConnections = new SpareConnections((_options, callback) => {
    const socket = net.connect(server.port, '127.0.0.1');
    if (alpnProtocol !== undefined) Object.assign(socket, { alpnProtocol });
    sockets.push(socket);
    socket
      .once('connect', () => callback(null, socket))
      .once('error', (error) => callback(error, null));
  }, keepMs);
  let isStopped = false;
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    if (!isStopped) await stopServer();
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    spareConnections,
    url: new URL(`http://${host}/api`),
    connect: () =>
      new Promise<net.Socket>((resolve, reject) => {
        const options = {
          hostname: '127.0.0.1',
          host,
          protocol: 'http:',
          port: String(server.port),
        };
        spareConnections.connect(options, (error, socket) =>
          error === null ? resolve(socket) : reject(error),
        );
      }),
    countConnections: () => sockets.length,
    waitForConnection: (index: number) => getPeer(index).promise,
    /** Resolves when the connection with the given number has closed. */
    waitForClose: async (index: number) => {
      const socket = sockets[index - 1]!;
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    },
    stop: () => {
      isStopped = true;
      return stopServer();
    },
  };
}
