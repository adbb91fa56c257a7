import * as http from 'node:http';
import * as net from 'node:net';

/** A server on this machine. `await using` closes it with all connections. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Connections accepted so far. */
  readonly connections: () => number;
  /** Resolves when a connection has closed, or immediately if one has closed before. */
  readonly closed: Promise<void>;
}

/** Starts an HTTP server on a free loopback port. */
export const httpServer = (handler: http.RequestListener): Promise<LoopbackServer> =>
  listen(http.createServer(handler));

/**
 * Calls `answer` with each socket after its first bytes, for replies that no HTTP server would
 * send.
 */
export const rawServer = (answer: (socket: net.Socket) => void): Promise<LoopbackServer> =>
  listen(
    net.createServer((socket) => {
      socket.on('error', () => {}).once('data', () => answer(socket));
    }),
  );

/** Starts a Node.js server on a free loopback port. */
export async function listen(server: net.Server): Promise<LoopbackServer> {
  const sockets = new Set<net.Socket>();
  const closed = Promise.withResolvers<void>();
  let connections = 0;
  server.on('connection', (socket: net.Socket) => {
    connections++;
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket);
        closed.resolve();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections: () => connections,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
