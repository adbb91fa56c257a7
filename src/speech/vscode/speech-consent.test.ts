import { beforeEach, expect, test, vi } from 'vitest';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../../test/support/conversation-builder.ts';
import type { Answer } from '../../conversation/conversation.ts';
import { readModel } from '../../service/read-model.ts';
import type { AnswerProtection } from '../../service/chat/protection.ts';
import { confirmSpeech, toSpokenText } from './speech-consent.ts';
import type { SelectedVoice } from './voice-settings.ts';

const vscode = vi.hoisted(() => ({
  dialogs: [] as string[],
  press: undefined as string | undefined,
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...args: string[]) => text.replace('{0}', args[0] ?? '') },
  workspace: { getConfiguration: () => ({ inspect: () => ({}) }) },
  window: {
    showWarningMessage: async (_question: string, { detail }: { detail: string }) => {
      vscode.dialogs.push(detail);
      return vscode.press;
    },
  },
}));

beforeEach(() => {
  vscode.dialogs = [];
  vscode.press = undefined;
});

const createListedModel = (id: string, capabilities: object) => {
  const model = readModel({ id, type: 'text', model_spec: { name: id, capabilities } });
  if (model === undefined) throw new Error('No model');
  return model;
};
const listedModels = [
  createListedModel('model-1', { supportsE2EE: true }),
  createListedModel('open', {}),
];
const voice = { model: createListedModel('Speaker', {}) } as unknown as SelectedVoice;

const encryptedProtection: AnswerProtection = { kind: 'encrypted', checkedAt: 1, leftOut: [] };

/**
 * Creates a conversation with one answer.
 * @param change replaces fields of the answer
 * @returns the conversation, and the text to read aloud
 */
function createChat(change: Partial<Answer>) {
  const message = { ...createTextAnswer('a1', 'u1'), ...change };
  const conversation = createConversation(createUserMessage('u1', null), message);
  return { conversation, spokenText: toSpokenText(conversation, message, listedModels) };
}

test.each<[what: string, Partial<Answer>]>([
  ['that arrived encrypted', { result: { protection: encryptedProtection } }],
  ['that is being streamed from a model with encryption', { status: 'streaming' }],
  [
    'that is being streamed from a model with encryption and a suffix',
    { status: 'streaming', model: { id: 'model-1:x=1', name: '' } },
  ],
])('confirmSpeech requests consent before reading aloud an answer %s', async (_, change) => {
  const { spokenText } = createChat(change);
  expect(await confirmSpeech(spokenText, voice)).toBe(false);
  expect(vscode.dialogs.length).toBe(1);
  expect(vscode.dialogs[0]).toContain('sent unencrypted to Speaker');
});

test.each<[what: string, Partial<Answer>]>([
  ['that arrived unencrypted', { result: {} }],
  [
    'that was attested but not encrypted',
    { result: { protection: { kind: 'attested', checkedAt: 1 } } },
  ],
  [
    'that is being streamed from a model without encryption',
    { status: 'streaming', model: { id: 'open', name: '' } },
  ],
])('confirmSpeech requests no consent before reading aloud an answer %s', async (_, change) => {
  const { spokenText } = createChat(change);
  expect(await confirmSpeech(spokenText, voice)).toBe(true);
  expect(vscode.dialogs.length).toBe(0);
});

test('confirmSpeech requests consent again after the user denied consent, but not after the user consented for the whole chat', async () => {
  const { conversation, spokenText } = createChat({ result: { protection: encryptedProtection } });
  expect(await confirmSpeech(spokenText, voice)).toBe(false);
  vscode.press = 'Read Aloud';
  expect(await confirmSpeech(spokenText, voice)).toBe(true);
  expect(await confirmSpeech({ markdown: 'Another.', encryptedChat: conversation }, voice)).toBe(
    true,
  );
  expect(vscode.dialogs.length).toBe(2);
  expect(
    await confirmSpeech(
      createChat({ result: { protection: encryptedProtection } }).spokenText,
      voice,
    ),
  ).toBe(true);
  expect(vscode.dialogs.length).toBe(3);
});
