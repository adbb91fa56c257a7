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

test.each<[current: ModelName, replacements: string, encrypt: string, readonly ModelName[]]>([
  [
    'an anonymized model',
    'anonymized, private, enclave and encrypted models',
    'whenOffered',
    ['an anonymized model', 'a private model', 'an enclave', 'an encrypted model'],
  ],
  [
    'a private model',
    'private, enclave and encrypted models',
    'whenOffered',
    ['a private model', 'an enclave', 'an encrypted model'],
  ],
  [
    'an enclave',
    'enclave and encrypted models',
    'whenOffered',
    ['an enclave', 'an encrypted model'],
  ],
  ['an encrypted model', 'encrypted models', 'whenOffered', ['an encrypted model']],
  [
    'an encrypted model',
    'enclave and encrypted models',
    'off',
    ['an enclave', 'an encrypted model'],
  ],
])(
  'protectsAtLeastAsWell accepts as replacements for %s only %s if the encryption setting is "%s"',
  (currentName, _replacements, encrypt, expected) => {
    privacySettings.encrypt = encrypt;
    const acceptedNames = modelNames.filter((name) =>
      protectsAtLeastAsWell(models[name], models[currentName]),
    );
    expect(acceptedNames).toEqual(expected);
  },
);

test.each<ModelName>(['a model without a stated privacy', 'an enclave without a stated privacy'])(
  'protectsAtLeastAsWell accepts no replacement for %s if the encryption setting is "whenOffered"',
  (currentName) => {
    privacySettings.encrypt = 'whenOffered';
    const acceptedNames = modelNames.filter((name) =>
      protectsAtLeastAsWell(models[name], models[currentName]),
    );
    expect(acceptedNames).toEqual([]);
  },
);
