import { expect, test } from 'vitest';
import { formatBytes } from './amounts.ts';

test.each([
  [0, '0 kB'],
  [40, '1 kB'],
  [900, '1 kB'],
  [940_000, '940 kB'],
  [999_900, '1 MB'],
  [3_240_000, '3.2 MB'],
  [312_400_000, '312 MB'],
  [500_000_000, '500 MB'],
  [1_000_000_000, '1 GB'],
])('formatBytes formats %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
