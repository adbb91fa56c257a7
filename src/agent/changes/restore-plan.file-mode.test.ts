import { expect, test } from 'vitest';
import { restoredPermissions } from './restore-plan.ts';

test.each([
  ['all that there is', 0o777, 0o755],
  ['a program', 0o755, 0o755],
  ['a program of its owner', 0o700, 0o700],
  ['written by a group', 0o664, 0o644],
  ['plain', 0o644, 0o644],
  ['private', 0o600, 0o600],
  ['read-only', 0o444, 0o644],
  ['nothing', 0, 0o600],
  ['run by others only', 0o611, 0o600],
  ['with the rights of its owner', 0o4755, 0o755],
])('%s: %o becomes %o', (_, recorded, restored) => {
  expect(restoredPermissions(recorded)).toBe(restored);
});
