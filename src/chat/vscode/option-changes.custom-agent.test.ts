import { expect, test, vi } from 'vitest';
import { readModel } from '../../service/read-model.ts';
import { applyOptionsAction } from './option-changes.ts';

const offeredLabels = vi.hoisted(() => [] as string[]);
const offerTexts = vi.hoisted(() => [] as string[]);
vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: {
    showInformationMessage: (text: string, button: string) => {
      offerTexts.push(text);
      offeredLabels.push(button);
      return Promise.resolve(undefined);
    },
  },
  workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: 'off' }) }) },
}));

function createListedModel(id: string, price: number | undefined, privacy: string) {
  const pricing =
    price === undefined ? {} : { pricing: { input: { usd: price }, output: { usd: price } } };
  const record = { id, type: 'text', model_spec: { name: id, privacy, ...pricing } };
  const model = readModel(record);
  if (model === undefined) throw new Error(`${id} is no model`);
  return model;
}

const currentModel = createListedModel('current', 2, 'private');

test.each([
  ['lower price and same protection', createListedModel('m', 1, 'private'), ['m'], []],
  ['higher price', createListedModel('m', 3, 'private'), [], ['m']],
  ['weaker protection', createListedModel('m', 1, 'anonymized'), [], ['m']],
  ['unknown price', createListedModel('m', undefined, 'private'), [], ['m']],
])(
  'choosing a custom agent selects its model only if price and protection are no worse, and otherwise offers the model: %s',
  async (_, model, selectedIds, offers) => {
    offeredLabels.length = 0;
    offerTexts.length = 0;
    const selections: string[] = [];
    let options = {};
    const models = [currentModel, model];
    const context = {
      host: {
        account: { connection: { facts: {} } },
        context: { globalState: { get: () => undefined, update: async () => {} } },
        models: {
          models,
          allModels: models,
          chatModel: currentModel,
          selectedName: 'current',
          selectChatModel: async (id: string) => void selections.push(id),
        },
      },
      session: {
        conversation: {
          get options() {
            return options;
          },
          findModel: () => undefined,
        },
        setModel: async () => {},
        setOptions: async (value: object) => {
          options = value;
        },
      },
      agents: [
        {
          name: 'reviewer',
          description: '',
          label: 'reviewer.agent.md',
          models: ['unknown', 'm'],
          tools: undefined,
          excludedTools: [],
          instructions: '',
        },
      ],
    };
    const message = {
      type: 'options-action',
      action: 'set',
      name: 'agent',
      value: 'reviewer',
    } as const;
    const { fields } = await applyOptionsAction(message, context as never);
    expect(fields[0]).toMatchObject({ name: 'agent', value: 'reviewer' });
    expect([selections, offeredLabels]).toEqual([selectedIds, offers]);
    const offerText = 'The agent {0} prefers {1}, which may cost more or protect less.';
    expect(offerTexts).toEqual(offers.map(() => offerText));
  },
);

test('a chat whose custom agent no longer exists explains why the model gets no tools', async () => {
  const models = [currentModel];
  const context = {
    host: {
      account: { connection: { facts: {} } },
      context: { globalState: { get: () => undefined, update: async () => {} } },
      models: { models, allModels: models, chatModel: currentModel, selectedName: 'current' },
    },
    session: { conversation: { options: { agent: 'reviewer' }, findModel: () => undefined } },
  };
  const message = {
    type: 'options-action',
    action: 'remove',
    name: 'No preset',
    value: '',
  } as const;
  const { fields } = await applyOptionsAction(message, context as never);
  expect(fields.find(({ name }) => name === 'agent')).toMatchObject({
    value: 'reviewer',
    problem: 'This agent no longer exists, so no tools are available. Choose another.',
  });
});
