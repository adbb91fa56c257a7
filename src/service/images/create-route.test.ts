import { describe, expect, test } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../../test/support/deployment-context.ts';
import { runAfterReply, createSwitchedService } from '../../../test/support/switched-service.ts';
import {
  connectToPlainServer,
  listSentBodies,
} from '../../../test/support/plain-server-context.ts';
import type { PlainServerKind } from '../../../test/foreign/plain-server.mjs';
import { systemClock } from '../../base/clock.ts';
import type { ServiceContext } from '../http/client.ts';
import { Connection } from '../http/connection.ts';
import { toServiceError } from '../http/network-failure.ts';
import { hasOnlyCreateRoute, isMissingRoute } from './create-route.ts';
import { editImage, generateImages } from './image-calls.ts';
import type { ImageRequest, VariantCount } from './image-types.ts';

const { signal } = new AbortController();
const imageRequest: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };

interface ScriptedReply {
  readonly status: number;
  readonly text: string;
}

/**
 * Simulates a gateway in front of the server: answers requests whose path ends in a key of `replies`, and records all
 * request paths.
 */
function createGatewayContext(
  context: ServiceContext,
  replies: Readonly<Record<string, ScriptedReply>>,
): { readonly context: ServiceContext; readonly paths: readonly string[] } {
  const paths: string[] = [];
  const getTransport: ServiceContext['getTransport'] = async () => {
    const scriptedTransport = await context.getTransport();
    return {
      ...scriptedTransport,
      send: (request) => {
        const [path, reply] =
          Object.entries(replies).find(([pathEnd]) => request.url.pathname.endsWith(pathEnd)) ?? [];
        if (path === undefined || reply === undefined) return scriptedTransport.send(request);
        paths.push(path);
        return Promise.resolve({
          status: reply.status,
          headers: {},
          body: (async function* () {
            yield new TextEncoder().encode(reply.text);
          })(),
        });
      },
    };
  };
  const clock = {
    ...context.clock,
    after: (_ms: number, run: () => void) => systemClock.after(0, run),
  };
  return { context: { ...context, getTransport, clock }, paths };
}

/**
 * Sends requests for `/image/generate` to a path that the server lacks, so that the server responds with its own 404.
 */
const createContextWithoutNativeRoute = (context: ServiceContext): ServiceContext => ({
  ...context,
  getTransport: async () => {
    const transport = await context.getTransport();
    return {
      ...transport,
      send: (request) =>
        transport.send({
          ...request,
          url: new URL(request.url.href.replace('/image/generate', '/unknown/generate')),
        }),
    };
  },
});

interface RouteOutcome {
  readonly code: string;
  readonly message?: string;
  readonly refusedField?: string;
  readonly imageCount: number;
}

async function generateOnce(
  context: ServiceContext,
  overrides: Partial<ImageRequest> = {},
  options: { readonly variants?: VariantCount; readonly isSeedChosen?: boolean } = {},
): Promise<RouteOutcome> {
  const { variants = 1, ...rest } = options;
  let imageCount = 0;
  try {
    const events = generateImages(
      context,
      { ...imageRequest, ...overrides },
      { variants, signal, ...rest },
    );
    for await (const event of events) imageCount += Number(event.type === 'image-end');
    return { code: 'complete', imageCount };
  } catch (error) {
    const { code, message, refusedField = '' } = toServiceError(error).failure;
    return { code, message, refusedField, imageCount };
  }
}

/** Returns the last path segment of each image request, in order. */
const listPaidPaths = (server: DeploymentConnection): readonly string[] =>
  [...server.listRequests('/generate'), ...server.listRequests('/generations')].map(
    ({ path }) => /[^/]+\/[^/]+$/u.exec(path)?.[0] ?? '',
  );
const getSentBody = (server: DeploymentConnection) =>
  server.listRequests('/generations').at(-1)?.body;

const shapes = ['minimal', 'full'] as const;

