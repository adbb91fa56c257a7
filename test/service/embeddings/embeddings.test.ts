import { describe, expect, test } from 'vitest';
import { postJson, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

interface Reply {
  readonly model: string;
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}

const sendEmbeddingRequest = (service: LocalService, body: object): Promise<Response> =>
  postJson(service, { path: '/embeddings', body: { model: 'default', ...body } });

async function requestEmbeddings(
  service: LocalService,
  input: unknown,
  fields: object = {},
): Promise<Reply> {
  const reply = await sendEmbeddingRequest(service, { input, ...fields });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Reply;
}

const computeDotProduct = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

describe('embeddings', () => {
  test('are vectors of length 1, and similar texts have similar vectors', async () => {
    const service = await startTestService();
    const texts = ['Sort a list of numbers', 'Sorting lists of numbers', 'Apples taste of summer'];
    const { data, model } = await requestEmbeddings(service, texts);
    expect(model).toBe('embed-m3');
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    const [first, second, third] = data.map(({ embedding }) => embedding);
    expect(first).toHaveLength(1024);
    expect(computeDotProduct(first, first)).toBeCloseTo(1, 5);
    expect(computeDotProduct(first, second)).toBeGreaterThan(0.4);
    expect(computeDotProduct(first, third)).toBeLessThan(0.2);
    expect((await requestEmbeddings(service, texts[0])).data[0]?.embedding).toEqual(first);
  });

  test('have the same values in the formats float and base64', async () => {
    const service = await startTestService();
    const { data } = await requestEmbeddings(service, 'tea');
    const encodedReply = await requestEmbeddings(service, 'tea', { encoding_format: 'base64' });
    const bytes = Buffer.from(encodedReply.data[0]?.embedding as unknown as string, 'base64');
    expect(bytes).toHaveLength(4096);
    const floats = Array.from({ length: 1024 }, (_, index) => bytes.readFloatLE(index * 4));
    expect(floats).toEqual(data[0]?.embedding);
  });

  test('have the requested number of dimensions if the model supports it', async () => {
    const service = await startTestService();
    const { data } = await requestEmbeddings(service, 'tea', {
      model: 'embed-flex-8b',
      dimensions: 64,
    });
    expect(data[0]?.embedding).toHaveLength(64);
    expect(computeDotProduct(data[0]?.embedding, data[0]?.embedding)).toBeCloseTo(1, 5);
  });

  test("cost the model's price per token", async () => {
    const service = await startTestService();
    const { usage } = await requestEmbeddings(
      service,
      'The quick brown fox jumps over the lazy dog.',
    );
    expect(usage).toEqual({ prompt_tokens: 14, total_tokens: 14 });
    const { charges } = await service.control.getAccounts();
    expect(charges).toMatchObject([{ modelId: 'embed-m3', diem: 3, usd: 0 }]);
  });

  test('are limited to 500 requests a minute', async () => {
    const service = await startTestService();
    const { headers } = await sendEmbeddingRequest(service, { input: 'a' });
    expect(headers.get('x-ratelimit-limit-requests')).toBe('500');
    expect(headers.get('x-service-model-id')).toBe('embed-m3');
  });

  test.each([
    ['alias', 'text-embedding-ada-002', 'embed-m3'],
    ['model ID', 'embed-flex-8b', 'embed-flex-8b'],
  ])('are created for the %s "%s"', async (_, model, id) => {
    const service = await startTestService();
    expect((await requestEmbeddings(service, 'a', { model })).model).toBe(id);
  });

  const tokenArrayMessage =
    'Token array inputs are not supported. Pass a string or an array of strings.';

  test.each([
    [
      'an unknown model',
      { input: 'a', model: 'unknown' },
      404,
      'Specified model not found: unknown',
    ],
    ['no model', { input: 'a', model: undefined }, 400, 'model is required'],
    ['an array of tokens', { input: [1, 2] }, 400, tokenArrayMessage],
    ['several arrays of tokens', { input: [[1], [2]] }, 400, tokenArrayMessage],
    ['an empty text', { input: '' }, 400, 'Invalid request parameters'],
    ['an empty list', { input: [] }, 400, 'Invalid request parameters'],
    ['a list with an empty text', { input: ['a', ''] }, 400, 'Invalid request parameters'],
    [
      'more than 2,048 texts',
      { input: Array.from({ length: 2049 }, () => 'a') },
      400,
      'Invalid request parameters',
    ],
    [
      '`dimensions` for a model that does not support it',
      { input: 'a', dimensions: 64 },
      400,
      'Invalid request parameters',
    ],
    ['zero dimensions', { input: 'a', dimensions: 0 }, 400, 'Invalid request parameters'],
    [
      'an unknown encoding format',
      { input: 'a', encoding_format: 'int8' },
      400,
      'Invalid request parameters',
    ],
    ['an unknown field', { input: 'a', truncate: true }, 400, 'Invalid request parameters'],
    [
      'a text above the token limit',
      { input: 'a'.repeat(27_596) },
      400,
      'Input text exceeds the maximum token limit of 8192 tokens',
    ],
  ])('are refused for a request with %s', async (_description, body, status, message) => {
    const service = await startTestService();
    const reply = await sendEmbeddingRequest(service, body);
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { error: string }).error).toContain(message);
  });
});
