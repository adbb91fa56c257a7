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

test.each<[ServerKind | undefined, string, boolean | undefined, string]>([
  ['llamacpp', 'any', undefined, 'infill chat'],
  ['llamacpp', 'Qwen2.5-Coder-3B-Q8_0.gguf', undefined, 'infill fim chat'],
  ['vllm', 'any', undefined, 'chat'],
  ['vllm', 'bigcode/starcoder2-7b', undefined, 'fim chat'],
  ['lmstudio', 'deepseek-coder-6.7b-instruct', undefined, 'fim chat'],
  ['ollama', 'any', true, 'completions chat'],
  ['ollama', 'any', undefined, 'completions chat'],
  ['ollama', 'qwen2.5-coder:7b', false, 'chat'],
  ['litellm', 'any', true, 'completions chat'],
  ['litellm', 'any', undefined, 'chat'],
  ['litellm', 'codellama', undefined, 'completions chat'],
  ['litellm', 'codellama', false, 'chat'],
  [undefined, 'qwen-coder', true, 'chat'],
])(
  'listPossibleRoutes for the server %s, the model %s and the reported insertion support %s returns the routes %s',
  (kind, id, supportsInsertion, routes) => {
    expect(listPossibleRoutes(createModel(id, supportsInsertion), kind, 'auto').join(' ')).toBe(
      routes,
    );
  },
);

test.each<[boolean | undefined, string]>([
  [true, 'completions chat'],
  [undefined, 'completions chat'],
  [false, 'chat'],
])(
  'listPossibleRoutes for an unknown server, the setting "completions" and the reported insertion support %s returns the routes %s',
  (supportsInsertion, routes) => {
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
