import { isLoopback } from './endpoint.ts';

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
