import { expect, test } from 'vitest';
import {
  createScriptedService,
  type ScriptedAnswer,
} from '../../../test/support/scripted-transport.ts';
import { combineImages, editImage, removeBackground, upscaleImage } from './image-calls.ts';
import type { ImageEvent } from './image-types.ts';
import type { ServiceContext } from '../http/client.ts';

const callOptions = { signal: new AbortController().signal };

const imageBytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff);
const imageBase64 = 'iVBOR/8=';
/** Image bytes as a view into a larger buffer, as when they are part of a file. */
const imageView = Buffer.concat([Buffer.from('before'), imageBytes, Buffer.from('after')]).subarray(
  6,
  11,
);
const imageAnswer: ScriptedAnswer = {
  headers: { 'content-type': 'image/png', 'x-request-id': 'edit-1' },
  body: [Buffer.from('\x89PNG\r\n\x1A\nand the rest', 'latin1')],
};
const editOptions = {
  prompt: 'more cats',
  aspectRatio: '16:9',
  resolution: '2K',
  format: 'webp',
} as const;
const sentFields = {
  prompt: 'more cats',
  aspect_ratio: '16:9',
  resolution: '2K',
  output_format: 'webp',
  safe_mode: false,
  enhance_prompt: true,
};
const optionFlags = { safeMode: false, enhancePrompt: true };

type RunEdit = (context: ServiceContext) => AsyncGenerator<ImageEvent>;

test.each<[string, string, object, RunEdit]>([
  [
    'an image edit without options',
    '/image/edit',
    { prompt: 'x', image: imageBase64 },
    (context) => editImage(context, { prompt: 'x', image: imageView }, callOptions),
  ],
  [
    'an image edit with options',
    '/image/edit',
    { model: 'm', ...sentFields, image: imageBase64 },
    (context) =>
      editImage(
        context,
        { model: 'm', ...editOptions, ...optionFlags, image: imageBytes },
        callOptions,
      ),
  ],
  [
    'a combination of two images',
    '/image/multi-edit',
    { modelId: 'm', ...sentFields, quality: 'high', images: [imageBase64, imageBase64] },
    (context) =>
      combineImages(
        context,
        {
          model: 'm',
          ...editOptions,
          ...optionFlags,
          quality: 'high',
          images: [imageBytes, imageView],
        },
        callOptions,
      ),
  ],
  [
    'an upscaling of an image',
    '/image/upscale',
    { image: imageBase64, scale: 4, creativity: 0 },
    (context) => upscaleImage(context, { image: imageBytes, scale: 4, creativity: 0 }, callOptions),
  ],
  [
    'a removal of the background',
    '/image/background-remove',
    { image: imageBase64 },
    (context) => removeBackground(context, { image: imageView }, callOptions),
  ],
])(
  '%s sends its options and images as JSON to %s and returns an image',
  async (_description, path, body, run) => {
    const { context, requests } = createScriptedService(imageAnswer);
    const events = await Array.fromAsync(run(context));
    expect(events.map(({ type }) => type)).toEqual([
      'reply-start',
      'image-start',
      'image-bytes',
      'image-end',
      'reply-end',
    ]);
    expect(events[0]).toMatchObject({ info: { requestId: 'edit-1' } });
    const [request] = requests;
    expect(request?.url.pathname).toBe(`/api/v1${path}`);
    expect(JSON.parse(String(request?.body))).toEqual(body);
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(request?.timeouts).toMatchObject({ headersMs: 300_000, idleMs: 60_000 });
  },
);

const createMegabytes = (count: number): Uint8Array => new Uint8Array(count * 1024 * 1024);

test.each<[string, RunEdit, message?: string]>([
  [
    'editing',
    (context) => editImage(context, { prompt: 'x', image: createMegabytes(25) }, callOptions),
  ],
  [
    'upscaling',
    (context) => upscaleImage(context, { scale: 2, image: createMegabytes(25) }, callOptions),
  ],
  [
    'removing the background',
    (context) => removeBackground(context, { image: createMegabytes(25) }, callOptions),
  ],
  [
    'combining',
    (context) =>
      combineImages(
        context,
        { prompt: 'x', images: [createMegabytes(13), createMegabytes(13)] },
        callOptions,
      ),
    'The images have 25 MB or more in total. Use smaller ones.',
  ],
])(
  'an image call for %s rejects images above the size limit without sending a request, and states the limit',
  async (_name, run, message = 'The image has 25 MB or more. Use a smaller one.') => {
    const { context, requests } = createScriptedService(imageAnswer);
    await expect(Array.fromAsync(run(context))).rejects.toMatchObject({
      failure: { code: 'payload-too-large', message },
    });
    expect(requests).toEqual([]);
  },
);

test('editImage sends an image of the maximum size in a request body below the service limit', async () => {
  const { context, requests } = createScriptedService(imageAnswer);
  const image = new Uint8Array(25 * 1024 * 1024 - 1);
  await Array.fromAsync(editImage(context, { prompt: 'x'.repeat(30_000), image }, callOptions));
  expect(String(requests[0]?.body).length).toBeLessThan(35_000_000);
});
