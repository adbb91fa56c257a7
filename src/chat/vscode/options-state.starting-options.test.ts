import { expect, test } from 'vitest';
import { startingOptions, startingOptionsKey } from './options-state.ts';

test.each([
  [undefined, undefined],
  ['x', undefined],
  [{}, undefined],
  [{ seed: 7 }, { seed: 7 }],
  [{ webSearch: 'auto' }, { webSearch: 'auto' }],
  [{ webSearch: 'on' }, undefined],
  [{ webSearch: 'on', seed: 7 }, { seed: 7 }],
])('a conversation after %j begins with %j', (kept, options) => {
  const records = startingOptions({
    get: (key: string): unknown => (key === startingOptionsKey ? kept : undefined),
  });
  expect(records).toEqual(options === undefined ? [] : [{ type: 'options-set', options }]);
});
