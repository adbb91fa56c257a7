import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Message } from '../../conversation/conversation.ts';
import { parse } from 'valibot';
import { protectionSchema } from '../protocol.ts';
import { modelSchema } from '../../models/protocol.ts';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import type { AnswerProtection, OmittedFeature } from '../../service/chat/protection.ts';
import {
  createSelectedModelView,
  createProtectionView,
  showModelAttestation,
  showMessageAttestation,
} from './protection-view.ts';

const vscode = vi.hoisted(() => ({
  encrypt: 'whenOffered',
  commands: [] as unknown[],
}));

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, ...args: string[]) =>
      text.replaceAll(/\{(\d)\}/gu, (_, index: string) => args[Number(index)] ?? ''),
  },
  env: { language: 'en' },
  workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: vscode.encrypt }) }) },
  commands: { executeCommand: async (...call: unknown[]) => void vscode.commands.push(call) },
}));

beforeEach(() => {
  vscode.encrypt = 'whenOffered';
});
afterEach(() => {
  vscode.commands.length = 0;
});

const allOmittedFeatures: readonly OmittedFeature[] = [
  'tools',
  'web-search',
  'pictures',
  'files',
  'format',
  'persona',
  'options',
];

test.each<[string, label: string, AnswerProtection, says: RegExp, silent: RegExp]>([
  [
    'an unprotected answer',
    'Not protected',
    { kind: 'none' },
    /the service could read it/u,
    /verified|Only the enclave/u,
  ],
  [
    'an answer from an attested enclave',
    'Verified enclave',
    { kind: 'attested', checkedAt: 0 },
    /was verified on 1\/1\/1970.*messages were not encrypted/u,
    /Only the enclave/u,
  ],
  [
    'an encrypted answer',
    'Encrypted end to end',
    { kind: 'encrypted', checkedAt: 0, publicKey: '04', leftOut: [] },
    /Only the enclave could read the messages.*was verified on/u,
    /Not sent|could read them/u,
  ],
  [
    'an encrypted answer with all omitted features',
    'Encrypted end to end',
    { kind: 'encrypted', checkedAt: 0, leftOut: allOmittedFeatures },
    /: Tools, Web search, Images, Documents, Format of answers, Persona, Advanced\.$/u,
    /undefined/u,
  ],
  [
    'an encrypted answer with omitted images',
    'Encrypted end to end',
    { kind: 'encrypted', checkedAt: 0, leftOut: ['pictures'] },
    /Not sent, because encryption excludes it: Images\.$/u,
    /Tools|undefined/u,
  ],
])(
  'createProtectionView describes %s as "%s"',
  (_name, label, protection, expectedDetail, excludedDetail) => {
    const view = createProtectionView(protection);
    expect(view).toMatchObject({ kind: protection.kind, label });
    expect(view?.detail).toMatch(expectedDetail);
    expect(view?.detail).not.toMatch(excludedDetail);
    // The schema of the page limits the length of the texts.
    parse(protectionSchema, view);
  },
);

test('createProtectionView returns undefined if the model offers no protection', () => {
  expect(createProtectionView(undefined)).toBeUndefined();
});

test.each<[string, capabilities: object, encrypt: string, encryption: string | undefined]>([
  ['no encryption note for a model without protection', {}, 'whenOffered', undefined],
  [
    'no encryption note for an attested model',
    { supportsTeeAttestation: true, supportsVision: true },
    'whenOffered',
    undefined,
  ],
  [
    'no encryption note for a model with encryption if the encryption setting is off',
    { supportsE2EE: true, supportsWebSearch: true },
    'off',
    undefined,
  ],
  [
    'an encryption note with the excluded features for a model with encryption',
    { supportsE2EE: true },
    'whenOffered',
    'Encrypted end to end. Encrypted chats have no tools, web search, images, documents, personas or advanced options.',
  ],
])('createSelectedModelView returns %s', (_name, capabilities, encrypt, note) => {
  vscode.encrypt = encrypt;
  const model = readModel({ id: 'm', type: 'text', model_spec: { capabilities } });
  const view = createSelectedModelView(createCatalog(model));
  expect(view?.encryption).toBe(note);
  parse(modelSchema, view);
});

const createCatalog = (chatModel: Model | undefined, chosenName?: string) => ({
  allModels: chatModel === undefined ? [] : [chatModel],
  chatModel,
  ...{ selectedName: chosenName },
});

test('createSelectedModelView returns no model view without a selected model', () => {
  expect(createSelectedModelView(createCatalog(undefined))).toBeNull();
});

test.each<[string, chosen: string | undefined, id: string, warning: RegExp]>([
  ['the default model without a warning if the user selected no model', undefined, 'm', /^$/u],
  ['the selected model without a warning', 'm', 'm', /^$/u],
  [
    'a selected model that is no longer listed, with a warning',
    'gone',
    'gone',
    /no longer offers gone/u,
  ],
])('createSelectedModelView shows %s', (_name, modelSetting, id, warning) => {
  const view = createSelectedModelView(
    createCatalog(readModel({ id: 'm', type: 'text' }), modelSetting),
  );
  expect(view?.id).toBe(id);
  expect(view?.warning).toMatch(warning);
  parse(modelSchema, view);
});

test('createSelectedModelView shows an unlisted model without a warning before a model list is loaded', () => {
  const view = createSelectedModelView(createCatalog(undefined, 'x'.repeat(1_000)));
  expect(view).toMatchObject({ name: 'x'.repeat(300), warning: '' });
  parse(modelSchema, view);
});

const createAnswer = (protection?: AnswerProtection): Message =>
  ({
    role: 'assistant',
    model: { id: 'sealed:enable_web_search=on', name: 'Sealed' },
    result: { ...(protection && { protection }) },
  }) as Message;

test('showMessageAttestation requests the attestation by the model id without the options after the colon', async () => {
  const protection = { kind: 'attested', checkedAt: 0 } as const;
  await showMessageAttestation(createAnswer(protection));
  await showModelAttestation('sealed');
  const call = ['inferenceService.showAttestation', 'sealed'];
  expect(vscode.commands).toEqual([
    [...call, protection],
    [...call, undefined],
  ]);
});

test.each([
  ['an unprotected answer', createAnswer()],
  ['a user message', { role: 'user' } as Message],
  ['a deleted message', undefined],
])('showMessageAttestation shows no attestation for %s', async (_description, message) => {
  await showMessageAttestation(message);
  await showModelAttestation(undefined);
  expect(vscode.commands).toEqual([]);
});
