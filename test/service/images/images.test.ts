import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { ModelRecord } from '../catalog/model.ts';
import { postJson, postImage, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

interface Reply {
  readonly id: string;
  readonly images: readonly string[];
  readonly request: { readonly success: boolean; readonly data: Record<string, unknown> };
  readonly timing: Readonly<Record<string, number>>;
}

/** Generates one image and returns its file. The body must not contain `variants`. */
async function generateImage(service: LocalService, body: object): Promise<Buffer> {
  const reply = await postImage(service, { return_binary: true, ...body });
  expect(reply.status).toBe(200);
  return Buffer.from(await reply.arrayBuffer());
}

const computeDigest = (file: Buffer): string => createHash('sha1').update(file).digest('hex');

/** Returns the mean and the standard deviation of each color channel. */
async function measureImage(file: Buffer) {
  const { channels } = await sharp(file).removeAlpha().stats();
  const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => mean);
  const totalDeviation = channels.reduce((sum, { stdev }) => sum + stdev, 0);
  return { red, green, blue, spread: totalDeviation };
}

describe('POST /image/generate', () => {
  test('returns JSON with every field that a client reads', async () => {
    const service = await startTestService();
    const reply = await postImage(service, { variants: 2, seed: 7 });
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = (await reply.json()) as Reply;
    expect(body.id).toBe('generate-image-1');
    expect(body.images).toHaveLength(2);
    expect(Object.keys(body.timing).sort()).toEqual([
      'inferenceDuration',
      'inferencePreprocessingTime',
      'inferenceQueueTime',
      'total',
    ]);
    expect(Object.values(body.timing).every((value) => value >= 0)).toBe(true);
    expect(body.request).toMatchObject({
      success: true,
      data: { model: 'default', seed: 7, variants: 2, format: 'webp', safe_mode: true },
    });
    for (const image of body.images) {
      expect(await sharp(Buffer.from(image, 'base64')).metadata()).toMatchObject({
        format: 'webp',
        width: 1024,
        height: 1024,
      });
    }
  });

  test.each(['jpeg', 'png', 'webp'])(
    'returns the bytes of a %s image with its content type',
    async (format) => {
      const service = await startTestService();
      const reply = await postImage(service, {
        return_binary: true,
        format,
        width: 300,
        height: 200,
      });
      expect(reply.headers.get('content-type')).toBe(`image/${format}`);
      const file = Buffer.from(await reply.arrayBuffer());
      expect(reply.headers.get('content-length')).toBe(String(file.length));
      expect(await sharp(file).metadata()).toMatchObject({ format, width: 300, height: 200 });
    },
  );

  test.each([
    ['painter-turbo', { width: 1280, height: 1 }, 1280, 1],
    ['painter-turbo', { width: 513, height: 301 }, 513, 301],
    ['painter-turbo', { aspect_ratio: '16:9' }, 1024, 1024],
    ['painter-ratio', {}, 1024, 1024],
    ['painter-ratio', { aspect_ratio: '16:9' }, 1024, 576],
    ['painter-ratio', { aspect_ratio: '9:16', width: 100, height: 100 }, 576, 1024],
    ['painter-ratio', { aspect_ratio: '5:17' }, 1024, 1024],
    ['painter-studio', { aspect_ratio: '21:9' }, 1024, 439],
    ['painter-studio', { aspect_ratio: '3:2', resolution: '2K' }, 2048, 1365],
    ['painter-studio', { resolution: '4K' }, 4096, 4096],
  ])(
    'with the model %s and the fields %j returns an image of %i × %i pixels',
    async (model, body, ...size) => {
      const service = await startTestService();
      const { width, height } = await sharp(
        await generateImage(service, { model, ...body }),
      ).metadata();
      expect([width, height]).toEqual(size);
    },
  );

  test('returns headers for the moderation result, rate limits, model and version', async () => {
    const service = await startTestService();
    for (const return_binary of [true, false]) {
      const { headers } = await postImage(service, { return_binary, safe_mode: false });
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-service-is-blurred': 'false',
        'x-service-is-content-violation': 'false',
        'x-service-is-adult-model-content-violation': 'false',
        'x-service-contains-minor': 'false',
        'x-service-model-id': 'painter-turbo',
        'x-service-model-name': 'Painter Turbo',
        'x-service-version': expect.any(String),
        'x-ratelimit-limit-requests': '20',
        'x-ratelimit-remaining-requests': return_binary ? '19' : '18',
        'x-ratelimit-reset-requests': expect.stringMatching(/^\d{13}$/),
      });
      expect(headers.has('x-ratelimit-limit-tokens')).toBe(false);
    }
  });

  test('uses the configured vendor prefix', async () => {
    const service = await startTestService({ vendorPrefix: 'acme' });
    const { headers } = await postImage(service, {});
    expect(headers.get('x-acme-is-blurred')).toBe('false');
    expect([...headers.keys()].filter((name) => name.startsWith('x-service'))).toEqual([]);
  });

  test('compresses JSON replies on request, but not image bytes', async () => {
    const service = await startTestService();
    const headers = { 'accept-encoding': 'gzip' };
    const jsonReply = await postImage(service, {}, { headers });
    expect(jsonReply.headers.get('content-encoding')).toBe('gzip');
    expect(((await jsonReply.json()) as Reply).images).toHaveLength(1);
    const binaryReply = await postImage(service, { return_binary: true }, { headers });
    expect(binaryReply.headers.has('content-encoding')).toBe(false);
  });

  test('returns headers that announce the removal of a deprecated model', async () => {
    const service = await startTestService();
    const { headers } = await postImage(service, { model: 'painter-veteran' });
    expect(headers.get('x-service-deprecated-replacement')).toBe('painter-fine');
  });
});

