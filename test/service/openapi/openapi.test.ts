import { inspect } from 'node:util';
import { Validator } from '@cfworker/json-schema';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { ModelCatalog } from '../catalog/model-catalog.ts';
import { chatBodySchema } from '../chat/body.ts';
import { ServiceState } from '../service-state.ts';
import { startLocalService } from '../server.ts';
import { createChatRequest, createReplyCheck, startTestService } from '../test-service.ts';
import { VendorNaming } from '../vendor-naming.ts';
import { ReplyChecker, type SentReply } from './reply-checker.ts';
import { createDocument } from './document.ts';
import { toClosedJsonSchema } from './json-schema.ts';
import { toYaml } from './yaml.ts';

const openApiDocument = createDocument(new VendorNaming('service'));

describe('GET /doc/api/swagger.yaml', () => {
  test('returns the document as YAML without a key', async () => {
    const { baseUrl } = await startTestService();
    const reply = await fetch(new URL('/doc/api/swagger.yaml', baseUrl));
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    const text = await reply.text();
    expect(text).toMatch(/^openapi: "3\.2\.0"\ninfo:\n {2}title: /);
    expect(text).toContain('\n  /chat/completions:\n    post:\n      summary: ');
  });

  test('contains the configured vendor prefix instead of the neutral prefix "service"', async () => {
    const { baseUrl } = await startTestService({ vendorPrefix: 'acme' });
    const text = await (await fetch(new URL('/doc/api/swagger.yaml', baseUrl))).text();
    expect(text).toContain('acme_parameters:');
    expect(text).toContain('include_acme_system_prompt:');
    expect(text).toContain('"x-acme-version":');
    expect(text).not.toMatch(/service_parameters|include_service_|x-service-/);
  });
});

test('the OpenAPI document describes only routes that exist', async () => {
  const app = createApi(
    new ServiceState({
      vendorPrefix: 'service',
      seed: 1,
      pace: 'instant',
      missingKeyStatus: 402,
      hasCompletionsRoute: false,
      catalog: new ModelCatalog(),
    }),
  );
  await app.ready();
  for (const [path, operations] of Object.entries(openApiDocument.paths)) {
    const url = `/api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`;
    for (const method of Object.keys(operations)) {
      const httpMethod = method.toUpperCase() as 'GET' | 'POST' | 'PATCH' | 'DELETE';
      expect([url, method, app.hasRoute({ url, method: httpMethod })]).toEqual([url, method, true]);
    }
  }
});

