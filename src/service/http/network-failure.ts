import * as l10n from '@vscode/l10n';
import { isRecord } from '../../base/json.ts';
import { ServiceError, type FailureCode, type ServiceFailure } from './failure.ts';

/**
 * Converts any thrown value to a {@link ServiceError}. Reads only error codes, because error messages of Node.js can
 * contain header values.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const causes = [...iterateCauses(error)];
  const serviceError = causes.find((cause) => cause instanceof ServiceError);
  if (serviceError !== undefined) return serviceError;
  const codes = causes.flatMap(listErrorCodes);
  for (const [pattern, code] of codePatterns) {
    const matchingCode = codes.find((candidate) => pattern.test(candidate));
    if (matchingCode !== undefined)
      return new ServiceError({ code, message: getFailureMessages()[code], detail: matchingCode });
  }
  return new ServiceError({ code: 'offline', message: getFailureMessages().offline });
}

/** Converts a thrown value to the outcome of a chat request that was never sent. */
export const createFailedOutcome = (
  error: unknown,
): { readonly kind: 'failed'; readonly failure: ServiceFailure } => ({
  kind: 'failed',
  failure: toServiceError(error).failure,
});

/**
 * Converts an error that occurred while the body was read. The service was reachable, so connection errors become
 * `interrupted`.
 */
export function toBodyError(error: unknown): ServiceError {
  const serviceError = toServiceError(error);
  const { code, detail } = serviceError.failure;
  return code === 'offline' || code === 'tls' || code === 'unexpected-response'
    ? createInterruptedError(detail)
    : serviceError;
}

/** Creates the error for a connection that closed before the response was complete. */
export const createInterruptedError = (detail?: string): ServiceError =>
  new ServiceError({
    code: 'interrupted',
    message: getFailureMessages().interrupted,
    ...(detail === undefined ? {} : { detail }),
  });

export const createTimeoutError = (phase: 'headers' | 'idle' | 'progress'): ServiceError =>
  new ServiceError({ code: 'timeout', message: getTimeoutMessages()[phase] });

/** Creates the error for a connection that did not open in time, so that no request was sent. */
export const createConnectTimeoutError = (): ServiceError =>
  new ServiceError({
    code: 'offline',
    message: getFailureMessages().offline,
    detail: 'CONNECT_TIMEOUT',
  });

export const createStoppedError = (): ServiceError =>
  new ServiceError({ code: 'stopped', message: l10n.t('Stopped.') });

/**
 * Returns the error for an aborted request: `timeout` if the time limit of the signal has passed, otherwise `stopped`.
 * If the abort reason is a ServiceError, returns this error instead.
 */
export function createAbortError({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  const isTimeout = reason instanceof DOMException && reason.name === 'TimeoutError';
  return isTimeout ? createTimeoutError('headers') : createStoppedError();
}

/**
 * Creates the error for a redirect response. Redirects are not followed, because the new URL could receive the
 * credentials.
 */
export const createRedirectError = (status: number): ServiceError =>
  new ServiceError({
    code: 'redirected',
    status,
    message: l10n.t(
      'The address answers with a redirect, which is not followed because it could leak the API key. A sign-in page of the network, or a wrong base address, does this.',
    ),
  });

/** Creates the error for a proxy that rejected a connection with a status. */
export const createProxyRefusedError = (status: number): ServiceError =>
  new ServiceError({
    code: 'proxy',
    status,
    message:
      status === 407
        ? l10n.t(
            'The network proxy asks for credentials (407). Set http.proxy with user name and password, or use the editor transport.',
          )
        : l10n.t(
            'The network proxy cannot be reached or refused the connection. Check http.proxy, or use the editor transport.',
          ),
  });

/** Creates the error for a proxy that is unreachable or closed a connection. */
export function createProxyUnreachableError(error: unknown): ServiceError {
  const { detail } = toServiceError(error).failure;
  return new ServiceError({
    code: 'proxy',
    message: getFailureMessages().proxy,
    ...(detail === undefined ? {} : { detail }),
  });
}

const codePatterns: readonly (readonly [RegExp, NetworkCode])[] = [
  [/^ERR_(PROXY|TUNNEL)|^PROXY_/, 'proxy'],
  [
    /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|CERT_|ERR_CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|HOSTNAME_MISMATCH)/,
    'tls',
  ],
  [/^(UND_ERR_CONNECT_TIMEOUT|ERR_CONNECTION_TIMED_OUT)$/, 'offline'],
  [/^(UND_ERR_(HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ERR_TIMED_OUT)$/, 'timeout'],
  [/^(HPE|UND_ERR_RES_|UND_ERR_HEADERS_OVERFLOW|ERR_INVALID_HTTP_RESPONSE)/, 'unexpected-response'],
  [
    /^(ENOTFOUND|EAI_|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)/,
    'offline',
  ],
  [
    /^ERR_(INTERNET_DISCONNECTED|NAME_NOT_RESOLVED|CONNECTION_REFUSED|ADDRESS_UNREACHABLE|NETWORK_)/,
    'offline',
  ],
  [
    /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|ERR_CONNECTION_|ERR_EMPTY_RESPONSE|ERR_HTTP2_|Z_)/,
    'interrupted',
  ],
];

type NetworkCode = Extract<
  FailureCode,
  'proxy' | 'tls' | 'timeout' | 'unexpected-response' | 'offline' | 'interrupted'
>;

const getFailureMessages = (): Readonly<Record<NetworkCode, string>> => ({
  proxy: l10n.t(
    'The network proxy cannot be reached or refused the connection. Check http.proxy, or use the editor transport.',
  ),
  tls: l10n.t(
    "The service's certificate is not trusted on this machine. If your network inspects traffic, install its certificate in the system, keep http.systemCertificates on, or use the editor transport.",
  ),
  timeout: l10n.t('The service took too long to answer. Retry.'),
  'unexpected-response': l10n.t(
    'The reply is not from the service. Check the base address; a sign-in page of the network can also answer in its place.',
  ),
  offline: l10n.t(
    'The service cannot be reached. Check the network connection and the base address, then retry.',
  ),
  interrupted: l10n.t('The connection ended before the answer was complete.'),
});

const getTimeoutMessages = (): Readonly<
  Record<Parameters<typeof createTimeoutError>[0], string>
> => ({
  headers: l10n.t('The service took too long to answer. Retry.'),
  idle: l10n.t('The service took too long to answer. Retry.'),
  progress: l10n.t('The service took too long to answer. Retry.'),
});

/** Yields an error and its nested causes. Limits the depth, because causes can be circular. */
function* iterateCauses(error: unknown, depth = 0): Generator<object> {
  if (typeof error !== 'object' || error === null || depth > 5) return;
  yield error;
  if ('errors' in error && Array.isArray(error.errors)) {
    for (const innerError of error.errors) yield* iterateCauses(innerError, depth + 1);
  }
  if ('cause' in error) yield* iterateCauses(error.cause, depth + 1);
}

function listErrorCodes(error: object): string[] {
  const ownCodes = isRecord(error) && typeof error['code'] === 'string' ? [error['code']] : [];
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const electronCode = /net::(ERR_\w+)/.exec(message)?.[1];
  const proxyStatus = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  return [
    ...(proxyStatus === undefined ? [] : [`PROXY_${proxyStatus}`]),
    ...(electronCode === undefined ? [] : [electronCode]),
    ...ownCodes,
    ...(name === 'HTTPParserError' ? ['HPE'] : []),
  ];
}
