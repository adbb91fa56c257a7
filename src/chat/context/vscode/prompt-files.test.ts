import { expect, test, vi } from 'vitest';
import { readPromptFile } from '../../../conversation/prompt-file.ts';
import type { Mode } from '../../../conversation/protocol.ts';
import { readModel } from '../../../service/read-model.ts';
import type { Model } from '../../../service/model-types.ts';
import { applyPromptSettings } from './prompt-files.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
}));

const createModel = (id: string, spec: object, type = 'text'): Model =>
  readModel({ id, type, object: 'model', model_spec: spec }) as Model;

const catalogModels = [
  createModel('gale-1', { name: 'Gale 1' }),
  createModel('breeze-3', { name: 'Breeze 3', traits: ['fastest'] }),
  createModel('gone', { name: 'Gone', offline: true }),
  createModel('paint', { name: 'Paint' }, 'image'),
  createModel('kept', { name: 'Kept', privacy: 'private' }),
  createModel('attested', { name: 'Attested', capabilities: { supportsTeeAttestation: true } }),
  createModel('sealed', {
    name: 'Sealed',
    capabilities: { supportsTeeAttestation: true, supportsE2EE: true },
  }),
];

/** Creates fake chat settings. Records the mode and the model that a prompt file selects. */
function createChat({
  asked = 'gale-1',
  standIn = 'gale-1',
  mode = 'ask',
}: { asked?: string; standIn?: string; mode?: Mode } = {}) {
  const chosen: string[] = [];
  const choose = (modelId: string): Promise<void> => Promise.resolve(void chosen.push(modelId));
  const agents = { mode: () => mode, setMode: choose };
  // If the selected model is not in the list, the substitute is used instead.
  const idOf = catalogModels.some(({ id }) => id === asked) ? asked : standIn;
  const chatModel = catalogModels.find(({ id }) => id === idOf);
  const catalog = {
    models: catalogModels,
    allModels: catalogModels,
    chatModel,
    selectedName: asked,
    selectChatModel: choose,
  };
  const followers = { agents, getModels: () => catalog };
  return {
    chosen,
    follow: (head: string) =>
      applyPromptSettings(readPromptFile(`---\n${head}\n---\nDo it.`), followers),
  };
}

test.each([
  ['mode: ask\nmodel: breeze-3', ['ask', 'breeze-3'], ['Ask', 'Breeze 3']],
  ['agent: Ask', ['ask'], ['Ask']],
  ['model: sealed', ['sealed'], ['Sealed']],
  ['model: "Breeze 3"', ['breeze-3'], ['Breeze 3']],
  ['model: breeze 3', ['breeze-3'], ['Breeze 3']],
  ['model: fastest', ['breeze-3'], ['Breeze 3']],
  ['mode: agent\nmodel: Gale 1', [], []],
  ['mode: edit\nmodel: Storm 9\ntools: [search]', [], []],
  ['agent: my-own\nmodel: [Breeze 3, Gale 1]', [], []],
  ['model: gone', [], []],
  ['model: paint', [], []],
  ['description: x', [], []],
])('a prompt file with the settings %j selects %j', async (head, selections, changed) => {
  const prompted = createChat({ mode: 'agent' });
  expect(await prompted.follow(head)).toEqual({ changedNames: changed, needsAgentMode: false });
  expect(prompted.chosen).toEqual(selections);
});

test('a prompt file cannot turn on Agent mode, but can select a model', async () => {
  const prompted = createChat();
  expect(await prompted.follow('mode: agent\nmodel: breeze-3')).toEqual({
    changedNames: ['Breeze 3'],
    needsAgentMode: true,
  });
  expect(prompted.chosen).toEqual(['breeze-3']);
});

test.each([
  ['sealed', 'gale-1', 'Sealed'],
  ['sealed', 'fastest', 'Sealed'],
  ['sealed', 'kept', 'Sealed'],
  ['sealed', 'attested', 'Sealed'],
  ['attested', 'gale-1', 'Attested'],
  ['attested', 'kept', 'Attested'],
  ['kept', 'gale-1', 'Kept'],
  // The protection of an unlisted model is unknown, so the strongest protection is assumed.
  ['closed-down', 'gale-1', 'closed-down'],
  ['closed-down', 'attested', 'closed-down'],
])(
  'the chat keeps model %s if a prompt file requests model %s with weaker protection',
  async (selectedId, requestedId, currentName) => {
    const prompted = createChat({ asked: selectedId });
    const appliedSettings = await prompted.follow(`model: ${requestedId}`);
    expect(appliedSettings).toMatchObject({
      changedNames: [],
      rejectedModel: { currentModel: currentName },
    });
    expect(prompted.chosen).toEqual([]);
  },
);

test.each([
  ['gale-1', 'kept'],
  ['kept', 'attested'],
  ['attested', 'sealed'],
  ['closed-down', 'sealed'],
])(
  'the chat replaces model %s if a prompt file requests model %s with the same or stronger protection',
  async (selectedId, requestedId) => {
    const prompted = createChat({ asked: selectedId });
    expect(await prompted.follow(`model: ${requestedId}`)).not.toHaveProperty('rejectedModel');
    expect(prompted.chosen).toEqual([requestedId]);
  },
);

test('a prompt file can select the model that replaces a chat model missing from the model list', async () => {
  const prompted = createChat({ asked: 'closed-down', standIn: 'sealed' });
  expect(await prompted.follow('model: sealed')).toMatchObject({ changedNames: ['Sealed'] });
  expect(prompted.chosen).toEqual(['sealed']);
});
