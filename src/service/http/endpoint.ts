import * as l10n from '@vscode/l10n';
import { ServiceError, type ServiceFailure } from './failure.ts';
import { classifyHost, isUnencryptedPrivateUrl } from './private-network.ts';

/**
 * Parses a base URL and removes trailing slashes. Accepts any path, such as `/api/v1` or `/v1`.
 * @param confirmedOrigins Origins in the local network for which the user permits unencrypted connections. Omit it for
 * wallets, which require encryption.
 * @throws ServiceError `no-address`, `invalid-address` or `unencrypted-address` if the URL is missing, invalid, or
 * unencrypted without the user's permission
 */
export function parseBaseUrl(text: string, confirmedOrigins?: ConfirmedOrigins): URL {
  const trimmedText = text.trim();
  if (trimmedText === '') {
    throw new ServiceError({
      code: 'no-address',
      message: l10n.t(
        'No address of the service is set. Enter the base address; it usually ends in /api/v1 or /v1.',
      ),
    });
  }
  const reason = findBaseUrlProblem(trimmedText, confirmedOrigins);
  if (reason !== undefined) throw createInvalidBaseUrlError(reason);
  const url = new URL(trimmedText);
  url.pathname = removeTrailingSlashes(url.pathname);
  if (isUnencryptedPrivateUrl(url) && confirmedOrigins?.has(url.origin) !== true)
    throw createUnencryptedError(url);
  return url;
}

/** Origins in the local network for which the user permits unencrypted connections. */
export type ConfirmedOrigins = Pick<ReadonlySet<string>, 'has'>;

const createUnencryptedError = ({ host, origin }: URL): ServiceError =>
  new ServiceError({
    code: 'unencrypted-address',
    origin,
    message: l10n.t(
      'The key, prompts and files travel unencrypted to {0}. Anyone in this network can read them.',
      host,
    ),
  });

/** Returns the failure that {@link parseBaseUrl} throws; `undefined` if the URL is valid. */
export function findBaseUrlFailure(
  text: string,
  confirmedOrigins?: ConfirmedOrigins,
): ServiceFailure | undefined {
  try {
    parseBaseUrl(text, confirmedOrigins);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.failure;
    throw error;
  }
}

/**
 * Returns the URL of a route.
 * @param path Path below the base URL, with a leading slash.
 */
export function buildEndpointUrl(
  baseUrl: URL,
  path: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(baseUrl);
  url.pathname = removeTrailingSlashes(baseUrl.pathname) + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/**
 * Returns the base URL without a `/v1` at the end. Model servers such as Ollama have their own routes, such as
 * `/api/show`, below this URL.
 */
export function getServerRoot(baseUrl: URL): URL {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/v1\/*$/, '');
  return url;
}

/** Checks whether a host name is a loopback address, for which unencrypted `http:` is safe. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Checks whether two URLs have the same scheme, host and port. A key must not be sent to another origin. */
export const isSameOrigin = (a: URL, b: URL): boolean =>
  a.origin !== 'null' && a.origin === b.origin;

function findBaseUrlProblem(text: string, confirmedOrigins?: ConfirmedOrigins): string | undefined {
  if (/[\0-\x20\x7f\\]/.test(text))
    return l10n.t('it is not a complete address such as https://host/api/v1');
  if (!URL.canParse(text))
    return l10n.t('it is not a complete address such as https://host/api/v1');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return l10n.t('it must start with https://');
  if (url.username !== '' || url.password !== '' || getAuthority(text).includes('@')) {
    return l10n.t('it must not contain a user name, a password or a fragment (#)');
  }
  if (classifyHost(url.hostname) === 'metadata')
    return l10n.t('it belongs to the machine’s cloud, not to a service');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    if (confirmedOrigins === undefined)
      return l10n.t(
        'http:// is allowed only for this machine, private IP addresses and names that end in .local; use https://',
      );
    if (!isUnencryptedPrivateUrl(url))
      return l10n.t(
        'http:// is allowed only for this machine, private IP addresses and names that end in .local; use https://',
      );
  }
  if (text.includes('?')) return l10n.t('it must not contain a query (?)');
  if (text.includes('#'))
    return l10n.t('it must not contain a user name, a password or a fragment (#)');
  return undefined;
}

const getAuthority = (text: string): string => text.split('/')[2] ?? '';

const removeTrailingSlashes = (path: string): string => path.replace(/\/+$/, '');

const createInvalidBaseUrlError = (reason: string): ServiceError =>
  new ServiceError({
    code: 'invalid-address',
    message: l10n.t('The address of the service cannot be used: {0}.', reason),
  });

/** Minimum length of a key in characters. Local servers accept shorter placeholders. */
export const minKeyLength = 8;

/**
 * Checks whether a key is valid in a header: 8 to 512 visible ASCII characters. For a local server, one character is
 * enough.
 */
export const isApiKey = (key: string, baseUrl?: URL): boolean =>
  /^[\x21-\x7e]{1,512}$/.test(key) && (key.length >= minKeyLength || isLocalBaseUrl(baseUrl));

/** Checks whether a base URL is on this machine, or is an unencrypted URL in the local network. */
export const isLocalBaseUrl = (baseUrl: URL | undefined): boolean =>
  baseUrl !== undefined && (isLoopback(baseUrl.hostname) || isUnencryptedPrivateUrl(baseUrl));

/**
 * Returns the key if it is valid in a header. The error does not contain any part of the key.
 * @throws ServiceError `invalid-key` if it is not valid
 */
export function checkApiKey(key: string, baseUrl?: URL): string {
  if (isApiKey(key, baseUrl)) return key;
  throw new ServiceError({
    code: 'invalid-key',
    message: l10n.t('A key has 8 to 512 visible ASCII characters and no spaces.'),
  });
}