describe('ReplyChecker', () => {
  const checker = new ReplyChecker(openApiDocument);
  const createReply = (changes: Partial<SentReply> = {}): SentReply => ({
    method: 'GET',
    path: '/image/styles',
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-service-version': '1' },
    text: '{"object":"list","data":["Anime"]}',
    ...changes,
  });

  test('accepts a reply that matches the OpenAPI document', () => {
    expect(checker.findProblems(createReply())).toEqual([]);
  });

  const cases: [string, Partial<SentReply>, RegExp][] = [
    ['an unknown route', { path: '/poems' }, /the route is not documented/],
    ['an unknown method', { method: 'POST' }, /the route is not documented/],
    ['an unknown status', { status: 418 }, /the status is not documented/],
    [
      'an undocumented content type',
      { headers: { 'content-type': 'text/html' } },
      /text\/html is not/,
    ],
    ['a missing header', { headers: { 'content-type': 'application/json' } }, /x-service-version/],
    ['a missing field', { text: '{"object":"list"}' }, /"data"/],
    ['an additional field', { text: '{"object":"list","data":[],"extra":1}' }, /"extra"/],
    ['a field of the wrong type', { text: '{"object":"list","data":[1]}' }, /#\/data\/0/],
    ['text that is not JSON', { text: 'Anime' }, /is not JSON/],
    ['an error without a text', { status: 401, text: '{"code":"X"}' }, /401/],
  ];
  test.each(cases)('reports %s', (_, changes, problemPattern) => {
    expect(checker.findProblems(createReply(changes)).join('\n')).toMatch(problemPattern);
  });

  const createStreamReply = (text: string): SentReply =>
    createReply({
      method: 'POST',
      path: '/responses',
      headers: { 'content-type': 'text/event-stream', 'x-service-version': '1' },
      text,
    });
  const event = '{"type":"response.web_search.done","sequence_number":0}';

  test('checks each event of a stream', () => {
    const eventLine = 'event: response.web_search.done\n';
    const validEvents = `${eventLine}data: ${event}\n\ndata: [DONE]\n\n`;
    expect(checker.findProblems(createStreamReply(validEvents))).toEqual([]);
    expect(
      checker.findProblems(createStreamReply(`${validEvents}data: {"type":"odd"}\n\n`)),
    ).not.toEqual([]);
    expect(checker.findProblems(createStreamReply(`${validEvents}odd\n\n`)).join()).toMatch(
      /odd is no event/,
    );
  });
});

test('createReplyCheck reports each reply that does not match the OpenAPI document', async () => {
  const { onReply, problems } = createReplyCheck('zeta');
  const service = await startLocalService({ pace: 'instant', vendorPrefix: 'acme', onReply });
  await (await fetch(`${service.baseUrl}/models`)).text();
  await service.stop();
  expect(problems.join('\n')).toMatch(/^GET \/models 200: the header x-zeta-version is missing$/m);
});

const changedRequestFields: [fields: object, isValid: boolean][] = [
  [{}, true],
  [{ temperature: 2.1 }, false],
  [{ top_k: 1.5 }, false],
  [{ seed: 0 }, false],
  [{ strem: true }, false],
  [{ stop: null }, true],
  [{ stop: ['1', '2', '3', '4', '5'] }, false],
  [{ messages: [] }, false],
  [{ messages: undefined }, false],
  [{ messages: [{ role: 'robot', content: '' }] }, false],
  [{ messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, false],
  [{ messages: [{ role: 'tool', content: 'a' }] }, false],
  [{ reasoning_effort: 'huge' }, false],
  [{ metadata: { a: 1 } }, false],
  [{ tools: [{ type: 'function', function: { name: 'a b' } }] }, false],
  [{ service_parameters: { enable_web_search: 'auto', unknown: 1 } }, true],
  [{ service_parameters: { enable_web_search: true } }, false],
];

test.each(
  changedRequestFields.map(
    ([fields, isValid]) =>
      [
        isValid ? 'accepts' : 'rejects',
        inspect(fields, { depth: Infinity, breakLength: Infinity }),
        fields,
        isValid,
      ] as const,
  ),
)(
  'the JSON Schema of a chat request %s the changed fields %s, as its source schema does',
  (_verb, _text, fields, isValid) => {
    // JSON has no undefined fields.
    const body = JSON.parse(JSON.stringify(createChatRequest('Hi', fields))) as object;
    const isKnown = Object.keys(body).every((name) => name in chatBodySchema.entries);
    expect(v.is(chatBodySchema, body) && isKnown).toBe(isValid);
    expect(new Validator(toClosedJsonSchema(chatBodySchema)).validate(body).valid).toBe(isValid);
  },
);

test('toYaml quotes strings that YAML would read as another type', () => {
  const value = {
    a: ['x', 1, null, true, [], {}, { b: 'yes', c: { d: 'two words' } }, [['e']]],
    'x-y': '1',
    no: '#/components/a',
  };
  expect(toYaml(value)).toBe(
    [
      'a:',
      '  - x',
      '  - 1',
      '  - null',
      '  - true',
      '  - []',
      '  - {}',
      '  - b: "yes"',
      '    c:',
      '      d: "two words"',
      '  - - - e',
      '"x-y": "1"',
      '"no": "#/components/a"',
      '',
    ].join('\n'),
  );
});
