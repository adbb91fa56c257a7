import { expect, test } from 'vitest';
import { selectProxy, type ProxySettings } from './connector.ts';

const targetUrl = new URL('https://api.service.test/api/v1');
const proxyUrl = 'http://proxy.test:3128';

test.each<[string, ProxySettings, string | undefined]>([
  ['no settings', {}, undefined],
  ['an empty setting', { proxy: { url: '' } }, undefined],
  ['the setting', { proxy: { url: proxyUrl } }, 'http://proxy.test:3128/'],
  ['a setting without scheme', { proxy: { url: 'proxy.test:3128' } }, 'http://proxy.test:3128/'],
  ['a setting with an unsupported scheme', { proxy: { url: 'socks5://proxy.test' } }, undefined],
  [
    'the HTTPS_PROXY variable',
    { environment: { HTTPS_PROXY: proxyUrl } },
    'http://proxy.test:3128/',
  ],
  [
    'the https_proxy variable',
    { environment: { https_proxy: proxyUrl } },
    'http://proxy.test:3128/',
  ],
  ['the HTTP_PROXY variable', { environment: { HTTP_PROXY: proxyUrl } }, 'http://proxy.test:3128/'],
  [
    'the setting and a variable',
    { proxy: { url: proxyUrl }, environment: { HTTPS_PROXY: 'http://other' } },
    'http://proxy.test:3128/',
  ],
])('with %s, selectProxy returns the proxy $2', (_source, settings, expected) => {
  expect(selectProxy(targetUrl, settings)?.url.href).toBe(expected);
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
])(
  'selectProxy checks whether api.service.test matches the no-proxy entry %j: %j',
  (exception, isDirect) => {
    const settingProxy = selectProxy(targetUrl, {
      proxy: { url: proxyUrl, noProxy: ['x.test', exception] },
    });
    const environment = { HTTPS_PROXY: proxyUrl, NO_PROXY: `x.test, ${exception}` };
    expect(settingProxy === undefined).toBe(isDirect);
    expect(selectProxy(targetUrl, { environment }) === undefined).toBe(isDirect);
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