describe.each(shapes)(
  'a deployment without the native image route (set of accepted fields: %s)',
  (shape) => {
    test('generates an image on the OpenAI-compatible route, and receives later requests directly on this route', async () => {
      await using server = await startStrictDeployment({ word: 'acme', shape });
      const context = createContextWithoutNativeRoute(server.context);
      expect(await generateOnce(context, { seed: 5 })).toEqual({ code: 'complete', imageCount: 1 });
      expect(getSentBody(server)).toEqual({ ...imageRequest, response_format: 'b64_json' });
      await generateOnce(context, { width: 1536, height: 1024, format: 'webp', safeMode: false });
      expect(getSentBody(server)).toEqual({
        ...imageRequest,
        size: '1536x1024',
        output_format: 'webp',
        moderation: 'low',
        response_format: 'b64_json',
      });
      expect(listPaidPaths(server)).toEqual([
        'unknown/generate',
        'images/generations',
        'images/generations',
      ]);
    });

    test('receives a request only after the user agrees to omit the options that the OpenAI-compatible route lacks', async () => {
      await using server = await startStrictDeployment({ word: 'acme', shape });
      const context = createContextWithoutNativeRoute(server.context);
      const chosenOptions = { negativePrompt: 'rain', cfgScale: 7, seed: 5 };
      const options = { variants: 2, isSeedChosen: true } as const;
      const outcome = await generateOnce(context, chosenOptions, options);
      expect(outcome).toMatchObject({ code: 'unsupported-option', imageCount: 0 });
      expect(outcome.message).toContain('Negative prompt, Prompt guidance, Seed');
      expect(server.listRequests('/generations')).toEqual([]);
      server.connection.omitField(outcome.refusedField ?? '');
      expect(await generateOnce(context, chosenOptions, options)).toEqual({
        code: 'complete',
        imageCount: 1,
      });
    });

    test('receives no request if the user agreed to omit an option and then sets another unsupported option', async () => {
      await using server = await startStrictDeployment({ word: 'acme', shape });
      const context = createContextWithoutNativeRoute(server.context);
      const refusal = await generateOnce(context, { seed: 5 }, { isSeedChosen: true });
      server.connection.omitField(refusal.refusedField ?? '');
      const chosenOptions = { seed: 5, negativePrompt: 'rain' };
      expect(await generateOnce(context, chosenOptions, { isSeedChosen: true })).toMatchObject({
        code: 'unsupported-option',
        message: 'This service does not support this option: Negative prompt, Seed.',
      });
      expect(server.listRequests('/generations')).toEqual([]);
    });

    test.each([502, 504, 500])(
      'receives a paid request only once if it answers with status %i',
      async (status) => {
        await using server = await startStrictDeployment({ word: 'acme', shape });
        const { context, paths } = createGatewayContext(
          createContextWithoutNativeRoute(server.context),
          {
            '/images/generations': { status, text: 'upstream request timeout' },
          },
        );
        expect(await generateOnce(context)).toMatchObject({ imageCount: 0 });
        expect(paths).toEqual(['/images/generations']);
      },
    );

    test.each([429, 503])(
      'receives a request again if it answers with status %i',
      async (status) => {
        await using server = await startStrictDeployment({ word: 'acme', shape });
        const { context, paths } = createGatewayContext(
          createContextWithoutNativeRoute(server.context),
          {
            '/images/generations': { status, text: '' },
          },
        );
        await generateOnce(context);
        expect(paths).toHaveLength(3);
      },
    );

    test('receives no second paid request after a reply with status 200 that contains an error', async () => {
      await using server = await startStrictDeployment({ word: 'acme', shape });
      const text = '{"error":{"code":404,"message":"upstream result expired"}}';
      const { context, paths } = createGatewayContext(server.context, {
        '/image/generate': { status: 200, text },
      });
      expect(await generateOnce(context)).toMatchObject({ code: 'not-found', imageCount: 0 });
      expect(paths).toEqual(['/image/generate']);
      expect(server.listRequests('/generations')).toEqual([]);
    });

    test.each([401, 402, 403, 429])(
      'is not recorded as having only the OpenAI-compatible route after that route responds with status %i',
      async (status) => {
        await using server = await startStrictDeployment({ word: 'acme', shape });
        const { context } = createGatewayContext(server.context, {
          '/image/generate': { status: 404, text: 'no healthy upstream' },
          '/images/generations': { status, text: '' },
        });
        expect(await generateOnce(context)).toMatchObject({ imageCount: 0 });
        expect(hasOnlyCreateRoute(server.connection)).toBe(false);
      },
    );

    test('is recorded as having only the OpenAI-compatible route even if that route rejects the request with status 422', async () => {
      await using server = await startStrictDeployment({ word: 'acme', shape });
      const { context } = createGatewayContext(createContextWithoutNativeRoute(server.context), {
        '/images/generations': { status: 422, text: '' },
      });
      await generateOnce(context);
      expect(hasOnlyCreateRoute(server.connection)).toBe(true);
    });

    test('receives no request on the OpenAI-compatible route for a model that is not in the model list', async () => {
      await using server = await startStrictDeployment({ word: 'acme', shape });
      const context = createContextWithoutNativeRoute(server.context);
      expect(await generateOnce(context, { model: 'gone' })).toMatchObject({ code: 'not-found' });
      await generateOnce(context);
      const count = server.listRequests('/generations').length;
      expect(await generateOnce(context, { model: 'gone' })).toMatchObject({
        code: 'model-not-found',
        imageCount: 0,
      });
      expect(server.listRequests('/generations')).toHaveLength(count);
    });
  },
);