describe('a generated image', () => {
  const baseRequest = { model: 'painter-fine', format: 'png', width: 256, height: 256, seed: 1 };

  test('is the same for the same request to two test services', async () => {
    const firstImage = await generateImage(await startTestService({ seed: 1 }), baseRequest);
    const secondImage = await generateImage(await startTestService({ seed: 2 }), baseRequest);
    expect(computeDigest(firstImage)).toBe(computeDigest(secondImage));
  });

  test.each([
    { seed: 2 },
    { seed: -1 },
    { prompt: 'A blue boat' },
    { model: 'painter-veteran', prompt: 'A boat' },
    { negative_prompt: 'fog' },
    { cfg_scale: 20 },
    { cfg_scale: 0.5 },
    { steps: 1 },
    { style_preset: 'Watercolor' },
    { hide_watermark: true },
  ])('differs from the base image if the request contains %j', async (change) => {
    const service = await startTestService();
    const initialImage = await generateImage(service, baseRequest);
    expect(computeDigest(await generateImage(service, { ...baseRequest, ...change }))).not.toBe(
      computeDigest(initialImage),
    );
  });

  test('differs for each request without a seed, until a reset restarts the sequence', async () => {
    const service = await startTestService();
    const body = { ...baseRequest, seed: undefined };
    const firstImage = await generateImage(service, body);
    expect(computeDigest(await generateImage(service, body))).not.toBe(computeDigest(firstImage));
    await service.control.reset();
    expect(computeDigest(await generateImage(service, body))).toBe(computeDigest(firstImage));
  });

  test('has the color named in the prompt, and its saturation depends on the guidance', async () => {
    const service = await startTestService();
    const measureBoatColor = async (prompt: string, cfg_scale: number) =>
      measureImage(await generateImage(service, { ...baseRequest, prompt, cfg_scale }));
    const redMeans = await measureBoatColor('A red boat', 15);
    expect(redMeans.red).toBeGreaterThan(redMeans.blue + 20);
    const blueMeans = await measureBoatColor('A blue boat', 15);
    expect(blueMeans.blue).toBeGreaterThan(blueMeans.red + 20);
    const paleMeans = await measureBoatColor('A red boat', 1);
    expect(redMeans.red - redMeans.blue).toBeGreaterThan(paleMeans.red - paleMeans.blue + 20);
  });

  test('differs for each style preset', async () => {
    const service = await startTestService();
    await service.control.setLimits({ rpm: 1000, tpm: 1000 });
    const { data } = (await (await fetch(`${service.baseUrl}/image/styles`)).json()) as {
      data: string[];
    };
    const smallRequest = { ...baseRequest, width: 128, height: 128 };
    const digests = new Set([computeDigest(await generateImage(service, smallRequest))]);
    for (const style_preset of data) {
      digests.add(computeDigest(await generateImage(service, { ...smallRequest, style_preset })));
    }
    expect(digests.size).toBe(data.length + 1);
    const grayMeans = await measureImage(
      await generateImage(service, { ...smallRequest, style_preset: 'Film Noir' }),
    );
    expect(Math.abs(grayMeans.red - grayMeans.blue)).toBeLessThan(1);
  });

  test('differs between variants, and only the first variant uses the seed unchanged', async () => {
    const service = await startTestService();
    const generateVariants = async (seed: number): Promise<readonly string[]> => {
      const reply = await postImage(service, { ...baseRequest, seed, variants: 4 });
      return ((await reply.json()) as Reply).images;
    };
    const variantImages = await generateVariants(1);
    expect(new Set(variantImages).size).toBe(4);
    expect(variantImages[0]).toBe((await generateImage(service, baseRequest)).toString('base64'));
  });

  test('has more detail at a higher quality', async () => {
    const service = await startTestService();
    const body = { ...baseRequest, model: 'painter-print', width: undefined, height: undefined };
    const sizes = [];
    for (const quality of ['low', 'medium', 'high', undefined]) {
      sizes.push((await generateImage(service, { ...body, quality })).length);
    }
    expect(sizes[0]).toBeLessThan(sizes[1] ?? 0);
    expect(sizes[1]).toBeLessThan(sizes[2] ?? 0);
    expect(sizes[3]).toBe(sizes[2]);
  });

  test('is unaffected by options that its model does not support', async () => {
    const service = await startTestService();
    const body = { model: 'painter-ratio', seed: 1, format: 'png' };
    const plainImage = await generateImage(service, body);
    const ignoredOptions = {
      steps: 400,
      cfg_scale: 20,
      negative_prompt: 'fog',
      style_preset: 'Anime',
    };
    const options = { ...ignoredOptions, width: 8, height: 8, quality: 'low', lora_strength: 3 };
    expect(computeDigest(await generateImage(service, { ...body, ...options }))).toBe(
      computeDigest(plainImage),
    );
  });

  test('takes on the color of a style reference in proportion to its strength', async () => {
    const service = await startTestService();
    const green = sharp({ create: { width: 64, height: 64, channels: 3, background: '#00ff00' } });
    const image = (await green.png().toBuffer()).toString('base64');
    const greenLevels = [];
    for (const strength of [0.1, 0.5, 1]) {
      const style_references = [{ image: `data:image/png;base64,${image}`, strength }];
      const { green: meanGreen, red } = await measureImage(
        await generateImage(service, { ...baseRequest, prompt: 'A red boat', style_references }),
      );
      greenLevels.push(meanGreen - red);
    }
    expect(greenLevels).toEqual(greenLevels.toSorted((a, b) => a - b));
    expect(new Set(greenLevels).size).toBe(3);
  });

  test('contains the prompt as metadata on request', async () => {
    const service = await startTestService();
    for (const format of ['png', 'jpeg', 'webp']) {
      const body = { ...baseRequest, format, embed_exif_metadata: true };
      const { exif } = await sharp(await generateImage(service, body)).metadata();
      expect(exif?.toString('latin1')).toContain('A red boat at dawn');
      const plainMetadata = await sharp(
        await generateImage(service, { ...baseRequest, format }),
      ).metadata();
      expect(plainMetadata.exif).toBeUndefined();
    }
  });
});

