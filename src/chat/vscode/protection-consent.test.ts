import { beforeEach, expect, test, vi } from 'vitest';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../../test/support/conversation-builder.ts';
import { readModel } from '../../service/read-model.ts';
import type { Model } from '../../service/model-types.ts';
import type { AnswerProtection } from '../../service/chat/protection.ts';
import { ProtectionConsent } from './protection-consent.ts';

const vscode = vi.hoisted(() => ({
  settings: {} as Record<string, unknown>,
  dialogs: [] as string[],
  presses: [] as string[],
  commands: [] as string[],
}));

vi.mock('vscode', () => ({
  l10n: { t: (text: string, ...args: string[]) => text.replace('{0}', args[0] ?? '') },
  workspace: {
    getConfiguration: () => ({
      inspect: (name: string) => ({ globalValue: vscode.settings[name] }),
    }),
  },
  window: {
    showWarningMessage: async (_question: string, { detail }: { detail: string }) => {
      vscode.dialogs.push(detail);
      return vscode.presses.shift();
    },
  },
  commands: { executeCommand: async (command: string) => void vscode.commands.push(command) },
}));

beforeEach(() => {
  Object.assign(vscode, { settings: {}, dialogs: [], presses: [], commands: [] });
});

function createListedModel(
  id: string,
  capabilities: object,
  traits: readonly string[] = [],
): Model {
  const model = readModel({ id, type: 'text', model_spec: { name: id, capabilities, traits } });
  if (model === undefined) throw new Error('No model');
  return model;
}

const allModels = [
  createListedModel('sealed', { supportsE2EE: true, supportsTeeAttestation: true }, ['default']),
  createListedModel('enclave', { supportsTeeAttestation: true }),
  createListedModel('open', {}),
  createListedModel('clear', {}),
];
const createConsent = (models: readonly Model[] = allModels) =>
  new ProtectionConsent({ allModels: models, failure: undefined, refresh: async () => {} });
const encryptedProtection = { kind: 'encrypted', newestId: 'a1' } as const;
const attestedProtection = { kind: 'attested', newestId: 'a1' } as const;
const encryptSetting = 'inferenceService.chat.encrypt';
const privateOnlySetting = 'inferenceService.privateModelsOnly';

test.each<
  [
    chatLabel: string,
    consentLabel: string,
    modelLabel: string,
    from: typeof encryptedProtection | typeof attestedProtection,
    to: string,
    asks: RegExp | undefined,
  ]
>([
  ['encrypted', 'no consent', 'an encrypted model', encryptedProtection, 'sealed', undefined],
  [
    'encrypted',
    'no consent',
    'the default model, which is encrypted',
    encryptedProtection,
    'default',
    undefined,
  ],
  [
    'encrypted',
    'no consent',
    'an encrypted model with a suffix',
    encryptedProtection,
    'sealed:enable_web_search=on',
    undefined,
  ],
  [
    'encrypted',
    'consent',
    'an unencrypted model in an enclave',
    encryptedProtection,
    'enclave',
    /was encrypted end to end\. enclave runs in a verified enclave, but without encryption/u,
  ],
  [
    'encrypted',
    'consent',
    'an unprotected model',
    encryptedProtection,
    'open',
    /was encrypted end to end\. With open, the service and its operator can read/u,
  ],
  ['attested', 'no consent', 'an encrypted model', attestedProtection, 'sealed', undefined],
  ['attested', 'no consent', 'a model in an enclave', attestedProtection, 'enclave', undefined],
  [
    'attested',
    'consent',
    'an unprotected model',
    attestedProtection,
    'open',
    /verified enclave answered in this chat\. open runs in none/u,
  ],
  // No consent is needed, because a request to this model fails before it is sent.
  ['encrypted', 'no consent', 'an unlisted model', encryptedProtection, 'gone', undefined],
])(
  'a chat with %s answers requests %s from the user before it continues with %s',
  async (_chatLabel, _consentLabel, _modelLabel, protectedChat, modelId, expectedPrompt) => {
    expect(await createConsent().canContinue(protectedChat, modelId)).toBe(
      expectedPrompt === undefined,
    );
    expect(vscode.dialogs.length).toBe(expectedPrompt === undefined ? 0 : 1);
    if (expectedPrompt !== undefined) expect(vscode.dialogs[0]).toMatch(expectedPrompt);
  },
);

