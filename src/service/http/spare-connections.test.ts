import * as net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../test/support/loopback.ts';
import { SpareConnections } from './spare-connections.ts';

test('gives the spare connection, also while it is being opened, and each once', async () => {
  const { spares, url, connect, opened } = await world();
  const first = await connect();
  spares.openAhead(url);
  spares.openAhead(url);
  const [second, third] = await Promise.all([connect(), connect()]);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(opened()).toBe(3);
});

test('opens none for an origin that was not asked, or where requests share a connection', async () => {
  const { spares, url, connect, opened } = await world({ alpnProtocol: 'h2' });
  spares.openAhead(url);
  await connect();
  spares.openAhead(url);
  spares.openAhead(new URL('http://127.0.0.1:9/'));
  expect(opened()).toBe(1);
});

test('passes on why no connection could be opened', async () => {
  const { connect, stop } = await world();
  await stop();
  await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('keeps nothing of a spare connection that could not be opened', async () => {
  const { spares, url, connect, stop } = await world();
  await connect();
  await stop();
  spares.openAhead(url);
  await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each<[string, (socket: net.Socket) => void]>([
  ['closed', (socket) => socket.end()],
  ['reset', (socket) => socket.resetAndDestroy()],
  ['said something', (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n')],
])('does not give one that the other side has %s', async (_what, spoil) => {
  const { spares, url, connect, accepted, opened, gone } = await world();
  await connect();
  spares.openAhead(url);
  spoil(await accepted(2));
  await gone(2);
  expect((await connect()).destroyed).toBe(false);
  expect(opened()).toBe(3);
});

test('closes one that nobody wants for long, and opens another when asked again', async () => {
  const { spares, url, connect, gone, opened } = await world({ keepMs: 20 });
  await connect();
  spares.openAhead(url);
  await gone(2);
  spares.openAhead(url);
  expect(opened()).toBe(3);
});

test('a connection that was given stays open however long nothing is said', async () => {
  const { spares, url, connect, gone } = await world({ keepMs: 20 });
  await connect();
  spares.openAhead(url);
  const given = await connect();
  spares.openAhead(url);
  // The next spare is younger, so the time of the one that was given is over, too.
  await gone(3);
  expect(given.destroyed).toBe(false);
});

test('closes the spare connection with the others, and opens none afterwards', async () => {
  const { spares, url, connect, gone, opened } = await world();
  await connect();
  spares.openAhead(url);
  spares.close();
  await gone(2);
  spares.openAhead(url);
  expect(opened()).toBe(2);
});

/** A server, and connections to it that are counted from 1 in the order they are opened. */
async function world({
  alpnProtocol,
  keepMs = 10_000,
}: { alpnProtocol?: string; keepMs?: number } = {}) {
  const sockets: net.Socket[] = [];
  const peers: PromiseWithResolvers<net.Socket>[] = [];
  const peer = (at: number): PromiseWithResolvers<net.Socket> =>
    (peers[at] ??= Promise.withResolvers<net.Socket>());
  let arrived = 0;
  const server = await listen(
    net.createServer((socket) => {
      peer(++arrived).resolve(socket.on('error', () => {}));
    }),
  );
  const stop = (): Promise<void> => Promise.resolve(server[Symbol.asyncDispose]());
  const spares = new SpareConnections((_options, callback) => {
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
    if (!isStopped) await stop();
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    spares,
    url: new URL(`http://${host}/api`),
    connect: () =>
      new Promise<net.Socket>((resolve, reject) => {
        const options = {
          hostname: '127.0.0.1',
          host,
          protocol: 'http:',
          port: String(server.port),
        };
        spares.connect(options, (error, socket) =>
          error === null ? resolve(socket) : reject(error),
        );
      }),
    opened: () => sockets.length,
    accepted: (at: number) => peer(at).promise,
    /** Resolves when that connection is closed. */
    gone: async (at: number) => {
      const socket = sockets[at - 1]!;
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
    },
    stop: () => {
      isStopped = true;
      return stop();
    },
  };
}
