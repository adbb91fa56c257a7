import { describe, expect, test } from 'vitest';
import { Connection, readConnectionFacts } from './connection.ts';
import { findParameters, findVendorPrefix } from './vendor-prefix.ts';

describe('the vendor prefix of a deployment', () => {
  test.each([
    [{ 'x-acme-version': '20260821.120000', 'x-acme-model-id': 'm' }, 'acme'],
    [{ 'x-acme-version': '20260821.120000', 'x-acme-balance-usd': '1' }, 'acme'],
    [{ 'x-a1-is-blurred': 'false', 'x-a1-is-content-violation': 'false' }, 'a1'],
  ])('is read from the headers %j', (headers, word) => {
    expect(findVendorPrefix(headers)).toBe(word);
  });

  test.each<[name: string, headers: Record<string, string>]>([
    ['a version header without a time', { 'x-acme-version': '1.2.3', 'x-acme-model-id': 'm' }],
    [
      'headers with a prefix of one letter',
      { 'x-a-version': '20260821.120000', 'x-a-model-id': 'm' },
    ],
    [
      'headers with a prefix of 32 letters',
      {
        [`x-${'a'.repeat(32)}-version`]: '20260821.120000',
        [`x-${'a'.repeat(32)}-model-id`]: 'm',
      },
    ],
    ['a version header alone', { 'x-acme-version': '20260821.120000' }],
    ['a single moderation header', { 'x-acme-is-blurred': 'false' }],
    [
      'a version header and an unknown header',
      { 'x-acme-version': '20260821.120000', 'x-acme-color': 'red' },
    ],
    [
      'the headers of LiteLLM',
      {
        'x-litellm-version': '1.77.2',
        'x-litellm-model-id': 'abc',
        'x-litellm-call-id': '1',
        'x-litellm-response-cost': '0.1',
      },
    ],
    [
      'the headers of Envoy',
      {
        'x-envoy-upstream-service-time': '12',
        'x-envoy-decorator-operation': 'a',
        server: 'envoy',
      },
    ],
    [
      'the headers of Vercel',
      { 'x-vercel-id': 'fra1::a', 'x-vercel-cache': 'MISS', server: 'Vercel' },
    ],
    [
      'the headers of Cloudflare',
      { 'cf-ray': '8a', 'cf-cache-status': 'DYNAMIC', 'x-content-type-options': 'nosniff' },
    ],
    [
      'the headers of AWS',
      { 'x-amzn-requestid': 'a', 'x-amz-version-id': '20260821.120000', 'x-amz-id-2': 'b' },
    ],
    ...['amz', 'amzn', 'aws', 'cf', 'cloudflare', 'envoy', 'litellm', 'vercel'].map(
      (word) =>
        [
          `deployment headers with the gateway name "${word}" as the prefix`,
          {
            [`x-${word}-version`]: '20260821.120000',
            [`x-${word}-timestamp`]: '2026-08-21T12:00:00Z',
          },
        ] as [string, Record<string, string>],
    ),
    [
      'headers with two different prefixes',
      {
        'x-acme-is-blurred': 'false',
        'x-acme-is-content-violation': 'false',
        'x-other-is-blurred': 'false',
        'x-other-is-content-violation': 'false',
      },
    ],
  ])('is not read from %s', (_name, headers) => {
    expect(findVendorPrefix(headers)).toBeUndefined();
  });

  test('is read from headers that also contain similar headers of a gateway', () => {
    const names = ['version', 'timestamp'];
    const entries = ['acme', 'amz'].flatMap((word) =>
      names.map((name) => [`x-${word}-${name}`, '20260821.120000']),
    );
    expect(findVendorPrefix(Object.fromEntries(entries) as Record<string, string>)).toBe('acme');
  });

  test.each(['rpc-credits', 'rpc-cost-usd'])('is read from a reply with the header %s', (name) => {
    const headers = { 'x-acme-version': '20260821.120000', [`x-acme-${name}`]: '1' };
    expect(findVendorPrefix(headers)).toBe('acme');
  });

  test('is read from the name of the parameters object in a chat reply', () => {
    const parameters = { enable_web_search: 'on', include_acme_system_prompt: true };
    expect(findParameters({ id: 'a', acme_parameters: parameters })).toEqual({
      prefix: 'acme',
      parameters,
    });
    expect(findParameters({ acme_parameters: { enable_web_search: 'on' } })).toBeUndefined();
    expect(findParameters({ acme_parameters: { a: 1, b: 2 } })).toBeUndefined();
  });
});

test('readConnectionFacts omits invalid stored facts', () => {
  expect(
    readConnectionFacts({ word: 'acme', fields: { a: true, b: 'no' }, omitted: ['c', 1] }),
  ).toEqual({ word: 'acme', fields: { a: true }, omitted: ['c'] });
  expect(readConnectionFacts({ word: 'Not a word' })).toEqual({});
  expect(readConnectionFacts(undefined)).toEqual({});
});

test('clearRefusals removes the records of rejected and omitted fields, but keeps the vendor prefix and the accepted fields', () => {
  const savedFacts: unknown[] = [];
  const facts = { word: 'acme', fields: { seed: false, stop: true }, omitted: ['top_k'] };
  const connection = new Connection(facts, (changedFacts) => savedFacts.push(changedFacts));
  connection.clearRefusals();
  expect(connection.isOmitted({ path: 'seed', key: 'seed' })).toBe(false);
  expect(connection.isOmitted({ path: 'top_k', key: 'top_k', chosenName: 'top_k' })).toBe(false);
  expect(savedFacts).toEqual([{ word: 'acme', fields: { stop: true } }]);
});

test('a connection no longer omits a field after the field is restored', () => {
  const savedFacts: unknown[] = [];
  const connection = new Connection({ omitted: ['seed:m', 'stop:m'] }, (facts) =>
    savedFacts.push(facts),
  );
  connection.restoreField('seed:m');
  connection.restoreField('seed:m');
  expect(connection.isOmitted({ path: 'seed', key: 'seed:m', chosenName: 'Seed' })).toBe(false);
  expect(savedFacts).toEqual([{ omitted: ['stop:m'] }]);
});

test('a connection saves its facts about the server only after a change', () => {
  const savedFacts: unknown[] = [];
  const connection = new Connection({ word: 'acme' }, (facts) => savedFacts.push(facts));
  connection.recordVendorPrefix('acme');
  connection.recordField('seed', false);
  connection.recordField('seed', false);
  connection.omitField('stop');
  connection.omitField('stop');
  expect(savedFacts).toHaveLength(2);
  expect(connection.isOmitted({ path: 'seed', key: 'seed' })).toBe(true);
  expect(connection.isOmitted({ path: 'seed', key: 'seed', chosenName: 'Seed' })).toBe(false);
  expect(connection.isOmitted({ path: 'stop', key: 'stop', chosenName: 'stop' })).toBe(true);
});

test('a connection that records a new vendor prefix removes only its records of rejected and omitted vendor parameters', () => {
  const connection = new Connection();
  connection.recordField('parameters', false);
  connection.recordField('seed:m', false);
  connection.omitField('parameters:enable_web_search');
  connection.omitField('stop');
  connection.recordVendorPrefix('acme');
  expect(connection.facts).toEqual({
    word: 'acme',
    fields: { 'seed:m': false },
    omitted: ['stop'],
  });
});
