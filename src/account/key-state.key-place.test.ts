import { expect, test } from 'vitest';
import { isSlotOf, type KeyPlace, slotOf } from './key-state.ts';

const workspaces = ['00ff', 'abcd'].map((workspace) => ({ workspace }));
const used = ['profile', ...workspaces] as const;
const places: readonly KeyPlace[] = [...used, 'management', ...used.map((next) => ({ next }))];

test('no two places of any profiles share a slot', () => {
  const profiles = ['default', 'next', 'management', 'a-b', 'a_b'];
  const slots = profiles.flatMap((id) => places.map((place) => slotOf(id, place)));
  expect(new Set(slots).size).toBe(slots.length);
});

test('the slot of a profile is its name, as it always was', () => {
  expect([slotOf('default'), slotOf('work', 'profile')]).toEqual(['default', 'work']);
});

test.each([
  ['work', true],
  ['work.management', true],
  [slotOf('work', { next: { workspace: 'ab' } }), true],
  ['work-2', false],
  ['network', false],
  ['default', false],
])('%s is a place of the profile: %j', (slot, expected) => {
  expect(isSlotOf('work', slot)).toBe(expected);
});
