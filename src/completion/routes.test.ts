import { expect, test } from 'vitest';
import { readModel } from '../service/read-model.ts';
import type { Model, ServerKind } from '../service/model-types.ts';
import { listPossibleRoutes, RouteSelection } from './routes.ts';

const createModel = (id: string, supportsInsert?: boolean): Model =>
  readModel({
    id,
    owned_by: 'llamacpp',
    model_spec: { capabilities: supportsInsert === undefined ? {} : { supportsInsert } },
  }) as Model;

test.each<[string, string, ServerKind | undefined, string, boolean | undefined]>([
  ['infill chat', 'llama.cpp', 'llamacpp', 'any', undefined],
  [
    'infill fim chat',
    'llama.cpp with a Qwen Coder model',
    'llamacpp',
    'Qwen2.5-Coder-3B-Q8_0.gguf',
    undefined,
  ],
  ['chat', 'vLLM', 'vllm', 'any', undefined],
  ['fim chat', 'vLLM with a StarCoder model', 'vllm', 'bigcode/starcoder2-7b', undefined],
  [
    'fim chat',
    'LM Studio with a DeepSeek Coder model',
    'lmstudio',
    'deepseek-coder-6.7b-instruct',
    undefined,
  ],
  ['completions chat', 'Ollama with a model that supports insertion', 'ollama', 'any', true],
  [
    'completions chat',
    'Ollama with a model whose insertion support is unknown',
    'ollama',
    'any',
    undefined,
  ],
  [
    'chat',
    'Ollama with a model that does not support insertion',
    'ollama',
    'qwen2.5-coder:7b',
    false,
  ],
  ['completions chat', 'LiteLLM with a model that supports insertion', 'litellm', 'any', true],
  ['chat', 'LiteLLM with a model whose insertion support is unknown', 'litellm', 'any', undefined],
  [
    'completions chat',
    'LiteLLM with CodeLlama, if its insertion support is unknown',
    'litellm',
    'codellama',
    undefined,
  ],
  [
    'chat',
    'LiteLLM with CodeLlama, if it does not support insertion',
    'litellm',
    'codellama',
    false,
  ],
  [
    'chat',
    'an unknown server, even if the model supports insertion',
    undefined,
    'qwen-coder',
    true,
  ],
])(
  'listPossibleRoutes returns the routes "%s" for %s',
  (routes, _, kind, id, supportsInsertion) => {
    expect(listPossibleRoutes(createModel(id, supportsInsertion), kind, 'auto').join(' ')).toBe(
      routes,
    );
  },
);

test.each<[string, string, boolean | undefined]>([
  ['completions chat', 'supports insertion', true],
  ['completions chat', 'has unknown insertion support', undefined],
  ['chat', 'does not support insertion', false],
])(
  'listPossibleRoutes, given the setting "completions" and an unknown server, returns the routes "%s" if the model %s',
  (routes, _, supportsInsertion) => {
    expect(
      listPossibleRoutes(createModel('a', supportsInsertion), undefined, 'completions').join(' '),
    ).toBe(routes);
  },
);

test('RouteSelection avoids a rejected route for an hour, separately for each model', () => {
  let now = 0;
  const routes = new RouteSelection(() => now);
  const [model, otherModel] = [createModel('qwen-coder'), createModel('other')];
  routes.update({ baseUrl: 'http://localhost/v1', models: [model, otherModel], setting: 'auto' });
  expect(routes.recordRefusal({ model, route: 'infill' })).toBe('fim');
  expect(routes.recordRefusal({ model, route: 'fim' })).toBe('chat');
  expect(routes.selectRoute(model)).toBe('chat');
  expect(routes.selectRoute(otherModel)).toBe('infill');
  now = 60 * 60_000;
  expect(routes.selectRoute(model)).toBe('infill');
});

test('RouteSelection tries rejected routes again when the server or the model list changes', () => {
  const routes = new RouteSelection(() => 0);
  const model = createModel('a');
  const server = { baseUrl: 'http://localhost/v1', models: [model], setting: 'auto' } as const;
  const changes = [
    { ...server, baseUrl: 'http://localhost/v2' },
    { ...server, models: [model, createModel('b')] },
  ];
  for (const change of changes) {
    routes.update(server);
    routes.recordRefusal({ model, route: 'infill' });
    routes.update({ ...server });
    expect(routes.selectRoute(model)).toBe('chat');
    routes.update(change);
    expect(routes.selectRoute(model)).toBe('infill');
  }
});
