import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { parseJson } from '../../base/json.ts';
import { maxBodyBytes, secretHeader, secretPattern, serverIdHeader } from './protocol.ts';

/** Values of the `Host` and `Origin` headers that the server accepts. Requests with other values are rejected. */
export interface AllowedSources {
  /** Accepted values of the `Host` header in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Accepted values of the `Origin` header. */
  readonly origins: ReadonlySet<string>;
}

type RequestHead = Pick<IncomingMessage, 'method' | 'rawHeaders'>;

/** Kind of a path: the page itself, a file that the page loads, or a call by the page's script. */
export type RouteKind = 'document' | 'asset' | 'call';

/**
 * Returns the status with which to reject a request; `undefined` if the request is allowed. 421: host of another
 * server, as after DNS rebinding. 405: method not allowed. 403: the request is not from the extension's page. 415: a
 * content type that an HTML form on another site could send.
 */
export function getRejectionStatus(
  request: RequestHead,
  kind: RouteKind,
  allowedSources: AllowedSources,
): number | undefined {
  const host = getSingleHeader(request, 'host');
  if (host === undefined || !allowedSources.hosts.has(host.toLowerCase())) return 421;
  if (request.method !== (kind === 'call' ? 'POST' : 'GET')) return 405;
  return kind === 'call'
    ? getCallRejectionStatus(request, allowedSources)
    : getLoadRejectionStatus(request, kind);
}

function getCallRejectionStatus(
  request: RequestHead,
  { origins }: AllowedSources,
): number | undefined {
  const origin = getSingleHeader(request, 'origin');
  if (origin === undefined || !origins.has(origin)) return 403;
  if (!isHeaderMissingOrAllowed(request, 'sec-fetch-site', ['same-origin'])) return 403;
  return isJsonType(getSingleHeader(request, 'content-type')) ? undefined : 415;
}

function getLoadRejectionStatus(request: RequestHead, kind: RouteKind): number | undefined {
  // Other sites can link to the page but not embed it. Only the page can load its assets.
  const isAllowed =
    kind === 'document'
      ? isHeaderMissingOrAllowed(request, 'sec-fetch-dest', ['document'])
      : isHeaderMissingOrAllowed(request, 'sec-fetch-site', ['same-origin']);
  return isAllowed ? undefined : 403;
}

/**
 * Checks whether a header is missing or has one of the values. Accepts a missing header, because some browsers omit
 * these headers on unencrypted connections, and no page can make a browser omit them.
 */
function isHeaderMissingOrAllowed(
  request: RequestHead,
  name: string,
  values: readonly string[],
): boolean {
  const headerValues = getHeaderValues(request, name);
  return (
    headerValues.length === 0 ||
    (headerValues.length === 1 && values.includes(headerValues[0] ?? ''))
  );
}

const isJsonType = (type: string | undefined): boolean =>
  /^application\/json(?:\s*;\s*charset=utf-8)?$/iu.test(type ?? '');

/**
 * Returns the value of a header. Returns `undefined` if the header is missing or repeated, because Node.js and a proxy
 * could use different values of a repeated header.
 */
export function getSingleHeader(request: RequestHead, name: string): string | undefined {
  const values = getHeaderValues(request, name);
  return values.length === 1 ? values[0] : undefined;
}

function getHeaderValues({ rawHeaders }: RequestHead, name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}

