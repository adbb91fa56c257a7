import { beforeEach, expect, test, vi } from 'vitest';
import {
  createConversation,
  createUserMessage,
} from '../../../test/support/conversation-builder.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { readModel } from '../../service/read-model.ts';
import { confirmTranscription } from './speech-consent.ts';

const vscode = vi.hoisted(() => ({
  dialogs: [] as string[],
  press: undefined as string | undefined,
  encrypt: undefined as string | undefined,
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...args: string[]) => text.replace('{0}', args[0] ?? '') },
  workspace: {
    getConfiguration: () => ({ inspect: () => ({ globalValue: vscode.encrypt }) }),
  },
  window: {
    showWarningMessage: async (_question: string, { detail }: { detail: string }) => {
      vscode.dialogs.push(detail);
      return vscode.press;
    },
  },
}));

beforeEach(() => Object.assign(vscode, { dialogs: [], press: undefined, encrypt: undefined }));

const models = [
  readModel({
    id: 'sealed',
    type: 'text',
    model_spec: { name: 'Sealed', capabilities: { supportsE2EE: true } },
  }),
  readModel({ id: 'open', type: 'text', model_spec: { name: 'Open' } }),
  readModel({ id: 'ear', type: 'asr', model_spec: { name: 'Listener' } }),
];

const confirmRecording = (conversation: Conversation, chatModel: string): Promise<boolean> => {
  const selectedModel = models.find((model) => model?.id === chatModel);
  const catalog = {
    profileId: 'c1',
    models,
    allModels: models,
    chatModel: selectedModel,
    selectedName: chatModel,
  };
  const openChat = async () => ({ chat: { session: { conversation } } });
  return confirmTranscription({ host: { models: catalog as never }, openChat });
};

const createChat = (): Conversation => createConversation(createUserMessage('u1', null));

test('confirmTranscription sends a recording for an encrypted chat only with consent', async () => {
  const conversation = createChat();
  expect(await confirmRecording(conversation, 'sealed')).toBe(false);
  expect(vscode.dialogs[0]).toContain('sent unencrypted to Listener');
  vscode.press = 'Transcribe';
  expect(await confirmRecording(conversation, 'sealed')).toBe(true);
  expect(await confirmRecording(conversation, 'sealed')).toBe(true);
  expect(vscode.dialogs).toHaveLength(2);
  expect(await confirmRecording(createChat(), 'sealed')).toBe(true);
  expect(vscode.dialogs).toHaveLength(3);
});

test('confirmTranscription requires consent in a chat whose own model is encrypted', async () => {
  const conversation = createChat();
  conversation.applyRecord({ type: 'model-set', model: 'sealed', profile: 'c1' });
  expect(await confirmRecording(conversation, 'open')).toBe(false);
  expect(vscode.dialogs).toHaveLength(1);
});

test('confirmTranscription requires no consent for a recording in an unencrypted chat', async () => {
  expect(await confirmRecording(createChat(), 'open')).toBe(true);
  vscode.encrypt = 'off';
  expect(await confirmRecording(createChat(), 'sealed')).toBe(true);
  expect(vscode.dialogs).toEqual([]);
});
