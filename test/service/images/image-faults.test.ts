import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { postJson, postImage, startTestService } from '../test-service.ts';

const computeDigest = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');
const binaryOptions = { return_binary: true, seed: 1 };
const generateMatch = { path: '/image/generate' };

/** Reads chunks of a body until it has at least this many bytes. */
async function readAtLeast(reader: ReadableStreamDefaultReader<Uint8Array>, count: number) {
  const chunks: Uint8Array[] = [];
  for (let size = 0; size < count; size += chunks.at(-1)?.length ?? 0) {
    const { value } = await reader.read();
    if (value === undefined) break;
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

describe('the hold fault for image replies', () => {
  test('stops the body after the given number of bytes until the test releases it', async () => {
    const service = await startTestService();
    const completeBody = Buffer.from(await (await postImage(service, binaryOptions)).arrayBuffer());
    await service.control.injectFault({
      match: generateMatch,
      fault: { kind: 'hold', name: 'half', afterBytes: 1000 },
    });
    const reply = await postImage(service, binaryOptions);
    expect(reply.headers.get('content-length')).toBe(String(completeBody.length));
    const reader = reply.body!.getReader();
    const firstBytes = await readAtLeast(reader, 1000);
    expect(firstBytes).toHaveLength(1000);
    const remainingBytesPromise = readAtLeast(reader, completeBody.length - 1000);
    // The body is held: the service answers a later request earlier.
    const otherRequestPromise = service.control.getRequests().then(() => 'held');
    expect(await Promise.race([remainingBytesPromise, otherRequestPromise])).toBe('held');
    await service.control.releasePause('half');
    expect(computeDigest(Buffer.concat([firstBytes, await remainingBytesPromise]))).toBe(
      computeDigest(completeBody),
    );
  });

  test('records that the client disconnected before the test released the body', async () => {
    const service = await startTestService();
    await service.control.injectFault({
      match: generateMatch,
      fault: { kind: 'hold', name: 'half', afterBytes: 0 },
    });
    const controller = new AbortController();
    const reply = await postImage(service, binaryOptions, { signal: controller.signal });
    expect(reply.status).toBe(200);
    controller.abort();
    const recordedRequest = await service.control.waitForRequest(
      ({ closedAt }) => closedAt !== undefined,
    );
    expect(recordedRequest).toMatchObject({ abortedByClient: true, status: 200 });
  });

  test('without a byte count delays the image generation, so that an abort costs nothing', async () => {
    const service = await startTestService();
    const { control } = service;
    await control.injectFault({
      match: generateMatch,
      times: 2,
      fault: { kind: 'hold', name: 'start' },
    });
    const controller = new AbortController();
    const abortedReplyPromise = postImage(service, binaryOptions, { signal: controller.signal });
    await control.waitForRequest(({ body }) => body !== undefined);
    controller.abort();
    await expect(abortedReplyPromise).rejects.toThrow('aborted');
    await control.waitForRequest(({ abortedByClient }) => abortedByClient === true);
    const secondReplyPromise = postImage(service, binaryOptions);
    await control.releasePause('start');
    expect((await secondReplyPromise).status).toBe(200);
    expect((await control.getAccounts()).charges).toHaveLength(1);
  });
});

describe('the body fault for image replies', () => {
  const requestFaultyReply = async (fault: object): Promise<Response> => {
    const service = await startTestService();
    await service.control.injectFault({ match: generateMatch, fault: { kind: 'body', ...fault } });
    const faultyReply = await postImage(service, binaryOptions);
    expect((await service.control.getAccounts()).charges).toHaveLength(1);
    expect((await postImage(service, binaryOptions)).headers.get('content-type')).toBe(
      'image/webp',
    );
    return faultyReply;
  };

  test('can send text with the content type of an image', async () => {
    const faultyReply = await requestFaultyReply({ text: '<svg onload="alert(1)"/>' });
    expect(faultyReply.status).toBe(200);
    expect(faultyReply.headers.get('content-type')).toBe('image/webp');
    expect(faultyReply.headers.get('x-service-is-blurred')).toBe('false');
    expect(await faultyReply.text()).toBe('<svg onload="alert(1)"/>');
  });

  test('can send any bytes, content type and headers', async () => {
    const headers = { 'x-service-is-blurred': 'TRUE' };
    const faultyReply = await requestFaultyReply({
      base64: 'iVBORw0KGgo=',
      contentType: 'text/html',
      headers,
    });
    expect(faultyReply.headers.get('content-type')).toBe('text/html');
    expect(faultyReply.headers.get('x-service-is-blurred')).toBe('TRUE');
    expect(Buffer.from(await faultyReply.arrayBuffer()).toString('latin1')).toBe(
      '\x89PNG\r\n\x1a\n',
    );
  });

  test('pads the body to the given size with the same noise in every reply', async () => {
    const fault = { base64: 'iVBORw0KGgo=', size: 8_000_000 };
    const filePromises = [await requestFaultyReply(fault), await requestFaultyReply(fault)].map(
      (reply) => reply.arrayBuffer(),
    );
    const [firstFile, secondFile] = (await Promise.all(filePromises)).map((file) =>
      Buffer.from(file),
    );
    expect(firstFile).toHaveLength(8_000_000);
    expect(firstFile?.subarray(0, 4).toString('latin1')).toBe('\x89PNG');
    expect(computeDigest(firstFile!)).toBe(computeDigest(secondFile!));
  });
});

describe('faults for image replies', () => {
  test.each([
    ['the status 402', { kind: 'status', status: 402 }, 402],
    ['the status 429', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 429],
    ['the status 500', { kind: 'status', status: 500 }, 500],
    ['an HTML page', { kind: 'html' }, 200],
    ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/', status: 307 }, 307],
  ] as const)('replace the reply with %s, and charge nothing', async (_, fault, status) => {
    const service = await startTestService();
    await service.control.injectFault({ match: generateMatch, fault });
    const reply = await postImage(service, binaryOptions);
    expect(reply.status).toBe(status);
    expect((await service.control.getAccounts()).charges).toEqual([]);
  });

  test.each([
    ['reset the connection', 'reset', false],
    ['end the reply', 'end', true],
  ] as const)('%s after 1,000 bytes of the body', async (_, kind, isComplete) => {
    const service = await startTestService();
    await service.control.injectFault({ match: generateMatch, fault: { kind, afterBytes: 1000 } });
    const body = (await postImage(service, binaryOptions)).arrayBuffer();
    if (isComplete) expect((await body).byteLength).toBe(1000);
    else await expect(body).rejects.toThrow('terminated');
  });

  test('can be limited to requests that name a model in `model` or `modelId`', async () => {
    const service = await startTestService();
    const fault = { kind: 'status', status: 500 } as const;
    await service.control.injectFault({ match: { model: 'retouch-fuse' }, fault });
    expect((await postImage(service, binaryOptions)).status).toBe(200);
    const body = { modelId: 'retouch-fuse' };
    const path = '/image/multi-edit';
    expect((await postJson(service, { path, body })).status).toBe(500);
  });
});

test('image generation takes time at the configured pace, and an abort during that time costs nothing', async () => {
  const service = await startTestService({ pace: { firstTokenMs: 60_000, tokensPerSecond: 1 } });
  const controller = new AbortController();
  const abortedReplyPromise = postImage(service, binaryOptions, { signal: controller.signal });
  await service.control.waitForRequest(({ body }) => body !== undefined);
  controller.abort();
  await expect(abortedReplyPromise).rejects.toThrow('aborted');
  await service.control.waitForRequest(({ abortedByClient }) => abortedByClient === true);
  expect((await service.control.getAccounts()).charges).toEqual([]);
});
