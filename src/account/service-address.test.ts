import { describe, expect, test } from 'vitest';
import { listAddressCandidates, probeAddresses, type ProbeResult } from './service-address.ts';
import type { ServiceFailure } from '../service/http/failure.ts';

describe('listAddressCandidates completes an address', () => {
  test.each([
    [
      'api.example.com',
      ['https://api.example.com/api/v1', 'https://api.example.com/v1', 'https://api.example.com'],
    ],
    [
      ' https://api.example.com/ ',
      ['https://api.example.com/api/v1', 'https://api.example.com/v1', 'https://api.example.com'],
    ],
    ['api.example.com:8443/v1/', ['https://api.example.com:8443/v1']],
    ['https://api.example.com/api/v1', ['https://api.example.com/api/v1']],
    [
      'https://example.com/team/openai',
      ['https://example.com/team/openai', 'https://example.com/team/openai/v1'],
    ],
    [
      'localhost:11434',
      ['http://localhost:11434/api/v1', 'http://localhost:11434/v1', 'http://localhost:11434'],
    ],
    ['[::1]:8080/v1', ['http://[::1]:8080/v1']],
    ['192.168.1.5:8080/v1', ['https://192.168.1.5:8080/v1']],
    ['http://192.168.1.5:8080/v1', ['http://192.168.1.5:8080/v1']],
  ])('typed as %s', (text, completions) =>
    expect(listAddressCandidates(text).completions).toEqual(completions),
  );
});

describe('corrected addresses from listAddressCandidates', () => {
  test.each([
    ['https://h.example/v1/chat/completions', 'https://h.example/v1'],
    ['https://h.example/api/v1/models/', 'https://h.example/api/v1'],
    ['https://h.example/v1?key=1', 'https://h.example/v1'],
    ['https://h.example/v1#top', 'https://h.example/v1'],
  ])('contain the base URL instead of the address %s', (text, fix) => {
    const { completions, fixes } = listAddressCandidates(text);
    expect(completions).toEqual([]);
    expect(fixes[0]).toBe(fix);
  });

  test('contain the base path /api/v1 for an address with the base path /v1', () =>
    expect(listAddressCandidates('https://h.example/v1').fixes).toEqual([
      'https://h.example/api/v1',
    ]));

  test('contain the https address of a public host for an http address', () => {
    const { completions, fixes } = listAddressCandidates('http://h.example/v1');
    expect(completions).toEqual(['http://h.example/v1']);
    expect(fixes).toEqual(['https://h.example/v1']);
  });

  test.each([
    ['192.168.1.5:8080/v1', 'http://192.168.1.5:8080/v1'],
    ['https://localhost:1234/v1', 'http://localhost:1234/v1'],
    ['gpu.local/v1', 'http://gpu.local/v1'],
  ])('contain an unencrypted address in the local network for %s', (text, fix) =>
    expect(listAddressCandidates(text).fixes).toContain(fix),
  );

  test.each([
    '169.254.169.254',
    'https://user:secret@h.example/v1',
    'h.example@evil.example',
    '//',
    'javascript:alert(1)',
    'ftp://h.example',
    'a b',
    '',
  ])('contain no unencrypted address and no credentials for %j', (text) => {
    const { completions, fixes } = listAddressCandidates(text);
    for (const address of [...fixes, ...completions.slice(1)]) {
      expect(address).toMatch(/^https:\/\/[^@]+$/u);
    }
  });
});

describe('probeAddresses', () => {
  const createFailure = (code: ServiceFailure['code']): ServiceFailure => ({ code, message: code });
  const createProbe = (results: Record<string, ProbeResult>) => async (address: string) =>
    results[address] ?? createFailure('not-found');

  test('returns an address that lists its models before an address that requires a key', async () => {
    const { foundServices } = await probeAddresses(
      ['a', 'b', 'c'],
      createProbe({ a: 'locked', c: 'models' }),
    );
    expect(foundServices).toEqual([
      { address: 'c', isLocked: false },
      { address: 'a', isLocked: true },
    ]);
  });

  test('reports the most specific failure if no service responds at any address', async () => {
    const outcome = await probeAddresses(
      ['a', 'b'],
      createProbe({ b: createFailure('redirected') }),
    );
    expect(outcome).toEqual({ foundServices: [], failure: createFailure('redirected') });
  });
});
