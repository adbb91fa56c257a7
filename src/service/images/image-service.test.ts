import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../test/service/control/faults.ts';
import { startTestService } from '../../../test/service/test-service.ts';
import type { LocalService } from '../../../test/service/server.ts';
import { systemClock } from '../../base/clock.ts';
import { CircuitBreakers } from '../http/circuit-breaker.ts';
import type { ServiceContext, Transport } from '../http/client.ts';
import { createDirectTransport } from '../http/direct-transport.ts';
import { createEditorTransport } from '../http/editor-transport.ts';
import { type FailureCode, ServiceError } from '../http/failure.ts';
import { buildCreateRouteCall } from './create-image.ts';
import { generateImages, listImageStyles, requestImages } from './image-calls.ts';
import type { ImageEvent, VariantCount } from './image-types.ts';

const transports: readonly [string, () => Transport][] = [
  ['direct', () => createDirectTransport()],
  ['editor', () => createEditorTransport(globalThis.fetch)],
];

const { signal } = new AbortController();
const boatRequest = {
  model: 'default',
  prompt: 'A red boat at dawn',
  seed: 7,
  format: 'png',
} as const;

/** Data received from an image call until the end or a failure. */
interface ReceivedImages {
  readonly types: readonly string[];
  readonly imageBuffers: readonly Buffer[];
  readonly code: FailureCode | 'complete';
  readonly start: Extract<ImageEvent, { type: 'reply-start' }> | undefined;
}

async function receiveImages(stream: AsyncIterable<ImageEvent>): Promise<ReceivedImages> {
  const events: ImageEvent[] = [];
  let code: ReceivedImages['code'] = 'complete';
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    code = error.failure.code;
  }
  const endedCount = events.filter(({ type }) => type === 'image-end').length;
  return {
    types: events.filter(({ type }) => type !== 'image-bytes').map(({ type }) => type),
    imageBuffers: Array.from({ length: endedCount }, (_, index) => getImageBytes(events, index)),
    code,
    start: events.find((event) => event.type === 'reply-start'),
  };
}

const getImageBytes = (events: readonly ImageEvent[], index: number): Buffer =>
  Buffer.concat(
    events.flatMap((event) =>
      event.type === 'image-bytes' && event.index === index ? [event.bytes] : [],
    ),
  );

const isPng = (bytes: Buffer): boolean =>
  bytes.subarray(0, 4).toString('latin1') === '\x89PNG' &&
  bytes.subarray(-8, -4).toString('latin1') === 'IEND';

const noViolation = { blurred: false, contentViolation: false, reasons: [] };

