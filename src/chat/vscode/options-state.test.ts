import { beforeEach, expect, test, vi } from 'vitest';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import { listDeniedOptions, createOptionFields } from './option-fields.ts';
import { createOptionsState } from './options-state.ts';

const encryptionSetting = vi.hoisted(() => ({ encrypt: 'whenOffered' }));

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  workspace: {
    getConfiguration: () => ({ inspect: () => ({ globalValue: encryptionSetting.encrypt }) }),
  },
}));

beforeEach(() => {
  encryptionSetting.encrypt = 'whenOffered';
});

const allCapabilities = {
  supportsReasoning: true,
  supportsWebSearch: true,
  supportsXSearch: true,
  supportsResponseSchema: true,
  supportsE2EE: true,
};

const createModel = (capabilities: object): Model => {
  const parsedModel = readModel({ id: 'm', type: 'text', model_spec: { capabilities } });
  if (parsedModel === undefined) throw new Error('No model');
  return parsedModel;
};

const serverSideOptions = ['webSearch', 'webScraping', 'webCitations', 'xSearch', 'responseFormat'];

test('an encrypted chat hides options that require the service to read messages', () => {
  const encryptedModel = createModel(allCapabilities);
  expect(createOptionsState({ webSearch: 'on' }, encryptedModel).webSearch).toBeNull();
  const names = createOptionFields({ webScraping: true }, encryptedModel).map(({ name }) => name);
  expect(names).toContain('temperature');
  for (const name of [...serverSideOptions, 'servicePrompt']) expect(names).not.toContain(name);
});

test.each([
  ['with a model without encryption', { ...allCapabilities, supportsE2EE: false }, 'whenOffered'],
  ['with encryption turned off', allCapabilities, 'off'],
])('an unencrypted chat %s shows all options', (_description, capabilities, encrypt) => {
  encryptionSetting.encrypt = encrypt;
  const openModel = createModel(capabilities);
  expect(createOptionsState({ webSearch: 'on' }, openModel).webSearch).toBe('on');
  const names = createOptionFields({}, openModel).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...serverSideOptions, 'servicePrompt']));
});

test.each([
  ['offered', 'contains no search capabilities', {}, true],
  [
    'not offered',
    'reports both kinds of search as unsupported',
    { supportsWebSearch: false, supportsXSearch: false },
    false,
  ],
])(
  'web search is %s for a model whose record %s',
  (_resultLabel, _recordLabel, capabilities, isOffered) => {
    const searchModel = createModel(capabilities);
    expect(createOptionsState({ webSearch: 'on' }, searchModel).webSearch).toBe(
      isOffered ? 'on' : null,
    );
    const names = createOptionFields({}, searchModel).map(({ name }) => name);
    for (const name of ['webSearch', 'xSearch']) expect(names.includes(name)).toBe(isOffered);
  },
);

test('the options that cost money for each search or page have a help text with the price', () => {
  const efforts = { supportsReasoningEffort: true, reasoningEffortOptions: ['low', 'high'] };
  const schema = { type: 'json_schema', name: 'x', schema: '{}' } as const;
  const fields = createOptionFields(
    { responseFormat: schema },
    createModel({ ...allCapabilities, supportsE2EE: false, ...efforts }),
  );
  expect(fields.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['reasoningEffort', 'disableThinking', 'responseFormat', 'schema']),
  );
  const pricedNames = fields.filter(({ help }) => help.includes('$0.01')).map(({ name }) => name);
  expect(pricedNames).toEqual(['webSearch', 'webScraping', 'xSearch']);
});

test.each([
  ['unchanged', 'no options', {}, false],
  ['unchanged', 'only web search', { webSearch: 'on' }, false],
  ['unchanged', 'only a persona', { character: { slug: 'ada', name: 'Ada' } }, false],
  ['changed', 'a persona and a seed', { character: { slug: 'ada', name: 'Ada' }, seed: 7 }, true],
])(
  'createOptionsState reports the options as %s if the user set %s',
  (_resultLabel, _optionsLabel, storedOptions, isChanged) => {
    expect(createOptionsState(storedOptions, undefined).changed).toBe(isChanged);
  },
);

test('createOptionsState shows the web search option for an unknown model, because requests with web search are attempted', () => {
  expect(createOptionsState({ webSearch: 'on' }, undefined).webSearch).toBe('on');
});

test('createOptionsState lists the labels of chosen options that the model does not support according to its record', () => {
  const options = {
    webSearch: 'on',
    xSearch: true,
    reasoningEffort: 'high',
    disableThinking: true,
    stripThinking: true,
    responseFormat: { type: 'json_object' },
  } as const;
  const basicModel = createModel({
    supportsReasoning: false,
    supportsWebSearch: false,
    supportsXSearch: false,
    supportsResponseSchema: false,
  });
  expect(listDeniedOptions(options, basicModel)).toEqual([
    'Web search',
    'Search X',
    'Reasoning effort',
    'Answer without thinking',
    'Leave out thoughts',
    'Format of answers',
  ]);
  expect(listDeniedOptions({ webSearch: 'off', xSearch: false }, basicModel)).toEqual([]);
  expect(listDeniedOptions(options, createModel({}))).toEqual([]);
  expect(listDeniedOptions(options, undefined)).toEqual([]);
});
