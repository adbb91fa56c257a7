import { expect, test } from 'vitest';
import { readPromptFile } from '../../../chat/prompt-file.ts';
import type { Mode } from '../../../protocol/view-state.ts';
import { readModel } from '../../../service/model-reading.ts';
import type { Model } from '../../../service/model-types.ts';
import { followPrompt } from './follow-prompt.ts';

const model = (id: string, spec: object, type = 'text'): Model =>
  readModel({ id, type, object: 'model', model_spec: spec }) as Model;

const models = [
  model('gale-1', { name: 'Gale 1' }),
  model('breeze-3', { name: 'Breeze 3', traits: ['fastest'] }),
  model('gone', { name: 'Gone', offline: true }),
  model('paint', { name: 'Paint' }, 'image'),
];

/** A chat that asks Gale 1, which also stands in for what is gone, and what was chosen of it since. */
function chat(chosenName = 'gale-1'): {
  chosen: string[];
  follow: (head: string) => Promise<readonly string[]>;
} {
  const chosen: string[] = [];
  const choose = (what: string): Promise<void> => Promise.resolve(void chosen.push(what));
  const mode: Mode = 'ask';
  const agents = { mode, setMode: choose };
  const chatModel = models[0];
  const known = { models, all: models, chatModel, chosenName, selectChatModel: choose };
  const followers = { agents, models: known };
  return {
    chosen,
    follow: (head) => followPrompt(readPromptFile(`---\n${head}\n---\nDo it.`), followers),
  };
}

test.each([
  ['mode: agent\nmodel: breeze-3', ['agent', 'breeze-3'], ['agent', 'Breeze 3']],
  ['agent: Agent', ['agent'], ['agent']],
  ['model: "Breeze 3"', ['breeze-3'], ['Breeze 3']],
  ['model: breeze 3', ['breeze-3'], ['Breeze 3']],
  ['model: fastest', ['breeze-3'], ['Breeze 3']],
  ['mode: ask\nmodel: Gale 1', [], []],
  ['mode: edit\nmodel: Storm 9\ntools: [search]', [], []],
  ['agent: my-own\nmodel: [Breeze 3, Gale 1]', [], []],
  ['model: gone', [], []],
  ['model: paint', [], []],
  ['description: x', [], []],
])('%j chooses %j', async (head, chosen, told) => {
  const prompted = chat();
  expect(await prompted.follow(head)).toEqual(told);
  expect(prompted.chosen).toEqual(chosen);
});

test('a model that only stands in for the one that is gone is chosen as any other', async () => {
  const prompted = chat('storm-9');
  expect(await prompted.follow('model: gale-1')).toEqual(['Gale 1']);
  expect(prompted.chosen).toEqual(['gale-1']);
});
