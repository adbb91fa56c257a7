import type * as http from 'node:http';
import { describe, expect, test } from 'vitest';
import { startHttpServer, type LoopbackServer } from '../../../test/support/loopback.ts';
import {
  type ScriptedAnswer,
  scriptedKey,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import type { ManualClock } from '../../../test/support/manual-clock.ts';
import { systemClock } from '../../base/clock.ts';
import { CircuitBreakers } from '../http/circuit-breaker.ts';
import type { ServiceContext, Transport } from '../http/client.ts';
import { Connection } from '../http/connection.ts';
import { createDirectTransport } from '../http/direct-transport.ts';
import { createEditorTransport } from '../http/editor-transport.ts';
import { ServiceError } from '../http/failure.ts';
import { buildCreateRouteCall } from './create-image.ts';
import { editImage, generateImages, requestImages } from './image-calls.ts';
import { readImageResponse } from './image-response.ts';
import type { ImageEvent, ImageRequest, VariantCount } from './image-types.ts';
import { createInterruptedError, createTimeoutError } from '../http/network-failure.ts';

const signal = new AbortController().signal;
const catRequest: ImageRequest = { model: 'm', prompt: 'a cat' };

const pngBytes = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
  Buffer.from('the rest of it'),
]);
const jpegBytes = Buffer.concat([
  Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  Buffer.from('the rest of it'),
]);
const webpBytes = Buffer.from('RIFF\x00\x01\x02\x03WEBPVP8 the rest of it', 'latin1');

const pngHeaders = { 'content-type': 'image/png' };
const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };
const createJsonAnswer = (value: unknown): ScriptedAnswer => ({
  headers: jsonHeaders,
  body: [JSON.stringify(value)],
});
const createImagesBody = (...buffers: readonly Buffer[]) => ({
  images: buffers.map((buffer) => buffer.toString('base64')),
});

/** Collects the events of an image call, up to a failure. Concatenates the bytes of each image. */
async function collectEvents(events: AsyncIterable<ImageEvent>): Promise<{
  types: string[];
  events: ImageEvent[];
  imageBuffers: Buffer[];
  failure: ServiceError['failure'] | undefined;
}> {
  const result = {
    types: [] as string[],
    events: [] as ImageEvent[],
    imageBuffers: [] as Buffer[],
  };
  try {
    for await (const event of events) {
      result.events.push(event);
      if (event.type !== 'image-bytes') result.types.push(event.type);
      else {
        const previousBytes = result.imageBuffers[event.index] ?? Buffer.alloc(0);
        result.imageBuffers[event.index] = Buffer.concat([previousBytes, event.bytes]);
      }
    }
    return { ...result, failure: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...result, failure: error.failure };
  }
}

const generateWithAnswer = (answer: ScriptedAnswer, variants: VariantCount = 1) =>
  collectEvents(
    generateImages(createScriptedService(answer).context, catRequest, { variants, signal }),
  );

const completeTypes = ['reply-start', 'image-start', 'image-end', 'reply-end'];