describe.each(transports)('image generation over the %s transport', (_name, create) => {
  test('returns one image as bytes and several as JSON, with the same first image', async () => {
    const service = await startTestService();
    const context = createServerContext(service, create());
    const oneImage = await receiveImages(
      generateImages(context, boatRequest, { variants: 1, signal }),
    );
    const threeImages = await receiveImages(
      generateImages(context, boatRequest, { variants: 3, signal }),
    );
    expect([
      oneImage.code,
      oneImage.imageBuffers.length,
      threeImages.code,
      threeImages.imageBuffers.length,
    ]).toEqual(['complete', 1, 'complete', 3]);
    expect([...oneImage.imageBuffers, ...threeImages.imageBuffers].every(isPng)).toBe(true);
    expect(threeImages.imageBuffers[0]).toEqual(oneImage.imageBuffers[0]);
    expect(oneImage.start?.moderation).toEqual(noViolation);
    expect(threeImages.start?.info.requestId).toBeDefined();
    expect((await service.control.getAccounts()).charges).toHaveLength(2);
  });

  test.each(['b64_json', 'url'] as const)(
    'reads an image that the OpenAI-compatible endpoint returns as %s',
    async (responseFormat) => {
      const service = await startTestService();
      const context = createServerContext(service, create());
      const imageRequest = {
        model: 'default',
        prompt: 'A boat',
        size: '256x256',
        responseFormat,
      };
      const { code, imageBuffers } = await receiveImages(
        requestImages(context, buildCreateRouteCall(imageRequest), { imageCount: 1, signal }),
      );
      expect([code, imageBuffers.map(isPng)]).toEqual(['complete', [true]]);
    },
  );

  test.each([
    ['a naked statue', { ...noViolation, blurred: true }],
    ['something forbidden', { ...noViolation, contentViolation: true }],
    [
      'underage hardcore',
      { blurred: false, contentViolation: true, reasons: ['adult-content', 'minor'] },
    ],
  ])('returns the moderation result for the prompt %j', async (prompt, moderation) => {
    const service = await startTestService();
    const context = createServerContext(service, create());
    const imageRequest = { ...boatRequest, prompt, safeMode: true, width: 64, height: 64 };
    const { start } = await receiveImages(
      generateImages(context, imageRequest, { variants: 1, signal }),
    );
    expect(start?.moderation).toEqual(moderation);
  });

  test('lists the image styles', async () => {
    const service = await startTestService();
    const styles = await listImageStyles(createServerContext(service, create()), { signal });
    expect(styles).toContain('Anime');
  });

  const faults: readonly [string, Fault, VariantCount, ReceivedImages['code'], number][] = [
    ['a connection reset', { kind: 'reset', afterBytes: 1_000 }, 1, 'interrupted', 0],
    ['an early end of the body', { kind: 'end', afterBytes: 1_000 }, 2, 'interrupted', 0],
    ['an HTML page', { kind: 'html' }, 1, 'unexpected-response', 0],
    ['small chunks', { kind: 'drip', bytes: 500, everyMs: 0 }, 2, 'complete', 2],
    ['SVG markup', { kind: 'body', text: '<svg onload="alert(1)"/>' }, 1, 'unexpected-response', 0],
    [
      'invalid Base64',
      { kind: 'body', text: '{"images":["<svg/>"]}' },
      2,
      'unexpected-response',
      0,
    ],
    ['an empty body', { kind: 'body', text: '' }, 1, 'unexpected-response', 0],
    ['a closed keep-alive connection', { kind: 'keep-alive-reset' }, 1, 'complete', 1],
    ['a 402 response', { kind: 'status', status: 402 }, 1, 'out-of-funds', 0],
  ];

  test.each(faults)(
    'with %s has the outcome "$3" (number of images: $4)',
    async (_description, fault, variants, code, imageCount) => {
      const service = await startTestService();
      const context = createServerContext(service, create());
      // Leaves an open connection that the next request reuses.
      await listImageStyles(context, { signal });
      await service.control.injectFault({ match: { path: '/image/generate' }, fault });
      const imageRequest = { ...boatRequest, width: 256, height: 256 };
      const receivedImages = await receiveImages(
        generateImages(context, imageRequest, { variants, signal }),
      );
      expect([receivedImages.code, receivedImages.imageBuffers.length]).toEqual([code, imageCount]);
      expect(receivedImages.imageBuffers.every(isPng)).toBe(true);
      const calls = (await service.control.getRequests()).filter(({ path }) =>
        path.endsWith('generate'),
      );
      expect(calls).toHaveLength(fault.kind === 'keep-alive-reset' ? 2 : 1);
    },
  );

  test('aborts the request on the server if the caller cancels before the response starts', async () => {
    const service = await startTestService();
    await service.control.injectFault({ fault: { kind: 'hold', name: 'start' } });
    const abortController = new AbortController();
    const context = createServerContext(service, create());
    const options = { variants: 1, signal: abortController.signal } as const;
    const receivedImages = receiveImages(generateImages(context, boatRequest, options));
    await service.control.waitForRequest(({ body }) => body !== undefined);
    abortController.abort();
    expect((await receivedImages).code).toBe('stopped');
    await service.control.waitForRequest(({ abortedByClient }) => abortedByClient === true);
    expect((await service.control.getAccounts()).charges).toEqual([]);
  });

  test('ends the request on the server if the caller aborts while the image arrives', async () => {
    const service = await startTestService();
    await service.control.injectFault({ fault: { kind: 'hold', name: 'half', afterBytes: 1_000 } });
    const abortController = new AbortController();
    const context = createServerContext(service, create());
    const events = generateImages(context, boatRequest, {
      variants: 1,
      signal: abortController.signal,
    });
    await expect(async () => {
      for await (const { type } of events) if (type === 'image-bytes') abortController.abort();
    }).rejects.toMatchObject({ failure: { code: 'stopped' } });
    await service.control.waitForRequest(({ abortedByClient }) => abortedByClient === true);
  });
});

// VS Code's `fetch` accepts a truncated compressed body as complete.
test('generateImages reports a truncated gzip body as interrupted', async () => {
  const service = await startTestService();
  await service.control.injectFault({ fault: { kind: 'truncated-gzip' } });
  const context = createServerContext(service, createDirectTransport());
  const { types, code } = await receiveImages(
    generateImages(context, boatRequest, { variants: 1, signal }),
  );
  expect([code, types]).toEqual(['interrupted', ['reply-start', 'image-start']]);
});

test('generateImages accepts a very long enhanced prompt in the response headers', async () => {
  const service = await startTestService();
  const imageRequest = { ...boatRequest, prompt: '狐'.repeat(7_000), enhancePrompt: true };
  const context = createServerContext(service, createDirectTransport());
  const { code, start } = await receiveImages(
    generateImages(context, imageRequest, { variants: 1, signal }),
  );
  expect(code).toBe('complete');
  expect(start?.enhancedPrompt).toBe(`${imageRequest.prompt}, in soft light, with fine detail`);
});

const createServerContext = (service: LocalService, transport: Transport): ServiceContext => ({
  getEndpoint: async () => ({
    baseUrl: new URL(service.baseUrl),
    vendorPrefix: 'service',
    apiKey: service.apiKey,
  }),
  getTransport: async () => transport,
  clock: systemClock,
  breakers: new CircuitBreakers(systemClock),
  random: () => 0,
});
