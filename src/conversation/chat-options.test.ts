import { fc } from '../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model } from '../service/model-types.ts';
import {
  type ChatOptions,
  type ReasoningEffort,
  toChatParameters,
  reasoningEfforts,
  listSupportedReasoningEfforts,
  readChatOptions,
} from './chat-options.ts';

const allOptions: ChatOptions = {
  webSearch: 'on',
  webScraping: true,
  webCitations: false,
  xSearch: true,
  stripThinking: true,
  disableThinking: false,
  servicePrompt: true,
  character: { slug: 'pirate', name: 'Pirate' },
  temperature: 0.5,
  topP: 0.9,
  maxTokens: 1_000,
  seed: 7,
  stop: ['END'],
  reasoningEffort: 'high',
  verbosity: 'low',
  responseFormat: { type: 'json_schema', name: 'answer', schema: '{"type":"object"}' },
};

function createModel(capabilities: object, spec: object = {}, id = 'm'): Model {
  const model = readModel({ id, type: 'text', model_spec: { capabilities, ...spec } });
  if (model === undefined) throw new Error('No model.');
  return model;
}

const incapableModel = {
  supportsReasoning: false,
  supportsReasoningEffort: false,
  supportsResponseSchema: false,
  supportsWebSearch: false,
  supportsXSearch: false,
};

const capableModel = createModel({
  supportsReasoning: true,
  supportsReasoningEffort: true,
  supportsResponseSchema: true,
  supportsWebSearch: true,
  supportsXSearch: true,
});

describe('readChatOptions', () => {
  test('reads valid options unchanged', () => {
    expect(readChatOptions(JSON.parse(JSON.stringify(allOptions)))).toEqual(allOptions);
  });

  test.each<[what: string, value: unknown]>([
    ['a missing value', undefined],
    ['a list', [allOptions]],
    ['a text', 'on'],
    ['an object without known fields', { model: 'x', __proto__: null }],
    ['an invalid web search setting', { webSearch: true }],
    ['a temperature above 2', { temperature: 2.1 }],
    ['a temperature that is not a number', { temperature: Number.NaN }],
    ['a text in place of a number', { topP: '0.5' }],
    ['a token limit of zero', { maxTokens: 0 }],
    ['a fractional seed', { seed: 0.5 }],
    ['an empty list of stop sequences', { stop: [] }],
    ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['an empty stop sequence', { stop: [''] }],
    ['a stop sequence of 101 characters', { stop: ['x'.repeat(101)] }],
    ['an unknown reasoning effort', { reasoningEffort: 'extreme' }],
    [
      'a schema that is not JSON',
      { responseFormat: { type: 'json_schema', name: 'a', schema: '{' } },
    ],
    [
      'a schema that is a list',
      { responseFormat: { type: 'json_schema', name: 'a', schema: '[]' } },
    ],
    [
      'a schema above the length limit',
      {
        responseFormat: { type: 'json_schema', name: 'a', schema: `{"a":"${'x'.repeat(50_000)}"}` },
      },
    ],
    ['a persona without a name', { character: { slug: 'pirate' } }],
    [
      'a persona with an id above the length limit',
      { character: { slug: 'x'.repeat(201), name: 'X' } },
    ],
  ])('returns no options for %s', (_, value) => {
    expect(readChatOptions(value)).toEqual({});
  });

  test('omits an invalid field and keeps the valid fields', () => {
    expect(readChatOptions({ ...allOptions, seed: -1 })).toEqual(
      Object.fromEntries(Object.entries(allOptions).filter(([name]) => name !== 'seed')),
    );
  });

  test('returns the same options when its own result is read again, for any input', () => {
    const likelyOptions = fc.record(
      Object.fromEntries(Object.keys(allOptions).map((name) => [name, fc.anything()])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), likelyOptions), (value) => {
        const validOptions = readChatOptions(value);
        expect(readChatOptions(validOptions)).toEqual(validOptions);
      }),
    );
  });
});

