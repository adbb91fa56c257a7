import { describe, expect, test } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../test/support/deployment-context.ts';
import { createChatCompletion } from './chat/chat.ts';
import type { ChatRequest, ServiceParameters } from './chat/chat-types.ts';
import type { PromptCache } from './chat/prompt-cache.ts';
import { streamChat } from './chat/stream-chat.ts';
import { toServiceError } from './http/network-failure.ts';
import { buildCreateRouteCall, toCreateRequest } from './images/create-image.ts';
import { generateImages, requestImages } from './images/image-calls.ts';
import type { ImageRequest } from './images/image-types.ts';
import type { KeyOptions } from './key-record.ts';
import { listModels } from './models.ts';
import { readSpeech, type SpeechRequest, streamSpeech } from './speech.ts';
import { transcribeAudio } from './transcription.ts';
import { getValidationToken, type MintError, mintWeb3Key } from './web3-key.ts';

/*
 * Sends each optional field of the client by itself to a deployment whose bodies contain only what the specification
 * states. A type error marks a new field of a request that is missing here.
 */

const { signal } = new AbortController();

type AllFields<T, Required extends keyof T = never> = {
  readonly [Name in Exclude<keyof T, Required>]-?: NonNullable<T[Name]>;
};

const allParameters: AllFields<ServiceParameters> = {
  enable_web_search: 'on',
  enable_web_scraping: true,
  enable_web_citations: true,
  strip_thinking_response: true,
  disable_thinking: true,
  include_system_prompt: false,
  character_slug: 'alan-watts',
  include_search_results_in_stream: true,
  enable_e2ee: false,
  enable_x_search: true,
};

const chatFields: AllFields<ChatRequest, 'model' | 'messages' | 'parameters'> = {
  temperature: 0.5,
  top_p: 0.5,
  max_completion_tokens: 100,
  seed: 7,
  stop: ['END'],
  tools: [{ type: 'function', function: { name: 'find' } }],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  response_format: { type: 'text' },
  reasoning_effort: 'low',
  verbosity: 'low',
  prompt_cache_key: 'file',
  extraFields: {},
};

/** Chat requests with one optional field each, by the field name. */
const chatRequests: readonly (readonly [string, Partial<ChatRequest>])[] = [
  ...Object.entries(chatFields).map(([name, value]) => [name, { [name]: value }] as const),
  ...Object.entries(allParameters).map(
    ([name, value]) => [`parameters.${name}`, { parameters: { [name]: value } }] as const,
  ),
];

const createChatRequest = (fields: Partial<ChatRequest>): ChatRequest => ({
  model: 'maple-70b',
  messages: [{ role: 'user', content: 'Hello' }],
  ...fields,
});

/** Returns the code of the failure of a streamed chat, or `complete`. */
async function getStreamOutcomeCode(
  { context }: DeploymentConnection,
  fields: Partial<ChatRequest>,
  cache?: PromptCache,
): Promise<string> {
  const options = { signal, disableRetries: true, isBackground: true };
  const batches = streamChat(
    context,
    createChatRequest(fields),
    cache ? { ...options, cache } : options,
  );
  const lastEvent = (await Array.fromAsync(batches)).flat().at(-1);
  if (lastEvent?.type !== 'stream-end') throw new Error('The stream has no end');
  return lastEvent.outcome.kind === 'failed' ? lastEvent.outcome.failure.code : 'complete';
}

const getStatuses = (server: DeploymentConnection, path: string): readonly number[] =>
  server.listRequests(path).map(({ status }) => status);

const vendorPrefixes = ['acme', 'service'] as const;

