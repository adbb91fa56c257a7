import { expect, test } from 'vitest';
import { createScriptedService } from '../../../test/support/scripted-transport.ts';
import { createChatCompletion } from '../chat/chat.ts';
import { streamChat } from '../chat/stream-chat.ts';
import { flattenBatches } from '../../../test/support/batches.ts';
import { ServiceError } from './failure.ts';
import { generateImages } from '../images/image-calls.ts';
import { listModels } from '../models.ts';
import { getModelUse } from './model-gate.ts';

const signal = new AbortController().signal;
const chatRequest = { model: 'm', messages: [] };

test.each([
  ['/chat/completions', { model: 'm' }, { model: 'm', path: '/chat/completions' }],
  ['/image/generate', { model: 'p' }, { model: 'p', path: '/image/generate' }],
])(
  'getModelUse returns the model and the path of a request to %s that names a model',
  (path, body, expected) => {
    expect(getModelUse({ method: 'POST', path, body })).toEqual(expected);
  },
);

test.each([
  ['/image/upscale', 'without a model', {}, { path: '/image/upscale' }],
  ['/augment/search', 'without a model', { query: 'q' }, { path: '/augment/search' }],
  [
    '/chat/completions',
    'with a number in place of the model',
    { model: 7 },
    { path: '/chat/completions' },
  ],
])('getModelUse returns only the path of a request to %s %s', (path, _model, body, expected) => {
  expect(getModelUse({ method: 'POST', path, body })).toEqual(expected);
});

test.each([
  ['GET', '/models', undefined],
  ['GET', '/image/styles', undefined],
  ['POST', '/api_keys', { model: 'm' }],
  ['POST', '/x402/top-up', undefined],
])('getModelUse returns undefined for %s %s, which runs no model', (method, path, body) => {
  expect(getModelUse({ method, path, body })).toBeUndefined();
});

test('getModelUse reads the model from the `model` property of a call with a multipart form', () => {
  const call = { method: 'POST', path: '/audio/transcriptions', model: 'asr' };
  expect(getModelUse(call)).toEqual({ model: 'asr', path: '/audio/transcriptions' });
});

const gateFailure = { code: 'private-only', message: 'No.' } as const;

test('a client sends no chat or image request that the model gate rejects, but can still list models', async () => {
  const service = createScriptedService({ body: ['{"data":[]}'] });
  const gate = {
    authorize: async () => {
      throw new ServiceError(gateFailure);
    },
  };
  const context = { ...service.context, gate };
  const events = await Array.fromAsync(
    flattenBatches(streamChat(context, chatRequest, { signal })),
  );
  expect(events.at(-1)).toMatchObject({ outcome: { failure: gateFailure } });
  await expect(createChatCompletion(context, chatRequest, { signal })).rejects.toMatchObject({
    failure: gateFailure,
  });
  const images = generateImages(context, { model: 'p', prompt: 'x' }, { variants: 1, signal });
  await expect(Array.fromAsync(images)).rejects.toMatchObject({ failure: gateFailure });
  expect(service.requests).toHaveLength(0);
  await listModels(context, { signal });
  expect(service.requests).toHaveLength(1);
});
