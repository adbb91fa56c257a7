import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { CircuitBreakers } from '../http/circuit-breaker.ts';
import type { ServiceContext } from '../http/client.ts';
import { Connection } from '../http/connection.ts';
import { createDirectTransport } from '../http/direct-transport.ts';
import { toServiceError } from '../http/network-failure.ts';
import { generateImages } from './image-calls.ts';
import type { ImageRequest } from './image-types.ts';

const pngBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Server that rejects image requests with a seed or with disabled safe mode. */
const server = createServer();
const transport = createDirectTransport();
let sentKeys: string[][];
let context: ServiceContext;

async function respondToRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request)) as object;
  sentKeys.push(Object.keys(body));
  const refusedField = ['seed', 'safe_mode'].find((name) => name in body);
  if (refusedField !== undefined) {
    response.writeHead(400, { 'content-type': 'application/json' });
    const issue = { code: 'unrecognized_keys', keys: [refusedField], path: [] };
    response.end(JSON.stringify({ error: 'Invalid request parameters', issues: [issue] }));
  } else {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(pngBytes);
  }
}

beforeEach(async () => {
  sentKeys = [];
  server.removeAllListeners('request');
  server.on('request', (request, response) => void respondToRequest(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const connection = new Connection();
  context = {
    getEndpoint: async () => ({
      baseUrl: new URL(`http://127.0.0.1:${port}/api/v1`),
      vendorPrefix: 'service',
      connection,
    }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: () => 0,
  };
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Generates an image. Returns the failure message, or the type of the last event. */
async function generateOnce(
  isSeedChosen: boolean,
  request: ImageRequest = { model: 'm', prompt: 'a boat', seed: 5 },
): Promise<string | undefined> {
  let lastType: string | undefined;
  try {
    const options = { variants: 1, isSeedChosen, signal: new AbortController().signal } as const;
    for await (const { type } of generateImages(context, request, options)) lastType = type;
    return lastType;
  } catch (error) {
    return toServiceError(error).failure.message;
  }
}

const fieldsWithoutSeed = ['model', 'prompt', 'return_binary'];
const fieldsWithSeed = ['model', 'prompt', 'seed', 'return_binary'];

test('generateImages repeats a request without the random seed that the model rejected, and omits the seed from later requests', async () => {
  expect(await generateOnce(false)).toBe('reply-end');
  expect(await generateOnce(false)).toBe('reply-end');
  expect(sentKeys).toEqual([fieldsWithSeed, fieldsWithoutSeed, fieldsWithoutSeed]);
});

test('generateImages sends a seed that the user chose, and names the seed in the failure if the model rejects the seed', async () => {
  await generateOnce(false);
  expect(await generateOnce(true)).toContain('Seed');
  expect(sentKeys.at(-1)).toEqual(fieldsWithSeed);
});

test('generateImages sends a disabled safe mode until the user agrees to omit the field', async () => {
  const request = { model: 'm', prompt: 'a boat', safeMode: false };
  const message = 'This service does not support this option: Safe mode.';
  expect(await generateOnce(false, request)).toBe(message);
  expect(await generateOnce(false, request)).toBe(message);
  const { connection } = await context.getEndpoint();
  connection?.omitField('image.safe_mode:m');
  expect(await generateOnce(false, request)).toBe('reply-end');
  const fieldsWithSafeMode = ['model', 'prompt', 'safe_mode', 'return_binary'];
  expect(sentKeys).toEqual([fieldsWithSafeMode, fieldsWithSafeMode, fieldsWithoutSeed]);
});
