import { expect, test } from 'vitest';
import { isFromNewerVersion, hasNewerVersion } from './newer-version.ts';

test.each([
  [{ version: 2 }, 1, true],
  [{ version: 1.5 }, 1, true],
  [{ version: '2.1' }, 1, true],
  [{ version: null }, 1, true],
  [{ version: 1 }, 1, false],
  [{ version: 0 }, 1, false],
  [{ version: 1 }, 2, false],
  [{ version: 1 }, 0, true],
  [{}, 1, false],
  ['text', 1, false],
  [undefined, 1, false],
])(
  'hasNewerVersion checks whether the stored value %j has a version above %d: %j',
  (value, currentVersion, expected) => {
    expect(hasNewerVersion(value, currentVersion)).toBe(expected);
  },
);

test.each([
  ['{"version":2}\nno JSON', true],
  ['{\n  "version": 2\n}', true],
  ['{"version":0}\n', false],
  ['{"type":"title-set"}\n{"version":2}\n', false],
  ['', false],
])(
  'isFromNewerVersion checks whether a newer version of the extension wrote the text %j: %j',
  (text, expected) => {
    expect(isFromNewerVersion(text)).toBe(expected);
  },
);
