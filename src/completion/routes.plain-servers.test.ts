import { describe, expect, test } from 'vitest';
import type { PlainServerSettings } from '../../test/foreign/plain-server.mjs';
import {
  connectToPlainServer,
  type PlainConnection,
  listSentBodies,
} from '../../test/support/plain-server-context.ts';
import type { CallOutcome } from '../account/health.ts';
import type { Model } from '../service/model-types.ts';
import { listModels, listModelsWithDetails } from '../service/models.ts';
import { createSnapshotOf } from './snapshot.fixture.ts';
import { CompletionPipeline } from './pipeline.ts';
import type { CompletionExchange, ProvidedSuggestions } from './ports.ts';
import { RouteSelection, type RouteSetting } from './routes.ts';
import { sendSuggestionRequest } from './vscode/send-request.ts';
import { isAddedElision } from '../agent/edit/new-text-elision.ts';

const { signal } = new AbortController();

interface SuggestionSession {
  readonly connection: PlainConnection;
  readonly exchanges: readonly CompletionExchange[];
  /** Failures that the requests reported to the fake account, in order. */
  readonly failures: readonly CallOutcome[];
  /** Paths of the requests for suggestions, in order. */
  readonly listRequestPaths: () => readonly string[];
  readonly typeText: (text: string) => Promise<ProvidedSuggestions>;
}

/** Lists the models of a server, and requests suggestions from one of the models through the pipeline. */
async function withSuggestionSession(
  settings: PlainServerSettings & {
    readonly modelId: string;
    readonly route?: RouteSetting;
    /** True if the server reports neither its software nor its capabilities. */
    readonly isServerUnknown?: boolean;
    /** New id of the model. Simulates a server on which the user renamed the model. */
    readonly renamedModelId?: string;
  },
  use: (session: SuggestionSession) => Promise<void>,
): Promise<void> {
  const {
    modelId: id,
    route: setting = 'auto',
    isServerUnknown,
    renamedModelId,
    ...serverSettings
  } = settings;
  await using connection = await connectToPlainServer({ apiKey: 'any-key', ...serverSettings });
  const { context: service, server } = connection;
  const listedModels =
    isServerUnknown === true
      ? (await listModels(service, { signal })).models.map(removeOwner)
      : (await listModelsWithDetails(service, signal)).models;
  const models = listedModels.map((listedModel) =>
    listedModel.id === id && renamedModelId !== undefined
      ? { ...listedModel, id: renamedModelId, name: renamedModelId }
      : listedModel,
  );
  const model = models.find((candidate) => candidate.id === (renamedModelId ?? id));
  if (model === undefined) throw new Error(`No model ${id}`);
  const routes = new RouteSelection(() => service.clock.now());
  routes.update({ baseUrl: server.baseUrl, models, setting });
  const failures: CallOutcome[] = [];
  const account = {
    profile: {},
    reportOutcome: (outcome: CallOutcome) => {
      if (outcome !== 'reached' && 'code' in outcome) failures.push(outcome);
    },
  };
  const host = { account, service } as unknown as Parameters<
    typeof sendSuggestionRequest
  >[0]['host'];
  const activity = { recordRequestStart: () => {}, recordRequestEnd: () => {} };
  const exchanges: CompletionExchange[] = [];
  const pipeline = new CompletionPipeline({
    clock: service.clock,
    getSettings: () => ({ isAutomatic: true, canSuggestInComments: true, canPrefetch: false }),
    getTarget: () => ({ model, route: routes.selectRoute(model) }),
    recordRouteRefusal: (target) => routes.recordRefusal(target),
    getPolicy: () => ({
      getDelayMs: () => 0,
      getPrefetchDelayMs: () => undefined,
      maxLinesAhead: 0,
    }),
    isElision: isAddedElision,
    getContext: () => [{ kind: 'similar', path: 'src/tides.ts', text: 'export const high = 1;' }],
    sendRequest: (request, requestSignal) =>
      sendSuggestionRequest({ host, activity }, request, requestSignal),
    reportExchange: (exchange) => exchanges.push(exchange),
  });
  const routePathPattern = /\/(?:infill|completions)$/;
  await use({
    connection,
    exchanges,
    failures,
    listRequestPaths: () =>
      server.requests.filter(({ path }) => routePathPattern.test(path)).map(({ path }) => path),
    typeText: (text) => pipeline.provide(createSnapshotOf(text), { isExplicit: false, signal }),
  });
  pipeline.dispose();
}

const removeOwner = (model: Model): Model => ({ ...model, ownedBy: '' });

const getSuggestedText = ({ suggestions }: ProvidedSuggestions): string =>
  suggestions.map((suggestion) => suggestion.text).join();
const llamacppModelId = 'Qwen3-VL-8B-Q4_K_M.gguf';

