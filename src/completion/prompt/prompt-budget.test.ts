import { expect, test } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import type { Model } from '../../service/model-types.ts';
import { computePromptBudget } from './prompt-budget.ts';

const createModel = (spec: object): Model =>
  readModel({ id: 'm', type: 'text', object: 'model', model_spec: spec }) as Model;

test.each([
  ['has no known limits', {}, 1_850, 256],
  ['has a large context', { availableContextTokens: 1_000_000 }, 1_850, 256],
  ['has a small context', { availableContextTokens: 1_024 }, 362, 256],
  ['has a tiny context', { availableContextTokens: 256 }, 100, 64],
  ['has a low output limit', { maxCompletionTokens: 20 }, 1_850, 20],
])(
  'computePromptBudget limits the prompt and the answer for a model that %s',
  (_, spec, maxLength, expectedAnswerTokens) => {
    const budget = computePromptBudget(createModel(spec), 'block');
    const promptCharacters = budget.prefixTokens + budget.suffixTokens + budget.contextTokens;
    expect(promptCharacters).toBeLessThanOrEqual(maxLength);
    expect(promptCharacters).toBeGreaterThan(maxLength - 3);
    expect(budget.prefixTokens).toBeGreaterThan(budget.suffixTokens);
    expect(budget.answerTokens).toBe(expectedAnswerTokens);
  },
);

test('computePromptBudget limits the answer for the rest of a line to 64 tokens', () => {
  expect(computePromptBudget(createModel({}), 'line').answerTokens).toBe(64);
});
