import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTextAnswer } from '../../../test/support/conversation-builder.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import { readModel } from '../../service/read-model.ts';
import { Chats } from './chats.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: { onDidChangeWindowState: () => ({ dispose: () => {} }) },
  workspace: {
    getConfiguration: () => ({ inspect: () => ({}) }),
    onDidChangeConfiguration: () => ({ dispose: () => {} }),
  },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, name: string) => ({ fsPath: join(fsPath, name) }),
  },
}));

const baseUrl = 'https://service.test/api/v1';
let storagePath: string;

beforeEach(async () => {
  storagePath = await mkdtemp(join(tmpdir(), 'chats-'));
});

afterEach(() => rm(storagePath, { recursive: true, force: true }));

const createModel = (id: string, privacy = 'private', usd = 1) => {
  const pricing = { input: { usd }, output: { usd } };
  return readModel({ id, type: 'text', model_spec: { privacy, pricing } });
};

const failedModel = createModel('failed');

test.each([
  [
    'accepts',
    'it is equivalent to the failed model',
    [failedModel, createModel('offered')],
    baseUrl,
    true,
  ],
  ['rejects', 'it is not in the model list', [failedModel], baseUrl, false],
  [
    'rejects',
    'it is less private',
    [failedModel, createModel('offered', 'anonymized')],
    baseUrl,
    false,
  ],
  [
    'rejects',
    'it is more expensive',
    [failedModel, createModel('offered', 'private', 2)],
    baseUrl,
    false,
  ],
  [
    'rejects',
    'the failed model is not in the model list',
    [createModel('offered')],
    baseUrl,
    false,
  ],
  [
    'rejects',
    'a different service offered it',
    [failedModel, createModel('offered')],
    'https://other.test/api/v1',
    false,
  ],
  [
    'rejects',
    'the offer contains no service address',
    [failedModel, createModel('offered')],
    undefined,
    false,
  ],
])(
  'canUseFallback %s an offered model if %s',
  (_result, _condition, listedModels, offerBaseUrl, expected) => {
    const models = listedModels.map((model) => {
      if (model === undefined) throw new Error('The model is unreadable.');
      return model;
    });
    const host = {
      account: { profile: { baseUrl }, unencryptedOrigins: [] },
      context: {
        globalStorageUri: { fsPath: storagePath },
        globalState: { get: () => undefined, update: () => Promise.resolve() },
      },
      log: { error: () => {} },
      models: { allModels: models, find: (id: string) => models.find((model) => model.id === id) },
    } as unknown as Host;
    const chats = new Chats(host, {} as Agents, {} as LazyChatImages);
    const fallback = {
      id: 'offered',
      name: 'Offered',
      ...(offerBaseUrl && { baseUrl: offerBaseUrl }),
    };
    const failedAnswer = {
      ...createTextAnswer('a1', 'u1'),
      model: { id: 'failed', name: 'Failed' },
    };
    expect(chats.canUseFallback({ ...failedAnswer, result: { fallback } })).toBe(expected);
    chats.dispose();
  },
);
