import { expect, test } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import type { Model } from '../../service/model-types.ts';
import { promptBudget } from './prompt-budget.ts';

const modelOf = (spec: object): Model =>
  readModel({ id: 'm', type: 'text', object: 'model', model_spec: spec }) as Model;

test.each([
  ['nothing is known of', {}, 1_850, 256],
  ['holds much', { availableContextTokens: 1_000_000 }, 1_850, 256],
  ['holds little', { availableContextTokens: 1_024 }, 362, 256],
  ['holds next to nothing', { availableContextTokens: 256 }, 100, 64],
  ['may say little', { maxCompletionTokens: 20 }, 1_850, 20],
])('limits a model that %s', (_, spec, most, answer) => {
  const budget = promptBudget(modelOf(spec), 'block');
  const sent = budget.prefix + budget.suffix + budget.context;
  expect(sent).toBeLessThanOrEqual(most);
  expect(sent).toBeGreaterThan(most - 3);
  expect(budget.prefix).toBeGreaterThan(budget.suffix);
  expect(budget.answer).toBe(answer);
});

test('limits the rest of a line', () => {
  expect(promptBudget(modelOf({}), 'line').answer).toBe(64);
});
