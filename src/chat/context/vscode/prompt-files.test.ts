import { expect, test, vi } from 'vitest';
import { readPromptFile } from '../../../conversation/prompt-file.ts';
import type { Mode } from '../../../agent/protocol.ts';
import { readModel } from '../../../service/read-model.ts';
import type { Model } from '../../../service/model-types.ts';
import { applyPromptSettings } from './prompt-files.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
}));

const model = (id: string, spec: object, type = 'text'): Model =>
  readModel({ id, type, object: 'model', model_spec: spec }) as Model;

const models = [
  model('gale-1', { name: 'Gale 1' }),
  model('breeze-3', { name: 'Breeze 3', traits: ['fastest'] }),
  model('gone', { name: 'Gone', offline: true }),
  model('paint', { name: 'Paint' }, 'image'),
  model('kept', { name: 'Kept', privacy: 'private' }),
  model('attested', { name: 'Attested', capabilities: { supportsTeeAttestation: true } }),
  model('sealed', {
    name: 'Sealed',
    capabilities: { supportsTeeAttestation: true, supportsE2EE: true },
  }),
];

/** Creates chat settings and records changes to them. */
function chat({
  asked = 'gale-1',
  standIn = 'gale-1',
  mode = 'ask',
}: { asked?: string; standIn?: string; mode?: Mode } = {}) {
  const chosen: string[] = [];
  const choose = (modelId: string): Promise<void> => Promise.resolve(void chosen.push(modelId));
  const agents = { mode, setMode: choose };
  // An unlisted selected model is replaced by another one.
  const idOf = models.some(({ id }) => id === asked) ? asked : standIn;
  const chatModel = models.find(({ id }) => id === idOf);
  const catalog = {
    models,
    allModels: models,
    chatModel,
    selectedName: asked,
    selectChatModel: choose,
  };
  const followers = { agents, models: catalog };
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
])('for the prompt file settings %j, selects %j', async (head, chosen, changed) => {
  const prompted = chat({ mode: 'agent' });
  expect(await prompted.follow(head)).toEqual({ changed, needsAgentMode: false });
  expect(prompted.chosen).toEqual(chosen);
});

test('never turns on Agent mode for a prompt file', async () => {
  const prompted = chat();
  expect(await prompted.follow('mode: agent\nmodel: breeze-3')).toEqual({
    changed: ['Breeze 3'],
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
  // The protection of the unlisted model is unknown and counts as the strongest.
  ['closed-down', 'gale-1', 'closed-down'],
  ['closed-down', 'attested', 'closed-down'],
])(
  'keeps model %s when a prompt file selects %s, which protects less',
  async (selectedId, requestedId, currentName) => {
    const prompted = chat({ asked: selectedId });
    const appliedSettings = await prompted.follow(`model: ${requestedId}`);
    expect(appliedSettings).toMatchObject({ changed: [], weaker: { currentModel: currentName } });
    expect(prompted.chosen).toEqual([]);
  },
);

test.each([
  ['gale-1', 'kept'],
  ['kept', 'attested'],
  ['attested', 'sealed'],
  ['closed-down', 'sealed'],
])(
  'replaces model %s with %s, which protects at least as much',
  async (selectedId, requestedId) => {
    const prompted = chat({ asked: selectedId });
    expect(await prompted.follow(`model: ${requestedId}`)).not.toHaveProperty('weaker');
    expect(prompted.chosen).toEqual([requestedId]);
  },
);

test('replaces an unlisted model with its substitute if a prompt file selects the substitute', async () => {
  const prompted = chat({ asked: 'closed-down', standIn: 'sealed' });
  expect(await prompted.follow('model: sealed')).toMatchObject({ changed: ['Sealed'] });
  expect(prompted.chosen).toEqual(['sealed']);
});