describe('a moderated prompt', () => {
  const flaggedPrompt = 'A nude statue';
  const body = { model: 'painter-fine', prompt: flaggedPrompt, format: 'png', seed: 1 };

  test('produces a blurred image only in safe mode', async () => {
    const service = await startTestService();
    const blurredReply = await postImage(service, { ...body, return_binary: true });
    expect(blurredReply.headers.get('x-service-is-blurred')).toBe('true');
    expect(blurredReply.headers.get('x-service-is-content-violation')).toBe('false');
    const unblurredReply = await postImage(service, {
      ...body,
      return_binary: true,
      safe_mode: false,
    });
    expect(unblurredReply.headers.get('x-service-is-blurred')).toBe('false');
    const files = [await blurredReply.arrayBuffer(), await unblurredReply.arrayBuffer()].map(
      (content) => Buffer.from(content),
    );
    const [blurredEdge = 0, sharpEdge = 0] = await Promise.all(files.map(findStrongestEdge));
    expect(blurredEdge).toBeLessThan(sharpEdge / 3);
    expect((await service.control.getAccounts()).charges).toHaveLength(2);
  });

  test.each([
    ['forbidden', 'false', 'false'],
    ['Hardcore', 'true', 'false'],
    ['underage', 'false', 'true'],
  ])(
    'that contains the word %s produces a black image free of charge',
    async (word, adultHeader, minorHeader) => {
      const service = await startTestService();
      const reply = await postImage(service, { ...body, prompt: `A ${word} thing`, variants: 2 });
      expect(reply.status).toBe(200);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'x-service-is-content-violation': 'true',
        'x-service-is-blurred': 'false',
        'x-service-is-adult-model-content-violation': adultHeader,
        'x-service-contains-minor': minorHeader,
      });
      const { images } = (await reply.json()) as Reply;
      expect(images).toHaveLength(2);
      const { red, green, blue, spread } = await measureImage(
        Buffer.from(images[0] ?? '', 'base64'),
      );
      expect([red, green, blue, spread]).toEqual([0, 0, 0, 0]);
      expect((await service.control.getAccounts()).charges).toEqual([]);
    },
  );
});