describe.each(vendorPrefixes)(
  'a deployment with the vendor prefix "%s" that accepts only specified fields',
  (word) => {
    test.each(chatRequests)(
      'answers a chat, a suggestion and a search for which the extension set the field %s',
      async (_name, fields) => {
        await using server = await startStrictDeployment({ word, shape: 'minimal' });
        expect(await getStreamOutcomeCode(server, fields)).toBe('complete');
        // The connection stores that the service rejects the field.
        const { length } = getStatuses(server, '/chat/completions');
        expect(await getStreamOutcomeCode(server, fields)).toBe('complete');
        await createChatCompletion(server.context, createChatRequest(fields), { signal });
        expect(getStatuses(server, '/chat/completions').slice(length)).toEqual([200, 200]);
      },
    );

    test('answers a chat for which the extension set all optional fields', async () => {
      await using server = await startStrictDeployment({ word, shape: 'minimal' });
      expect(await getStreamOutcomeCode(server, { ...chatFields, parameters: allParameters })).toBe(
        'complete',
      );
    });

    test('answers a chat whose conversation uses a prompt cache', async () => {
      await using server = await startStrictDeployment({ word, shape: 'minimal' });
      const cache: PromptCache = { key: 'chat', pricing: { cacheInput: { usd: 0.1 } } };
      expect(await getStreamOutcomeCode(server, {}, cache)).toBe('complete');
      expect(await getStreamOutcomeCode(server, {}, cache)).toBe('complete');
      expect(getStatuses(server, '/chat/completions').at(-1)).toBe(200);
    });
  },
);

const imageOptions: AllFields<ImageRequest, 'model' | 'prompt'> = {
  negativePrompt: 'rain',
  width: 512,
  height: 512,
  aspectRatio: '16:9',
  resolution: '1K',
  quality: 'high',
  format: 'png',
  safeMode: false,
  seed: 7,
  cfgScale: 5,
  steps: 4,
  stylePreset: 'Anime',
  loraStrength: 50,
  hideWatermark: true,
  embedExifMetadata: true,
  enableWebSearch: true,
  enhancePrompt: true,
  styleReferences: [{ image: 'https://example.org/a.png' }],
};

/** Outcome of a call: `complete`, or the code of its failure and the field that the user can leave out. */
interface CallOutcome {
  readonly code: string;
  readonly refusedField?: string;
}

async function getOutcome(run: () => Promise<unknown>): Promise<CallOutcome> {
  try {
    await run();
    return { code: 'complete' };
  } catch (error) {
    const { code, refusedField } = toServiceError(error).failure;
    return { code, ...(refusedField === undefined ? {} : { refusedField }) };
  }
}

/**
 * Checks that a call succeeds. If it fails instead, the failure must name an option that the user chose, and the call
 * must succeed after the user agrees to leave out this option.
 */
async function expectCompleteOrNamedOption(
  server: DeploymentConnection,
  run: () => Promise<unknown>,
): Promise<void> {
  const { code, refusedField } = await getOutcome(run);
  if (code === 'complete') return;
  expect([code, typeof refusedField]).toEqual(['unsupported-option', 'string']);
  server.connection.omitField(refusedField ?? '');
  expect(await getOutcome(run)).toEqual({ code: 'complete' });
}

const imageModelIds = ['canvas-pixel', 'canvas-ratio', 'canvas-tier', 'canvas-strict'];

describe.each(imageModelIds)(
  'the image model %s at a deployment that accepts only specified fields',
  (model) => {
    test.each(Object.entries(imageOptions))(
      'returns an image with the option %s, or names the option in the failure',
      async (name, value) => {
        await using server = await startStrictDeployment({ shape: 'minimal' });
        const request: ImageRequest = { model, prompt: 'a boat', [name]: value };
        await expectCompleteOrNamedOption(server, () =>
          Array.fromAsync(generateImages(server.context, request, { variants: 1, signal })),
        );
      },
    );

    test.each([1, 2, 4] as const)(
      'returns as many images as requested (%d) with a seed',
      async (variantCount) => {
        await using server = await startStrictDeployment({ shape: 'minimal' });
        const request: ImageRequest = { model, prompt: 'a boat', seed: 7 };
        const eventsPromise = Array.fromAsync(
          generateImages(server.context, request, { variants: variantCount, signal }),
        );
        expect((await eventsPromise).filter(({ type }) => type === 'image-end')).toHaveLength(
          variantCount,
        );
      },
    );

    test('returns an image from the OpenAI-compatible route with each option of that route', async () => {
      await using server = await startStrictDeployment({ shape: 'minimal' });
      for (const [name, value] of Object.entries(imageOptions)) {
        const request = { model, prompt: 'a boat', [name]: value };
        await expectCompleteOrNamedOption(server, () =>
          Array.fromAsync(
            requestImages(server.context, buildCreateRouteCall(toCreateRequest(request)), {
              imageCount: 1,
              signal,
            }),
          ),
        );
      }
    });
  },
);

