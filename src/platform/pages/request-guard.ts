import type { IncomingMessage } from 'node:http';

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
