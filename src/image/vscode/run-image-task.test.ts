import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../../test/support/deployment-context.ts';
import { systemClock } from '../../base/clock.ts';
import type { ServiceContext } from '../../service/http/client.ts';
import type { ImageRequest } from '../../service/images/image-types.ts';
import { mayBeCharged } from '../image-generator.ts';
import { createImageDetails } from '../studio/vscode/studio-view.ts';
import type { ImageRecord } from '../image-record.ts';
import { Gallery } from './gallery.ts';
import type { UnstoredImageError } from './image-file.ts';
import { readImageHeader } from '../image-header.ts';
import {
  createSourceReader,
  type ImageTaskPorts,
  readSourceFile,
  runImageTask,
} from './run-image-task.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  env: { language: 'en' },
}));

const disk = vi.hoisted(() => ({ isFull: false, isReadOnly: false }));

/** Replaces the file system with one that a test can make full or read-only. */
vi.mock('node:fs/promises', () => {
  const realFs = process.getBuiltinModule('node:fs').promises;
  const open = async (...openArguments: Parameters<typeof realFs.open>) => {
    // Only image files are created with this flag, so the journal stays writable.
    if (disk.isReadOnly && openArguments[1] === 'wx+')
      throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    const file = await realFs.open(...openArguments);
    const originalWritev = file.writev.bind(file);
    const writev = async (chunks: readonly Uint8Array[]): Promise<unknown> => {
      if (disk.isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return originalWritev(chunks);
    };
    return Object.assign(file, { writev });
  };
  return { ...realFs, open };
});

/** Creates the dependencies of an image task, with a gallery in the given folder. */
const createImageTaskPorts = (
  { context }: Pick<DeploymentConnection, 'context'>,
  folder: string,
  add: ImageTaskPorts['unstoredImages']['add'] = () => {},
  notifyAgain = () => {},
): ImageTaskPorts => ({
  service: context,
  gallery: new Gallery({ folder, getMaxBytes: () => 1e9 }),
  readSource: () => Promise.reject(new Error('There is no source')),
  clock: systemClock,
  createId: () => 'image-1',
  unstoredImages: { add, notifyAgain, isFull: false },
});

/**
 * Sends an image request to a local test service that rejects unknown options. Returns the records of the images that
 * the gallery stored.
 */
async function runTask(
  change: Partial<ImageRequest>,
  prepare: (server: DeploymentConnection) => void = () => {},
): Promise<readonly ImageRecord[]> {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  prepare(server);
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat', ...change };
    const { failure } = await runImageTask(
      createImageTaskPorts(server, folder),
      { operation: { kind: 'generate', request, variants: 1 } },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    expect(failure).toBeUndefined();
    return await new Gallery({ folder, getMaxBytes: () => 1e9 }).list();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const getDetailRows = (record: ImageRecord): Record<string, string> =>
  Object.fromEntries(
    createImageDetails(record, {
      source: null,
      insertProblem: '',
      isSaved: false,
      formatRerunPrice: () => '',
      formatUpscalePrice: () => '',
    }).rows.map(({ label, value }) => [label, value]),
  );

test('runImageTask stores the improved prompt that the user paid for, and shows this prompt with the image', async () => {
  const [record] = await runTask({ enhancePrompt: true });
  expect(record && getDetailRows(record)).toMatchObject({
    Prompt: 'a boat',
    'Improved prompt': 'a boat, detailed',
  });
});

test('runImageTask sends nothing while too many paid images are only in memory', async () => {
  const ports = createImageTaskPorts({ context: {} as ServiceContext }, '/missing');
  const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };
  const { records, failure } = await runImageTask(
    { ...ports, unstoredImages: { ...ports.unstoredImages, isFull: true } },
    { operation: { kind: 'generate', request, variants: 1 } },
    { signal: new AbortController().signal, onProgress: () => {} },
  );
  expect(records).toEqual([]);
  expect(failure).toMatchObject({
    code: 'memory-full',
    actions: ['save-image', 'discard-image'],
  });
  expect(mayBeCharged(failure?.code)).toBe(false);
});

test('runImageTask shows no improved prompt if the request did not enable prompt enhancement', async () => {
  const [record] = await runTask({});
  expect(Object.keys(record === undefined ? {} : getDetailRows(record))).not.toContain(
    'Improved prompt',
  );
});

test('runImageTask stores only the options that the service received', async () => {
  const model = 'canvas-ratio';
  const [record] = await runTask(
    { model, seed: 42, stylePreset: 'Anime', cfgScale: 7, aspectRatio: '16:9' },
    ({ connection }) => {
      // The service has rejected a random seed before, and the user has agreed to omit the style.
      connection.recordField(`image.seed:${model}`, false);
      connection.omitField(`image.style_preset:${model}`);
    },
  );
  expect(record?.origin).toMatchObject({
    kind: 'generate',
    request: { model, prompt: 'a boat', cfgScale: 7, aspectRatio: '16:9' },
  });
  expect(record?.origin).not.toHaveProperty('request.seed');
  expect(record?.origin).not.toHaveProperty('request.stylePreset');
});

test('runImageTask sends no request if the gallery cannot store images', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const parentFolder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    // A file that takes the place of the gallery folder, so that no image can be stored.
    const folder = join(parentFolder, 'gallery');
    writeFileSync(folder, '');
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };
    const { failure, records } = await runImageTask(
      createImageTaskPorts(server, folder),
      { operation: { kind: 'generate', request, variants: 1 } },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    expect(failure?.code).toBe('disk');
    expect(records).toEqual([]);
    expect(server.listRequests('/image/generate')).toEqual([]);
    expect(readdirSync(parentFolder)).toEqual(['gallery']);
  } finally {
    rmSync(parentFolder, { recursive: true });
  }
});

