import { expect, test } from 'vitest';
import { createInitialOptionsRecords, initialOptionsKey } from './options-state.ts';

test.each([
  [undefined, undefined],
  ['x', undefined],
  [{}, undefined],
  [{ seed: 7 }, { seed: 7 }],
  [{ webSearch: 'auto' }, { webSearch: 'auto' }],
  [{ webSearch: 'on' }, undefined],
  [{ webSearch: 'on', seed: 7 }, { seed: 7 }],
])(
  'createInitialOptionsRecords, given the last options %j, starts a new conversation with the options %j',
  (storedOptions, options) => {
    const records = createInitialOptionsRecords({
      get: (key: string): unknown => (key === initialOptionsKey ? storedOptions : undefined),
    });
    expect(records).toEqual(options === undefined ? [] : [{ type: 'options-set', options }]);
  },
);
