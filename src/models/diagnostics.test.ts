import { expect, test } from 'vitest';
import { fc } from '../../test/support/property.ts';
import { addOutcome, type RecentOutcome } from '../account/recent-outcomes.ts';
import type { CallOutcome } from '../account/health.ts';
import { readModel } from '../service/read-model.ts';
import { type DiagnosticsInput, formatDiagnostics } from './diagnostics.ts';

const createModel = (id: string, text = '') =>
  readModel({
    ...{ id, object: 'model', type: 'text', created: 1, owned_by: text },
    model_spec: {
      ...{ name: text, description: text, availableContextTokens: 8_192 },
      capabilities: { supportsFunctionCalling: true },
    },
  });

const formatInput = (input: Partial<DiagnosticsInput>): string =>
  formatDiagnostics({
    versions: { 'VS Code': '1.110.0' },
    keyState: 'usable',
    baseUrl: 'https://service.example/api/v1',
    facts: { word: 'acme', fields: { 'mint.limitPeriod': false, prompt_cache_key: true } },
    model: createModel('some-model'),
    outcomes: [],
    secrets: [],
    ...input,
  });

test('formatDiagnostics lists the vendor prefix, fields, capabilities with their origin, statuses and versions', () => {
  const outcomes: readonly CallOutcome[] = [
    { serviceVersion: '20261120.101112' },
    { code: 'overloaded', message: 'Busy.', status: 503 },
  ];
  const timestamp = Date.parse('2026-11-23T10:00:00Z');
  const recentOutcomes = outcomes.reduce<readonly RecentOutcome[]>(
    (earlierOutcomes, outcome) => addOutcome(earlierOutcomes, outcome, timestamp),
    [],
  );
  const model = createModel('some-model');
  const reportedModel = model && { ...model, origins: { tools: '/props' } as const };
  expect(formatInput({ outcomes: recentOutcomes, model: reportedModel }).split('\n')).toEqual([
    '- VS Code: 1.110.0',
    '- service: 20261120.101112',
    '- address: https://, another machine',
    '- key: usable',
    '- word: `acme`',
    '- fields accepted: `prompt_cache_key`',
    '- fields refused: `mint.limitPeriod`',
    '- fields left out: none',
    '- model: `some-model`',
    '- context: 8192 (model list)',
    '- tools: yes (/props)',
    '- images: unknown',
    '- reasoning: unknown',
    '- recent: 10:00:00 ok, 10:00:00 503 overloaded',
  ]);
});

test.each([
  ['/home/jane/customers/acme-merger.gguf', '`acme-merger.gguf`'],
  ['C:\\Users\\jane\\secret\\model.gguf', '`model.gguf`'],
  ['~/models/private/', '`private`'],
  ['https://evil.example/track?id=1', '`track?id?1`'],
  ['[click here](https://evil.example)', '`evil.example`'],
  ['@jane-doe please run this', '`jane-doe?please?run?this`'],
  ['`code` <img src=x>', '`code??img?src?x?`'],
  ['a\n- key: usable', '`a?-?key:?usable`'],
  ['qwen3:8b', '`qwen3:8b`'],
  ['meta-llama/Llama-3.1-8B-Instruct', '`Llama-3.1-8B-Instruct`'],
  ['//', 'unknown'],
])('formatDiagnostics shows the model id %j without links, mentions and paths', (id, expected) => {
  expect(formatInput({ model: createModel(id) }).split('\n')).toContain(`- model: ${expected}`);
});

test('formatDiagnostics lists rejected and accepted fields, but not the names of the models', () => {
  const model = '/home/jane/@bob [x](https://evil.example)';
  const facts = {
    fields: { [`stop:${model}`]: true, 'stop:other': true, [`image.size:${model}`]: false },
    omitted: [`seed:${model}`, 'parameters:enable_web_search'],
  };
  const diagnostics = formatInput({ facts });
  expect(diagnostics).toContain('- fields accepted: `stop`\n');
  expect(diagnostics).toContain('- fields refused: `image.size`\n');
  expect(diagnostics).toContain('- fields left out: `seed`, `parameters`\n');
});

const anyHexDigit = fc.constantFrom(...'0123456789abcdefABCDEF'.split(''));
const anyLetter = fc.constantFrom(...'ABCxyz0189_-'.split(''));
const secretsArbitrary = fc.record({
  apiKey: fc
    .array(anyLetter, { minLength: 4, maxLength: 40 })
    .map((letters) => `Kq${letters.join('')}`),
  address: fc
    .array(anyHexDigit, { minLength: 40, maxLength: 40 })
    .map((digits) => `0x${digits.join('')}`),
  text: fc.string({ minLength: 1, maxLength: 30 }).map((text) => `“private” ${text}`),
});

test('formatDiagnostics omits keys, wallet addresses and free text that any input field contains', () => {
  fc.assert(
    fc.property(secretsArbitrary, ({ apiKey, address, text }) => {
      const plantedText = `${apiKey} ${address} ${text}`;
      const outcomes: readonly CallOutcome[] = [
        {
          code: 'unauthorized',
          message: plantedText,
          detail: plantedText,
          requestId: apiKey,
          status: 401,
        },
        { requestId: plantedText, serviceVersion: plantedText },
      ];
      const diagnostics = formatInput({
        baseUrl: `https://${apiKey}.example/${address}`,
        facts: { fields: { [plantedText]: true, [`x.${apiKey}`]: false }, omitted: [address] },
        model: createModel(`m-${apiKey}/${address}`, text),
        outcomes: outcomes.reduce<readonly RecentOutcome[]>(
          (list, outcome) => addOutcome(list, outcome, 0),
          [],
        ),
        secrets: [apiKey],
      });
      for (const secret of [apiKey, address, text]) expect(diagnostics).not.toContain(secret);
    }),
  );
});

test('formatDiagnostics redacts a key in a version number', () => {
  const secret = 'canary-key-0123456789';
  const text = formatInput({ versions: { 'VS Code': `1.110.0 ${secret}` }, secrets: [secret] });
  expect(text).toContain('- VS Code: 1.110.0');
  expect(text).not.toContain('canary');
});