describe('the body of an image request', () => {
  const completeRequest: Required<ImageRequest> = {
    model: 'm',
    prompt: 'a cat',
    negativePrompt: 'dogs',
    width: 1024,
    height: 768,
    aspectRatio: '16:9',
    resolution: '2K',
    quality: 'high',
    format: 'png',
    safeMode: false,
    seed: 0,
    cfgScale: 7.5,
    steps: 20,
    stylePreset: 'Anime',
    loraStrength: 50,
    hideWatermark: true,
    embedExifMetadata: true,
    enableWebSearch: true,
    enhancePrompt: true,
    styleReferences: [{ image: 'AAAA', strength: 0.5 }, { image: 'BBBB' }],
  };
  const sentFields = {
    model: 'm',
    prompt: 'a cat',
    negative_prompt: 'dogs',
    width: 1024,
    height: 768,
    aspect_ratio: '16:9',
    resolution: '2K',
    quality: 'high',
    format: 'png',
    safe_mode: false,
    seed: 0,
    cfg_scale: 7.5,
    steps: 20,
    style_preset: 'Anime',
    lora_strength: 50,
    hide_watermark: true,
    embed_exif_metadata: true,
    enable_web_search: true,
    enhance_prompt: true,
    style_references: [{ image: 'AAAA', strength: 0.5 }, { image: 'BBBB' }],
  };

  const catFields = { model: 'm', prompt: 'a cat' };
  const bytesBody = { return_binary: true };
  test.each<[string, ImageRequest, VariantCount, object]>([
    ['no options requests bytes for one image', catRequest, 1, { ...catFields, ...bytesBody }],
    ['no options requests JSON for four images', catRequest, 4, { ...catFields, variants: 4 }],
    [
      'all options requests bytes for one image',
      completeRequest,
      1,
      { ...sentFields, ...bytesBody },
    ],
    [
      'all options requests JSON for two images',
      completeRequest,
      2,
      { ...sentFields, variants: 2 },
    ],
  ])('with %s', async (_description, imageRequest, variants, body) => {
    const service = createScriptedService(createJsonAnswer(createImagesBody(pngBytes)));
    await collectEvents(generateImages(service.context, imageRequest, { variants, signal }));
    const [firstRequest] = service.requests;
    expect(firstRequest?.method).toBe('POST');
    expect(firstRequest?.url.pathname).toBe('/api/v1/image/generate');
    expect(JSON.parse(String(firstRequest?.body))).toEqual(body);
    expect(firstRequest?.headers['accept']).toContain(
      variants === 1 ? 'image/*' : 'application/json',
    );
    expect(firstRequest?.timeouts).toMatchObject({ headersMs: 300_000, idleMs: 60_000 });
  });

  test('for the OpenAI-compatible endpoint uses the field names of that endpoint', async () => {
    const service = createScriptedService(
      createJsonAnswer({ data: [{ b64_json: pngBytes.toString('base64') }] }),
    );
    const fullCreateRequest = {
      ...catRequest,
      size: '512x512',
      format: 'webp',
      responseFormat: 'url',
    } as const;
    await collectEvents(
      requestImages(
        service.context,
        buildCreateRouteCall({ ...fullCreateRequest, compression: 80 }),
        {
          imageCount: 1,
          signal,
        },
      ),
    );
    expect(service.requests[0]?.url.pathname).toBe('/api/v1/images/generations');
    expect(JSON.parse(String(service.requests[0]?.body))).toEqual({
      model: 'm',
      prompt: 'a cat',
      size: '512x512',
      output_format: 'webp',
      output_compression: 80,
      response_format: 'url',
    });
  });
});

describe('an image response', () => {
  test.each([
    ['PNG', pngBytes],
    ['JPEG', jpegBytes],
    ['WebP', webpBytes],
  ])('with a %s image yields each chunk of bytes', async (_name, image) => {
    const body = Array.from(image, (byte) => Uint8Array.of(byte));
    const { types, imageBuffers, failure } = await generateWithAnswer({
      headers: pngHeaders,
      body,
    });
    expect({ types, imageBuffers, failure }).toEqual({
      types: completeTypes,
      imageBuffers: [image],
      failure: undefined,
    });
  });

  test('yields image bytes without copying them', async () => {
    const chunks = [pngBytes, Buffer.from('more'), Buffer.from('and more')];
    const { events } = await generateWithAnswer({ headers: pngHeaders, body: chunks });
    const receivedChunks = events.flatMap((event) =>
      event.type === 'image-bytes' ? [event.bytes] : [],
    );
    expect(receivedChunks).toHaveLength(3);
    for (const [index, chunk] of chunks.entries()) expect(receivedChunks[index]).toBe(chunk);
  });

  test('with several JSON images yields the images in order', async () => {
    const otherFields = { id: 7, timing: 'slow', request: { data: createImagesBody(webpBytes) } };
    const { types, imageBuffers } = await generateWithAnswer(
      createJsonAnswer({ ...otherFields, ...createImagesBody(pngBytes, jpegBytes) }),
      2,
    );
    expect(imageBuffers).toEqual([pngBytes, jpegBytes]);
    expect(types).toEqual(['reply-start', 'image-start', 'image-end', ...completeTypes.slice(1)]);
  });

  test.each<[string, VariantCount, ScriptedAnswer]>([
    ['JSON in response to a request for bytes', 1, createJsonAnswer(createImagesBody(pngBytes))],
    ['JSON without a content type', 1, { body: [JSON.stringify(createImagesBody(pngBytes))] }],
    [
      'JSON labeled as an image',
      1,
      { headers: pngHeaders, body: [JSON.stringify(createImagesBody(pngBytes))] },
    ],
    [
      'JSON after a byte order mark and whitespace',
      1,
      { body: ['\uFEFF', ' \n ', JSON.stringify(createImagesBody(pngBytes))] },
    ],
    ['bytes in response to a request for JSON', 4, { headers: pngHeaders, body: [pngBytes] }],
    ['bytes without a content type', 4, { body: [pngBytes] }],
    ['bytes labeled as JSON', 4, { headers: jsonHeaders, body: [pngBytes] }],
    [
      'bytes labeled as octet-stream',
      1,
      { headers: { 'content-type': 'application/octet-stream' }, body: [pngBytes] },
    ],
  ])('is read as an image if it is %s', async (_name, variants, answer) => {
    const { types, imageBuffers, failure } = await generateWithAnswer(answer, variants);
    expect({ types, imageBuffers, failure }).toEqual({
      types: completeTypes,
      imageBuffers: [pngBytes],
      failure: undefined,
    });
  });

  test.each([
    ['b64_json', { b64_json: pngBytes.toString('base64') }],
    ['a data URL', { url: `data:image/png;base64,${pngBytes.toString('base64')}` }],
  ])(
    'of the OpenAI-compatible endpoint is read as an image from %s',
    async (_name, imageRecord) => {
      const { context } = createScriptedService(
        createJsonAnswer({ created: 1, data: [imageRecord] }),
      );
      const { types, imageBuffers } = await collectEvents(
        requestImages(context, buildCreateRouteCall(catRequest), { imageCount: 1, signal }),
      );
      expect({ types, imageBuffers }).toEqual({ types: completeTypes, imageBuffers: [pngBytes] });
    },
  );

  test('of the OpenAI-compatible endpoint is rejected if it contains a remote URL', async () => {
    const { context, requests } = createScriptedService(
      createJsonAnswer({ data: [{ url: 'https://cdn.test/a.png' }] }),
    );
    const { failure } = await collectEvents(
      requestImages(context, buildCreateRouteCall(catRequest), { imageCount: 1, signal }),
    );
    expect(failure?.code).toBe('unexpected-response');
    expect(requests).toHaveLength(1);
  });
});