/** Wallet that the test service treats as staked, because the last hex digit of its address is even. */
const walletAccount = privateKeyToAccount(`0x${'1'.repeat(64)}`);

const keyOptions: AllFields<KeyOptions, 'type'> = {
  description: 'Test',
  expiresAt: '2030-01-01',
  consumptionLimit: { usd: 1, diem: 1, vcu: 1 },
  limitPeriod: 'MONTH',
  modelPrivacy: 'PRIVATE_ONLY',
};

test.each(Object.entries(keyOptions))(
  'a deployment that accepts only specified fields mints a key with the option %s, or names the option in the failure',
  async (name, value) => {
    await using server = await startStrictDeployment({ shape: 'minimal' });
    const context = server.connect();
    const mint = async (options: KeyOptions): Promise<CallOutcome> => {
      const { token } = await getValidationToken(context, { signal });
      const signature = await walletAccount.signMessage({ message: token });
      const { address } = walletAccount;
      const request = { address, signature, token, options };
      return mintWeb3Key(context, request, { signal }).then(
        () => ({ code: 'complete' }),
        ({ failure: { code, refusedField = '' } }: MintError) => ({ code, refusedField }),
      );
    };
    const outcome = await mint({ type: 'INFERENCE', [name]: value });
    if (outcome.code !== 'complete')
      expect(outcome).toEqual({ code: 'unsupported-option', refusedField: `api-key.${name}` });
    expect(await mint({ type: 'INFERENCE' })).toEqual({ code: 'complete' });
  },
);

const speechOptions: AllFields<SpeechRequest, 'model' | 'input' | 'format'> = {
  voice: 'am_adam',
  speed: 2,
};

test.each(Object.entries(speechOptions))(
  'a deployment that accepts only specified fields converts text to speech with the option %s, or names the option in the failure',
  async (name, value) => {
    await using server = await startStrictDeployment({ shape: 'full' });
    const model =
      [...(await listModels(server.context, { type: 'tts', signal })).models][0]?.id ?? '';
    const request: SpeechRequest = { model, input: 'Hello', format: 'wav', [name]: value };
    await expectCompleteOrNamedOption(server, () =>
      readSpeech(server.context, request, { signal }),
    );
    await expectCompleteOrNamedOption(server, () =>
      Array.fromAsync(streamSpeech(server.context, request, { signal })),
    );
  },
);

test('a deployment without speech and transcription reports the missing routes, and still answers chats', async () => {
  await using server = await startStrictDeployment({ shape: 'minimal' });
  const speechRequest: SpeechRequest = { model: 'voice', input: 'Hello', format: 'wav' };
  const transcriptionRequest = { model: 'ears', audio: new Uint8Array(64), kind: 'wav' } as const;
  expect(await getOutcome(() => readSpeech(server.context, speechRequest, { signal }))).toEqual({
    code: 'not-found',
  });
  expect(
    await getOutcome(() => transcribeAudio(server.context, transcriptionRequest, { signal })),
  ).toEqual({
    code: 'not-found',
  });
  expect(await getStreamOutcomeCode(server, {})).toBe('complete');
});
