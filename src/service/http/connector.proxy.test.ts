import { expect, test } from 'vitest';
import { selectProxy, type ProxySettings } from './connector.ts';

const targetUrl = new URL('https://api.service.test/api/v1');
const proxyUrl = 'http://proxy.test:3128';

test.each<[string, ProxySettings]>([
  ['the setting', { proxy: { url: proxyUrl } }],
  ['a setting without a scheme', { proxy: { url: 'proxy.test:3128' } }],
  ['the HTTPS_PROXY variable', { environment: { HTTPS_PROXY: proxyUrl } }],
  ['the https_proxy variable', { environment: { https_proxy: proxyUrl } }],
  ['the HTTP_PROXY variable', { environment: { HTTP_PROXY: proxyUrl } }],
  [
    'the setting if a variable names another proxy',
    { proxy: { url: proxyUrl }, environment: { HTTPS_PROXY: 'http://other' } },
  ],
])('selectProxy returns the proxy from %s', (_source, settings) => {
  expect(selectProxy(targetUrl, settings)?.url.href).toBe('http://proxy.test:3128/');
});

test.each<[string, ProxySettings]>([
  ['without a setting or a variable', {}],
  ['if the setting is empty', { proxy: { url: '' } }],
  ['if the setting has an unsupported scheme', { proxy: { url: 'socks5://proxy.test' } }],
])('selectProxy returns no proxy %s', (_source, settings) => {
  expect(selectProxy(targetUrl, settings)).toBeUndefined();
});

/** Selects the proxy with a no-proxy entry in the setting, and with the same entry in the environment. */
function selectProxiesWithException(exception: string) {
  const environment = { HTTPS_PROXY: proxyUrl, NO_PROXY: `x.test, ${exception}` };
  return [
    selectProxy(targetUrl, { proxy: { url: proxyUrl, noProxy: ['x.test', exception] } }),
    selectProxy(targetUrl, { environment }),
  ];
}

test.each([
  '*',
  'api.service.test',
  'API.Service.Test',
  'service.test',
  '.service.test',
  '*.service.test',
  'api.service.test:443',
])('selectProxy returns no proxy for api.service.test with the no-proxy entry %j', (exception) => {
  expect(selectProxiesWithException(exception)).toEqual([undefined, undefined]);
});

test.each(['api.service.test:8443', 'other.test', 'vice.test', ''])(
  'selectProxy returns the proxy for api.service.test despite the no-proxy entry %j',
  (exception) => {
    expect(selectProxiesWithException(exception)).not.toContain(undefined);
  },
);

test.each(['http://127.0.0.1:1/', 'https://localhost/', 'https://[::1]/'])(
  'selectProxy uses no proxy for the loopback address %s',
  (loopbackHost) => {
    expect(selectProxy(new URL(loopbackHost), { proxy: { url: proxyUrl } })).toBeUndefined();
  },
);

test('selectProxy moves credentials from the proxy URL to the authorization header, unless the settings contain this header', () => {
  const urlWithCredentials = 'http://me:p%40ss@proxy.test';
  const basicAuthorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
  expect(selectProxy(targetUrl, { proxy: { url: urlWithCredentials } })).toEqual({
    url: new URL('http://proxy.test'),
    authorization: basicAuthorization,
  });
  const explicitSettings = { url: urlWithCredentials, authorization: 'Negotiate x' };
  expect(selectProxy(targetUrl, { proxy: explicitSettings })?.authorization).toBe('Negotiate x');
});

test('selectProxy accepts an unencoded percent sign in the proxy password', () => {
  const proxy = selectProxy(targetUrl, { proxy: { url: 'http://me:p%ss@proxy.test' } });
  expect(proxy?.authorization).toBe(`Basic ${Buffer.from('me:p%ss').toString('base64')}`);
});
