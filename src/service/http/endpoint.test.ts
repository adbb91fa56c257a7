import { expect, test } from 'vitest';
import { findBaseUrlFailure, buildEndpointUrl, parseBaseUrl, isSameOrigin } from './endpoint.ts';

test.each([
  ['https://api.service.test/api/v1', 'https://api.service.test/api/v1'],
  ['  https://api.service.test/api/v1/  ', 'https://api.service.test/api/v1'],
  ['HTTPS://API.Service.Test:443/api/v1//', 'https://api.service.test/api/v1'],
  ['https://gateway.test/llm/v2', 'https://gateway.test/llm/v2'],
  ['https://gateway.test', 'https://gateway.test/'],
  ['http://127.0.0.1:8080/api/v1', 'http://127.0.0.1:8080/api/v1'],
  ['http://localhost:1/api/v1', 'http://localhost:1/api/v1'],
  ['http://[::1]:1/api/v1', 'http://[::1]:1/api/v1'],
])('parseBaseUrl accepts the base URL %j', (text, href) => {
  expect(parseBaseUrl(text).href).toBe(href);
});

test.each([
  ['http://api.service.test/api/v1', 'https://'],
  ['http://127.0.0.1.evil.test/api/v1', 'https://'],
  ['ftp://api.service.test', 'https://'],
  ['https://me:secret@api.service.test/', 'password'],
  ['https://api.service.test@evil.test/', 'password'],
  ['https://@evil.test/', 'password'],
  ['https://api.service.test\\@evil.test', 'complete'],
  ['https://api.service.test\0.evil.test', 'complete'],
  ['https://evil.test#api.service.test', 'fragment'],
  ['https://evil.test/?api.service.test', 'query'],
  ['https://evil.test/api/v1?', 'query'],
  ['api.service.test/api/v1', 'complete'],
  ['https://', 'complete'],
])('parseBaseUrl rejects the base URL %j', (text, reason) => {
  expect(() => parseBaseUrl(text)).toThrow(reason);
  expect(() => parseBaseUrl(text)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'invalid-address' }) }),
  );
});

test('parseBaseUrl rejects an empty base URL with the code "no-address"', () => {
  expect(() => parseBaseUrl('  ')).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code: 'no-address' }) }),
  );
});

test('parseBaseUrl throws an error that names the usual base URL endings of services and of OpenAI-compatible servers', () => {
  expect(() => parseBaseUrl('')).toThrow('usually ends in /api/v1 or /v1');
});

test('parseBaseUrl throws an error that names the addresses for which http:// is permitted', () => {
  const confirmedOrigins = new Set<string>();
  for (const host of ['nas', 'server.home.arpa', '8.8.8.8'])
    expect(() => parseBaseUrl(`http://${host}/v1`, confirmedOrigins)).toThrow(
      'private IP addresses and names that end in .local',
    );
});

const serviceUrl = new URL('https://api.service.test/api/v1');

test.each([
  'https://api.service.test.evil.test',
  'https://api.service.test@evil.test',
  'https://evil.test#api.service.test',
  'http://api.service.test',
  'https://api.service.test:444',
])('isSameOrigin returns false for https://api.service.test/api/v1 and %s', (text) => {
  expect(isSameOrigin(new URL(text), serviceUrl)).toBe(false);
});

test.each(['https://api.service.test\\@evil.test', 'https://API.service.test:443/other'])(
  'isSameOrigin returns true for https://api.service.test/api/v1 and %s',
  (text) => {
    expect(isSameOrigin(new URL(text), serviceUrl)).toBe(true);
  },
);

test('isSameOrigin returns false for URLs without an origin', () => {
  expect(isSameOrigin(new URL('data:a'), new URL('data:a'))).toBe(false);
});

test('buildEndpointUrl appends paths to the base URL', () => {
  const buildUrl = (baseUrl: string): string =>
    buildEndpointUrl(new URL(baseUrl), '/models', { type: 'a&b' }).href;
  expect(buildUrl('https://a.test/api/v1')).toBe('https://a.test/api/v1/models?type=a%26b');
  expect(buildUrl('https://a.test')).toBe('https://a.test/models?type=a%26b');
});

test('findBaseUrlFailure returns undefined for a valid base URL', () => {
  expect(findBaseUrlFailure('https://api.service.test/api/v1')).toBeUndefined();
});

test.each([
  ['', 'no-address'],
  ['http://api.service.test', 'invalid-address'],
])(
  'for the base URL "%s", findBaseUrlFailure returns a failure with the code "%s"',
  (text, code) => {
    expect(findBaseUrlFailure(text)?.code).toBe(code);
  },
);
