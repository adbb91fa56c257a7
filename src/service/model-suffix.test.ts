import { expect, test } from 'vitest';
import { findModelById, findModelByIdOrTrait } from '../models/model-selection.ts';
import { readModel } from './read-model.ts';
import { splitModelId, parseModelSuffix } from './model-suffix.ts';

test.each<[id: string, base: string, set: object]>([
  ['breeze-3', 'breeze-3', {}],
  ['breeze:70b', 'breeze:70b', {}],
  ['', '', {}],
  ['default:enable_web_search=auto', 'default', { enable_web_search: 'auto' }],
  [
    'a:70b:enable_web_search=on&character_slug=a%20b',
    'a:70b',
    { enable_web_search: 'on', character_slug: 'a b' },
  ],
  ['m:unknown=1&disable_thinking=true', 'm', { disable_thinking: 'true' }],
  ['m:character_slug=%E0%A4%A', 'm', { character_slug: '%E0%A4%A' }],
  ['m:enable_e2ee=true&enable_x_search=true', 'm', {}],
  ['m:constructor=1', 'm', {}],
  ['m:character_slug=a:b', 'm', { character_slug: 'a:b' }],
  ['m:70b:web', 'm:70b', { enable_web_search: 'on' }],
  ['m:webs', 'm:webs', {}],
  ['m:include_acme_system_prompt=false', 'm', { include_acme_system_prompt: 'false' }],
])(
  'splitModelId and parseModelSuffix split the model id %s into the base %s and the parameters %j',
  (id, base, parameters) => {
    const modelIdParts = splitModelId(id);
    expect(modelIdParts.base).toBe(base);
    expect(`${modelIdParts.base}${modelIdParts.suffix}`).toBe(id);
    expect(parseModelSuffix(id)).toEqual(parameters);
  },
);

const models = [
  readModel({ id: 'breeze', model_spec: { traits: ['default'] } }),
  readModel({ id: 'odd:enable_web_search=on' }),
].filter((model) => model !== undefined);

test.each<[name: string, idFoundById: string | undefined, idFoundByTrait: string | undefined]>([
  ['breeze', 'breeze', 'breeze'],
  ['default', undefined, 'breeze'],
  ['breeze:enable_web_search=on', 'breeze:enable_web_search=on', 'breeze:enable_web_search=on'],
  ['default:enable_web_search=on', undefined, 'breeze:enable_web_search=on'],
  ['odd:enable_web_search=on', 'odd:enable_web_search=on', 'odd:enable_web_search=on'],
  ['gone:enable_web_search=on', undefined, undefined],
  ['gone', undefined, undefined],
])(
  'for the model name %s, findModelById returns the model %s and findModelByIdOrTrait returns %s',
  (name, idFoundById, idFoundByTrait) => {
    expect(findModelById(models, name)?.id).toBe(idFoundById);
    expect(findModelByIdOrTrait(models, name)?.id).toBe(idFoundByTrait);
  },
);
