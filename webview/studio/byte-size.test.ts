import { expect, test } from 'vitest';
import { formatBytes } from './byte-size.ts';

test.each([
  [0, '0 KB'],
  [900, '1 KB'],
  [940 * 1_024, '940 KB'],
  [999.9 * 1_024, '1 MB'],
  [3.24 * 1_024 ** 2, '3.2 MB'],
  [312.4 * 1_024 ** 2, '312 MB'],
  [1_024 ** 3, '1 GB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
