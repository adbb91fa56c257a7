import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  embedMany,
  generateImage,
  generateText,
  jsonSchema,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { makePdf } from '../files/make-files.fixture.ts';
import { startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

const createProvider = ({ baseUrl, apiKey }: LocalService, key = apiKey) =>
  createOpenAICompatible({
    name: 'service',
    baseURL: baseUrl,
    apiKey: key,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });

const citySchema = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
});

describe('the AI SDK', () => {
  test('generates text, and reports usage', async () => {
    const model = createProvider(await startTestService())('default');
    const { text, usage, finishReason } = await generateText({ model, prompt: 'Hello' });
    expect(text).toContain('Ask me about your code');
    expect(finishReason).toBe('stop');
    expect(usage.inputTokens).toBeGreaterThan(1700);
    expect(usage.outputTokens).toBeGreaterThan(5);
  });

  test('streams text and reasoning, and reports usage', async () => {
    const model = createProvider(await startTestService())('reasoner-deep-235b');
    const result = streamText({ model, prompt: 'Why is the sky blue?' });
    const chunks = await Array.fromAsync(result.textStream);
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.join('')).toBe(await result.text);
    expect(await result.reasoningText).not.toBe('');
    expect((await result.usage).totalTokens).toBeGreaterThan(1700);
  });

  test.each(['generate', 'stream'] as const)(
    'calls tools until the answer is complete, for a %s request',
    async (mode) => {
      const model = createProvider(await startTestService())('default');
      const calledTools: string[] = [];
      const get_weather = tool({
        description: 'The weather of a city',
        inputSchema: citySchema,
        execute: async ({ city }) => {
          calledTools.push(city);
          return `It rains in ${city}.`;
        },
      });
      const options = {
        model,
        prompt: 'Call tool get_weather with {"city":"Rome"} 2 times at once',
        tools: { get_weather },
        stopWhen: stepCountIs(4),
      };
      const result = mode === 'generate' ? await generateText(options) : streamText(options);
      const [text, steps] = [await result.text, await result.steps];
      expect(calledTools).toEqual(['Rome', 'Rome']);
      expect(steps.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0]);
      expect(text).toContain('It rains in Rome.');
    },
  );

  test('sends vendor-specific parameters', async () => {
    const service = await startTestService();
    const { text } = await generateText({
      model: createProvider(service)('search-scout-24b'),
      prompt: 'comet telescope',
      providerOptions: {
        service: { service_parameters: { enable_web_search: 'on', enable_web_citations: true } },
      },
    });
    expect(text).toContain('^1^');
  });

  test('sends images and files', async () => {
    const model = createProvider(await startTestService())('default_vision');
    const image = sharp({ create: { width: 80, height: 64, channels: 3, background: 'blue' } });
    const data = new Uint8Array(await image.png().toBuffer());
    const result = await generateText({
      model,
      messages: [{ role: 'user', content: [{ type: 'file', data, mediaType: 'image/png' }] }],
    });
    expect(result.text).toContain('**80 × 64**');
    const pdf = new Uint8Array(makePdf(['The bridge is 90 metres long.']));
    const pdfResult = await generateText({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How long is the bridge?' },
            { type: 'file', data: pdf, mediaType: 'application/pdf', filename: 'bridge.pdf' },
          ],
        },
      ],
    });
    expect(pdfResult.text).toContain('> The bridge is 90 metres long.');
  });

  test('receives objects that match the given schema', async () => {
    const model = createProvider(await startTestService())('default');
    const { output } = await generateText({
      model,
      prompt: 'Name a city',
      output: Output.object({ schema: citySchema }),
    });
    expect(output).toEqual({ city: expect.any(String) });
  });

  test('creates embeddings', async () => {
    const model = createProvider(await startTestService()).embeddingModel('default');
    const { embeddings, usage } = await embedMany({ model, values: ['tea', 'cake'] });
    expect(embeddings.map(({ length }) => length)).toEqual([1024, 1024]);
    expect(usage.tokens).toBe(3);
  });

  test('generates images', async () => {
    const model = createProvider(await startTestService()).imageModel('default');
    const { image } = await generateImage({ model, prompt: 'A red boat', size: '512x512' });
    expect(await sharp(image.uint8Array).metadata()).toMatchObject({ width: 512, height: 512 });
  });
});

describe('errors of the AI SDK', () => {
  const requestFailure = async (service: LocalService, name: string, key?: string) =>
    generateText({
      model: createProvider(service, key)(name),
      prompt: 'word '.repeat(9000),
      maxRetries: 0,
    })
      .then(() => undefined)
      .catch((error: unknown) => error);

  test("contain the service's message if the body has an error object", async () => {
    const failure = await requestFailure(await startTestService(), 'compact-xs-3b');
    expect(failure).toBeInstanceOf(APICallError);
    expect(failure).toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('maximum context length is 8192'),
      isRetryable: false,
    });
  });

  test.each([
    ['a wrong key', 'default', 'wrong', 401, false],
    ['an unknown model', 'unknown', undefined, 404, false],
    ['a model that is offline', 'absent-offline-70b', undefined, 503, true],
  ])('are thrown as API call errors for %s', async (_, name, key, statusCode, isRetryable) => {
    const failure = await requestFailure(await startTestService(), name, key);
    expect(failure).toBeInstanceOf(APICallError);
    expect(failure).toMatchObject({ statusCode, isRetryable });
  });
});