test('runImageTask offers each paid image to the user if the disk becomes full during the download', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  const offeredImages: UnstoredImageError[] = [];
  try {
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };
    const { failure, records } = await runImageTask(
      createImageTaskPorts(server, folder, (image) => offeredImages.push(image)),
      { operation: { kind: 'generate', request, variants: 2 } },
      {
        signal: new AbortController().signal,
        onProgress: ({ type }) => {
          if (type === 'reply-start') disk.isFull = true;
        },
      },
    );
    expect(failure).toMatchObject({
      code: 'unstored-image',
      actions: ['save-image', 'discard-image', 'pay-again'],
    });
    expect(records).toEqual([]);
    expect(offeredImages.map(({ content }) => readImageHeader(content)?.format)).toEqual([
      'webp',
      'webp',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    disk.isFull = false;
    rmSync(folder, { recursive: true });
  }
});

/**
 * Requests images from the server. Returns the outcome of the call, and the images that the gallery could not store.
 */
async function runTaskAgainst(
  server: Pick<DeploymentConnection, 'context'>,
  {
    onReply = () => {},
    prompt = 'a boat',
    variants = 1,
  }: { onReply?: () => void; prompt?: string; variants?: 1 | 2 } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  const unstoredImages: UnstoredImageError[] = [];
  try {
    const request: ImageRequest = { model: 'canvas-pixel', prompt, format: 'png' };
    const outcome = await runImageTask(
      createImageTaskPorts(server, folder, (image) => unstoredImages.push(image)),
      { operation: { kind: 'generate', request, variants } },
      {
        signal: new AbortController().signal,
        onProgress: ({ type }) => {
          if (type === 'reply-start') onReply();
        },
      },
    );
    return { ...outcome, unstoredImages, files: readdirSync(folder) };
  } finally {
    Object.assign(disk, { isFull: false, isReadOnly: false });
    rmSync(folder, { recursive: true });
  }
}

test('runImageTask keeps a second paid image in memory if its file cannot be created', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const { records, unstoredImages } = await runTaskAgainst(server, {
    variants: 2,
    onReply: () => {
      disk.isReadOnly = true;
    },
  });
  // The first image is stored, because its file was created before the request.
  expect([records.length, unstoredImages.length]).toEqual([1, 1]);
  expect(unstoredImages[0]).toMatchObject({ reason: 'disk', code: 'EROFS', format: 'png' });
});

test('runImageTask keeps the received part of a paid image if the connection ends, and states that a retry may cost again', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
  const { failure, records, unstoredImages, files } = await runTaskAgainst(server, {
    prompt: 'a boat [[cut]]',
  });
  expect(failure).toMatchObject({ code: 'interrupted' });
  expect(failure?.actions).toEqual(['save-image', 'discard-image', 'pay-again']);
  expect([records, files]).toEqual([[], []]);
  expect(unstoredImages).toMatchObject([{ reason: 'cut-off', format: 'png' }]);
  expect(readImageHeader(unstoredImages[0]?.content ?? new Uint8Array())?.format).toBe('png');
});