describe('toChatParameters', () => {
  test.each<
    [
      resultLabel: string,
      modelLabel: string,
      effort: ReasoningEffort | undefined,
      capabilities: object,
    ]
  >([
    ['returns', 'has unknown capabilities', 'xhigh', {}],
    ['returns', 'supports reasoning efforts', 'xhigh', { supportsReasoningEffort: true }],
    ['returns', 'lists the effort', 'xhigh', { reasoningEffortOptions: ['low', 'xhigh'] }],
    ['omits', 'lists only other efforts', undefined, { reasoningEffortOptions: ['low', 'high'] }],
    ['omits', 'supports no reasoning efforts', undefined, { supportsReasoningEffort: false }],
  ])(
    '%s the selected reasoning effort "xhigh" if the model %s',
    (_resultLabel, _modelLabel, effort, capabilities) => {
      const options = { reasoningEffort: 'xhigh' } as const;
      expect(toChatParameters(options, createModel(capabilities)).reasoning_effort).toBe(effort);
    },
  );

  test('returns the fields of every option for a model with all capabilities', () => {
    expect(toChatParameters(allOptions, capableModel)).toEqual({
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 1_000,
      seed: 7,
      stop: ['END'],
      verbosity: 'low',
      reasoning_effort: 'high',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: { type: 'object' } },
      },
      parameters: {
        enable_web_search: 'on',
        enable_web_scraping: true,
        enable_web_citations: false,
        include_search_results_in_stream: true,
        enable_x_search: true,
        strip_thinking_response: true,
        disable_thinking: false,
        include_system_prompt: true,
        character_slug: 'pirate',
      },
    });
  });

  test('omits options that the model record reports as unsupported', () => {
    expect(
      toChatParameters({ ...allOptions, webScraping: false }, createModel(incapableModel)),
    ).toEqual({
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 1_000,
      seed: 7,
      stop: ['END'],
      verbosity: 'low',
      parameters: {
        enable_web_scraping: false,
        include_system_prompt: true,
        character_slug: 'pirate',
      },
    });
  });

  test('returns the fields of every option without a model record', () => {
    expect(toChatParameters(allOptions, undefined)).toEqual(
      toChatParameters(allOptions, capableModel),
    );
  });

  test('returns the fields of all options if the model record contains no capabilities', () => {
    expect(toChatParameters({ ...allOptions, webScraping: false }, createModel({}))).toMatchObject({
      reasoning_effort: 'high',
      response_format: { type: 'json_schema' },
      parameters: {
        strip_thinking_response: true,
        enable_web_search: 'on',
        enable_x_search: true,
      },
    });
  });

  test('returns no fields without options', () => {
    expect(toChatParameters({}, capableModel)).toEqual({});
  });

  test.each<[options: ChatOptions, sent: object]>([
    [{ webSearch: 'off' }, { enable_web_search: 'off' }],
    [
      { webSearch: 'auto' },
      {
        enable_web_search: 'auto',
        enable_web_citations: true,
        include_search_results_in_stream: true,
      },
    ],
    [
      { webScraping: true },
      {
        enable_web_scraping: true,
        enable_web_citations: true,
        include_search_results_in_stream: true,
      },
    ],
    [{ xSearch: true }, { enable_x_search: true, include_search_results_in_stream: true }],
  ])('converts the options %j to the parameters %j', (options, expectedParameters) => {
    expect(toChatParameters(options, capableModel).parameters).toEqual(expectedParameters);
  });

  test('requests sources in the stream if the suffix of the model id turns on web search', () => {
    const { capabilities } = capableModel;
    const model = createModel(capabilities, {}, 'm:enable_web_search=on');
    expect(toChatParameters({}, model).parameters).toEqual({
      enable_web_citations: true,
      include_search_results_in_stream: true,
    });
  });

  test('limits the maximum number of answer tokens to the limit of the model', () => {
    const model = createModel({}, { maxCompletionTokens: 500 });
    expect(toChatParameters({ maxTokens: 900 }, model).max_completion_tokens).toBe(500);
  });
});

test.each<[what: string, capabilities: object, efforts: readonly string[]]>([
  ['no reasoning effort', { supportsReasoningEffort: false }, []],
  ['no reasoning', { supportsReasoning: false }, []],
  ['unknown capabilities', {}, reasoningEfforts],
  [
    'reasoning efforts that the catalog does not list',
    { supportsReasoningEffort: true },
    reasoningEfforts,
  ],
  [
    'reasoning efforts in any order, some unknown',
    { supportsReasoningEffort: true, reasoningEffortOptions: ['max', 'ultra', 'none'] },
    ['none', 'max'],
  ],
])(
  'listSupportedReasoningEfforts returns only known efforts in order for a model with %s',
  (_, capabilities, efforts) => {
    expect(listSupportedReasoningEfforts(createModel(capabilities))).toEqual(efforts);
  },
);
