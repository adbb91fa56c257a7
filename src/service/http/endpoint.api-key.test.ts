import { expect, test } from 'vitest';
import { checkApiKey } from './endpoint.ts';

test.each([
  ['eight characters', '12345678'],
  ['letters and underscores', 'SERVICE_INFERENCE_KEY_abc'],
  ['512 characters', '~'.repeat(512)],
])('checkApiKey accepts an API key of %s', (_description, key) => {
  expect(checkApiKey(key)).toBe(key);
});

test.each([
  ['that is empty', ''],
  ['of seven characters', 'short12'],
  ['that ends with a line break', 'canary-key\n'],
  ['that contains a space', 'canary key'],
  ['that contains a non-ASCII letter', 'canary-kéy'],
  ['that contains a null character', 'canary\0-key'],
  ['of 513 characters', 'x'.repeat(513)],
])(
  'checkApiKey rejects an API key %s, and the error does not contain the key',
  (_description, key) => {
    const error = catchError(() => checkApiKey(key));
    expect(error).toMatchObject({ failure: { code: 'invalid-key' } });
    if (key !== '') expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain(key);
  },
);

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