export interface PageAsset {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

/** Unvalidated call by the page's script. */
export interface PageCall {
  readonly name: string;
  /** Secret from the request header; empty if the header is missing. */
  readonly secret: string;
  readonly body: unknown;
}

/** Response to a call. The server calls `onSent` after it has sent the response. */
export interface CallResponse {
  readonly body: object;
  readonly onSent?: () => void;
}

export interface LoopbackPageOptions {
  readonly html: string;
  /** Files that the page loads, by file name. */
  readonly assets: Readonly<Record<string, PageAsset>>;
  /** Names of the calls that the page's script can make. Each call has a separate path. */
  readonly calls: readonly string[];
  /** Returns the response to a call, or the HTTP status with which to reject the call. */
  readonly respond: (call: PageCall) => Promise<CallResponse | number>;
  /**
   * `Permissions-Policy` header with the browser features that the page may use. Omit it to allow
   * none.
   */
  readonly permissions?: string;
  readonly clock: Clock;
  /**
   * Random id that every response contains, so that a response through a tunnel can be recognized as coming from this
   * server.
   */
  readonly id: string;
}

/** Server of one page on the loopback interface. */
export interface LoopbackPageServer extends Disposable {
  /** Port of the server on 127.0.0.1. */
  readonly port: number;
  /** Accepts requests that a tunnel at exactly this URL forwards. */
  allowForwardedUrl(url: URL): void;
}

/**
 * Number of connections above which the server closes the connection that has been idle longest. A connection stays
 * open while it is protected, see {@link idleProtectionMs}.
 */
const maxConnections = 8;
/**
 * Number of connections above which the server also closes protected connections. A browser usually sends its request
 * before other programs can open this many connections.
 */
const maxProtectedConnections = 512;
/** Duration in milliseconds for which an idle connection is protected from being closed by the server. */
export const idleProtectionMs = 1_000;
const maxRequestsPerSecond = 20;
/** Timeout in milliseconds for the headers of a request. */
export const headersTimeoutMs = 5_000;
const requestTimeoutMs = 10_000;

/**
 * Serves the page on a free port of 127.0.0.1, which only this machine can reach. Sends no CORS headers, and requires
 * the secret of the paired tab for every call. Disposing the server closes all connections.
 * @throws if no port is available
 */
export async function startLoopbackPageServer(
  options: LoopbackPageOptions,
): Promise<LoopbackPageServer> {
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const handleRequest = createRequestHandler({ ...options, allowedSources: { hosts, origins } });
  const limits = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: headersTimeoutMs,
    // Interval in milliseconds at which Node checks the timeouts.
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(limits, handleRequest);
  limitConnections(server, options.clock);
  const port = await listenOnLoopback(server);
  hosts.add(`127.0.0.1:${port}`);
  origins.add(`http://127.0.0.1:${port}`);
  return {
    port,
    allowForwardedUrl: ({ host, origin, hostname }) => {
      hosts.add(host.toLowerCase());
      origins.add(origin);
      if (hostname === '127.0.0.1') return;
      // Some tunnels replace the host name in the `Host` header with `localhost`.
      hosts.add(`localhost:${port}`);
      for (const scheme of ['http', 'https']) origins.add(`${scheme}://localhost:${port}`);
    },
    dispose: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Closes the connection that has been idle longest when there are too many connections. Otherwise, idle connections of
 * other programs could prevent the browser from loading the page. An idle connection is protected for {@link
 * idleProtectionMs}, so that the browser can send its request while other programs open connections.
 */
function limitConnections(server: Server, clock: Clock): void {
  /** Time at which each idle connection became idle, in milliseconds since the epoch, oldest first. */
  const idleSockets = new Map<Socket, number>();
  const busySockets = new Set<Socket>();
  server.on('connection', (socket) => {
    idleSockets.set(socket, clock.now());
    socket.once('close', () => {
      idleSockets.delete(socket);
      busySockets.delete(socket);
    });
    const count = idleSockets.size + busySockets.size;
    if (count <= maxConnections) return;
    const [[oldestSocket, idleSince] = [socket, clock.now()]] = idleSockets;
    if (clock.now() - idleSince < idleProtectionMs && count <= maxProtectedConnections) return;
    idleSockets.delete(oldestSocket);
    oldestSocket.destroy();
  });
  server.on('request', (request, response) => {
    const { socket, headers } = request;
    const markBusy = (): void => {
      if (socket.destroyed || response.writableEnded) return;
      idleSockets.delete(socket);
      busySockets.add(socket);
    };
    const hasBody = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > 0;
    // A connection whose request body never arrives counts as idle, so that the server can close it for other clients.
    if (hasBody) request.once('end', markBusy);
    else markBusy();
    response.once('close', () => {
      busySockets.delete(socket);
      if (socket.destroyed) return;
      // Moves the connection to the end of the order.
      idleSockets.delete(socket);
      idleSockets.set(socket, clock.now());
    });
  });
}

async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('The page server has no port. Open the page again.');
  return address.port;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

function createRequestHandler(
  options: LoopbackPageOptions & { readonly allowedSources: AllowedSources },
): RequestHandler {
  const rateLimit = new RequestRateLimit(options.clock);
  const routes = createRoutes(options);
  const { permissions = noPermissions } = options;
  return (request, response) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
    response.setHeader('permissions-policy', permissions);
    response.setHeader(serverIdHeader, options.id);
    request.on('error', () => {});
    response.on('error', () => {});
    const route = findRoute(routes, request.url ?? '');
    const status = getRejectionStatus(request, route?.kind ?? 'document', options.allowedSources);
    if (status !== undefined || route === undefined) return rejectRequest(response, status ?? 404);
    // Rejected requests are not counted, so that other sites cannot exhaust the page's rate limit.
    if (rateLimit.isExceeded()) return rejectRequest(response, 429);
    if (route.kind === 'call') void handleCall(request, response, { ...options, name: route.name });
    else response.setHeader('content-type', route.type).end(route.bytes);
  };
}

interface CallOptions extends LoopbackPageOptions {
  readonly name: string;
}

async function handleCall(
  request: IncomingMessage,
  response: ServerResponse,
  { name, respond }: CallOptions,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return rejectRequest(response, 413);
  const secret = getSingleHeader(request, secretHeader) ?? '';
  const result = await respond({ name, secret, body: parseJson(body) });
  if (typeof result === 'number') return rejectRequest(response, result);
  const { body: content, onSent } = result;
  response.setHeader('content-type', 'application/json').end(JSON.stringify(content), onSent);
}

/** Reads the request body; `undefined` if the body is too long or the connection ends early. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBodyBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function rejectRequest(response: ServerResponse, status: number): void {
  // The server does not read the rest of a rejected request.
  response.writeHead(status, { connection: 'close' }).end();
}

type PageRoute =
  | { readonly kind: 'call'; readonly name: string }
  | ({ readonly kind: Exclude<RouteKind, 'call'> } & PageAsset);

type PageRoutes = ReadonlyMap<string, PageRoute>;

function createRoutes({ html, assets, calls }: LoopbackPageOptions): PageRoutes {
  const page: PageRoute = { kind: 'document', type: 'text/html; charset=utf-8', bytes: html };
  return new Map<string, PageRoute>([
    ['/', page],
    ...Object.entries(assets).map(
      ([name, asset]) => [`/${name}`, { kind: 'asset', ...asset }] as const,
    ),
    ...calls.map((name) => [`/api/${name}`, { kind: 'call', name }] as const),
  ]);
}

/**
 * Returns the route of a path: the page, a file or a call. Every path in the format of a token leads to the page, so
 * the response does not reveal valid tokens.
 */
function findRoute(routes: PageRoutes, url: string): PageRoute | undefined {
  const [path = ''] = url.split('?');
  return routes.get(path.startsWith('/') && secretPattern.test(path.slice(1)) ? '/' : path);
}

/** Content security policy of every response, including rejections. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const safeHeaders = {
  'content-security-policy': pagePolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

const noPermissions = 'camera=(), microphone=(), geolocation=()';

/** Rate limit for accepted requests, over a sliding window of one second. */
class RequestRateLimit {
  readonly #clock: Clock;
  #acceptTimes: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Checks whether another request would exceed the limit. If not, counts the request as accepted. */
  isExceeded(): boolean {
    const now = this.#clock.now();
    this.#acceptTimes = this.#acceptTimes.filter((time) => now - time < 1_000);
    if (this.#acceptTimes.length >= maxRequestsPerSecond) return true;
    this.#acceptTimes.push(now);
    return false;
  }
}
