import { expect, test } from 'vitest';
import { restoredPermissions } from './restore-plan.ts';

test.each([
  ['all permissions', 0o777, 0o755],
  ['an executable', 0o755, 0o755],
  ['an executable for the owner only', 0o700, 0o700],
  ['a group-writable file', 0o664, 0o644],
  ['a regular file', 0o644, 0o644],
  ['a private file', 0o600, 0o600],
  ['a read-only file', 0o444, 0o644],
  ['a file without permissions', 0, 0o600],
  ['a file executable by other users only', 0o611, 0o600],
  ['a setuid executable', 0o4755, 0o755],
])('restores the permissions of %s, recorded as %o, as %o', (_, recorded, restored) => {
  expect(restoredPermissions(recorded)).toBe(restored);
});
