import { expect, test } from 'vitest';
import { toBodyError, toServiceError } from './network-failure.ts';
import { ServiceError, type FailureCode } from './failure.ts';

const createError = (code: string): Error =>
  Object.assign(new Error('canary in the text'), { code });

test.each<[string, FailureCode]>([
  ['ENOTFOUND', 'offline'],
  ['EAI_AGAIN', 'offline'],
  ['ECONNREFUSED', 'offline'],
  ['ENETUNREACH', 'offline'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'offline'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'interrupted'],
  ['UND_ERR_SOCKET', 'interrupted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['EPROTO', 'tls'],
  ['HPE_INVALID_CONSTANT', 'unexpected-response'],
  ['SOMETHING_NEW', 'offline'],
])(
  'toServiceError classifies an error with the code %s as "%s", directly, as a cause, or in an AggregateError',
  (code, expected) => {
    const error = createError(code);
    const wrappedError = new TypeError('fetch failed', { cause: error });
    const aggregateError = new AggregateError([new Error('other'), error]);
    const failures = [error, wrappedError, aggregateError].map(
      (error) => toServiceError(error).failure,
    );
    expect(failures.map((failure) => failure.code)).toEqual([expected, expected, expected]);
    expect(JSON.stringify(failures)).not.toContain('canary');
  },
);

test.each<[string, FailureCode]>([
  ['net::ERR_CERT_AUTHORITY_INVALID', 'tls'],
  ['net::ERR_INTERNET_DISCONNECTED', 'offline'],
  ['net::ERR_NAME_NOT_RESOLVED', 'offline'],
  ['net::ERR_CONNECTION_REFUSED', 'offline'],
  ['net::ERR_CONNECTION_RESET', 'interrupted'],
  ['net::ERR_TIMED_OUT', 'timeout'],
  ['net::ERR_CONNECTION_TIMED_OUT', 'offline'],
  ['net::ERR_PROXY_CONNECTION_FAILED', 'proxy'],
  ['net::ERR_TUNNEL_CONNECTION_FAILED', 'proxy'],
  ['Proxy response (407) !== 200 when HTTP Tunneling', 'proxy'],
])('toServiceError classifies the network error message "%s" as "%s"', (message, code) => {
  expect(toServiceError(new Error(message)).failure.code).toBe(code);
});

test('toServiceError returns a ServiceError unchanged, and also returns the ServiceError that caused another error', () => {
  const originalError = new ServiceError({ code: 'proxy', message: 'x' });
  expect(toServiceError(originalError)).toBe(originalError);
  expect(toServiceError(new TypeError('fetch failed', { cause: originalError }))).toBe(
    originalError,
  );
});

test('toServiceError classifies thrown values that are not errors, and errors with circular causes, as offline', () => {
  const circularError = new Error('x');
  circularError.cause = circularError;
  expect(
    [undefined, null, 'text', 7, circularError].map((error) => toServiceError(error).failure.code),
  ).toEqual(Array(5).fill('offline'));
});

test('toBodyError classifies an unknown error as interrupted, but keeps the code of a timeout', () => {
  expect(toBodyError(createError('SOMETHING_NEW')).failure.code).toBe('interrupted');
  expect(toBodyError(createError('ETIMEDOUT')).failure.code).toBe('timeout');
});
