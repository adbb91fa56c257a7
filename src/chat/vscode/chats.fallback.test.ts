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
  ['equivalent model', [failedModel, createModel('offered')], baseUrl, true],
  ['unlisted model', [failedModel], baseUrl, false],
  ['less private model', [failedModel, createModel('offered', 'anonymized')], baseUrl, false],
  ['more expensive model', [failedModel, createModel('offered', 'private', 2)], baseUrl, false],
  ['failed model without a record', [createModel('offered')], baseUrl, false],
  ['different service', [failedModel, createModel('offered')], 'https://other.test/api/v1', false],
  [
    'offer from an earlier version, without the address of the service',
    [failedModel, createModel('offered')],
    undefined,
    false,
  ],
])(
  'canUseFallback accepts an offered model only with the same service, equal or better privacy and no higher price: %s',
  (_title, listedModels, offerBaseUrl, expected) => {
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
