import { describe, expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { connectToPlainServer } from '../../../test/support/plain-server-context.ts';
import type { PlainServerSettings } from '../../../test/foreign/plain-server.mjs';
import { listModelsWithDetails } from '../../service/models.ts';
import type { Model } from '../../service/model-types.ts';
import { selectListedModels } from './select-model.ts';
import { ModelCorrections } from '../model-corrections.ts';
import { listModelDetails, getModelTypeLabel } from './model-details.ts';

const { signal } = new AbortController();

const findModel = (models: readonly Model[], id: string): Model => {
  const model = models.find((candidate) => candidate.id === id);
  if (model === undefined) throw new Error(`There is no model ${id}`);
  return model;
};

/** Formats the details of a model. Each label maps to `value (origin)`. */
const formatDetails = (model: Model): Record<string, string> =>
  Object.fromEntries(
    listModelDetails(model).map(({ label, value, origin }) => [
      label,
      origin === '' ? value : `${value} (${origin})`,
    ]),
  );

async function loadModels(shape: 'minimal' | 'full'): Promise<readonly Model[]> {
  await using connection = await startStrictDeployment({ word: 'acme', shape });
  return (await listModelsWithDetails(connection.context, signal)).models;
}

describe('at a strict service', () => {
  test('listModelDetails shows description, notice, capabilities and both prices', async () => {
    const models = await loadModels('full');
    expect(formatDetails(findModel(models, 'maple-70b'))).toMatchObject({
      Id: 'maple-70b',
      Description: 'Model maple-70b.',
      Source: 'https://example.org/models/maple-70b',
      Quantization: 'fp8',
      Type: 'Chat',
      Privacy: 'private',
      'Context size': '131k tokens (From the model list)',
      Tools: 'yes (From the model list)',
      Images: 'no (From the model list)',
      'Web search': 'yes (From the model list)',
      Input: '$0.70 / 1M (From the model list)',
      Output: '$2.80 / 1M (From the model list)',
    });
    expect(formatDetails(findModel(models, 'maple-retired'))['Warning']).toContain('2026-12-15');
  });

  test('listModelDetails shows the prices of non-chat models with the names from the model record', async () => {
    expect(formatDetails(findModel(await loadModels('full'), 'canvas-tier'))).toMatchObject({
      Type: 'Images',
      'Price: resolutions 2K': '$0.23 (From the model list)',
      'Price: upscale 4x': '$0.08 (From the model list)',
    });
  });

  test.each(['minimal', 'full'] as const)(
    'selectListedModels lists models of all types (service type: %s)',
    async (shape) => {
      const models = await loadModels(shape);
      const options = { requiredCapabilities: new Set<never>(), isSortedByPrice: false };
      const allModels = selectListedModels(models, { ...options, includesAllTypes: true });
      expect(allModels).toHaveLength(models.length);
      expect(new Set(allModels.map(({ type }) => type)).size).toBeGreaterThan(3);
      const chatModels = selectListedModels(models, { ...options, includesAllTypes: false });
      expect(new Set(chatModels.map(({ type }) => type))).toEqual(new Set(['text']));
    },
  );

  test('selectListedModels sorts models by price, and lists models without a price last', async () => {
    const models = await loadModels('minimal');
    const sortedModels = selectListedModels(models, {
      requiredCapabilities: new Set(),
      includesAllTypes: false,
      isSortedByPrice: true,
    });
    const prices = sortedModels.map(({ pricing }) => pricing.input?.usd ?? Infinity);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    expect(new Set(prices).size).toBeGreaterThan(2);
    expect(prices.at(-1)).toBe(Infinity);
  });
});

test.each<[string, PlainServerSettings, string, Record<string, string>]>([
  [
    'a llama.cpp server',
    { kind: 'llamacpp' },
    'Qwen3-VL-8B-Q4_K_M.gguf',
    { Tools: 'yes (Reported at /props)', Images: 'yes (Reported at /props)' },
  ],
  ['a vLLM server', { kind: 'vllm' }, '', { Tools: 'unknown', Images: 'unknown' }],
  [
    'an OpenRouter server',
    { kind: 'openrouter' },
    'openai/gpt-4o-mini',
    { Input: '$0.15 / 1M (From the model list)', Tools: 'yes (From the model list)' },
  ],
])(
  'listModelDetails shows the origin of each known value for a model on %s',
  async (_name, settings, id, details) => {
    await using plainConnection = await connectToPlainServer({
      ...settings,
      apiKey: 'key-12345678',
    });
    const { models } = await listModelsWithDetails(plainConnection.context, signal);
    const model = id === '' ? models[0] : findModel(models, id);
    expect(model && formatDetails(model)).toMatchObject(details);
  },
);

test('listModelDetails shows that a value is from a user setting', async () => {
  const models = new ModelCorrections(() => 0).applyCorrections(await loadModels('full'), {
    'maple-70b': { images: true },
  });
  expect(formatDetails(findModel(models, 'maple-70b'))['Images']).toMatch(
    /^yes \(Set in your settings\)$/u,
  );
});

test.each([
  ['text', 'Chat'],
  ['asr', 'Dictation'],
  ['tts', 'Speech'],
  ['inpaint', 'Image editing'],
  ['of-the-future', 'of-the-future'],
])('getModelTypeLabel returns for the model type %s the label "%s"', (type, label) => {
  expect(getModelTypeLabel(type)).toBe(label);
});