describe('an image response without a valid image', () => {
  const page = '<!doctype html><title>Sign in</title>';
  test.each<[string, ScriptedAnswer, string]>([
    ['an empty body', { headers: pngHeaders, body: [] }, 'unexpected-response'],
    ['an empty JSON body', { headers: jsonHeaders, body: [' '] }, 'unexpected-response'],
    [
      'an HTML page',
      { headers: { 'content-type': 'text/html' }, body: [page] },
      'unexpected-response',
    ],
    [
      'an HTML page labeled as an image',
      { headers: pngHeaders, body: [page] },
      'unexpected-response',
    ],
    [
      'SVG',
      { headers: { 'content-type': 'image/svg+xml' }, body: ['<svg xmlns="x"/>'] },
      'unexpected-response',
    ],
    ['a truncated image header', { headers: pngHeaders, body: ['\x89PN'] }, 'unexpected-response'],
    [
      'a list at the top level',
      createJsonAnswer([createImagesBody(pngBytes)]),
      'unexpected-response',
    ],
    ['an empty image list', createJsonAnswer({ images: [] }), 'unexpected-response'],
    ['null as the image list', createJsonAnswer({ id: 'x', images: null }), 'unexpected-response'],
    ['a list of empty images', createJsonAnswer({ images: ['', null] }), 'unexpected-response'],
    ['invalid Base64', createJsonAnswer({ images: ['<svg/>'] }), 'unexpected-response'],
    ['invalid JSON', { body: ['{"images":[nonsense]}'] }, 'unexpected-response'],
    [
      'an error object',
      createJsonAnswer({ error: { message: 'busy', code: 'model_overloaded' } }),
      'overloaded',
    ],
    [
      'an error labeled as an image',
      { headers: pngHeaders, body: ['{"error":"Inference processing failed"}'] },
      'server-error',
    ],
    [
      'an error string',
      createJsonAnswer({ error: 'Content policy violation', images: null }),
      'content-policy',
    ],
    ['truncated JSON', { body: ['{"images":["iVBORw0KGgo'] }, 'interrupted'],
    [
      'a truncated image',
      { headers: { ...pngHeaders, 'content-length': '99' }, body: [pngBytes] },
      'interrupted',
    ],
    [
      'a lost connection',
      { headers: pngHeaders, body: [pngBytes, createInterruptedError()] },
      'interrupted',
    ],
    [
      'a stalled connection',
      { headers: pngHeaders, body: [pngBytes, createTimeoutError('idle')] },
      'timeout',
    ],
  ])('fails without a retry if the response is %s', async (_name, answer, code) => {
    const service = createScriptedService(answer);
    const { types, failure } = await collectEvents(
      generateImages(service.context, catRequest, { variants: 1, signal }),
    );
    expect(failure?.code).toBe(code);
    expect(types[0]).toBe('reply-start');
    expect(types).not.toContain('image-end');
    // The service may have generated and charged an image, so the client must not retry.
    expect(service.requests).toHaveLength(1);
  });

  test('reports the error message of the response with the API key redacted', async () => {
    const { failure } = await generateWithAnswer(
      createJsonAnswer({ message: `Nothing for ${scriptedKey}` }),
    );
    expect(failure?.detail).toBe('Nothing for [redacted]');
  });

  test.each([
    ['invalid Base64', ',"<svg/>"]}', 'unexpected-response'],
    ['an error', '],"error":"Inference processing failed"}', 'server-error'],
    ['a missing closing brace', ']', 'interrupted'],
    ['a truncated image', ',"iVBORw0KGgoAAAA', 'interrupted'],
    ['invalid JSON', ',nonsense]}', 'unexpected-response'],
    ['trailing data', ']} and more', 'unexpected-response'],
  ])(
    'fails with $2 if %s follows a complete image, and keeps the image',
    async (_name, bodyEnd, code) => {
      const text = `{"images":["${pngBytes.toString('base64')}"${bodyEnd}`;
      const { types, imageBuffers, failure } = await generateWithAnswer({ body: [text] }, 2);
      expect(failure?.code).toBe(code);
      expect(types).toContain('image-end');
      expect(imageBuffers[0]).toEqual(pngBytes);
    },
  );
});

