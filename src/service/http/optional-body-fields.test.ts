import { expect, test } from 'vitest';
import { listContainedFields, findRefusedField } from './optional-body-fields.ts';

const bodyFields = [
  { path: 'seed', key: 'seed' },
  { path: 'stop', key: 'stop' },
  { path: 'width', key: 'width' },
  { path: 'reasoning_effort', key: 'effort' },
  { path: 'prompt_cache_key', key: 'cache' },
  { path: 'parameters', key: 'parameters' },
  { path: 'parameters.enable_web_search', key: 'search' },
];
const findRefusedKey = (text: string): string | undefined =>
  findRefusedField(text, bodyFields, 'acme')?.key;

test.each([
  ["Unrecognized key(s) in object: 'seed'", 'seed'],
  ["Invalid request parameters: Unrecognized key(s) in object: 'acme_parameters'", 'parameters'],
  ['width: this model is sized by aspect_ratio', 'width'],
  // Zod
  [
    JSON.stringify({
      error: 'Invalid request parameters',
      issues: [
        {
          code: 'unrecognized_keys',
          keys: ['enable_web_search'],
          path: ['acme_parameters'],
          message: "Unrecognized key(s) in object: 'enable_web_search'",
        },
      ],
    }),
    'search',
  ],
  // Pydantic, as in vLLM
  [
    JSON.stringify({
      detail: [
        { type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' },
      ],
    }),
    'seed',
  ],
  // OpenAI
  [
    JSON.stringify({
      error: {
        message: "Unsupported parameter: 'stop' is not supported with this model.",
        type: 'invalid_request_error',
        param: 'stop',
        code: 'unsupported_parameter',
      },
    }),
    'stop',
  ],
  // LiteLLM
  ["UnsupportedParamsError: openai does not support parameters: ['seed'], for model=m.", 'seed'],
  ["Unexpected parameters: 'seed'. Expected: model, messages", 'seed'],
  ['Unrecognized request argument supplied: seed (allowed: model, messages, stop)', 'seed'],
  ['Parameters not allowed: seed', 'seed'],
  // NestJS
  [
    JSON.stringify({
      message: ['property prompt_cache_key should not exist'],
      error: 'Bad Request',
      statusCode: 400,
    }),
    'cache',
  ],
  ['property acme_parameters should not exist', 'parameters'],
  ['Invalid parameter: seed', 'seed'],
  ["Invalid field 'seed'", 'seed'],
  ['Invalid parameters: acme_parameters', 'parameters'],
  ['seed is not a valid parameter', 'seed'],
  ["'stop' is not a valid request field.", 'stop'],
  ['seed is forbidden', 'seed'],
  ["Parameter 'seed' is forbidden for this model", 'seed'],
  ['Forbidden parameter: acme_parameters', 'parameters'],
  ['seed cannot be used with reasoning models', 'seed'],
  ['`stop` can not be set for this model', 'stop'],
  ['stop is disabled for this model', 'stop'],
  [JSON.stringify({ error: { message: 'Invalid parameter', param: 'seed' } }), 'seed'],
  ['Reasoning effort is not supported by this model', 'effort'],
  ['reasoningEffort is not supported', 'effort'],
  // Keys inside of the object that have no field of their own
  ['property acme_parameters.character_slug should not exist', 'parameters'],
  ["Unknown parameter: 'acme_parameters.character_slug'.", 'parameters'],
  [
    JSON.stringify({
      detail: [
        {
          type: 'extra_forbidden',
          loc: ['body', 'acme_parameters', 'character_slug'],
          msg: 'Extra inputs are not permitted',
        },
      ],
    }),
    'parameters',
  ],
  [
    JSON.stringify({ details: { acme_parameters: { _errors: ['This field is not supported'] } } }),
    'parameters',
  ],
])('findRefusedField finds the refused field in the error text "%s"', (text, key) => {
  expect(findRefusedKey(text)).toBe(key);
});

test.each([
  'seed: Must be at most 4294967295',
  'width: Must be at most 1280',
  'Width must be a multiple of 16, width is 1000',
  'the model must stop before 4096 tokens',
  'Invalid parameter: seed must be at most 10',
  "Invalid parameter 'stop': expected a list",
  'Invalid request parameters: seed: Must be at most 10',
  'Invalid parameter: sed (the request has stop, seed)',
  "'red' is not a valid option for stop",
  "The words 'draw a seed' are part of a text that is forbidden",
  "The prompt 'draw a seed' is forbidden",
  'The account is disabled, stop here',
  "Content policy: the prompt 'draw a seed' was rejected",
  'Stop must be a list. Images are not supported.',
  JSON.stringify({ error: { message: 'stop does not work here', code: 'unknown_parameter' } }),
  JSON.stringify({
    issues: [
      { path: ['seed'], message: 'Must be at most 10' },
      { path: ['images'], message: 'images are not supported by this model' },
    ],
  }),
  // Text of the request, which Pydantic quotes
  JSON.stringify({
    detail: [
      {
        type: 'missing',
        loc: ['body', 'tools', 0, 'function'],
        msg: 'Field required',
        input: { messages: [{ content: 'In sed, the option stop is not supported. Why?' }] },
      },
    ],
  }),
  // Names of other fields
  'Unrecognized request argument supplied: foo (allowed: model, messages, stop, seed, tools)',
  'unknown field `foo`, expected one of `model`, `stop`, `seed`',
  'Unknown parameter foo. Supported parameters are: stop, seed',
  "Unknown parameter: 'sed', did you mean 'seed'?",
  // Wrong values inside of the object
  JSON.stringify({
    issues: [{ path: ['acme_parameters', 'character_slug'], message: 'Unknown character' }],
  }),
  JSON.stringify({
    details: { acme_parameters: { character_slug: { _errors: ['Unknown character'] } } },
  }),
  'acme_parameters.character_slug: Unknown character',
])('findRefusedField finds no refused field in the error text "%s"', (text) => {
  expect(findRefusedKey(text)).toBeUndefined();
});

test('listContainedFields lists the optional fields of a body and of its vendor parameters', () => {
  const body = { stop: ['END'], seed: 1, acme_parameters: { enable_web_search: 'on' } };
  expect(listContainedFields(body, bodyFields, 'acme').map(({ key }) => key)).toEqual([
    'seed',
    'stop',
    'parameters',
    'search',
  ]);
});