describe('the route of inline suggestions', () => {
  test('is /infill on llama.cpp, which fills the gap between the prefix and the suffix', async () => {
    await withSuggestionSession(
      { kind: 'llamacpp', modelId: llamacppModelId },
      async ({ connection, listRequestPaths, typeText }) => {
        expect(getSuggestedText(await typeText('const a = |\nconst b = 2;'))).toContain(
          'between "const a = "',
        );
        expect(listRequestPaths()).toEqual(['/infill']);
        expect(listSentBodies(connection.server, '/infill')).toMatchObject([
          {
            input_prefix: 'const a = ',
            input_suffix: '\nconst b = 2;',
            input_extra: [{ filename: 'src/tides.ts', text: 'export const high = 1;' }],
            stream: true,
          },
        ]);
      },
    );
  });

  test('is chat after llama.cpp reports once that the model has no FIM tokens', async () => {
    await withSuggestionSession(
      { kind: 'llamacpp', modelId: 'bge-m3-Q8_0.gguf', embeddings: true },
      async ({ failures, exchanges, listRequestPaths, typeText }) => {
        await typeText('const a = |');
        expect(listRequestPaths()).toEqual(['/infill', '/v1/chat/completions']);
        await typeText('const a = 1;\nconst c = |');
        expect(listRequestPaths()).toEqual([
          '/infill',
          '/v1/chat/completions',
          '/v1/chat/completions',
        ]);
        expect(exchanges.map(({ outcome }) => outcome)).not.toContain('failed');
        expect(failures).toEqual([]);
      },
    );
  });

  test('is /completions with the suffix on Ollama for a model that supports insertion', async () => {
    const model = 'qwen2.5-coder:1.5b-base';
    await withSuggestionSession(
      { kind: 'ollama', modelId: model },
      async ({ listRequestPaths, typeText }) => {
        expect(getSuggestedText(await typeText('const a = |\nconst b = 2;'))).toContain('between');
        expect(listRequestPaths()).toEqual(['/v1/completions']);
      },
    );
  });

  test.each([
    ['Ollama reports no insertion', { kind: 'ollama', modelId: 'qwen3:8b' }],
    ['vLLM refuses the suffix', { kind: 'vllm', modelId: 'sql-adapter' }],
    ['LM Studio ignores the suffix', { kind: 'lmstudio', modelId: 'gemma-2-2b-it' }],
    ['OpenRouter is a hosted service', { kind: 'openrouter', modelId: 'qwen/qwen3-coder:free' }],
    ['LiteLLM reports a chat model', { kind: 'litellm', modelId: 'gpt-4o', route: 'completions' }],
    ['LiteLLM reports vLLM as the backend', { kind: 'litellm', modelId: 'local-qwen' }],
    ['the setting is chat', { kind: 'llamacpp', modelId: llamacppModelId, route: 'chat' }],
  ] as const)('is chat, without a request on another route, if %s', async (_reason, settings) => {
    await withSuggestionSession(settings, async ({ listRequestPaths, typeText }) => {
      await typeText('const a = |\nconst b = 2;');
      expect(listRequestPaths()).toEqual([expect.stringMatching(/\/v1\/chat\/completions$/)]);
    });
  });

  test('is /completions with the suffix if LiteLLM forwards the suffix and the user chose /completions', async () => {
    const settings = { kind: 'litellm', modelId: 'llama2', route: 'completions' } as const;
    await withSuggestionSession(settings, async ({ listRequestPaths, typeText }) => {
      expect(getSuggestedText(await typeText('const a = |\nconst b = 2;'))).toContain('between');
      expect(listRequestPaths()).toEqual(['/v1/completions']);
    });
  });

  test.each([
    ['vLLM', { kind: 'vllm', modelId: 'sql-adapter' }],
    ['an older vLLM', { kind: 'vllm', modelId: 'sql-adapter', legacy: true }],
    [
      'an older llama.cpp, with status 500',
      { kind: 'llamacpp', modelId: llamacppModelId, legacy: true },
    ],
    ['Ollama', { kind: 'ollama', modelId: 'qwen3:8b' }],
  ] as const)(
    'changes from /completions to chat after %s refuses the suffix once',
    async (_server, settings) => {
      const unknownSettings = { ...settings, isServerUnknown: true, route: 'completions' } as const;
      await withSuggestionSession(
        unknownSettings,
        async ({ exchanges, failures, listRequestPaths, typeText }) => {
          expect(getSuggestedText(await typeText('const a = |\nconst b = 2;'))).not.toBe('');
          await typeText('const a = 1;\nconst c = |\nconst b = 2;');
          expect(listRequestPaths()).toEqual([
            '/v1/completions',
            '/v1/chat/completions',
            '/v1/chat/completions',
          ]);
          expect(exchanges.map(({ failure }) => failure)).toEqual([undefined, undefined]);
          expect(failures).toEqual([]);
        },
      );
    },
  );

  test("is /completions with a prompt of the model's FIM tokens if the server accepts no suffix", async () => {
    const renamedModelId = 'qwen2.5-coder-7b';
    const settings = {
      kind: 'lmstudio',
      legacy: true,
      modelId: 'gemma-2-2b-it',
      renamedModelId,
    } as const;
    await withSuggestionSession(settings, async ({ connection, listRequestPaths, typeText }) => {
      await typeText('const a = "<fim_middle>" + |\nconst b = 2;');
      expect(listRequestPaths()).toEqual(['/v1/completions']);
      const [body] = listSentBodies(connection.server, '/completions');
      expect(body).not.toHaveProperty('suffix');
      expect(body?.['prompt']).toMatch(
        /^<\|fim_prefix\|>\/\/ src\/tides[^]*"< fim_middle>" \+ <\|fim_suffix\|>\nconst b = 2;<\|fim_middle\|>$/,
      );
    });
  });
});
