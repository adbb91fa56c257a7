import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { parseJson } from '../../base/json.ts';
import { maxBodyBytes, secretHeader, secretPattern, serverIdHeader } from './protocol.ts';

/** Who may ask this server, and from where. Nothing else is answered with more than a status. */
export interface Allowed {
  /** Each as in a `Host` header, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Each as in an `Origin` header. */
  readonly origins: ReadonlySet<string>;
}

type Asked = Pick<IncomingMessage, 'method' | 'rawHeaders'>;

/** What a path is for: loaded by the browser, or called by the page's script. */
export type RouteKind = 'document' | 'asset' | 'call';

/**
 * The status with which a request is refused; undefined when it may be answered.
 * 421: the name of another server, as after DNS rebinding. 405: no such method, and no preflight. 403: not our own page.
 * 415: something that a form could send.
 */
export function refusal(asked: Asked, kind: RouteKind, allowed: Allowed): number | undefined {
  const host = onlyHeader(asked, 'host');
  if (host === undefined || !allowed.hosts.has(host.toLowerCase())) return 421;
  if (asked.method !== (kind === 'call' ? 'POST' : 'GET')) return 405;
  return kind === 'call' ? refusalOfCall(asked, allowed) : refusalOfLoad(asked, kind);
}

function refusalOfCall(asked: Asked, { origins }: Allowed): number | undefined {
  const origin = onlyHeader(asked, 'origin');
  if (origin === undefined || !origins.has(origin)) return 403;
  if (!isOneOf(asked, 'sec-fetch-site', ['same-origin'])) return 403;
  return isJson(onlyHeader(asked, 'content-type')) ? undefined : 415;
}

function refusalOfLoad(asked: Asked, kind: RouteKind): number | undefined {
  // The page is opened from elsewhere, but never within another one; what belongs to it only by itself.
  const isFine =
    kind === 'document'
      ? isOneOf(asked, 'sec-fetch-dest', ['document'])
      : isOneOf(asked, 'sec-fetch-site', ['same-origin']);
  return isFine ? undefined : 403;
}

/** Some browsers leave these headers out where the connection is not encrypted; none lets a page forge them. */
function isOneOf(asked: Asked, name: string, values: readonly string[]): boolean {
  const all = headers(asked, name);
  return all.length === 0 || (all.length === 1 && values.includes(all[0] ?? ''));
}

const isJson = (type: string | undefined): boolean =>
  /^application\/json(?:\s*;\s*charset=utf-8)?$/iu.test(type ?? '');

/** Undefined when it is missing or there twice: Node would take the first, and something before us the second. */
export function onlyHeader(asked: Asked, name: string): string | undefined {
  const all = headers(asked, name);
  return all.length === 1 ? all[0] : undefined;
}

