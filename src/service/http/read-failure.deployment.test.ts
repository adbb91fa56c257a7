import { afterAll, describe, expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { toServiceError } from './network-failure.ts';
import { sendCall } from './request.ts';

const { signal } = new AbortController();

const shapes = ['minimal', 'full'] as const;

describe.each(shapes)(
  'sendCall to a deployment with the "%s" set of accepted fields',
  async (shape) => {
    const connection = await startStrictDeployment({ shape });
    const { keys } = connection.deployment;
    afterAll(() => connection[Symbol.asyncDispose]());

    /** Generates an image, and returns the failure. */
    const generate = async (apiKey: string | undefined, body: object) => {
      const call = { method: 'POST', path: '/image/generate', body } as const;
      return sendCall(connection.connect(apiKey), call, signal).then(
        () => undefined,
        (error: unknown) => toServiceError(error).failure,
      );
    };

    test('reports that a model needs a higher access tier, not that the key is invalid', async () => {
      const failure = await generate(keys.lowTier, { model: 'canvas-pro', prompt: 'A pier' });
      expect(failure).toMatchObject({ code: 'model-access', status: 401 });
    });

    test('reports an expired key', async () => {
      const failure = await generate(keys.expired, { model: 'canvas-pro', prompt: 'A pier' });
      expect(failure).toMatchObject({ code: 'unauthorized', status: 401 });
    });

    test('reports a missing API key', async () => {
      const failure = await generate(undefined, { model: 'canvas-pro', prompt: 'A pier' });
      expect(failure).toMatchObject({
        code: shape === 'full' ? 'payment-required' : 'no-key',
      });
    });

    test('reports an insufficient balance', async () => {
      const failure = await generate(keys.noBalance, { model: 'canvas-pro', prompt: 'A pier' });
      expect(failure).toMatchObject({ code: 'out-of-funds', status: 402 });
    });

    test('reports no retry delay for status 500', async () => {
      const failure = await generate(keys.inference, { model: 'canvas-pro', prompt: '[[500]]' });
      expect(failure).toMatchObject({ code: 'server-error', status: 500 });
      expect(failure).not.toHaveProperty('retryAfterMs');
    });

    test.each([429, 503])(
      'reports the retry delay that the response with status %d requests',
      async (status) => {
        const prompt = `[[${status}]]`;
        const failure = await generate(keys.inference, { model: 'canvas-pro', prompt });
        expect(failure).toMatchObject({ status, retryAfterMs: 1_000 });
      },
    );
  },
);

test('sendCall does not report an invalid key if the route requires a key of type ADMIN', async () => {
  await using connection = await startStrictDeployment({ shape: 'full' });
  const context = connection.connect(connection.deployment.keys.inference);
  const call = { method: 'GET', path: '/billing/balance' } as const;
  const error = await sendCall(context, call, signal).catch(toServiceError);
  expect(error).toMatchObject({ failure: { code: 'forbidden', status: 401 } });
});
