import { expect, test, vi } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { toChatParameters } from '../../conversation/chat-options.ts';
import { streamChat } from '../../service/chat/stream-chat.ts';
import { setChoiceState } from '../../platform/settings.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import { readModel } from '../../service/read-model.ts';
import { applyOptionsAction, setOption } from './option-changes.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: 'off' }) }) },
}));

const { signal } = new AbortController();

const previousOptions = { seed: 7, webSearch: 'on' } as const;

test.each([
  ['temperature', '0,5', { temperature: 0.5 }],
  ['seed', '8', { seed: 8 }],
  ['stop', 'one\n\ntwo', { stop: ['one', 'two'] }],
  ['stripThinking', 'true', { stripThinking: true }],
  ['responseFormat', 'json_object', { responseFormat: { type: 'json_object' } }],
  [
    'schema',
    '{"title":"Tide table!"}',
    {
      responseFormat: {
        type: 'json_schema',
        name: 'Tide_table_',
        schema: '{"title":"Tide table!"}',
      },
    },
  ],
])('setOption sets %s to the value %j', (name, value, options) => {
  expect(setOption(previousOptions, name, value)).toEqual({ ...previousOptions, ...options });
});

test('setOption removes an option if the value is empty', () => {
  expect(setOption(previousOptions, 'seed', '')).toEqual({ webSearch: 'on' });
});

test.each([
  ['temperature', '3', /must be a number from/u],
  ['topP', 'much', /must be a number from/u],
  ['maxTokens', '-1', /whole number/u],
  ['stop', 'a\nb\nc\nd\ne', /four lines/u],
  ['schema', '[]', /JSON object/u],
  ['__proto__', '{}', /can’t be used/u],
  ['constructor', 'x', /can’t be used/u],
])('setOption rejects the option %s with the value %j', (name, value, problem) => {
  expect(setOption(previousOptions, name, value)).toMatch(problem);
});

const listedModel = readModel({ id: 'maple-70b', type: 'text', model_spec: {} });

test.each([
  [
    'webSearch',
    { webSearch: 'on', webCitations: false, seed: 7 },
    ['webSearch', 'webCitations'],
    listedModel,
  ],
  ['stripThinking', { stripThinking: true }, ['stripThinking'], listedModel],
  // The model list is not loaded.
  ['stripThinking', { stripThinking: true }, ['stripThinking'], undefined],
] as const)(
  'applyOptionsAction marks the rejected option %s as omitted until the user restores the option',
  async (name, options, markedNames, model) => {
    await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
    const request = {
      model: 'maple-70b',
      messages: [{ role: 'user' as const, content: 'Hello' }],
      ...toChatParameters(options, model),
    };
    const context = {
      host: {
        account: { connection: server.connection },
        context: { globalState: { get: () => undefined, update: async () => {} } },
        models: {
          chatModel: model,
          selectedName: 'maple-70b',
          allModels: model === undefined ? [] : [model],
        },
      },
      session: { conversation: { options, findModel: () => undefined } },
    };
    const listFieldsAfterAction = async (action: 'show' | 'restore') => {
      const message = { type: 'options-action', action, name, value: '' } as const;
      return (await applyOptionsAction(message, context as never)).fields;
    };
    const listOmittedNames = async (action: 'show' | 'restore'): Promise<string[]> =>
      (await listFieldsAfterAction(action))
        .filter(({ isOmitted }) => isOmitted)
        .map((field) => field.name);
    const listRefusedNames = async (): Promise<string[]> =>
      (await listFieldsAfterAction('show'))
        .filter(({ problem }) => problem.startsWith('This service does not support'))
        .map((field) => field.name);
    expect(await listOmittedNames('show')).toEqual([]);
    const refusedField = await findRefusedField(server.context, request);
    expect(refusedField).toBeDefined();
    // The field explains the rejection until the user agrees to send requests without the option.
    expect(await listRefusedNames()).toEqual(markedNames);
    server.connection.omitField(refusedField ?? '');
    expect(await findRefusedField(server.context, request)).toBeUndefined();
    expect(await listOmittedNames('show')).toEqual(markedNames);
    expect(await listRefusedNames()).toEqual([]);
    expect(await listOmittedNames('restore')).toEqual([]);
    expect(await findRefusedField(server.context, request)).toBe(refusedField);
  },
);

test('applyOptionsAction stores the notification and sound options for all chats, not for a single chat', async () => {
  const values = new Map<string, unknown>();
  const globalState = {
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
  setChoiceState(globalState as never);
  const host = {
    account: { connection: { facts: {} } },
    context: { globalState },
    models: { chatModel: listedModel, selectedName: 'maple-70b', allModels: [listedModel] },
  };
  const setOptions = vi.fn<() => void>();
  const session = { conversation: { options: {}, findModel: () => undefined }, setOptions };
  const applyAction = async (action: 'set' | 'reset', name = '', value = '') => {
    const message = { type: 'options-action', action, name, value } as const;
    const { fields } = await applyOptionsAction(message, { host, session } as never);
    return ['notify', 'sound'].map((key) => fields.find((field) => field.name === key)?.value);
  };
  expect(await applyAction('set', 'notify', 'false')).toEqual(['false', '']);
  expect(await applyAction('set', 'sound', 'true')).toEqual(['false', 'true']);
  expect(setOptions).not.toHaveBeenCalled();
  expect(await applyAction('reset')).toEqual(['false', 'true']);
  expect(await applyAction('set', 'notify', '')).toEqual(['', 'true']);
  expect(await applyAction('set', 'sound', '')).toEqual(['', '']);
});

/**
 * Sends a chat request. Returns the key of the request field that the service rejected; `undefined` if the service
 * answered.
 */
async function findRefusedField(
  context: ServiceContext,
  request: Parameters<typeof streamChat>[1],
): Promise<string | undefined> {
  let failure: ServiceFailure | undefined;
  for await (const events of streamChat(context, request, { signal, areOptionsChosen: true })) {
    const lastEvent = events.at(-1);
    if (lastEvent?.type === 'stream-end' && lastEvent.outcome.kind === 'failed')
      ({ failure } = lastEvent.outcome);
  }
  return failure?.refusedField;
}