function headers({ rawHeaders }: Asked, name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

export interface PageAsset {
  readonly type: string;
  readonly bytes: string | Uint8Array;
}

/** One question of the page's script, as it came. */
export interface PageCall {
  readonly name: string;
  /** As presented; empty when none was. */
  readonly secret: string;
  readonly body: unknown;
}

/** The reply to a call, and what is to be done once it has left. */
export interface CallReply {
  readonly body: object;
  readonly onSent?: () => void;
}

export interface LoopbackOptions {
  readonly html: string;
  /** By name: what the page loads besides itself. */
  readonly assets: Readonly<Record<string, PageAsset>>;
  /** What the page's script may ask, each a path of its own. */
  readonly calls: readonly string[];
  /** The reply, or the status of a refusal. */
  readonly answer: (call: PageCall) => Promise<CallReply | number>;
  /** What the page may use of the machine, as in a `Permissions-Policy`; nothing when absent. */
  readonly permissions?: string;
  readonly clock: Clock;
  /** Random: every answer has it, so that this server is known through a tunnel. */
  readonly id: string;
}

/** The server of one page. */
export interface LoopbackPage extends Disposable {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Lets the page in through a tunnel too, under exactly the address that leads into it. */
  allowForwarded(address: URL): void;
}

const mostConnections = 8;
const mostRequestsPerSecond = 20;
/** Time for the headers of a request to arrive, in milliseconds. */
export const headersMs = 5_000;
const bodyMs = 10_000;

/**
 * Serves the page on a free port of 127.0.0.1, to this machine's browser alone, until it is disposed; that destroys all
 * connections. It has no CORS, and nothing is called without the secret of the page that claimed the session.
 * Rejects when no port can be had.
 */
export async function startLoopbackPage(options: LoopbackOptions): Promise<LoopbackPage> {
  const hosts = new Set<string>();
  const origins = new Set<string>();
  const answer = answerer({ ...options, allowed: { hosts, origins } });
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: bodyMs,
    keepAliveTimeout: headersMs,
    // How often those times are looked at.
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(limits, answer);
  server.maxConnections = mostConnections;
  const port = await listen(server);
  hosts.add(`127.0.0.1:${port}`);
  origins.add(`http://127.0.0.1:${port}`);
  return {
    port,
    allowForwarded: ({ host, origin, hostname }) => {
      hosts.add(host.toLowerCase());
      origins.add(origin);
      if (hostname === '127.0.0.1') return;
      // Tunnels name the machine at their other end so.
      hosts.add(`localhost:${port}`);
      for (const scheme of ['http', 'https']) origins.add(`${scheme}://localhost:${port}`);
    },
    dispose: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function answerer(options: LoopbackOptions & { readonly allowed: Allowed }): Answer {
  const rate = new Rate(options.clock);
  const routes = routesOf(options);
  const { permissions = noPermissions } = options;
  return (request, response) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
    response.setHeader('permissions-policy', permissions);
    response.setHeader(serverIdHeader, options.id);
    request.on('error', () => {});
    response.on('error', () => {});
    const route = routeOf(routes, request.url ?? '');
    const status = refusal(request, route?.kind ?? 'document', options.allowed);
    if (status !== undefined || route === undefined) return refuse(response, status ?? 404);
    // Other sites can send requests too: what is refused takes nothing from the page.
    if (rate.isExceeded()) return refuse(response, 429);
    if (route.kind === 'call') void call(request, response, { ...options, name: route.name });
    else response.setHeader('content-type', route.type).end(route.bytes);
  };
}

interface Called extends LoopbackOptions {
  readonly name: string;
}

async function call(
  request: IncomingMessage,
  response: ServerResponse,
  { name, answer }: Called,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) return refuse(response, 413);
  const secret = onlyHeader(request, secretHeader) ?? '';
  const reply = await answer({ name, secret, body: parseJson(body) });
  if (typeof reply === 'number') return refuse(response, reply);
  const { body: answered, onSent } = reply;
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answered), onSent);
}

/** Undefined when it is too long; that, or a connection that ends, ends the connection. */
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

function refuse(response: ServerResponse, status: number): void {
  // What a refused request still sends is not read.
  response.writeHead(status, { connection: 'close' }).end();
}

type Route =
  | { readonly kind: 'call'; readonly name: string }
  | ({ readonly kind: Exclude<RouteKind, 'call'> } & PageAsset);

type Routes = ReadonlyMap<string, Route>;

function routesOf({ html, assets, calls }: LoopbackOptions): Routes {
  const page: Route = { kind: 'document', type: 'text/html; charset=utf-8', bytes: html };
  return new Map<string, Route>([
    ['/', page],
    ...Object.entries(assets).map(
      ([name, asset]) => [`/${name}`, { kind: 'asset', ...asset }] as const,
    ),
    ...calls.map((name) => [`/api/${name}`, { kind: 'call', name }] as const),
  ]);
}

/** Any token is a path of the page, so that the answer does not tell a right one from a wrong one. */
function routeOf(routes: Routes, url: string): Route | undefined {
  const [path = ''] = url.split('?');
  return routes.get(path.startsWith('/') && secretPattern.test(path.slice(1)) ? '/' : path);
}

/** Of every answer, also of refusals. */
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

/** Counts what was asked, and not refused, within the last second. */
class Rate {
  readonly #clock: Clock;
  #times: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isExceeded(): boolean {
    const now = this.#clock.now();
    this.#times = this.#times.filter((time) => now - time < 1_000);
    if (this.#times.length >= mostRequestsPerSecond) return true;
    this.#times.push(now);
    return false;
  }
}