/**
 * Returns a service context that connects to the given server. Changes the header of each received image, so that it
 * declares `side` pixels as width and height.
 */
function withDeclaredSize({ context }: DeploymentConnection, side: number): ServiceContext {
  const getTransport: ServiceContext['getTransport'] = async () => {
    const originalTransport = await context.getTransport();
    return {
      ...originalTransport,
      close: async () => {},
      send: async (request) => {
        const response = await originalTransport.send(request);
        if (!request.url.pathname.endsWith('/image/generate')) return response;
        const reply = JSON.parse(
          Buffer.concat(await Array.fromAsync(response.body)).toString(),
        ) as {
          images: string[];
        };
        const images = reply.images.map((text) => {
          const image = Buffer.from(text, 'base64');
          image.writeUInt32BE(side, 16);
          image.writeUInt32BE(side, 20);
          return image.toString('base64');
        });
        const body = Buffer.from(JSON.stringify({ ...reply, images }));
        const headers = { ...response.headers, 'content-length': String(body.length) };
        return {
          ...response,
          headers,
          body: (async function* () {
            yield body;
          })(),
        };
      },
    };
  };
  return { ...context, getTransport };
}

test('runImageTask keeps paid images that have too many pixels, and states that a retry may cost again', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
  const { failure, records, unstoredImages, files } = await runTaskAgainst(
    { context: withDeclaredSize(server, 20_000) },
    { variants: 2 },
  );
  expect(failure).toMatchObject({
    code: 'unstored-image',
    actions: ['save-image', 'discard-image', 'pay-again'],
  });
  expect([records, files]).toEqual([[], []]);
  expect(unstoredImages).toMatchObject([
    { reason: 'too-large', format: 'png' },
    { reason: 'too-large', format: 'png' },
  ]);
});

test('runImageTask offers a retry without a cost warning if the service rejected the request, because rejected requests are free', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
  const { failure, unstoredImages } = await runTaskAgainst({
    context: server.connect('wrong-key'),
  });
  expect(failure?.actions).toEqual(['set-key', 'retry']);
  expect(unstoredImages).toEqual([]);
});

test('runImageTask offers earlier images that are only in memory before it requests the next image', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'minimal' });
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  const requestCounts: number[] = [];
  const notifyAgain = (): void =>
    void requestCounts.push(server.listRequests('/image/generate').length);
  try {
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };
    await runImageTask(
      createImageTaskPorts(server, folder, () => {}, notifyAgain),
      { operation: { kind: 'generate', request, variants: 1 } },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    expect(requestCounts).toEqual([0]);
    expect(server.listRequests('/image/generate')).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('readSourceFile reports a missing file by its name, with the cause', async () => {
  const path = join(tmpdir(), 'folder-that-is-absent', 'gone.png');
  const uri = { scheme: 'file', path, fsPath: path };
  await expect(readSourceFile(uri as never)).rejects.toMatchObject({
    message: 'gone.png is no longer where it was.',
    cause: { code: 'ENOENT' },
  });
});

test('a source reader reads a JPEG whose frame header follows large metadata', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    const jpeg = await sharp({ create: { width: 4, height: 3, channels: 3, background: '#357' } })
      .jpeg()
      .toBuffer();
    const segment = Buffer.concat([Buffer.from('ffebffff', 'hex'), Buffer.alloc(65_533, 1)]);
    const metadata = Buffer.concat([segment, segment, segment, segment, segment]);
    const bytes = Buffer.concat([jpeg.subarray(0, 2), metadata, jpeg.subarray(2)]);
    const path = join(folder, 'a.jpg');
    writeFileSync(path, bytes);
    const gallery = { find: async () => ({ id: 'a' }), getImagePath: () => path };
    const readBytes = await createSourceReader(gallery as never)({ type: 'gallery', id: 'a' });
    expect(Buffer.compare(readBytes, bytes)).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a source reader reports an image that was deleted from the gallery', async () => {
  const readSource = createSourceReader({ find: async () => undefined } as never);
  await expect(readSource({ type: 'gallery', id: 'deleted' })).rejects.toThrow(
    'The image is no longer in the gallery.',
  );
});
