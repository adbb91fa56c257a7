import { expect, test, vi } from 'vitest';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import { protectsAsWell } from './privacy-settings.ts';

const settings = vi.hoisted(() => ({ encrypt: 'whenOffered' }));

vi.mock('vscode', () => ({
  workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: settings.encrypt }) }) },
}));

const createModel = (spec: object): Model => {
  const model = readModel({ id: 'model', type: 'text', model_spec: spec });
  if (model === undefined) throw new Error('The model is invalid.');
  return model;
};

const enclave = { supportsTeeAttestation: true };
const models = {
  'a model without a stated privacy': createModel({}),
  'an enclave without a stated privacy': createModel({ capabilities: enclave }),
  'an anonymized model': createModel({ privacy: 'anonymized' }),
  'a private model': createModel({ privacy: 'private' }),
  'an enclave': createModel({ privacy: 'private', capabilities: enclave }),
  'an encrypted model': createModel({
    privacy: 'private',
    capabilities: { ...enclave, supportsE2EE: true },
  }),
};
type Name = keyof typeof models;
const names = Object.keys(models) as Name[];

test.each<[string, readonly Name[], string]>([
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
  'protectsAsWell accepts as replacements for %s exactly %j if the encryption setting is "%s"',
  (current, expected, encrypt) => {
    settings.encrypt = encrypt;
    const accepted = names.filter((name) => protectsAsWell(models[name], models[current as Name]));
    expect(accepted).toEqual(expected);
  },
);
