import { expect, test } from 'vitest';
import { computeRestoredPermissions } from './restore-plan.ts';

test.each([
  ['a file with all permissions', '777', '755'],
  ['an executable', '755', '755'],
  ['an executable for the owner only', '700', '700'],
  ['a group-writable file', '664', '644'],
  ['a regular file', '644', '644'],
  ['a private file', '600', '600'],
  ['a read-only file', '444', '644'],
  ['a file without permissions', '000', '600'],
  ['a file executable by other users only', '611', '600'],
  ['a setuid executable', '4755', '755'],
])(
  'computeRestoredPermissions returns, for %s with the recorded mode %s, the mode %s',
  (_, recordedMode, restoredMode) => {
    expect(computeRestoredPermissions(Number.parseInt(recordedMode, 8))).toBe(
      Number.parseInt(restoredMode, 8),
    );
  },
);
