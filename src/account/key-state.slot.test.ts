import { expect, test } from 'vitest';
import { isSlotOfProfile, type KeySlot, slotId } from './key-state.ts';

const workspaces = ['00ff', 'abcd'].map((workspace) => ({ workspace }));
const used = ['profile', ...workspaces] as const;
const places: readonly KeySlot[] = [...used, 'management', ...used.map((next) => ({ next }))];

test('no two places of any profiles share a slot', () => {
  const profiles = ['default', 'next', 'management', 'a-b', 'a_b'];
  const slots = profiles.flatMap((id) => places.map((place) => slotId(id, place)));
  expect(new Set(slots).size).toBe(slots.length);
});

test('the slot of a profile is its name, as it always was', () => {
  expect([slotId('default'), slotId('work', 'profile')]).toEqual(['default', 'work']);
});

test.each([
  ['work', true],
  ['work.management', true],
  [slotId('work', { next: { workspace: 'ab' } }), true],
  ['work-2', false],
  ['network', false],
  ['default', false],
])('%s is a place of the profile: %j', (slot, expected) => {
  expect(isSlotOfProfile('work', slot)).toBe(expected);
});
