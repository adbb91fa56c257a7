import { expect, test, vi } from 'vitest';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import { toModelInformation } from '../../language-model/model-information.ts';
import { createModelItem } from './select-model.ts';
import { getModelTermLabel } from './model-labels.ts';

vi.mock('vscode', () => ({
  ThemeIcon: vi.fn(),
  l10n: { t: (text: string) => `‹${text}›` },
}));

const model = readModel({
  id: 'm',
  type: 'text',
  object: 'model',
  model_spec: {
    name: 'M',
    privacy: 'private',
    traits: ['default_code', 'house-special'],
    capabilities: { supportsVision: true, supportsFunctionCalling: true },
  },
}) as Model;

test('the model picker shows the translated labels of capabilities and privacy level, and traits with spaces', () => {
  expect(createModelItem(model, undefined)).toMatchObject({
    description: '',
    detail: '‹private› · ‹vision› · ‹tools› · default code · house special · m',
  });
});

test('the model list for VS Code shows the translated labels of capabilities and privacy level', () => {
  expect(toModelInformation([model])).toMatchObject([
    { detail: '‹private›', tooltip: '‹private› · ‹vision› · ‹tools›\n\nm' },
  ]);
});

test('the model picker and the model list for VS Code show the origin of facts that are not from the service’s model list', () => {
  const correctedModel = {
    ...model,
    origins: { context: '/props', tools: 'refusal', images: '/props', price: 'setting' },
  } as const;
  expect(createModelItem(correctedModel, undefined).detail).toContain('‹{0}: {1}›');
  expect(toModelInformation([correctedModel])[0]?.tooltip).toContain('‹{0}: {1}›');
});

test('getModelTermLabel returns no label for an empty term', () => {
  expect(getModelTermLabel('')).toBe('');
});
