import { expect, test } from 'vitest';
import { PendingPlans } from './pending-plans.ts';

interface Plan {
  readonly description: string;
  readonly number: number;
}

const createPlans = (
  ...entries: readonly (readonly [input: object, description: string])[]
): PendingPlans<Plan> => {
  const plans = new PendingPlans<Plan>(({ description }) => description);
  for (const [number, [input, description]] of entries.entries())
    plans.add(input, { description, number });
  return plans;
};

test('PendingPlans returns a plan by its input and removes the plan', () => {
  const plans = createPlans([{ a: 1 }, 'one'], [{ a: 2 }, 'two']);
  expect(plans.takePlan({ a: 2 })?.description).toBe('two');
  expect(plans.takePlan({ a: 2 })).toBeUndefined();
  expect(plans.takePlan({ a: 1 })?.description).toBe('one');
});

test('PendingPlans returns no plan for an input that was never added', () => {
  const plans = createPlans([{ a: 1 }, 'one']);
  expect(plans.takePlan({ a: 3 })).toBeUndefined();
  expect(plans.takePlan({ a: 1, b: 1 })).toBeUndefined();
});

test('PendingPlans returns plans with equal inputs and descriptions in insertion order', () => {
  const plans = createPlans([{ a: 1 }, 'one'], [{ a: 1 }, 'one']);
  expect([plans.takePlan({ a: 1 })?.number, plans.takePlan({ a: 1 })?.number]).toEqual([0, 1]);
});

test('PendingPlans returns no plan if plans with the same input have different descriptions', () => {
  const plans = createPlans([{ a: 1 }, 'one'], [{ a: 1 }, 'other'], [{ a: 2 }, 'two']);
  expect(plans.takePlan({ a: 1 })).toBeUndefined();
  expect(plans.takePlan({ a: 1 })).toBeUndefined();
  expect(plans.takePlan({ a: 2 })?.description).toBe('two');
});

test('PendingPlans retains only the newest 50 plans', () => {
  const plans = createPlans(...Array.from({ length: 51 }, (_, a) => [{ a }, 'one'] as const));
  expect(plans.takePlan({ a: 0 })).toBeUndefined();
  expect(plans.takePlan({ a: 1 })).toBeDefined();
});