test('generateImages does not treat an unknown model as a missing route', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  expect(await generateOnce(server.context, { model: 'gone' })).toMatchObject({
    code: 'model-not-found',
  });
  expect(server.listRequests('/generations')).toEqual([]);
});

const serverKinds: readonly PlainServerKind[] = [
  'llamacpp',
  'ollama',
  'vllm',
  'lmstudio',
  'openrouter',
  'litellm',
];

test.each(serverKinds)(
  'generateImages reports the missing route of a %s server, which has neither image route, and stores no route',
  async (kind) => {
    await using plainConnection = await connectToPlainServer({ kind, apiKey: 'key-12345678' });
    const connection = new Connection();
    const context: ServiceContext = {
      ...plainConnection.context,
      getEndpoint: async () => ({ ...(await plainConnection.context.getEndpoint()), connection }),
    };
    const [model = ''] = plainConnection.server.models;
    expect(await generateOnce(context, { model })).toMatchObject({
      code: 'not-found',
      message: 'This service has no image model. Switch the connection.',
    });
    expect(listSentBodies(plainConnection.server, '/images/generations')).toHaveLength(1);
    await generateOnce(context, { model });
    expect(listSentBodies(plainConnection.server, '/image/generate')).toHaveLength(2);
  },
);

describe('after the active service changes', () => {
  test.each(['/image/generate', '/models'])(
    'an image request that must be repeated after a reply to %s is sent to neither service again',
    async (path) => {
      await using firstDeployment = await startStrictDeployment({ word: 'acme' });
      await using secondDeployment = await startStrictDeployment({ word: 'zephyr' });
      const { context, switchProfile } = createSwitchedService(firstDeployment, secondDeployment);
      const outcome = await generateOnce(
        runAfterReply(createContextWithoutNativeRoute(context), path, switchProfile),
      );
      expect(outcome).toMatchObject({ code: 'address-changed', imageCount: 0 });
      expect(secondDeployment.listRequests('')).toEqual([]);
      expect(firstDeployment.listRequests('/generations')).toEqual([]);
      expect(hasOnlyCreateRoute(firstDeployment.connection)).toBe(false);
      expect(hasOnlyCreateRoute(secondDeployment.connection)).toBe(false);
    },
  );

  test('an image edit is sent to neither service if the change occurs during the budget check', async () => {
    await using firstDeployment = await startStrictDeployment({ word: 'acme' });
    await using secondDeployment = await startStrictDeployment({ word: 'zephyr' });
    const { context, switchProfile } = createSwitchedService(firstDeployment, secondDeployment);
    const spending: ServiceContext['spending'] = {
      authorizeRequest: async () => switchProfile(),
      recordSpending: () => {},
      releaseReservedPrice: () => {},
    };
    const editEvents = editImage(
      { ...context, spending },
      { prompt: 'a boat', image: new Uint8Array([1]) },
      { signal },
    );
    await expect(Array.fromAsync(editEvents)).rejects.toMatchObject({
      failure: { code: 'address-changed' },
    });
    expect(firstDeployment.listRequests('/edit')).toEqual([]);
    expect(secondDeployment.listRequests('/edit')).toEqual([]);
  });
});

/** Checks whether a failure with status 404 and this text means a missing route. */
const isMissingRouteText = (detail: string): boolean =>
  isMissingRoute({ code: 'not-found', status: 404, message: '', detail });

test.each(['Not Found', 'File Not Found', ''])(
  'isMissingRoute returns true for status 404 with the text "%s"',
  (detail) => {
    expect(isMissingRouteText(detail)).toBe(true);
  },
);

test.each(['No such model: canvas-pixel', 'No endpoints found that support image output'])(
  'isMissingRoute returns false for status 404 with the text "%s"',
  (detail) => {
    expect(isMissingRouteText(detail)).toBe(false);
  },
);
