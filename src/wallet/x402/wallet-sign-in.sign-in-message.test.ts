import { privateKeyToAccount } from 'viem/accounts';
import { parseSiweMessage, validateSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { WalletError } from '../wallet-failure.ts';
import { knownPrivateKey } from './counting-signer.fixture.ts';
import { createSignInMessage } from './wallet-sign-in.ts';

const { address } = privateKeyToAccount(knownPrivateKey);
const nowMs = Date.UTC(2026, 10, 21, 20);
const nonce = '0123456789abcdef';
const createMessage = (url: string): string =>
  createSignInMessage({ url: new URL(url), address, chainId: 31_337, now: nowMs, nonce });

test('createSignInMessage formats the sign-in message as EIP-4361 defines', () => {
  expect(createMessage('https://api.service.test/api/v1/chat/completions').split('\n')).toEqual([
    'api.service.test wants you to sign in with your Ethereum account:',
    address,
    '',
    'Sign one request of the inference service. This moves no funds of the wallet.',
    '',
    'URI: https://api.service.test/api/v1/chat/completions',
    'Version: 1',
    'Chain ID: 31337',
    'Nonce: 0123456789abcdef',
    'Issued At: 2026-11-21T20:00:00.000Z',
    'Expiration Time: 2026-11-21T20:05:00.000Z',
  ]);
});

test.each([
  ['https://api.service.test/api/v1/models?type=all', 'api.service.test'],
  ['https://api.service.test:8443/api/v1/models', 'api.service.test:8443'],
  ['http://127.0.0.1:41234/api/v1/image/generate', '127.0.0.1:41234'],
  ['http://localhost:41234/api/v1/models?a=%0AURI:%20https://evil.test', 'localhost:41234'],
])(
  'createSignInMessage binds the sign-in message to the URL %s and the domain %s',
  (url, domain) => {
    const parsedMessage = parseSiweMessage(createMessage(url));
    expect(parsedMessage).toMatchObject({
      address,
      chainId: 31_337,
      domain,
      nonce,
      uri: url,
      version: '1',
    });
    const signInDetails = { address, domain, nonce, message: parsedMessage };
    expect(validateSiweMessage({ ...signInDetails, time: new Date(nowMs + 299_000) })).toBe(true);
    expect(validateSiweMessage({ ...signInDetails, time: new Date(nowMs + 300_000) })).toBe(false);
    expect(
      validateSiweMessage({ ...signInDetails, domain: 'evil.test', time: new Date(nowMs) }),
    ).toBe(false);
  },
);

test.each(['http://[::1]:4000/api/v1/models', 'https://intranet/api/v1/models'])(
  'createSignInMessage rejects the URL %s because of its unsupported host',
  (url) => {
    expect(() => createMessage(url)).toThrow(WalletError);
  },
);
