import { expect, test } from 'vitest';
import { isSlotOfProfile, type KeySlot, slotId } from './key-state.ts';

const workspaces = ['00ff', 'abcd'].map((workspace) => ({ workspace }));
const activeSlots = ['profile', ...workspaces] as const;
const slotKinds: readonly KeySlot[] = [
  ...activeSlots,
  'management',
  ...activeSlots.map((next) => ({ next })),
];

test('slotId returns a different id for each combination of profile and slot', () => {
  const profiles = ['default', 'next', 'management', 'a-b', 'a_b'];
  const slots = profiles.flatMap((id) => slotKinds.map((slot) => slotId(id, slot)));
  expect(new Set(slots).size).toBe(slots.length);
});

test('slotId returns the profile name for the key that authenticates calls', () => {
  expect([slotId('default'), slotId('work', 'profile')]).toEqual(['default', 'work']);
});

test.each([
  ['work', true],
  ['work.management', true],
  [slotId('work', { next: { workspace: 'ab' } }), true],
  ['work-2', false],
  ['network', false],
  ['default', false],
])(
  'isSlotOfProfile checks whether the slot %s belongs to the profile "work": %j',
  (slot, expected) => {
    expect(isSlotOfProfile('work', slot)).toBe(expected);
  },
);
