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
  selectedId = 'gale-1',
  substituteId = 'gale-1',
  mode = 'ask',
}: { selectedId?: string; substituteId?: string; mode?: Mode } = {}) {
  const choices: string[] = [];
  const recordChoice = (modelId: string): Promise<void> =>
    Promise.resolve(void choices.push(modelId));
  const agents = { getMode: () => mode, setMode: recordChoice };
  // If the selected model is not in the list, the substitute is used instead.
  const chatModelId = catalogModels.some(({ id }) => id === selectedId) ? selectedId : substituteId;
  const chatModel = catalogModels.find(({ id }) => id === chatModelId);
  const catalog = {
    models: catalogModels,
    allModels: catalogModels,
    chatModel,
    selectedName: selectedId,
    selectChatModel: recordChoice,
  };
  const chatSettings = { agents, getModels: () => catalog };
  return {
    choices,
    applySettings: (head: string) =>
      applyPromptSettings(readPromptFile(`---\n${head}\n---\nDo it.`), chatSettings),
  };
}

test.each([
  [
    'mode: ask\nmodel: breeze-3',
    'Ask mode and the model "breeze-3"',
    ['ask', 'breeze-3'],
    ['Ask', 'Breeze 3'],
  ],
  ['agent: Ask', 'Ask mode', ['ask'], ['Ask']],
  ['model: sealed', 'the model "sealed"', ['sealed'], ['Sealed']],
  ['model: "Breeze 3"', 'the model "breeze-3"', ['breeze-3'], ['Breeze 3']],
  ['model: breeze 3', 'the model "breeze-3"', ['breeze-3'], ['Breeze 3']],
  ['model: fastest', 'the model "breeze-3"', ['breeze-3'], ['Breeze 3']],
])('a prompt file with the settings %j selects %s', async (head, _, selections, changedNames) => {
  const chat = createChat({ mode: 'agent' });
  expect(await chat.applySettings(head)).toEqual({ changedNames, needsAgentMode: false });
  expect(chat.choices).toEqual(selections);
});

test.each([
  'mode: agent\nmodel: Gale 1',
  'mode: edit\nmodel: Storm 9\ntools: [search]',
  'agent: my-own\nmodel: [Breeze 3, Gale 1]',
  'model: gone',
  'model: paint',
  'description: x',
])('a prompt file with the settings %j changes neither mode nor model', async (head) => {
  const chat = createChat({ mode: 'agent' });
  expect(await chat.applySettings(head)).toEqual({ changedNames: [], needsAgentMode: false });
  expect(chat.choices).toEqual([]);
});

test('a prompt file cannot turn on Agent mode, but can select a model', async () => {
  const chat = createChat();
  expect(await chat.applySettings('mode: agent\nmodel: breeze-3')).toEqual({
    changedNames: ['Breeze 3'],
    needsAgentMode: true,
  });
  expect(chat.choices).toEqual(['breeze-3']);
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
  'the chat keeps the model "%s" if a prompt file requests the model "%s" with weaker protection',
  async (selectedId, requestedId, currentName) => {
    const chat = createChat({ selectedId });
    const appliedSettings = await chat.applySettings(`model: ${requestedId}`);
    expect(appliedSettings).toMatchObject({
      changedNames: [],
      rejectedModel: { currentModel: currentName },
    });
    expect(chat.choices).toEqual([]);
  },
);

test.each([
  ['gale-1', 'kept'],
  ['kept', 'attested'],
  ['attested', 'sealed'],
  ['closed-down', 'sealed'],
])(
  'the chat replaces the model "%s" if a prompt file requests the model "%s" with the same or stronger protection',
  async (selectedId, requestedId) => {
    const chat = createChat({ selectedId });
    expect(await chat.applySettings(`model: ${requestedId}`)).not.toHaveProperty('rejectedModel');
    expect(chat.choices).toEqual([requestedId]);
  },
);

test('a prompt file can select the substitute for a chat model that is not in the model list', async () => {
  const chat = createChat({ selectedId: 'closed-down', substituteId: 'sealed' });
  expect(await chat.applySettings('model: sealed')).toMatchObject({ changedNames: ['Sealed'] });
  expect(chat.choices).toEqual(['sealed']);
});
