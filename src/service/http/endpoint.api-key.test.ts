import { expect, test } from 'vitest';
import { checkApiKey } from './endpoint.ts';

test.each(['12345678', 'SERVICE_INFERENCE_KEY_abc', '~'.repeat(512)])(
  'isApiKey accepts the API key %j',
  (key) => {
    expect(checkApiKey(key)).toBe(key);
  },
);

test.each([
  '',
  'short12',
  'canary-key\n',
  'canary key',
  'canary-kéy',
  'canary\0-key',
  'x'.repeat(513),
])('checkApiKey rejects the API key %j with an error that does not contain the key', (key) => {
  const error = catchError(() => checkApiKey(key));
  expect(error).toMatchObject({ failure: { code: 'invalid-key' } });
  if (key !== '') expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(key);
});

test('checkApiKey accepts a short placeholder key only for a server on this machine or for an unencrypted server in the local network', () => {
  for (const url of [
    'http://127.0.0.1:8080/v1',
    'http://localhost:11434/v1',
    'http://192.168.1.5:11434/v1',
    'http://gpu.local/v1',
  ])
    expect(checkApiKey('none', new URL(url))).toBe('none');
  for (const url of ['https://api.test/v1', 'https://192.168.1.5/v1'])
    expect(() => checkApiKey('none', new URL(url))).toThrow();
  expect(() => checkApiKey('', new URL('http://127.0.0.1:8080/v1'))).toThrow();
});

function catchError(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
