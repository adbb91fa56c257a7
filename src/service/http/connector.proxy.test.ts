import { expect, test } from 'vitest';
import { proxyFor, type ProxySettings } from './connector.ts';

const target = new URL('https://api.service.test/api/v1');
const url = 'http://proxy.test:3128';

test.each<[string, ProxySettings, string | undefined]>([
  ['nothing', {}, undefined],
  ['empty setting', { proxy: { url: '' } }, undefined],
  ['setting', { proxy: { url } }, 'http://proxy.test:3128/'],
  ['setting without scheme', { proxy: { url: 'proxy.test:3128' } }, 'http://proxy.test:3128/'],
  ['unknown scheme', { proxy: { url: 'socks5://proxy.test' } }, undefined],
  ['HTTPS_PROXY', { environment: { HTTPS_PROXY: url } }, 'http://proxy.test:3128/'],
  ['https_proxy', { environment: { https_proxy: url } }, 'http://proxy.test:3128/'],
  ['HTTP_PROXY', { environment: { HTTP_PROXY: url } }, 'http://proxy.test:3128/'],
  [
    'both',
    { proxy: { url }, environment: { HTTPS_PROXY: 'http://other' } },
    'http://proxy.test:3128/',
  ],
])('takes the proxy from %s', (_from, settings, expected) => {
  expect(proxyFor(target, settings)?.url.href).toBe(expected);
});

test.each([
  ['*', true],
  ['api.service.test', true],
  ['API.Service.Test', true],
  ['service.test', true],
  ['.service.test', true],
  ['*.service.test', true],
  ['api.service.test:443', true],
  ['api.service.test:8443', false],
  ['other.test', false],
  ['vice.test', false],
  ['', false],
])('no proxy for %j: %j', (exception, isDirect) => {
  const own = proxyFor(target, { proxy: { url, noProxy: ['x.test', exception] } });
  const environment = { HTTPS_PROXY: url, NO_PROXY: `x.test, ${exception}` };
  expect(own === undefined).toBe(isDirect);
  expect(proxyFor(target, { environment }) === undefined).toBe(isDirect);
});

test.each(['http://127.0.0.1:1/', 'https://localhost/', 'https://[::1]/'])(
  'reaches %s directly',
  (loopback) => {
    expect(proxyFor(new URL(loopback), { proxy: { url } })).toBeUndefined();
  },
);

test('takes credentials out of the address, unless they are given', () => {
  const withCredentials = 'http://me:p%40ss@proxy.test';
  const basic = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(proxyFor(target, { proxy: { url: withCredentials } })).toEqual({
    url: new URL('http://proxy.test'),
    authorization: basic,
  });
  const given = { url: withCredentials, authorization: 'Negotiate x' };
  expect(proxyFor(target, { proxy: given })?.authorization).toBe('Negotiate x');
});
