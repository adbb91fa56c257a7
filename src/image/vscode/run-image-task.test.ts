import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  type DeploymentConnection,
  startStrictDeployment,
} from '../../../test/support/deployment-context.ts';
import { systemClock } from '../../base/clock.ts';
import type { ImageRequest } from '../../service/images/image-types.ts';
import { imageDetails } from '../studio/vscode/studio-view.ts';
import type { ImageRecord } from '../image-record.ts';
import { Gallery } from './gallery.ts';
import type { UnstoredImageError } from './image-file.ts';
import { readImageHeader } from '../image-header.ts';
import { type ImageTaskPorts, runImageTask } from './run-image-task.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  env: { language: 'en' },
}));

const disk = vi.hoisted(() => ({ isFull: false }));

/** Replaces the disk with one that the test can fill. */
vi.mock('node:fs/promises', () => {
  const realFs = process.getBuiltinModule('node:fs').promises;
  const open = async (...rest: Parameters<typeof realFs.open>) => {
    const file = await realFs.open(...rest);
    const originalWrite = file.write.bind(file) as (bytes: Uint8Array) => Promise<unknown>;
    const write = async (bytes: Uint8Array): Promise<unknown> => {
      if (disk.isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return originalWrite(bytes);
    };
    return Object.assign(file, { write });
  };
  return { ...realFs, open };
});

/** Creates the ports of a task with a gallery in the folder. */
const createPorts = (
  { context }: DeploymentConnection,
  folder: string,
  offerUnstored: ImageTaskPorts['offerUnstored'] = () => {},
): ImageTaskPorts => ({
  service: context,
  gallery: new Gallery({ folder, capBytes: () => 1e9 }),
  readSource: () => Promise.reject(new Error('There is no source')),
  clock: systemClock,
  newId: () => 'image-1',
  offerUnstored,
});

/** Runs a request against a strict deployment, and returns the stored records. */
async function run(
  change: Partial<ImageRequest>,
  prepare: (server: DeploymentConnection) => void = () => {},
): Promise<readonly ImageRecord[]> {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  prepare(server);
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat', ...change };
    const { failure } = await runImageTask(
      createPorts(server, folder),
      { operation: { kind: 'generate', request, variants: 1 } },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    expect(failure).toBeUndefined();
    return await new Gallery({ folder, capBytes: () => 1e9 }).list();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const rowsOf = (record: ImageRecord): Record<string, string> =>
  Object.fromEntries(
    imageDetails(record, {
      source: null,
      insertProblem: '',
      isSaved: false,
      formatRerunPrice: () => '',
      formatUpscalePrice: () => '',
    }).rows.map(({ label, value }) => [label, value]),
  );

test('runImageTask stores the improved prompt that the user paid for, and shows this prompt with the image', async () => {
  const [record] = await run({ enhancePrompt: true });
  expect(record && rowsOf(record)).toMatchObject({
    Prompt: 'a boat',
    'Prompt as improved by the service': 'a boat, detailed',
  });
});

test('runImageTask shows no improved prompt if the request did not enable it', async () => {
  const [record] = await run({});
  expect(Object.keys(record === undefined ? {} : rowsOf(record))).not.toContain(
    'Prompt as improved by the service',
  );
});

test('runImageTask stores only the options that the service received', async () => {
  const model = 'canvas-ratio';
  const [record] = await run(
    { model, seed: 42, stylePreset: 'Anime', cfgScale: 7, aspectRatio: '16:9' },
    ({ connection }) => {
      // The service refused a random seed before, and the user agreed to leave out the style.
      connection.recordField(`image.seed:${model}`, false);
      connection.omit(`image.style_preset:${model}`);
    },
  );
  expect(record?.origin).toMatchObject({
    kind: 'generate',
    request: { model, prompt: 'a boat', cfgScale: 7, aspectRatio: '16:9' },
  });
  expect(record?.origin).not.toHaveProperty('request.seed');
  expect(record?.origin).not.toHaveProperty('request.stylePreset');
});

test('runImageTask requests no paid image if the gallery cannot store images', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const parent = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    // A file in place of the folder.
    const folder = join(parent, 'gallery');
    writeFileSync(folder, '');
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };
    const { failure, records } = await runImageTask(
      createPorts(server, folder),
      { operation: { kind: 'generate', request, variants: 1 } },
      { signal: new AbortController().signal, onProgress: () => {} },
    );
    expect(failure?.code).toBe('disk');
    expect(records).toEqual([]);
    expect(server.requests('/image/generate')).toEqual([]);
    expect(readdirSync(parent)).toEqual(['gallery']);
  } finally {
    rmSync(parent, { recursive: true });
  }
});

test('runImageTask offers each paid image to the user if the disk becomes full during the download', async () => {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  const offered: UnstoredImageError[] = [];
  try {
    const request: ImageRequest = { model: 'canvas-pixel', prompt: 'a boat' };
    const { failure, records } = await runImageTask(
      createPorts(server, folder, (image) => offered.push(image)),
      { operation: { kind: 'generate', request, variants: 2 } },
      {
        signal: new AbortController().signal,
        onProgress: ({ type }) => {
          if (type === 'reply-start') disk.isFull = true;
        },
      },
    );
    expect(failure).toMatchObject({ code: 'unstored', actions: [] });
    expect(records).toEqual([]);
    expect(offered.map(({ content }) => readImageHeader(content)?.format)).toEqual([
      'webp',
      'webp',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    disk.isFull = false;
    rmSync(folder, { recursive: true });
  }
});
