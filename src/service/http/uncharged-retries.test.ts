import { describe, expect, test } from 'vitest';
import { startStrictDeployment } from '../../../test/support/deployment-context.ts';
import { startHttpServer } from '../../../test/support/loopback.ts';
import { systemClock } from '../../base/clock.ts';
import { editImage, removeBackground, upscaleImage } from '../images/image-calls.ts';
import { listModels } from '../models.ts';
import { readSpeech } from '../speech.ts';
import { transcribeAudio } from '../transcription.ts';
import type { ServiceContext } from './client.ts';
import { toServiceError } from './network-failure.ts';

const { signal } = new AbortController();
const imageBytes = new Uint8Array([137, 80, 78, 71]);

type RunRequest = (context: ServiceContext) => Promise<unknown>;

const audioCalls: readonly (readonly [string, RunRequest])[] = [
  [
    '/audio/speech',
    (context) =>
      readSpeech(context, { model: 'voice-tts', input: 'Hello', format: 'wav' }, { signal }),
  ],
  [
    '/audio/transcriptions',
    (context) =>
      transcribeAudio(context, { model: 'ears', audio: imageBytes, kind: 'wav' }, { signal }),
  ],
];
const imageCalls: readonly (readonly [string, RunRequest])[] = [
  [
    '/image/edit',
    (context) =>
      Array.fromAsync(editImage(context, { prompt: 'a boat', image: imageBytes }, { signal })),
  ],
  [
    '/image/upscale',
    (context) =>
      Array.fromAsync(upscaleImage(context, { image: imageBytes, scale: 2 }, { signal })),
  ],
  [
    '/image/background-remove',
    (context) => Array.fromAsync(removeBackground(context, { image: imageBytes }, { signal })),
  ],
];

/**
 * Runs a call through a gateway that responds with `status`. Returns the number of requests that the gateway received.
 */
async function countAttempts(path: string, run: RunRequest, status: number, isRecognized = false) {
  await using server = await startStrictDeployment({ word: 'acme', shape: 'full' });
  if (isRecognized) await listModels(server.context, { signal });
  let attemptCount = 0;
  await using gateway = await startHttpServer((request, response) => {
    if (request.url?.endsWith(path) === true) attemptCount += 1;
    request.resume().once('end', () => response.writeHead(status).end('upstream timeout'));
  });
  const baseUrl = new URL(`http://127.0.0.1:${gateway.port}/api/v1`);
  const context: ServiceContext = {
    ...server.context,
    getEndpoint: async () => ({ ...(await server.context.getEndpoint()), baseUrl }),
    clock: {
      now: () => systemClock.now(),
      after: (_ms: number, task: () => void) => systemClock.after(0, task),
    },
  };
  const failure = await run(context).then(
    () => undefined,
    (error: unknown) => toServiceError(error).failure,
  );
  expect(failure).toMatchObject({ status });
  return attemptCount;
}

describe.each([...audioCalls, ...imageCalls])('a paid request to %s', (path, run) => {
  test.each([500, 502, 504])('is sent once if a gateway answers with status %i', async (status) => {
    expect(await countAttempts(path, run, status)).toBe(1);
  });

  test.each([429, 503])('is repeated after status %i', async (status) => {
    expect(await countAttempts(path, run, status)).toBe(3);
  });
});

test.each(imageCalls)(
  'a paid request to %s is repeated after status 500 of a recognized deployment, but not after 502 and 504',
  async (path, run) => {
    expect(await countAttempts(path, run, 500, true)).toBe(3);
    expect(await countAttempts(path, run, 502, true)).toBe(1);
    expect(await countAttempts(path, run, 504, true)).toBe(1);
  },
);

test.each(audioCalls)(
  'a paid request to %s is not repeated after status 502, even for a recognized deployment',
  async (path, run) => {
    expect(await countAttempts(path, run, 502, true)).toBe(1);
  },
);
