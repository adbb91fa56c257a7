import { expect, test, vi } from 'vitest';
import { Emitter, ObservableValue } from '../../base/event.ts';
import { readModel } from '../../service/read-model.ts';
import type { ModelCatalog } from './model-catalog.ts';
import { getModelStatus, type ConversationWithModel } from './selected-model.ts';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

const listedModels = ['assistant', 'coder'].map((id) => {
  const model = readModel({ id, type: 'text', model_spec: { name: `The ${id}` } });
  if (model === undefined) throw new Error('The model is unreadable.');
  return model;
});

const createConversation = (model?: string): ConversationWithModel => ({
  findModel: (profile) => (profile === 'p1' ? model : undefined),
});

test.each<[title: string, chat: ConversationWithModel | undefined, name: string]>([
  ['the last selected model while no chat is visible', undefined, 'The assistant'],
  [
    'the last selected model for a chat without its own model',
    createConversation(),
    'The assistant',
  ],
  ['the visible chat’s own model', createConversation('coder'), 'The coder'],
  [
    'the visible chat’s own model, even if it is no longer listed',
    createConversation('gone'),
    'gone',
  ],
])('getModelStatus returns the name of %s', (_, chat, name) => {
  const onDidChangeEmitter = new Emitter<void>();
  const catalog = {
    models: listedModels,
    allModels: listedModels,
    chatModel: listedModels[0],
    selectedName: 'assistant',
    profileId: 'p1',
    onDidChange: onDidChangeEmitter.event,
  } as unknown as ModelCatalog;
  const visibleChat = new ObservableValue<ConversationWithModel | undefined>(undefined);
  const status = getModelStatus(catalog, visibleChat);
  const names: (string | undefined)[] = [];
  const subscription = status.onDidChange(() => names.push(status.getName()));
  visibleChat.set(chat);
  onDidChangeEmitter.fire();
  subscription.dispose();
  visibleChat.set(undefined);
  onDidChangeEmitter.fire();
  expect(names).toEqual([name, name]);
});
