import { expect, test } from 'vitest';
import { createInitialOptionsRecords, initialOptionsKey } from './options-state.ts';

test.each([
  ['no options if no options are stored', undefined, undefined],
  ['no options if the stored value is a text', 'x', undefined],
  ['no options if the stored options are empty', {}, undefined],
  ['the last seed', { seed: 7 }, { seed: 7 }],
  ['automatic web search if it was selected last', { webSearch: 'auto' }, { webSearch: 'auto' }],
  ['no options if the last options only turn on web search', { webSearch: 'on' }, undefined],
  [
    'the last seed, but without the web search of the last options',
    { webSearch: 'on', seed: 7 },
    { seed: 7 },
  ],
])('createInitialOptionsRecords starts a new conversation with %s', (_, storedOptions, options) => {
  const records = createInitialOptionsRecords({
    get: (key: string): unknown => (key === initialOptionsKey ? storedOptions : undefined),
  });
  expect(records).toEqual(options === undefined ? [] : [{ type: 'options-set', options }]);
});
