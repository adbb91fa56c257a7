import { expect, test } from 'vitest';
import { PendingPlans } from './pending-plans.ts';

interface Plan {
  readonly words: string;
  readonly number: number;
}

const plans = (
  ...kept: readonly (readonly [input: object, words: string])[]
): PendingPlans<Plan> => {
  const shown = new PendingPlans<Plan>(({ words }) => words);
  for (const [number, [input, words]] of kept.entries()) shown.add(input, { words, number });
  return shown;
};

test('returns a plan by its input and removes the plan', () => {
  const shown = plans([{ a: 1 }, 'one'], [{ a: 2 }, 'two']);
  expect(shown.take({ a: 2 })?.words).toBe('two');
  expect(shown.take({ a: 2 })).toBeUndefined();
  expect(shown.take({ a: 1 })?.words).toBe('one');
});

test('returns no plan for an input that was never added', () => {
  const shown = plans([{ a: 1 }, 'one']);
  expect(shown.take({ a: 3 })).toBeUndefined();
  expect(shown.take({ a: 1, b: 1 })).toBeUndefined();
});

test('returns plans with equal inputs and descriptions in insertion order', () => {
  const shown = plans([{ a: 1 }, 'one'], [{ a: 1 }, 'one']);
  expect([shown.take({ a: 1 })?.number, shown.take({ a: 1 })?.number]).toEqual([0, 1]);
});

test('drops plans with equal inputs and different descriptions as ambiguous', () => {
  const shown = plans([{ a: 1 }, 'one'], [{ a: 1 }, 'other'], [{ a: 2 }, 'two']);
  expect(shown.take({ a: 1 })).toBeUndefined();
  expect(shown.take({ a: 1 })).toBeUndefined();
  expect(shown.take({ a: 2 })?.words).toBe('two');
});

test('retains only the newest 50 plans', () => {
  const shown = plans(...Array.from({ length: 51 }, (_, a) => [{ a }, 'one'] as const));
  expect(shown.take({ a: 0 })).toBeUndefined();
  expect(shown.take({ a: 1 })).toBeDefined();
});
