import * as l10n from '@vscode/l10n';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { isLoopback } from './endpoint.ts';
import { ServiceError } from './failure.ts';
import { classifyHost, isPrivateAddress } from './private-network.ts';
import { createProxyRefusedError, createProxyUnreachableError } from './network-failure.ts';

/** Proxy settings from VS Code and from environment variables. */
export interface ProxySettings {
  /** Proxy from VS Code's settings. Takes precedence over the environment variables. */
  readonly proxy?: {
    readonly url: string;
    /** Hosts to connect to without the proxy. If empty, `NO_PROXY` applies. */
    readonly noProxy?: readonly string[];
    /** Value of `Proxy-Authorization`. If absent, the user name and password in `url` are used. */
    readonly authorization?: string;
  };
  /** Environment variables: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in upper or lower case. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface ProxyServer {
  /** URL of the proxy without user name and password. */
  readonly url: URL;
  readonly authorization?: string;
}

/** Returns the proxy for `target`; `undefined` for a direct connection. Loopback addresses never use a proxy. */
export function selectProxy(target: URL, settings: ProxySettings): ProxyServer | undefined {
  const url = parseProxy(findProxySource(target, settings)?.text ?? '');
  if (url === undefined) return undefined;
  const authorization = settings.proxy?.authorization || toBasicAuthorization(url);
  const urlWithoutCredentials = new URL(url.origin);
  return authorization === undefined
    ? { url: urlWithoutCredentials }
    : { url: urlWithoutCredentials, authorization };
}

/**
 * Returns the name of the environment variable with the proxy for `target`, if the value of the variable is not an
 * `http:` or `https:` URL. Returns `undefined` for a valid proxy, for a proxy from VS Code's settings, and without a
 * proxy.
 */