describe('an image response with more images than requested', () => {
  test.each<[string, VariantCount, readonly Buffer[]]>([
    ['the first image', 1, [pngBytes]],
    ['the first two images', 2, [pngBytes, jpegBytes]],
  ])('yields only %s of three and completes', async (_name, variants, expectedImages) => {
    const { types, imageBuffers, failure } = await generateWithAnswer(
      createJsonAnswer(createImagesBody(pngBytes, jpegBytes, webpBytes)),
      variants,
    );
    expect({ imageBuffers, failure }).toEqual({ imageBuffers: expectedImages, failure: undefined });
    expect(types.at(-1)).toBe('reply-end');
    expect(types.filter((type) => type === 'image-start')).toHaveLength(variants);
  });

  test.each<[string, (context: ServiceContext) => AsyncGenerator<ImageEvent>]>([
    [
      'the OpenAI-compatible endpoint',
      (context) =>
        requestImages(context, buildCreateRouteCall(catRequest), { imageCount: 1, signal }),
    ],
    [
      'an image edit',
      (context) => editImage(context, { prompt: 'x', image: pngBytes }, { signal }),
    ],
  ])('yields only the first image from %s', async (_name, run) => {
    const { imageBuffers, failure } = await collectEvents(
      run(createScriptedService(createJsonAnswer(createImagesBody(pngBytes, jpegBytes))).context),
    );
    expect({ imageBuffers, failure }).toEqual({ imageBuffers: [pngBytes], failure: undefined });
  });

  test('completes before the extra images are read', async () => {
    let isRead = false;
    const { context } = createServiceWithBody(async function* () {
      yield Buffer.from(`{"images":["${pngBytes.toString('base64')}","AAAA`);
      isRead = true;
      yield Buffer.from('"]}');
    });
    const { types } = await collectEvents(
      generateImages(context, catRequest, { variants: 1, signal }),
    );
    expect({ types, isRead }).toEqual({ types: completeTypes, isRead: false });
  });
});

