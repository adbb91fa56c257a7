import { expect, test } from 'vitest';
import { model } from '../../test/support/webview-page/chat-states.ts';
import { filterModels, offeredCapabilities } from './model-option.ts';

const list = [
  model({ id: 'gone', name: 'Gone', offline: true, capabilities: ['vision'] }),
  model({ id: 'breeze', name: 'Breeze 3', capabilities: ['tools', 'code'] }),
  model({
    id: 'harbour',
    name: 'Harbour Coder',
    capabilities: ['code', 'vision'],
    traits: ['fastest'],
  }),
];

const found = (words: string, ...capabilities: string[]): string[] =>
  filterModels(list, { words, capabilities: new Set(capabilities) }).map(({ id }) => id);

test('all words must occur, in any order and case', () => {
  expect(found('CODER harbour')).toEqual(['harbour']);
  expect(found('fastest')).toEqual(['harbour']);
  expect(found('coder breeze')).toEqual([]);
});

test('all wanted capabilities must be there', () => {
  expect(found('', 'code')).toEqual(['breeze', 'harbour']);
  expect(found('', 'code', 'vision')).toEqual(['harbour']);
});

test('what cannot be used comes last, the rest keeps its order', () => {
  expect(found('')).toEqual(['breeze', 'harbour', 'gone']);
  expect(found('', 'vision')).toEqual(['harbour', 'gone']);
});

test('offered capabilities keep the order of the protocol', () => {
  expect(offeredCapabilities(list)).toEqual(['code', 'vision', 'tools']);
  expect(offeredCapabilities([])).toEqual([]);
});

test('a model is found by what is shown of it, and by what the service says', () => {
  const anonymous = model({ id: 'm', privacy: 'anonymized', traits: ['most_uncensored'] });
  const finds = (words: string): boolean =>
    filterModels([anonymous], { words, capabilities: new Set() }).length > 0;
  expect(['most_uncensored', 'fewest limits', 'anonymized'].map(finds)).toEqual([true, true, true]);
});