export function findInvalidProxyVariable(target: URL, settings: ProxySettings): string | undefined {
  const { name, text = '' } = findProxySource(target, settings) ?? {};
  // A password with `/`, `?` or `#` ends the host too early.
  const isCutOff = /^[^/]*\/\/[^/?#]*[/?#].*@/u.test(addScheme(text));
  return parseProxy(text) === undefined || isCutOff ? name : undefined;
}

interface ProxySource {
  /** Name of the environment variable that contains the proxy; absent if the proxy is from VS Code's settings. */
  readonly name?: string;
  readonly text: string;
}

/** Returns the proxy setting that applies to `target`; `undefined` for a direct connection. */
function findProxySource(
  target: URL,
  { proxy, environment }: ProxySettings,
): ProxySource | undefined {
  if (isLoopback(target.hostname)) return undefined;
  const readVariable = (name: string): Required<ProxySource> => {
    const lowerName = name.toLowerCase();
    const { [lowerName]: lowerText, [name]: text = '' } = environment ?? {};
    return lowerText === undefined ? { name, text } : { name: lowerName, text: lowerText };
  };
  const sources: readonly ProxySource[] = [
    { text: proxy?.url ?? '' },
    ...(target.protocol === 'https:' ? [readVariable('HTTPS_PROXY')] : []),
    readVariable('HTTP_PROXY'),
  ];
  const settingExceptions = proxy?.noProxy ?? [];
  const exceptions =
    settingExceptions.length > 0
      ? settingExceptions
      : readVariable('NO_PROXY').text.split(/[\s,]+/);
  if (exceptions.some((exception) => matchesNoProxyEntry(target, exception.trim())))
    return undefined;
  return sources.find(({ text }) => text !== '');
}

const addScheme = (text: string): string =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;

function parseProxy(text: string): URL | undefined {
  const urlText = addScheme(text);
  if (text === '' || !URL.canParse(urlText)) return undefined;
  const url = new URL(urlText);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

/**
 * Checks whether the target matches a no-proxy entry: `*`, `host`, `.domain` or `*.domain`, each with an optional
 * `:port`.
 */
function matchesNoProxyEntry(target: URL, entry: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const targetPort = target.port || (target.protocol === 'https:' ? '443' : '80');
  if (port !== undefined && port !== targetPort) return false;
  const domain = name.replace(/^\*?\./, '');
  return target.hostname === domain || target.hostname.endsWith(`.${domain}`);
}

function toBasicAuthorization({ username, password }: URL): string | undefined {
  if (username === '') return undefined;
  const userAndPassword = `${decodePercent(username)}:${decodePercent(password)}`;
  return `Basic ${Buffer.from(userAndPassword).toString('base64')}`;
}

/** Percent-decodes a part of a URL. Returns a text with an unencoded percent sign unchanged. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export interface ConnectionSettings extends ProxySettings {
  /** Set to `false` to accept any TLS certificate. Default: true. */
  readonly strictSSL?: boolean;
  /** Set to `false` to trust only the certificates of Node.js, and not those of the operating system. Default: true. */
  readonly systemCertificates?: boolean;
  /** Additional trusted certificates in PEM format. */
  readonly ca?: readonly string[];
  /** Resolves a name to all of its addresses. Default: the resolver of the operating system. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/**
 * Timeout of a connection attempt in milliseconds. Ends attempts that no request waits for anymore, so it is longer
 * than the connect timeout of a request.
 */
const attemptTimeoutMs = 60_000;

/** Creates a function that opens connections to the service, directly or through a proxy. Prefers HTTP/2. */
export function createServiceConnector(settings: ConnectionSettings): buildConnector.connector {
  let connectSecure: buildConnector.connector | undefined;
  const connectPlain = createConnector({ timeout: attemptTimeoutMs });
  // The socket connects to the address that the lookup returns, so the name is resolved only once.
  const connectLocalName = createConnector({
    timeout: attemptTimeoutMs,
    lookup: createPrivateLookup(settings.resolve),
  });
  return (options, callback) => {
    if (options.protocol !== 'https:') {
      const kind = classifyHost(options.hostname);
      if (kind === 'metadata') return callback(createRefusedAddressError(options.hostname), null);
      return kind === 'local-name'
        ? connectLocalName(options, callback)
        : connectPlain(options, callback);
    }
    // Reading the certificates of the operating system is slow, so it happens on the first secure connection.
    const connect = (connectSecure ??= createConnector({
      ...createTlsOptions(settings),
      preferH2: true,
    }));
    const target = new URL(`https://${options.host ?? options.hostname}`);
    const proxy = selectProxy(target, settings);
    if (proxy === undefined) return connect(options, callback);
    openTunnel(target, proxy, settings).then(
      (httpSocket) => connect({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    );
  };
}

/**
 * Creates a DNS lookup for host names in the local network. Returns one private address, preferably IPv4, because
 * link-local IPv6 addresses need a zone id. Fails unless all addresses of the name are private, because a connection to
 * a public address would leave the local network.
 */
function createPrivateLookup(
  resolve: NonNullable<ConnectionSettings['resolve']> = resolveAllAddresses,
): LookupFunction {
  const findPrivateAddress = async (hostname: string): Promise<LookupAddress> => {
    const addresses = await resolve(hostname);
    const [firstAddress] = [...addresses].sort((a, b) => a.family - b.family);
    if (firstAddress === undefined || !addresses.every(({ address }) => isPrivateAddress(address)))
      throw createRefusedAddressError(hostname);
    return firstAddress;
  };
  return (hostname, options, callback) => {
    findPrivateAddress(hostname).then(
      (foundAddress) =>
        options.all === true
          ? callback(null, [foundAddress])
          : callback(null, foundAddress.address, foundAddress.family),
      (error: Error) => callback(error, ''),
    );
  };
}

const resolveAllAddresses = async (hostname: string): Promise<readonly LookupAddress[]> => {
  const { lookup } = await import('node:dns/promises');
  return lookup(hostname, { all: true });
};

const createRefusedAddressError = (hostname: string): ServiceError =>
  new ServiceError({
    code: 'invalid-address',
    message: l10n.t(
      '{0} has no address in the local network. Use https://, or the IP address of the server.',
      hostname,
    ),
  });

function createTlsOptions({
  strictSSL = true,
  systemCertificates = true,
  ca = [],
}: ConnectionSettings): buildConnector.BuildOptions {
  const tls = loadTls();
  return {
    timeout: attemptTimeoutMs,
    rejectUnauthorized: strictSSL,
    secureContext: tls.createSecureContext({
      ca: [...listTrustedCertificates(systemCertificates), ...ca],
    }),
  };
}

/**
 * Loads the TLS module on first use. Unencrypted requests do not need this module, and loading it would take about a
 * tenth of the time of the first unencrypted request.
 */
const loadTls = () => process.getBuiltinModule('node:tls');

function listTrustedCertificates(usesSystemCertificates: boolean): string[] {
  const tls = loadTls();
  // Node.js before 22.15 cannot read the certificates of the operating system.
  if (typeof tls.getCACertificates !== 'function') return [...tls.rootCertificates];
  const defaultCertificates = tls.getCACertificates('default');
  return usesSystemCertificates
    ? [...new Set([...defaultCertificates, ...tls.getCACertificates('system')])]
    : defaultCertificates;
}

/** Opens a tunnel through the proxy to the target with `CONNECT` (RFC 9110 §9.3.6). */
function openTunnel(
  target: URL,
  proxy: ProxyServer,
  settings: ConnectionSettings,
): Promise<Socket> {
  const authority = `${target.hostname}:${target.port || '443'}`;
  const connect = createConnector(
    proxy.url.protocol === 'https:'
      ? { ...createTlsOptions(settings), allowH2: false }
      : { timeout: attemptTimeoutMs, allowH2: false },
  );
  const client = new Client(proxy.url, { connect, headersTimeout: attemptTimeoutMs });
  const tunnelPromise = new Promise<Socket>((resolve, reject) => {
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
          reject(createProxyRefusedError(status));
        },
        onResponseError: (_controller, error) => reject(createProxyUnreachableError(error)),
      },
    );
  });
  // The client does not own the socket of an open tunnel, so destroying the client does not close it.
  return tunnelPromise.finally(() => {
    void client.destroy();
  });
}
