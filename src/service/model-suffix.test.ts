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
  'splitModelId and parseModelSuffix split the model id "%s" into the base "%s" and the parameters %j',
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

const findIds = (name: string) => [
  findModelById(models, name)?.id,
  findModelByIdOrTrait(models, name)?.id,
];

test.each(['breeze', 'breeze:enable_web_search=on', 'odd:enable_web_search=on'])(
  'findModelById and findModelByIdOrTrait return the model with the id "%s"',
  (id) => {
    expect(findIds(id)).toEqual([id, id]);
  },
);

test.each([
  ['default', 'breeze'],
  ['default:enable_web_search=on', 'breeze:enable_web_search=on'],
])(
  'for the model trait "%s", findModelByIdOrTrait returns the model "%s", but findModelById returns no model',
  (trait, id) => {
    expect(findIds(trait)).toEqual([undefined, id]);
  },
);

test.each(['gone:enable_web_search=on', 'gone'])(
  'findModelById and findModelByIdOrTrait return no model for the unknown id "%s"',
  (id) => {
    expect(findIds(id)).toEqual([undefined, undefined]);
  },
);
