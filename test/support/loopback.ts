import * as http from 'node:http';
import * as net from 'node:net';

/** A server on the loopback address. Disposal closes the server and all connections. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Returns the number of connections accepted since the start. */
  readonly countConnections: () => number;
  /** Promise that resolves when the first connection has closed. */
  readonly closePromise: Promise<void>;
}

/** Starts an HTTP server on a free loopback port. */
export const startHttpServer = (handler: http.RequestListener): Promise<LoopbackServer> =>
  listenOnLoopback(http.createServer(handler));

/**
 * Starts a TCP server on a free loopback port. Calls `answer` with the socket when the first bytes of a connection
 * arrive. Use this for replies that Node's HTTP server cannot send.
 */
export const startRawServer = (answer: (socket: net.Socket) => void): Promise<LoopbackServer> =>
  listenOnLoopback(
    net.createServer((socket) => {
      socket.on('error', () => {}).once('data', () => answer(socket));
    }),
  );

/** Starts a Node.js server on a free loopback port. */
export async function listenOnLoopback(server: net.Server): Promise<LoopbackServer> {
  const sockets = new Set<net.Socket>();
  const closeResolvers = Promise.withResolvers<void>();
  let connectionCount = 0;
  server.on('connection', (socket: net.Socket) => {
    connectionCount++;
    sockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket);
        closeResolvers.resolve();
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    countConnections: () => connectionCount,
    closePromise: closeResolvers.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
