import * as l10n from '@vscode/l10n';
import { ServiceError, type ServiceFailure } from './failure.ts';

/**
 * Parses a base URL and removes trailing slashes. Accepts any path, although the specification requires `/api/v1`.
 * @throws ServiceError `no-address`, `invalid-address`
 */
export function parseBaseUrl(text: string): URL {
  const trimmed = text.trim();
  if (trimmed === '') {
    throw new ServiceError({
      code: 'no-address',
      message: l10n.t(
        'No address of the service is set. Enter the base address; it ends in /api/v1.',
      ),
    });
  }
  const reason = findProblem(trimmed);
  if (reason !== undefined) throw invalidBaseUrlError(reason);
  const url = new URL(trimmed);
  url.pathname = withoutTrailingSlash(url.pathname);
  return url;
}

/** Returns the failure that {@link parseBaseUrl} throws; `undefined` if the URL is valid. */
export function baseUrlFailure(text: string): ServiceFailure | undefined {
  try {
    parseBaseUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.failure;
    throw error;
  }
}

/**
 * Returns the URL of an endpoint.
 * @param path Path below the base URL, with a leading slash.
 */
export function endpointUrl(
  baseUrl: URL,
  path: string,
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = new URL(baseUrl);
  url.pathname = withoutTrailingSlash(baseUrl.pathname) + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Checks whether two URLs have the same scheme, host and port. A key must not be sent to another origin. */
export const isSameOrigin = (a: URL, b: URL): boolean =>
  a.origin !== 'null' && a.origin === b.origin;

/** Checks whether a host name is a loopback address, for which unencrypted `http:` is safe. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

function findProblem(text: string): string | undefined {
  if (/[\0-\x20\x7f\\]/.test(text))
    return l10n.t('it contains a space, a backslash or a control character');
  if (!URL.canParse(text))
    return l10n.t('it is not a complete address such as https://host/api/v1');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return l10n.t('it must start with https://');
  if (url.username !== '' || url.password !== '' || getAuthority(text).includes('@')) {
    return l10n.t('it must not contain a user name or password');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return l10n.t('http:// is allowed for this machine only; use https://');
  }
  if (text.includes('?')) return l10n.t('it must not contain a query (?)');
  if (text.includes('#')) return l10n.t('it must not contain a fragment (#)');
  return undefined;
}

const getAuthority = (text: string): string => text.split('/')[2] ?? '';

const withoutTrailingSlash = (path: string): string => path.replace(/\/+$/, '');

const invalidBaseUrlError = (reason: string): ServiceError =>
  new ServiceError({
    code: 'invalid-address',
    message: l10n.t('The address of the service cannot be used: {0}.', reason),
  });

/** Checks whether a key is valid in a header: 8 to 512 visible ASCII characters. */
export const isApiKey = (key: string): boolean => /^[\x21-\x7e]{8,512}$/.test(key);

/**
 * Returns the key if it is valid in a header. The error does not contain any part of the key.
 * @throws ServiceError `invalid-key`
 */
export function checkApiKey(key: string): string {
  if (isApiKey(key)) return key;
  throw new ServiceError({
    code: 'invalid-key',
    message: l10n.t(
      'This is not an API key: a key has 8 to 512 visible ASCII characters and no spaces or line breaks. Copy it again and set it anew.',
    ),
  });
}