describe('a slow image response', () => {
  /** Creates a service that sends `part` `partCount` times, at intervals of `intervalMs` milliseconds. */
  const startSlowService = (
    part: Uint8Array,
    { intervalMs, partCount }: { intervalMs: number; partCount: number },
  ) =>
    createServiceWithBody(async function* (clock, requestSignal) {
      yield pngBytes;
      for (let index = 0; index < partCount; index++) {
        await clock.advance(intervalMs);
        if (requestSignal.aborted) throw requestSignal.reason;
        yield part;
      }
    });

  /** Receives an image from a slow service, and measures the duration in milliseconds. */
  const receiveSlowImage = async (
    size: number,
    schedule: Parameters<typeof startSlowService>[1],
  ): Promise<{ code: string | undefined; hasImage: boolean; durationMs: number }> => {
    const { context, clock } = startSlowService(Buffer.alloc(size), schedule);
    const start = clock.now();
    const { failure, types } = await collectEvents(
      generateImages(context, catRequest, { variants: 1, signal }),
    );
    expect(clock.pendingTimerCount).toBe(0);
    const hasImage = types.includes('image-end');
    return { code: failure?.code, hasImage, durationMs: clock.now() - start };
  };

  test.each([
    ['177 s', 'one byte every 59 s', 1, { intervalMs: 59_000, partCount: 1e4 }, 177_000],
    ['130 s', '64 KB every 130 s', 8 * 1024, { intervalMs: 16_250, partCount: 1e4 }, 130_000],
  ])(
    'times out after %s if the service sends %s',
    async (_duration, _schedule, size, schedule, durationMs) => {
      const expected = { code: 'timeout', hasImage: false, durationMs };
      expect(await receiveSlowImage(size, schedule)).toEqual(expected);
    },
  );

  test.each([
    ['1,400 s', '64 KB every 112 s', 8 * 1024, { intervalMs: 14_000, partCount: 1e2 }, 1_400_000],
    ['119 s', 'one byte every 59.5 s', 1, { intervalMs: 59_500, partCount: 2 }, 119_000],
  ])(
    'completes after %s if the service sends %s',
    async (_duration, _schedule, size, schedule, durationMs) => {
      const expected = { code: undefined, hasImage: true, durationMs };
      expect(await receiveSlowImage(size, schedule)).toEqual(expected);
    },
  );

  test('fails with a message about the long wait if the download stalls', async () => {
    const { context } = startSlowService(Buffer.alloc(1), { intervalMs: 59_000, partCount: 1e4 });
    const { failure } = await collectEvents(
      generateImages(context, catRequest, { variants: 1, signal }),
    );
    expect(failure?.message).toMatch(/too long/);
  });

  test('does not time out if only the caller reads slowly', async () => {
    const { context, clock } = startSlowService(Buffer.alloc(1), {
      intervalMs: 1_000,
      partCount: 5,
    });
    const types: string[] = [];
    for await (const { type } of generateImages(context, catRequest, { variants: 1, signal })) {
      await clock.advance(100_000);
      types.push(type);
    }
    expect(types.at(-1)).toBe('reply-end');
  });

  test.each(['reply-start', 'image-start', 'image-bytes'])(
    'leaves no timer when the caller stops reading at the event "%s"',
    async (type) => {
      const { context, clock } = startSlowService(Buffer.alloc(1), {
        intervalMs: 1_000,
        partCount: 5,
      });
      const events = generateImages(context, catRequest, { variants: 1, signal });
      for await (const event of events) if (event.type === type) break;
      expect(clock.pendingTimerCount).toBe(0);
    },
  );
});

/** Creates a service that responds with the given body. */
function createServiceWithBody(
  body: (clock: ManualClock, signal: AbortSignal) => AsyncIterable<Uint8Array>,
): { context: ServiceContext; clock: ManualClock } {
  const { context, clock } = createScriptedService();
  const transport: Transport = {
    send: async (request) => ({ status: 200, headers: {}, body: body(clock, request.signal) }),
    close: () => Promise.resolve(),
  };
  return { context: { ...context, getTransport: async () => transport }, clock };
}

