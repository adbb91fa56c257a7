import type { Socket } from 'node:net';
import * as tls from 'node:tls';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { isLoopback } from './endpoint.ts';
import { proxyRefused, proxyUnreachable } from './network-failure.ts';

/** A proxy as a person or the machine set it. */
export interface ProxySettings {
  /** Explicit proxy; wins over the environment's. */
  readonly proxy?: {
    readonly url: string;
    /** Hosts that are reached directly; the environment's list when empty. */
    readonly noProxy?: readonly string[];
    /** Value of `Proxy-Authorization`; else made from the user name and password of `url`. */
    readonly authorization?: string;
  };
  /** Environment variables: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, also in lower case. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface Proxy {
  /** Without user name and password. */
  readonly url: URL;
  readonly authorization?: string;
}

/** The proxy to reach `target` through; `undefined` for a direct connection. This machine is always reached directly. */
export function proxyFor(target: URL, settings: ProxySettings): Proxy | undefined {
  if (isLoopback(target.hostname)) return undefined;
  const { proxy } = settings;
  const variable = (name: string): string =>
    settings.environment?.[name.toLowerCase()] ?? settings.environment?.[name] ?? '';
  const ofScheme = target.protocol === 'https:' ? variable('HTTPS_PROXY') : '';
  const url = parseProxy(proxy?.url || ofScheme || variable('HTTP_PROXY'));
  if (url === undefined) return undefined;
  const ownList = proxy?.noProxy ?? [];
  const exceptions = ownList.length > 0 ? ownList : variable('NO_PROXY').split(/[\s,]+/);
  if (exceptions.some((exception) => isExcepted(target, exception.trim()))) return undefined;
  const authorization = proxy?.authorization || basicOf(url);
  const bare = new URL(url.origin);
  return authorization === undefined ? { url: bare } : { url: bare, authorization };
}

function parseProxy(text: string): URL | undefined {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (text === '' || !URL.canParse(withScheme)) return undefined;
  const url = new URL(withScheme);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

/** `*`, `host`, `.domain`, `*.domain`, each with an optional `:port`. */
function isExcepted(target: URL, exception: string): boolean {
  if (exception === '') return false;
  if (exception === '*') return true;
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(exception.toLowerCase()) ?? [];
  const targetPort = target.port || (target.protocol === 'https:' ? '443' : '80');
  if (port !== undefined && port !== targetPort) return false;
  const domain = name.replace(/^\*?\./, '');
  return target.hostname === domain || target.hostname.endsWith(`.${domain}`);
}

function basicOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

export interface ConnectionSettings extends ProxySettings {
  /** `false` accepts any certificate. */
  readonly strictSSL?: boolean;
  /** Whether the system's certificates are trusted besides Node's own. */
  readonly systemCertificates?: boolean;
  /** Certificates (PEM) to trust besides those. */
  readonly ca?: readonly string[];
}

/** Each request has its own time to connect; this only ends attempts nobody waits for any more. */
const attemptMs = 60_000;

/** Opens sockets to the service: directly or through a proxy, HTTP/2 where the service offers it. */
export function serviceConnector(settings: ConnectionSettings): buildConnector.connector {
  let secure: buildConnector.connector | undefined;
  const plain = createConnector({ timeout: attemptMs });
  return (options, callback) => {
    if (options.protocol !== 'https:') return plain(options, callback);
    // Reading the system's certificates takes a while and is needed for the first secure connection only.
    const connect = (secure ??= createConnector({ ...tlsOptions(settings), preferH2: true }));
    const target = new URL(`https://${options.host ?? options.hostname}`);
    const proxy = proxyFor(target, settings);
    if (proxy === undefined) return connect(options, callback);
    openTunnel(target, proxy, settings).then(
      (httpSocket) => connect({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

function tlsOptions({
  strictSSL = true,
  systemCertificates = true,
  ca = [],
}: ConnectionSettings): buildConnector.BuildOptions {
  return {
    timeout: attemptMs,
    rejectUnauthorized: strictSSL,
    secureContext: tls.createSecureContext({
      ca: [...trustedCertificates(systemCertificates), ...ca],
    }),
  };
}

function trustedCertificates(system: boolean): string[] {
  // Node before 22.15 knows its own list only.
  if (typeof tls.getCACertificates !== 'function') return [...tls.rootCertificates];
  const own = tls.getCACertificates('default');
  return system ? [...new Set([...own, ...tls.getCACertificates('system')])] : own;
}

/** A socket to the target through the proxy (RFC 9110 §9.3.6). */
function openTunnel(target: URL, proxy: Proxy, settings: ConnectionSettings): Promise<Socket> {
  const authority = `${target.hostname}:${target.port || '443'}`;
  const connect = createConnector(
    proxy.url.protocol === 'https:'
      ? { ...tlsOptions(settings), allowH2: false }
      : { timeout: attemptMs, allowH2: false },
  );
  const client = new Client(proxy.url, { connect, headersTimeout: attemptMs });
  const tunnel = new Promise<Socket>((resolve, reject) => {
    client.dispatch(
      {
        method: 'CONNECT',
        path: authority,
        headers: {
          host: authority,
          ...(proxy.authorization === undefined
            ? {}
            : { 'proxy-authorization': proxy.authorization }),
        },
      },
      {
        onRequestStart() {},
        onRequestUpgrade(_controller, status, _headers, socket) {
          if (status >= 200 && status < 300) return resolve(socket as Socket);
          socket.on('error', () => {}).destroy();
          reject(proxyRefused(status));
        },
        onResponseError: (_controller, error) => reject(proxyUnreachable(error)),
      },
    );
  });
  // The socket of an open tunnel is no longer the client's.
  return tunnel.finally(() => {
    void client.destroy();
  });
}
