import { expect, test } from 'vitest';
import { isSlotOfProfile, type KeySlot, getSlotId } from './key-state.ts';

const workspaceSlots = ['00ff', 'abcd'].map((workspace) => ({ workspace }));
const activeSlots = ['profile', ...workspaceSlots] as const;
const allSlots: readonly KeySlot[] = [
  ...activeSlots,
  'management',
  ...activeSlots.map((slot) => ({ next: slot })),
];

test('getSlotId returns a different id for each combination of profile and slot', () => {
  const profiles = ['default', 'next', 'management', 'a-b', 'a_b'];
  const slots = profiles.flatMap((id) => allSlots.map((slot) => getSlotId(id, slot)));
  expect(new Set(slots).size).toBe(slots.length);
});

test('getSlotId returns the profile name as the id of the slot for the profile’s API key', () => {
  expect([getSlotId('default'), getSlotId('work', 'profile')]).toEqual(['default', 'work']);
});

test.each([
  ['work', true],
  ['work.management', true],
  [getSlotId('work', { next: { workspace: 'ab' } }), true],
  ['work-2', false],
  ['network', false],
  ['default', false],
])(
  'isSlotOfProfile checks whether the slot "%s" belongs to the profile "work": %j',
  (slot, expected) => {
    expect(isSlotOfProfile('work', slot)).toBe(expected);
  },
);