/**
 * Creates a chat with one answer of the given protection, followed by an answer that is streaming. `newestId` is the id
 * of the answer that is not streaming.
 */
const createChat = (protection: AnswerProtection, newestId = 'a1') =>
  createConversation(
    createUserMessage('u1', null),
    { ...createTextAnswer(newestId, 'u1'), result: { protection } },
    createUserMessage('u2', newestId),
    { ...createTextAnswer('a9', 'u2'), status: 'streaming' },
  );
const encryptedChat = createChat({ kind: 'encrypted', checkedAt: 1, leftOut: [] });

test('consent remains valid until a newer answer is protected or a model protects the chat less than the accepted model', async () => {
  const protectionConsent = createConsent();
  expect(protectionConsent.createTerms(encryptedChat, 'open')).toEqual({
    acceptsUnprotected: false,
    minProtection: 'encrypted',
  });
  vscode.presses = ['Send Anyway'];
  expect(await protectionConsent.canContinue(encryptedProtection, 'enclave')).toBe(true);
  expect(await protectionConsent.canContinue(encryptedProtection, 'enclave')).toBe(true);
  expect(vscode.dialogs.length).toBe(1);
  expect(protectionConsent.createTerms(encryptedChat, 'enclave')).toEqual({
    acceptsUnprotected: false,
    minProtection: 'attested',
  });
  expect(await protectionConsent.canContinue(encryptedProtection, 'open')).toBe(false);
  expect(protectionConsent.createTerms(encryptedChat, 'open')).toEqual({
    acceptsUnprotected: false,
    minProtection: 'encrypted',
  });
  vscode.presses = ['Send Anyway'];
  expect(await protectionConsent.canContinue(encryptedProtection, 'open')).toBe(true);
  expect(protectionConsent.createTerms(encryptedChat, 'open')).toEqual({
    acceptsUnprotected: true,
  });
  const laterChat = createChat({ kind: 'attested', checkedAt: 1 }, 'a2');
  expect(protectionConsent.createTerms(laterChat, 'open')).toEqual({
    acceptsUnprotected: false,
    minProtection: 'attested',
  });
  expect(
    await protectionConsent.canContinue({ ...encryptedProtection, newestId: 'a2' }, 'open'),
  ).toBe(false);
  expect(vscode.dialogs.length).toBe(4);
});

test('consent for one model does not apply to another model', async () => {
  const protectionConsent = createConsent();
  vscode.presses = ['Send Anyway'];
  expect(await protectionConsent.canContinue(encryptedProtection, 'open')).toBe(true);
  expect(protectionConsent.createTerms(encryptedChat, 'clear')).toEqual({
    acceptsUnprotected: false,
    minProtection: 'encrypted',
  });
  expect(await protectionConsent.canContinue(encryptedProtection, 'clear')).toBe(false);
  expect(vscode.dialogs.length).toBe(2);
});

test('createTerms requires no protection for an unprotected chat', () => {
  expect(createConsent().createTerms(createChat({ kind: 'none' }), 'open')).toEqual({
    acceptsUnprotected: false,
  });
});

test('the user must consent after encryption was turned off', async () => {
  vscode.settings[encryptSetting] = 'off';
  expect(await createConsent().canContinue(encryptedProtection, 'sealed')).toBe(false);
  expect(vscode.dialogs.length).toBe(1);
});

test('no consent is requested if the private models setting blocks the request', async () => {
  vscode.settings[privateOnlySetting] = true;
  expect(await createConsent().canContinue(encryptedProtection, 'open')).toBe(true);
  expect(vscode.dialogs).toEqual([]);
});

test.each(['sealed', 'default'])(
  'canContinue requests no consent for model %s without a model list, because nothing can be sent',
  async (id) => {
    expect(await createConsent([]).canContinue(encryptedProtection, id)).toBe(true);
    expect(vscode.dialogs).toEqual([]);
  },
);

test('without a model list, the user must consent to the default model if encryption is off', async () => {
  vscode.settings[encryptSetting] = 'off';
  expect(await createConsent([]).canContinue(encryptedProtection, 'default')).toBe(false);
  expect(vscode.dialogs.length).toBe(1);
});

test('the consent prompt lets the user select another model', async () => {
  vscode.presses = ['Choose another model'];
  expect(await createConsent().canContinue(encryptedProtection, 'open')).toBe(false);
  expect(vscode.commands).toEqual(['inferenceService.selectModel']);
});
