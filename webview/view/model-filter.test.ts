import { expect, test } from 'vitest';
import { model } from '../../test/support/webview-page/chat-states.ts';
import { filterModels, offeredCapabilities } from './model-filter.ts';

const list = [
  model({ id: 'gone', name: 'Gone', offline: true, capabilities: ['vision'] }),
  model({ id: 'llama', name: 'Llama 3.3', capabilities: ['tools', 'code'] }),
  model({ id: 'qwen', name: 'Qwen Coder', capabilities: ['code', 'vision'], traits: ['fastest'] }),
];

const found = (words: string, ...capabilities: string[]): string[] =>
  filterModels(list, { words, capabilities: new Set(capabilities) }).map(({ id }) => id);

test('all words must occur, in any order and case', () => {
  expect(found('CODER qwen')).toEqual(['qwen']);
  expect(found('fastest')).toEqual(['qwen']);
  expect(found('coder llama')).toEqual([]);
});

test('all wanted capabilities must be there', () => {
  expect(found('', 'code')).toEqual(['llama', 'qwen']);
  expect(found('', 'code', 'vision')).toEqual(['qwen']);
});

test('what cannot be used comes last, the rest keeps its order', () => {
  expect(found('')).toEqual(['llama', 'qwen', 'gone']);
  expect(found('', 'vision')).toEqual(['qwen', 'gone']);
});

test('offered capabilities keep the order of the protocol', () => {
  expect(offeredCapabilities(list)).toEqual(['code', 'vision', 'tools']);
  expect(offeredCapabilities([])).toEqual([]);
});
