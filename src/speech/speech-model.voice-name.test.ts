import { expect, test } from 'vitest';
import { parseVoiceName } from './speech-model.ts';

test.each([
  ['af_sky', { name: 'Sky', speaker: { language: 'en-US', isFemale: true } }],
  ['bm_george', { name: 'George', speaker: { language: 'en-GB', isFemale: false } }],
  ['pf_dora', { name: 'Dora', speaker: { language: 'pt-BR', isFemale: true } }],
  ['xf_dora', { name: 'Xf Dora' }],
  ['alloy', { name: 'Alloy' }],
  ['storm-teller_two', { name: 'Storm Teller Two' }],
  ['vv_8f2k', { name: 'vv_8f2k' }],
  ['Aria', { name: 'Aria' }],
  ['Zoë (calm)', { name: 'Zoë (calm)' }],
  ['', { name: '' }],
])('parseVoiceName derives the voice name from %j as %j', (id, name) =>
  expect(parseVoiceName(id)).toEqual(name),
);
