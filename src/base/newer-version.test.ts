import { expect, test } from 'vitest';
import { isFromNewerVersion, hasNewerVersion } from './newer-version.ts';

test.each([
  [true, { version: 2 }, 1],
  [true, { version: 1.5 }, 1],
  [true, { version: '2.1' }, 1],
  [true, { version: null }, 1],
  [false, { version: 1 }, 1],
  [false, { version: 0 }, 1],
  [false, { version: 1 }, 2],
  [true, { version: 1 }, 0],
  [false, {}, 1],
  [false, 'text', 1],
  [false, undefined, 1],
])(
  'hasNewerVersion returns %s for the stored value %j and the current version %d',
  (expected, value, currentVersion) => {
    expect(hasNewerVersion(value, currentVersion)).toBe(expected);
  },
);

test.each([
  [true, '{"version":2}\nno JSON'],
  [true, '{\n  "version": 2\n}'],
  [false, '{"version":0}\n'],
  [false, '{"type":"title-set"}\n{"version":2}\n'],
  [false, ''],
])('isFromNewerVersion returns %s for the stored text %j', (expected, text) => {
  expect(isFromNewerVersion(text)).toBe(expected);
});