/** Returns the largest difference in color between neighboring pixels. */
async function findStrongestEdge(file: Buffer): Promise<number> {
  const kernel = [0, -0.25, 0, -0.25, 1, -0.25, 0, -0.25, 0];
  const edgeImage = sharp(file).convolve({ width: 3, height: 3, kernel, scale: 1 });
  const { channels } = await sharp(await edgeImage.png().toBuffer()).stats();
  return Math.max(...channels.map(({ max }) => max));
}

describe('an image request', () => {
  const tooManyMessage = 'Number must be less than or equal to';
  const refusals: [object, string, string][] = [
    [{ prompt: '' }, 'prompt', 'String must contain at least 1 character(s)'],
    [{ prompt: undefined }, 'prompt', 'Required'],
    [{ prompt: 'x'.repeat(7501) }, 'prompt', 'String must contain at most 7500 character(s)'],
    [
      { negative_prompt: 'x'.repeat(7501) },
      'negative_prompt',
      'String must contain at most 7500 character(s)',
    ],
    [{ width: 0 }, 'width', 'Number must be greater than or equal to 1'],
    [{ height: 1281 }, 'height', `${tooManyMessage} 1280`],
    [{ width: 12.5 }, 'width', 'Expected integer, received float'],
    [{ width: '1024' }, 'width', 'Expected number, received string'],
    [{ variants: 5 }, 'variants', `${tooManyMessage} 4`],
    [{ variants: 0 }, 'variants', 'Number must be greater than or equal to 1'],
    [
      { variants: 2, return_binary: true },
      'variants',
      'variants is not supported when return_binary is true',
    ],
    [{ cfg_scale: 0 }, 'cfg_scale', 'Number must be greater than 0'],
    [{ cfg_scale: 20.1 }, 'cfg_scale', `${tooManyMessage} 20`],
    [{ model: 'painter-fine', steps: 31 }, 'steps', `${tooManyMessage} 30`],
    [{ seed: 1_000_000_000 }, 'seed', `${tooManyMessage} 999999999`],
    [{ seed: -1_000_000_000 }, 'seed', 'Number must be greater than or equal to -999999999'],
    [
      { format: 'gif' },
      'format',
      "Invalid enum value. Expected 'jpeg' | 'png' | 'webp', received 'gif'",
    ],
    [
      { quality: 'best' },
      'quality',
      "Invalid enum value. Expected 'low' | 'medium' | 'high', received 'best'",
    ],
    [{ lora_strength: 101 }, 'lora_strength', `${tooManyMessage} 100`],
    [{ style_preset: 'anime' }, 'style_preset', 'Style preset not found: anime'],
    [
      { model: 'painter-studio', resolution: '8K' },
      'resolution',
      "Invalid enum value. Expected '1K' | '2K' | '4K', received '8K'",
    ],
    [{ resolution: '1K' }, 'resolution', 'resolution is not supported by this model'],
    [{ model: 'painter-print', width: 512 }, 'width', 'width is not supported by this model'],
    [
      { enable_web_search: true },
      'enable_web_search',
      'enable_web_search is not supported by this model',
    ],
    [
      { style_references: [{ image: 'x' }] },
      'style_references',
      'style_references is not supported by this model',
    ],
    [
      { model: 'painter-fine', style_references: [1, 2, 3, 4].map(() => ({ image: 'x' })) },
      'style_references',
      'Array must contain at most 3 element(s)',
    ],
  ];
  test.each(refusals.map(([change, ...messages]) => [...messages, change] as const))(
    'is rejected with an error for the field `%s`: "%s"',
    async (field, message, change) => {
      const service = await startTestService();
      const reply = await postImage(service, change);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({
        error: 'Invalid request parameters',
        details: { [field]: { _errors: [message] } },
        issues: [{ path: [field], message }],
      });
    },
  );

  test.each([
    [{ inpaint: {} }, "Unrecognized key(s) in object: 'inpaint'"],
    [{ n: 1, size: 'auto' }, "Unrecognized key(s) in object: 'n', 'size'"],
  ])('is rejected because of unknown fields: %j', async (change, message) => {
    const reply = await postImage(await startTestService(), change);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      details: { _errors: [message] },
      issues: [{ code: 'unrecognized_keys', path: [], message }],
    });
  });

  test.each([
    [
      'a strength below the limit',
      'strength',
      { image: 'x', strength: 0.05 },
      'Number must be greater than or equal to 0.1',
    ],
    [
      'an invalid image',
      'image',
      { image: '<svg/>' },
      'Supplied image did not pass validation checks.',
    ],
    [
      'an image that is too large',
      'image',
      { image: 'a'.repeat(12_000_000) },
      'Image is too large. It must have at most 8 MB.',
    ],
  ])('is rejected because of a style reference with %s', async (_, field, reference, message) => {
    const body = { model: 'painter-fine', style_references: [reference] };
    const reply = await postImage(await startTestService(), body);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      issues: [{ path: ['style_references', 0, field], message }],
    });
  });

  test.each([
    [
      'a model name in the wrong case',
      'Painter-Turbo',
      404,
      /^Specified model not found: Painter-Turbo\. Did you mean painter-/,
    ],
    ['the name of a text model', 'assistant-large-480b', 404, /^Specified model not found/],
    ['the model name "__proto__"', '__proto__', 404, /^Specified model not found/],
    ['no model', undefined, 400, /^model is required$/],
    ['a number as the model', 7, 400, /^model must be a string$/],
    [
      'a model for subscribers only',
      'painter-frontier',
      401,
      /^This model is only available to Pro users$/,
    ],
    ['an offline model', 'painter-absent', 503, /^The model is offline/],
  ])('is rejected if it contains %s', async (_, model, status, message) => {
    const reply = await postImage(await startTestService(), { model });
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { error: string }).error).toMatch(message);
  });

  test.each(['default', 'painter-studio'])(
    'is accepted with the field `steps`, which the model %s ignores',
    async (model) => {
      expect((await postImage(await startTestService(), { model, steps: 30 })).status).toBe(200);
    },
  );

  test('is rejected with an unsupported content type, or with a missing or invalid key', async () => {
    const service = await startTestService();
    const textReply = await postImage(service, {}, { headers: { 'content-type': 'text/plain' } });
    expect(textReply.status).toBe(415);
    const formHeaders = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await postImage(service, {}, { headers: formHeaders })).status).toBe(415);
    expect((await postImage(service, {}, { key: 'wrong' })).status).toBe(401);
    expect((await postImage(service, {}, { headers: { authorization: '' } })).status).toBe(402);
  });

  test('is rejected with Retry-After if it is the twenty-first within a minute', async () => {
    const service = await startTestService();
    await service.control.changeClock({ set: '2026-11-20T10:00:00Z' });
    const smallRequest = { width: 16, height: 16 };
    for (let index = 0; index < 20; index++) {
      expect((await postImage(service, smallRequest)).status).toBe(200);
    }
    const reply = await postImage(service, smallRequest);
    expect(reply.status).toBe(429);
    const seconds = Number(reply.headers.get('retry-after'));
    expect(seconds).toBe(3);
    await service.control.changeClock({ advance: seconds * 1000 });
    expect((await postImage(service, smallRequest)).status).toBe(200);
  });
});

