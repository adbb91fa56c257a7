import { expect, test } from 'vitest';
import { createModelView } from '../../test/support/webview-page/chat-states.ts';
import { filterModels, listOfferedCapabilities } from './model-option.ts';

const listedModels = [
  createModelView({ id: 'gone', name: 'Gone', offline: true, capabilities: ['vision'] }),
  createModelView({ id: 'breeze', name: 'Breeze 3', capabilities: ['tools', 'code'] }),
  createModelView({
    id: 'harbour',
    name: 'Harbour Coder',
    capabilities: ['code', 'vision'],
    traits: ['fastest'],
  }),
];

const findModels = (query: string, ...capabilities: string[]): string[] =>
  filterModels(listedModels, { searchText: query, capabilities: new Set(capabilities) }).map(
    ({ id }) => id,
  );

test('filterModels finds models whose labels contain all words, in any order and case', () => {
  expect(findModels('CODER harbour')).toEqual(['harbour']);
  expect(findModels('fastest')).toEqual(['harbour']);
  expect(findModels('coder breeze')).toEqual([]);
});

test('filterModels finds only models that have all required capabilities', () => {
  expect(findModels('', 'code')).toEqual(['breeze', 'harbour']);
  expect(findModels('', 'code', 'vision')).toEqual(['harbour']);
});

test('filterModels lists unavailable models last and keeps the order of the other models', () => {
  expect(findModels('')).toEqual(['breeze', 'harbour', 'gone']);
  expect(findModels('', 'vision')).toEqual(['harbour', 'gone']);
});

test('listOfferedCapabilities lists the offered capabilities in display order', () => {
  expect(listOfferedCapabilities(listedModels)).toEqual(['code', 'vision', 'tools']);
  expect(listOfferedCapabilities([])).toEqual([]);
});

test('filterModels finds a model by the displayed labels and by the service’s internal names', () => {
  const anonymizedModel = createModelView({
    id: 'm',
    privacy: 'anonymized',
    traits: ['most_uncensored'],
  });
  const isFound = (query: string): boolean =>
    filterModels([anonymizedModel], { searchText: query, capabilities: new Set() }).length > 0;
  expect(['most_uncensored', 'MOST uncensored', 'anonymized'].map(isFound)).toEqual([
    true,
    true,
    true,
  ]);
});
