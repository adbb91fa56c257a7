import * as l10n from '@vscode/l10n';
import { isRecord } from '../../base/json.ts';
import { ServiceError, type FailureCode, type ServiceFailure } from './failure.ts';

/**
 * The failure a thrown network error stands for. Only codes are taken from the error: the text of Node's errors can
 * hold header values.
 */
export function networkFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const chain = [...causes(error)];
  const own = chain.find((cause) => cause instanceof ServiceError);
  if (own !== undefined) return own;
  const codes = chain.flatMap(codesOf);
  for (const [pattern, code] of byCode) {
    const found = codes.find((each) => pattern.test(each));
    if (found !== undefined)
      return new ServiceError({ code, message: messages()[code], detail: found });
  }
  return new ServiceError({ code: 'offline', message: messages().offline });
}

/** How a chat ends that could not begin. */
export const failedOutcome = (
  error: unknown,
): { readonly kind: 'failed'; readonly failure: ServiceFailure } => ({
  kind: 'failed',
  failure: networkFailure(error).failure,
});

/** {@link networkFailure} for an error that came after the reply had begun: then the service was reached. */
export function bodyFailure(error: unknown): ServiceError {
  const failure = networkFailure(error);
  const { code, detail } = failure.failure;
  return code === 'offline' || code === 'tls' || code === 'unexpected-response'
    ? interrupted(detail)
    : failure;
}

/** The connection ended before the reply was whole. */
export const interrupted = (detail?: string): ServiceError =>
  new ServiceError({
    code: 'interrupted',
    message: messages().interrupted,
    ...(detail === undefined ? {} : { detail }),
  });

export const timedOut = (what: 'connect' | 'headers' | 'idle' | 'progress'): ServiceError =>
  new ServiceError({ code: 'timeout', message: timeoutMessages()[what] });

export const stopped = (): ServiceError =>
  new ServiceError({ code: 'stopped', message: l10n.t('Stopped.') });

/** Why a request was aborted: the failure its owner gave as the reason, else that a person stopped it. */
export const abortFailure = (signal: AbortSignal): ServiceError =>
  signal.reason instanceof ServiceError ? signal.reason : stopped();

/** A reply that sends the request elsewhere; credentials never follow it. */
export const redirected = (status: number): ServiceError =>
  new ServiceError({
    code: 'redirected',
    status,
    message: l10n.t(
      'The address answers with a redirect, which is not followed because it could leak the API key. A sign-in page of the network, or a wrong base address, does this.',
    ),
  });

/** The proxy between us and the service did not let the request through. */
export const proxyRefused = (status: number): ServiceError =>
  new ServiceError({
    code: 'proxy',
    status,
    message:
      status === 407
        ? l10n.t(
            'The network proxy asks for credentials (407). Set http.proxy with user name and password, or use the editor transport.',
          )
        : l10n.t(
            'The network proxy refused the connection ({0}). Check http.proxy and http.noProxy, or use the editor transport.',
            status,
          ),
  });

/** The proxy itself cannot be reached, or hung up. */
export function proxyUnreachable(error: unknown): ServiceError {
  const { detail } = networkFailure(error).failure;
  return new ServiceError({
    code: 'proxy',
    message: messages().proxy,
    ...(detail === undefined ? {} : { detail }),
  });
}

const byCode: readonly (readonly [RegExp, NetworkCode])[] = [
  [/^ERR_(PROXY|TUNNEL)|^PROXY_/, 'proxy'],
  [
    /^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|CERT_|ERR_CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|HOSTNAME_MISMATCH)/,
    'tls',
  ],
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT|ERR_(CONNECTION_)?TIMED_OUT)$/, 'timeout'],
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

const messages = (): Readonly<Record<NetworkCode, string>> => ({
  proxy: l10n.t(
    'The network proxy cannot be reached or refused the connection. Check http.proxy, or use the editor transport.',
  ),
  tls: l10n.t(
    "The service's certificate is not trusted on this machine. If your network inspects traffic, install its certificate in the system, keep http.systemCertificates on, or use the editor transport.",
  ),
  timeout: l10n.t('The service took too long to answer. Retry.'),
  'unexpected-response': l10n.t(
    'What answers at this address does not speak HTTP as expected. Check the base address.',
  ),
  offline: l10n.t(
    'The service cannot be reached. Check the network connection and the base address, then retry.',
  ),
  interrupted: l10n.t('The connection ended before the answer was complete.'),
});

const timeoutMessages = (): Readonly<Record<Parameters<typeof timedOut>[0], string>> => ({
  connect: l10n.t(
    'No connection to the service could be made in time. Check the network, then retry.',
  ),
  headers: l10n.t('The service did not begin to answer in time. Retry.'),
  idle: l10n.t('The answer stalled: nothing arrived for too long.'),
  progress: l10n.t(
    'The answer stalled: the connection is alive but no part of the answer arrived.',
  ),
});

/** The error, what it was made from, and so on; bounded, since causes can be circular. */
function* causes(error: unknown, depth = 0): Generator<object> {
  if (typeof error !== 'object' || error === null || depth > 5) return;
  yield error;
  if ('errors' in error && Array.isArray(error.errors)) {
    for (const each of error.errors) yield* causes(each, depth + 1);
  }
  if ('cause' in error) yield* causes(error.cause, depth + 1);
}

function codesOf(error: object): string[] {
  const code = isRecord(error) && typeof error['code'] === 'string' ? [error['code']] : [];
  const { name = '', message = '' } = error instanceof Error ? error : {};
  const electron = /net::(ERR_\w+)/.exec(message)?.[1];
  const proxyStatus = /^Proxy response \((\d{3})\)/.exec(message)?.[1];
  return [
    ...(proxyStatus === undefined ? [] : [`PROXY_${proxyStatus}`]),
    ...(electron === undefined ? [] : [electron]),
    ...code,
    ...(name === 'HTTPParserError' ? ['HPE'] : []),
  ];
}
