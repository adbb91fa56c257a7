import { expect, test } from 'vitest';
import { ShownPlans } from './shown-plans.ts';

interface Plan {
  readonly words: string;
  readonly number: number;
}

const plans = (...kept: readonly (readonly [input: object, words: string])[]): ShownPlans<Plan> => {
  const shown = new ShownPlans<Plan>(({ words }) => words);
  for (const [number, [input, words]] of kept.entries()) shown.keep(input, { words, number });
  return shown;
};

test('a plan is taken by its input, once', () => {
  const shown = plans([{ a: 1 }, 'one'], [{ a: 2 }, 'two']);
  expect(shown.take({ a: 2 })?.words).toBe('two');
  expect(shown.take({ a: 2 })).toBeUndefined();
  expect(shown.take({ a: 1 })?.words).toBe('one');
});

test('what was never shown, or shown for another input, is no plan', () => {
  const shown = plans([{ a: 1 }, 'one']);
  expect(shown.take({ a: 3 })).toBeUndefined();
  expect(shown.take({ a: 1, b: 1 })).toBeUndefined();
});

test('equal calls with equal words are taken in their order', () => {
  const shown = plans([{ a: 1 }, 'one'], [{ a: 1 }, 'one']);
  expect([shown.take({ a: 1 })?.number, shown.take({ a: 1 })?.number]).toEqual([0, 1]);
});

test('equal calls with different words are all forgotten: nobody knows which was agreed to', () => {
  const shown = plans([{ a: 1 }, 'one'], [{ a: 1 }, 'other'], [{ a: 2 }, 'two']);
  expect(shown.take({ a: 1 })).toBeUndefined();
  expect(shown.take({ a: 1 })).toBeUndefined();
  expect(shown.take({ a: 2 })?.words).toBe('two');
});

test('only so many wait, the newest', () => {
  const shown = plans(...Array.from({ length: 51 }, (_, a) => [{ a }, 'one'] as const));
  expect(shown.take({ a: 0 })).toBeUndefined();
  expect(shown.take({ a: 1 })).toBeDefined();
});