describe('an image response larger than the limit', () => {
  const kilobyte = Buffer.alloc(1024, 'A');
  const maxImageBytes = 8 * 1024;
  const createParts = (count: number, part: Uint8Array): Uint8Array[] =>
    Array<Uint8Array>(count).fill(part);

  /** Returns the failure code, the number of image bytes read, and the number of body parts that the client read. */
  async function readLimitedResponse(
    body: readonly Uint8Array[],
    limits = { imageCount: 4, maxImageBytes },
  ) {
    const result = { code: 'none', bytes: 0, parts: 0 };
    async function* createCountedBody(): AsyncGenerator<Uint8Array> {
      for (const part of body) {
        result.parts++;
        yield part;
      }
    }
    const { getEndpoint } = createScriptedService().context;
    const reply = {
      headers: {},
      body: createCountedBody(),
      info: {},
      endpoint: await getEndpoint(),
    };
    try {
      for await (const event of readImageResponse(reply, { signal, ...limits })) {
        if (event.type === 'image-bytes') result.bytes += event.bytes.length;
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      result.code = error.failure.code;
    }
    return result;
  }

  test('is rejected as soon as the image bytes exceed the limit', async () => {
    const body = [pngBytes, ...createParts(7, kilobyte)];
    expect(await readLimitedResponse(body)).toEqual({
      code: 'none',
      bytes: pngBytes.length + 7168,
      parts: 8,
    });
    const { code, ...counts } = await readLimitedResponse([
      pngBytes,
      ...createParts(100, kilobyte),
    ]);
    expect(code).toBe('unexpected-response');
    expect(counts).toEqual({ bytes: pngBytes.length + 7168, parts: 9 });
  });

  test('is rejected as soon as the JSON exceeds the limit', async () => {
    const bodyStart = Buffer.from('{"images":["');
    const bodyEnd = Buffer.from('"]}');
    const result = await readLimitedResponse([bodyStart, ...createParts(10, kilobyte), bodyEnd]);
    expect(result).toEqual({ code: 'none', bytes: 7680, parts: 12 });
    const counts = await readLimitedResponse([bodyStart, ...createParts(100, kilobyte), bodyEnd]);
    expect(counts.code).toBe('unexpected-response');
    expect(counts.bytes).toBeLessThanOrEqual(maxImageBytes);
    expect(counts.parts).toBe(12);
  });

  test('is rejected when whitespace in the JSON exceeds the size of four images plus 1 MB', async () => {
    const space = Buffer.alloc(64 * 1024, ' ');
    const [bodyStart, bodyEnd] = [Buffer.from('{"images":["QUJD"]'), Buffer.from('}')];
    const result = await readLimitedResponse([bodyStart, ...createParts(16, space), bodyEnd]);
    expect(result).toEqual({ code: 'none', bytes: 3, parts: 18 });
    const counts = await readLimitedResponse([bodyStart, ...createParts(40, space), bodyEnd]);
    expect(counts).toEqual({ code: 'unexpected-response', bytes: 3, parts: 18 });
  });

  test.each([
    ['one image is requested', 1, 39],
    ['four images are requested', 4, 103],
  ])(
    'is rejected when whitespace inside an image exceeds the limit if %s',
    async (_description, count, maxMegabytes) => {
      const space = Buffer.alloc(64 * 1024, ' ');
      const limits = { imageCount: count, maxImageBytes: 1024 * 1024 };
      const counts = await readLimitedResponse(
        [Buffer.from('{"images":["'), ...createParts(200, space)],
        limits,
      );
      expect(counts).toEqual({ code: 'unexpected-response', bytes: 0, parts: maxMegabytes });
    },
  );
});

describe('the headers of an image response', () => {
  const readFirstEvent = async (headers: Record<string, string>): Promise<unknown> => {
    const { events } = await generateWithAnswer({
      headers: { ...pngHeaders, ...headers },
      body: [pngBytes],
    });
    return events[0];
  };
  const noViolation = { blurred: false, contentViolation: false, reasons: [] };

  test.each<Record<string, string>>([
    {},
    { 'x-acme-is-blurred': 'false', 'x-acme-is-content-violation': '0' },
    { 'x-acme-is-blurred': '', 'x-acme-contains-minor': 'no' },
    { 'x-other-is-blurred': 'true' },
  ])('%j report no violation', async (headers) => {
    expect(await readFirstEvent(headers)).toEqual({
      type: 'reply-start',
      moderation: noViolation,
      info: {},
    });
  });

  test.each<[Record<string, string>, string, object]>([
    [{ 'x-acme-is-blurred': 'true' }, 'a blurred image', { ...noViolation, blurred: true }],
    [{ 'x-service-is-blurred': ' YES ' }, 'a blurred image', { ...noViolation, blurred: true }],
    [
      { 'x-acme-is-content-violation': '1' },
      'a content violation',
      { ...noViolation, contentViolation: true },
    ],
    [
      { 'x-acme-is-content-violation': 'false, true' },
      'a content violation',
      { ...noViolation, contentViolation: true },
    ],
    [
      { 'x-acme-is-adult-model-content-violation': 'true', 'x-acme-contains-minor': 'True' },
      'adult content and a minor',
      { ...noViolation, reasons: ['adult-content', 'minor'] },
    ],
  ])('%j report %s', async (headers, _result, moderation) => {
    expect(await readFirstEvent(headers)).toEqual({ type: 'reply-start', moderation, info: {} });
  });

  test.each([
    ['a%20cat%2C%20%E7%8B%90', 'a cat, 狐'],
    ['100%25 sure', '100% sure'],
    ['100% sure %E7%8B then %41', '100% sure %E7%8B then A'],
    ['1+1', '1+1'],
  ])('with the encoded prompt %j are decoded as the enhanced prompt %j', async (header, prompt) => {
    expect(await readFirstEvent({ 'x-acme-enhanced-prompt': header })).toMatchObject({
      enhancedPrompt: prompt,
    });
  });

  test('with a prompt of 40,000 characters are decoded to its first 32,768 characters', async () => {
    expect(await readFirstEvent({ 'x-acme-enhanced-prompt': 'x'.repeat(40_000) })).toMatchObject({
      enhancedPrompt: 'x'.repeat(32_768),
    });
  });

  test('with a blank prompt are decoded without an enhanced prompt', async () => {
    expect(await readFirstEvent({ 'x-acme-enhanced-prompt': ' ' })).not.toHaveProperty(
      'enhancedPrompt',
    );
  });

  test('are decoded to the request id and the balance', async () => {
    expect(await readFirstEvent({ 'cf-ray': 'ray-1', 'x-acme-balance-usd': '1.5' })).toMatchObject({
      info: { requestId: 'ray-1', balanceUsd: 1.5 },
    });
  });
});

describe('an image call that fails before the response', () => {
  const successAnswer: ScriptedAnswer = { headers: pngHeaders, body: [pngBytes] };

  test.each<[string, ScriptedAnswer]>([
    ['status 429', { status: 429, headers: { 'retry-after': '3' } }],
    ['status 500', { status: 500 }],
    ['status 503', { status: 503 }],
    ['an offline error', new ServiceError({ code: 'offline', message: 'x' })],
  ])('with %s is retried after a retry-wait event', async (_name, answer) => {
    const service = createScriptedService(answer, successAnswer);
    const getEndpoint: ServiceContext['getEndpoint'] = async () => ({
      ...(await service.context.getEndpoint()),
      connection: new Connection({ word: 'acme' }),
    });
    const context = { ...service.context, getEndpoint };
    const events = collectEvents(generateImages(context, catRequest, { variants: 1, signal }));
    await service.clock.advance(10_000);
    const { types } = await events;
    expect(types).toEqual(['retry-wait', ...completeTypes]);
    expect(service.requests).toHaveLength(2);
  });

  test('is retried without an event if the connection closes immediately', async () => {
    const service = createScriptedService(createInterruptedError(), successAnswer);
    const { types } = await collectEvents(
      generateImages(service.context, catRequest, { variants: 1, signal }),
    );
    expect(types).toEqual(completeTypes);
  });

  /** Creates an `offline` error with a network error code as detail. */
  const createOfflineError = (detail: string): ServiceError =>
    new ServiceError({ code: 'offline', message: 'x', detail });

  /** Requests an image from a service whose first attempt fails after `ms` milliseconds. */
  const requestAfterSlowFailure = async (ms: number, answer: ScriptedAnswer) => {
    const { context, requests, clock } = createSlowService(ms, answer, successAnswer);
    const events = collectEvents(generateImages(context, catRequest, { variants: 1, signal }));
    await clock.advance(200_000);
    return { code: (await events).failure?.code ?? 'complete', requestCount: requests.length };
  };

  test.each<[string, number, ScriptedAnswer]>([
    ['a closed connection', 499, createInterruptedError()],
    ['an unknown host name', 60_000, createOfflineError('ENOTFOUND')],
    ['a refused connection', 60_000, createOfflineError('ECONNREFUSED')],
  ])(
    'is retried after %s at %i ms, because the service cannot have charged the call',
    async (_name, ms, answer) => {
      const expected = { code: 'complete', requestCount: 2 };
      expect(await requestAfterSlowFailure(ms, answer)).toEqual(expected);
    },
  );

  test.each<[string, number, ScriptedAnswer, string]>([
    ['a closed connection', 500, createInterruptedError(), 'interrupted'],
    ['a connection reset', 60_000, createInterruptedError('ECONNRESET'), 'interrupted'],
    ['a network change', 60_000, createOfflineError('ERR_NETWORK_CHANGED'), 'offline'],
    ['an unreachable host', 60_000, createOfflineError('EHOSTUNREACH'), 'offline'],
  ])(
    'is not retried after %s at %i ms, because the service may have charged the call',
    async (_name, ms, answer, code) => {
      expect(await requestAfterSlowFailure(ms, answer)).toEqual({ code, requestCount: 1 });
    },
  );

  test.each<[string, readonly ScriptedAnswer[]]>([
    ['twice', [createInterruptedError(), createInterruptedError(), successAnswer]],
    [
      'during the retry of a 503 response',
      [{ status: 503 }, createInterruptedError(), successAnswer],
    ],
  ])('is not retried a second time if the connection closes %s', async (_name, answers) => {
    const service = createScriptedService(...answers);
    const events = collectEvents(
      generateImages(service.context, catRequest, { variants: 1, signal }),
    );
    await service.clock.advance(10_000);
    expect((await events).failure?.code).toBe('interrupted');
    expect(service.requests).toHaveLength(2);
  });

  test.each([408, 409, 425, 520, 524])('is not retried for status %i', async (status) => {
    const service = createScriptedService({ status }, successAnswer);
    const { failure } = await collectEvents(
      generateImages(service.context, catRequest, { variants: 1, signal }),
    );
    expect(failure?.status).toBe(status);
    expect(service.requests).toHaveLength(1);
  });

  test('is not retried after a header timeout', async () => {
    const service = createScriptedService(createTimeoutError('headers'), successAnswer);
    const { failure } = await collectEvents(
      generateImages(service.context, catRequest, { variants: 1, signal }),
    );
    expect(failure?.code).toBe('timeout');
    expect(service.requests).toHaveLength(1);
  });

  test.each<[number, object, string, RegExp]>([
    [400, { error: 'Invalid request parameters' }, 'invalid-request', /log/],
    [400, { error: 'x', code: 'CORRUPTED_IMAGE' }, 'invalid-request', /PNG, JPEG or WebP/],
    [400, { error: 'Image too small', code: 'IMAGE_TOO_SMALL' }, 'invalid-request', /larger one/],
    [422, { error: 'x', code: 'IMAGE_TOO_LARGE' }, 'invalid-request', /smaller one/],
    [422, { error: 'The image has too many pixels' }, 'invalid-request', /smaller one/],
    [422, { error: 'x', code: 'CONTENT_POLICY_VIOLATION' }, 'content-policy', /words/],
    [422, { error: 'Refused', suggested_prompt: 'a dog' }, 'content-policy', /words/],
    [402, { error: 'Insufficient USD or Diem balance' }, 'out-of-funds', /credits/],
    [415, {}, 'unsupported-media-type', /log/],
    [429, { error: 'Spend limit exceeded' }, 'spend-limit', /limit/],
  ])(
    'with status %i and body %j has the code "%s" and a message that names the next step',
    async (status, body, code, messagePattern) => {
      const service = createScriptedService({ status, body: [JSON.stringify(body)] });
      const { types, failure } = await collectEvents(
        generateImages(service.context, catRequest, { variants: 1, signal }),
      );
      expect(types).toEqual([]);
      expect(failure).toMatchObject({ code, status });
      expect(failure?.message).toMatch(messagePattern);
    },
  );
});

/** Creates a service that responds after `ms` milliseconds. */
function createSlowService(
  ms: number,
  ...answers: readonly ScriptedAnswer[]
): ReturnType<typeof createScriptedService> {
  const service = createScriptedService(...answers);
  const { clock, context } = service;
  const send: Transport['send'] = async (request) => {
    await new Promise<void>((resolve) => clock.after(ms, resolve));
    return (await context.getTransport()).send(request);
  };
  const transport = { send, close: () => Promise.resolve() };
  return { ...service, context: { ...context, getTransport: async () => transport } };
}

const transports: readonly [string, () => Transport][] = [
  ['direct', () => createDirectTransport()],
  ['editor', () => createEditorTransport(globalThis.fetch)],
];

describe.each(transports)('image generation over the %s transport', (_name, create) => {
  test('closes the connection on abort and keeps the events received before', async () => {
    await using server = await startImageServer((response) => response.write(pngBytes));
    const abortController = new AbortController();
    const eventTypes: string[] = [];
    const events = generateImages(createServerContext(server, create()), catRequest, {
      variants: 1,
      signal: abortController.signal,
    });
    await expect(async () => {
      for await (const { type } of events) {
        eventTypes.push(type);
        if (type === 'image-bytes') abortController.abort();
      }
    }).rejects.toMatchObject({ failure: { code: 'stopped' } });
    expect(eventTypes).toEqual(['reply-start', 'image-start', 'image-bytes']);
    await server.closePromise;
  });

  test.each(['reply-start', 'image-start', 'image-bytes'])(
    'closes the connection when the caller stops reading at the event "%s"',
    async (type) => {
      await using server = await startImageServer((response) => response.write(pngBytes));
      const events = generateImages(createServerContext(server, create()), catRequest, {
        variants: 1,
        signal,
      });
      for await (const event of events) if (event.type === type) break;
      await server.closePromise;
    },
  );

  test('reuses the connection after a complete response', async () => {
    await using server = await startImageServer((response) => response.end(pngBytes));
    const context = createServerContext(server, create());
    for (let turn = 0; turn < 3; turn++) {
      const { types } = await collectEvents(
        generateImages(context, catRequest, { variants: 1, signal }),
      );
      expect(types).toEqual(completeTypes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.countConnections()).toBe(1);
  });

  test('fails as interrupted if the body is truncated', async () => {
    await using server = await startImageServer((response) => {
      response.write(pngBytes, () => response.destroy());
    });
    const { types, failure } = await collectEvents(
      generateImages(createServerContext(server, create()), catRequest, { variants: 1, signal }),
    );
    expect(failure?.code).toBe('interrupted');
    expect(types).not.toContain('image-end');
  });
});

const startImageServer = (
  answer: (response: http.ServerResponse) => void,
): Promise<LoopbackServer> =>
  startHttpServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, pngHeaders);
      answer(response);
    });
  });

const createServerContext = (server: LoopbackServer, transport: Transport): ServiceContext => ({
  getEndpoint: async () => ({
    baseUrl: new URL(`http://127.0.0.1:${server.port}/api/v1`),
    vendorPrefix: 'service',
    apiKey: 'test-key-123',
  }),
  getTransport: async () => transport,
  clock: systemClock,
  breakers: new CircuitBreakers(systemClock),
  random: () => 0,
});
