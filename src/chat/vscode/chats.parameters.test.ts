import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  connectToPlainServer,
  type PlainConnection,
  listSentBodies,
} from '../../../test/support/plain-server-context.ts';
import type { Agents } from '../../agent/vscode/agents.ts';
import type { ChatOptions } from '../../conversation/chat-options.ts';
import type { Host } from '../../host.ts';
import type { LazyChatImages } from '../../image/image-generator.ts';
import type { ServiceFailure } from '../../service/http/failure.ts';
import type { Model } from '../../service/model-types.ts';
import { readModel } from '../../service/read-model.ts';
import { Chats } from './chats.ts';

vi.mock('vscode', () => ({
  l10n: { t: (text: string) => text },
  window: { onDidChangeWindowState: () => ({ dispose: () => {} }) },
  workspace: {
    getConfiguration: () => ({ inspect: () => ({ defaultValue: 'applyEdits' }) }),
    onDidChangeConfiguration: () => ({ dispose: () => {} }),
  },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, name: string) => ({ fsPath: join(fsPath, name) }),
  },
}));

let storagePath: string;
let service: PlainConnection;

beforeEach(async () => {
  storagePath = await mkdtemp(join(tmpdir(), 'chats-'));
  service = await connectToPlainServer({ kind: 'vllm' });
});

afterEach(async () => {
  await service[Symbol.asyncDispose]();
  await rm(storagePath, { recursive: true, force: true });
});

/**
 * Fake model catalog whose list is empty until the first call of `refresh`. The call then loads one model or fails.
 */
class LoadingCatalog {
  readonly profileId = 'c1';
  allModels: readonly Model[] = [];
  failure: ServiceFailure | undefined;
  readonly selectedName: string | undefined;
  readonly #outcome: Model | ServiceFailure;

  constructor(selectedName: string | undefined, outcome: Model | ServiceFailure) {
    this.selectedName = selectedName;
    this.#outcome = outcome;
  }

  get models(): readonly Model[] {
    return this.allModels;
  }

  get chatModel(): Model | undefined {
    return this.allModels[0];
  }

  find(id: string): Model | undefined {
    return this.allModels.find((model) => model.id === id);
  }

  async refresh(): Promise<void> {
    await Promise.resolve();
    if ('code' in this.#outcome) this.failure = this.#outcome;
    else this.allModels = [this.#outcome];
  }
}

const chosenOptions: ChatOptions = {
  webSearch: 'on',
  disableThinking: true,
  reasoningEffort: 'high',
  responseFormat: { type: 'json_object' },
  maxTokens: 99,
};

/** Creates the chats of a window that uses the server of this test. */
function createChats(catalog: LoadingCatalog): Chats {
  const { baseUrl } = service.server;
  const host = {
    account: { profile: { baseUrl }, unencryptedOrigins: [], reportOutcome: () => {} },
    context: {
      globalStorageUri: { fsPath: storagePath },
      globalState: { get: () => undefined, update: () => Promise.resolve() },
    },
    log: { error: () => {} },
    models: catalog,
    service: service.context,
  } as unknown as Host;
  const agents = {
    of: () => undefined,
    getConversationAgent: () => ({ loadAgent: async () => undefined }),
  } as unknown as Agents;
  return new Chats(host, agents, {} as LazyChatImages);
}

/**
 * Sends a message in a chat with {@link chosenOptions}. Returns the body of the request; undefined if no request was
 * sent.
 */
async function sendFirstMessage(
  models: LoadingCatalog,
): Promise<Record<string, unknown> | undefined> {
  const chats = createChats(models);
  try {
    const { session } = chats.create();
    await session.setOptions(chosenOptions);
    await session.send('Why?', []);
    await session.waitUntilSettled();
    return listSentBodies(service.server, '/chat/completions')[0];
  } finally {
    chats.dispose();
  }
}

test('Chats sends all chosen options to the default model if the model list cannot be loaded', async () => {
  const failure = { code: 'rate-limited', message: 'Wait.' } as const;
  expect(await sendFirstMessage(new LoadingCatalog(undefined, failure))).toMatchObject({
    model: 'default',
    max_completion_tokens: 99,
    reasoning_effort: 'high',
    response_format: { type: 'json_object' },
    service_parameters: { enable_web_search: 'on', disable_thinking: true },
  });
});

test('Chats waits for the model list before the first request, and then sends only options that the model record permits', async () => {
  const model = readModel({
    id: 'm',
    type: 'text',
    model_spec: {
      maxCompletionTokens: 50,
      capabilities: { supportsReasoning: false, supportsWebSearch: true },
    },
  });
  const body = await sendFirstMessage(new LoadingCatalog('m', model as Model));
  expect(body).toMatchObject({
    model: 'm',
    max_completion_tokens: 50,
    response_format: { type: 'json_object' },
    service_parameters: { enable_web_search: 'on' },
  });
  expect(body).not.toHaveProperty('reasoning_effort');
  expect(body).not.toHaveProperty('service_parameters.disable_thinking');
});

test('Chats sends one prompt_cache_key with all turns of a conversation, and another key with the next conversation', async () => {
  const price = { usd: 1, diem: 1 };
  const model = readModel({
    id: 'm',
    type: 'text',
    model_spec: { pricing: { input: price, output: price, cache_input: price } },
  });
  const chats = createChats(new LoadingCatalog('m', model as Model));
  try {
    const [firstSession, secondSession] = [chats.create().session, chats.create().session];
    for (const session of [firstSession, firstSession, secondSession]) {
      await session.send('Why?', []);
      await session.waitUntilSettled();
    }
    const bodies = listSentBodies(service.server, '/chat/completions');
    const [key, nextTurnKey, otherKey] = bodies.map(({ prompt_cache_key }) => prompt_cache_key);
    expect(key).toEqual(expect.stringMatching(/./u));
    expect(nextTurnKey).toBe(key);
    expect(otherKey).toEqual(expect.stringMatching(/./u));
    expect(otherKey).not.toBe(key);
  } finally {
    chats.dispose();
  }
});

test('Chats sends the first message to a listed model if the model list arrives while no model is selected', async () => {
  const model = readModel({ id: 'listed', type: 'text', model_spec: {} });
  const body = await sendFirstMessage(new LoadingCatalog(undefined, model as Model));
  expect(body?.['model']).toBe('listed');
});
