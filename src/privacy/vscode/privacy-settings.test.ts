import { expect, test, vi } from 'vitest';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import { protectsAtLeastAsWell } from './privacy-settings.ts';

const privacySettings = vi.hoisted(() => ({ encrypt: 'whenOffered' }));

vi.mock('vscode', () => ({
  workspace: {
    getConfiguration: () => ({ inspect: () => ({ globalValue: privacySettings.encrypt }) }),
  },
}));

const createModel = (spec: object): Model => {
  const model = readModel({ id: 'model', type: 'text', model_spec: spec });
  if (model === undefined) throw new Error('The model is invalid.');
  return model;
};

const enclaveSpec = { supportsTeeAttestation: true };
const models = {
  'a model without a stated privacy': createModel({}),
  'an enclave without a stated privacy': createModel({ capabilities: enclaveSpec }),
  'an anonymized model': createModel({ privacy: 'anonymized' }),
  'a private model': createModel({ privacy: 'private' }),
  'an enclave': createModel({ privacy: 'private', capabilities: enclaveSpec }),
  'an encrypted model': createModel({
    privacy: 'private',
    capabilities: { ...enclaveSpec, supportsE2EE: true },
  }),
};
type ModelName = keyof typeof models;
const modelNames = Object.keys(models) as ModelName[];

test.each<[string, readonly ModelName[], string]>([
  ['a model without a stated privacy', [], 'whenOffered'],
  ['an enclave without a stated privacy', [], 'whenOffered'],
  [
    'an anonymized model',
    ['an anonymized model', 'a private model', 'an enclave', 'an encrypted model'],
    'whenOffered',
  ],
  ['a private model', ['a private model', 'an enclave', 'an encrypted model'], 'whenOffered'],
  ['an enclave', ['an enclave', 'an encrypted model'], 'whenOffered'],
  ['an encrypted model', ['an encrypted model'], 'whenOffered'],
  ['an encrypted model', ['an enclave', 'an encrypted model'], 'off'],
])(
  'protectsAtLeastAsWell permits replacing %s only with %j if the encryption setting is "%s"',
  (currentName, expected, encrypt) => {
    privacySettings.encrypt = encrypt;
    const acceptedNames = modelNames.filter((name) =>
      protectsAtLeastAsWell(models[name], models[currentName as ModelName]),
    );
    expect(acceptedNames).toEqual(expected);
  },
);