describe('a paid image request', () => {
  test.each([
    [{}, 0.01],
    [{ variants: 4 }, 0.04],
    [{ enhance_prompt: true, variants: 2 }, 0.06],
    [{ model: 'painter-ratio' }, 0.05],
    [{ model: 'painter-studio' }, 0.18],
    [{ model: 'painter-studio', resolution: '2K', enable_web_search: true }, 0.24],
    [{ model: 'painter-print' }, 0.19],
    [{ model: 'painter-print', resolution: '2K', quality: 'low', variants: 2 }, 0.06],
  ])('with the fields %j costs $%d', async (body, cost) => {
    const service = await startTestService();
    expect((await postImage(service, body)).status).toBe(200);
    const { charges } = await service.control.getAccounts();
    const chargedAmounts = charges.map(({ diem, bundled, usd }) => diem + bundled + usd);
    expect(chargedAmounts).toEqual([Math.round(cost * 1e6)]);
  });

  test('is rejected if the balance covers only a part of the price', async () => {
    const service = await startTestService();
    await service.control.changeAccount({ usd: 0.03, bundled: 0.02, stakedDiem: 0 });
    const model = 'painter-ratio';
    const rejectedReply = await postImage(service, { model, variants: 2 });
    expect(rejectedReply.status).toBe(402);
    expect(await rejectedReply.json()).toMatchObject({
      error: expect.stringContaining('Insufficient USD'),
    });
    expect((await postImage(service, { model })).status).toBe(200);
    expect((await postImage(service, { model })).status).toBe(402);
  });

  test('is rejected if it exceeds the spending limit of the key, regardless of the balance', async () => {
    const service = await startTestService();
    const key = 'limited';
    await service.control.changeAccount({ keys: [{ secret: key, limit: { usd: 0.02, diem: 0 } }] });
    const twoVariantsRequest = { variants: 2 };
    expect((await postImage(service, twoVariantsRequest, { key })).status).toBe(200);
    const overLimitReply = await postImage(service, twoVariantsRequest, { key });
    expect(overLimitReply.status).toBe(402);
    expect(await overLimitReply.json()).toMatchObject({
      error: expect.stringContaining('spend limit'),
    });
  });

  test('returns the enhanced prompt in a header', async () => {
    const service = await startTestService();
    const { headers } = await postImage(service, { enhance_prompt: true, prompt: 'Ein Bär' });
    const enhancedPrompt = headers.get('x-service-enhanced-prompt') ?? '';
    expect(enhancedPrompt).toMatch(/^[\w%.!~*'()-]+$/);
    expect(decodeURIComponent(enhancedPrompt)).toMatch(/^Ein Bär, /);
  });
});

test('the reply with the rate limits of a key includes image models', async () => {
  const { baseUrl, apiKey } = await startTestService();
  const headers = { authorization: `Bearer ${apiKey}` };
  const reply = await fetch(`${baseUrl}/api_keys/rate_limits`, { headers });
  const { data } = (await reply.json()) as { data: { rateLimits: unknown[] } };
  const rateLimits = [{ type: 'RPM', amount: 20 }];
  expect(data.rateLimits).toContainEqual({ apiModelId: 'painter-turbo', rateLimits });
});

test('GET /image/styles lists the styles without a key', async () => {
  const { baseUrl } = await startTestService();
  const reply = await fetch(`${baseUrl}/image/styles`);
  const body = (await reply.json()) as { object: string; data: string[] };
  expect(body.object).toBe('list');
  expect(body.data).toEqual(expect.arrayContaining(['3D Model', 'Pixel Art', 'Tilt-Shift']));
  expect(new Set(body.data).size).toBe(body.data.length);
});

test('the model list contains every kind of image model', async () => {
  const { baseUrl } = await startTestService();
  const fetchRecords = async (type: string): Promise<ModelRecord[]> =>
    ((await (await fetch(`${baseUrl}/models?type=${type}`)).json()) as { data: ModelRecord[] })
      .data;
  const images = await fetchRecords('image');
  const fields = new Set(images.flatMap(({ model_spec }) => Object.keys(model_spec.constraints!)));
  expect([...fields]).toEqual(
    expect.arrayContaining(['aspectRatios', 'resolutions', 'qualities', 'maxStyleReferences']),
  );
  for (const { model_spec } of images) {
    const pricing = model_spec.pricing as Record<string, unknown>;
    expect('generation' in pricing).toBe(!('resolutions' in pricing));
    expect(pricing['upscale']).toMatchObject({ '2x': { usd: 0.02 }, '4x': { usd: 0.08 } });
  }
  expect(images.some(({ model_spec }) => model_spec.offline)).toBe(true);
  const combineFlags = (await fetchRecords('inpaint')).map(
    ({ model_spec }) => (model_spec.constraints as { combineImages: boolean }).combineImages,
  );
  expect(new Set(combineFlags)).toEqual(new Set([true, false]));
});

describe('POST /images/generations', () => {
  const body = { model: 'default', prompt: 'A red boat' };
  const postGenerations = (service: LocalService, change: object): Promise<Response> =>
    postJson(service, { path: '/images/generations', body: { ...body, ...change } });

  test('accepts requests from the openai package', async () => {
    const { baseUrl, apiKey } = await startTestService();
    const client = new OpenAI({ baseURL: baseUrl, apiKey });
    const reply = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'A red boat',
      size: '1536x1024',
      n: 1,
    });
    const file = Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64');
    expect(await sharp(file).metadata()).toMatchObject({
      format: 'png',
      width: 1536,
      height: 1024,
    });
    expect(reply.created).toBeGreaterThan(1_700_000_000);
  });

  test('accepts the fields of the OpenAI format, and returns the headers of POST /image/generate', async () => {
    const service = await startTestService();
    const reply = await postGenerations(service, {
      size: '256x256',
      output_format: 'jpeg',
      response_format: 'url',
      quality: 'hd',
      style: 'vivid',
      background: 'auto',
      output_compression: 50,
      user: 'x',
    });
    expect(reply.headers.get('x-service-is-blurred')).toBe('false');
    expect(reply.headers.get('x-ratelimit-remaining-requests')).toBe('19');
    const { data } = (await reply.json()) as { data: { url: string }[] };
    const [prefix, base64] = data[0]?.url.split(',') ?? [];
    expect(prefix).toBe('data:image/jpeg;base64');
    const metadata = await sharp(Buffer.from(base64 ?? '', 'base64')).metadata();
    expect(metadata).toMatchObject({ format: 'jpeg', width: 256, height: 256 });
    expect((await service.control.getAccounts()).charges).toHaveLength(1);
  });

  test('ignores `size` for models that only support aspect ratios, and maps `moderation` to safe mode', async () => {
    const service = await startTestService();
    const ratioReply = await postGenerations(service, { model: 'painter-ratio', size: '512x512' });
    const { data } = (await ratioReply.json()) as { data: { b64_json: string }[] };
    const file = Buffer.from(data[0]?.b64_json ?? '', 'base64');
    expect((await sharp(file).metadata()).width).toBe(1024);
    for (const [moderation, blurHeader] of [
      ['auto', 'true'],
      ['low', 'false'],
    ]) {
      const { headers } = await postGenerations(service, { prompt: 'nude', moderation });
      expect(headers.get('x-service-is-blurred')).toBe(blurHeader);
    }
  });

  test.each([
    ['a number of images above 1', { n: 2 }, 'Number must be less than or equal to 1'],
    [
      'a prompt of 1,501 characters',
      { prompt: 'x'.repeat(1501) },
      'String must contain at most 1500 character(s)',
    ],
    ['an unknown field', { safe_mode: false }, "Unrecognized key(s) in object: 'safe_mode'"],
    ['no model', { model: undefined }, 'model is required'],
    ['an unknown size', { size: '1x1' }, "Invalid enum value. Expected 'auto' | '256x256'"],
  ])('rejects a body with %s', async (_, change, message) => {
    const reply = await postGenerations(await startTestService(), change);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(message);
  });
});
