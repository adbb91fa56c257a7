import { expect, test } from 'vitest';
import { parseVoiceName } from './speech-model.ts';

test.each([
  ['af_sky', 'Sky', 'American woman', { language: 'en-US', isFemale: true }],
  ['bm_george', 'George', 'British man', { language: 'en-GB', isFemale: false }],
  ['pf_dora', 'Dora', 'Brazilian woman', { language: 'pt-BR', isFemale: true }],
])(
  'parseVoiceName, given the voice id "%s", returns the name "%s" and the speaker "%s"',
  (id, name, _description, speaker) => {
    expect(parseVoiceName(id)).toEqual({ name, speaker });
  },
);

test.each([
  ['xf_dora', 'Xf Dora'],
  ['alloy', 'Alloy'],
  ['storm-teller_two', 'Storm Teller Two'],
  ['vv_8f2k', 'vv_8f2k'],
  ['Aria', 'Aria'],
  ['Zoë (calm)', 'Zoë (calm)'],
  ['', ''],
])('parseVoiceName, given the voice id "%s", returns the name "%s" and no speaker', (id, name) => {
  expect(parseVoiceName(id)).toEqual({ name });
});
