import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startHttpServer, type LoopbackServer } from '../../../test/support/loopback.ts';
import {
  type ScriptedAnswer,
  createScriptedService,
} from '../../../test/support/scripted-transport.ts';
import { createDirectTransport } from '../../service/http/direct-transport.ts';
import { PersonaImages } from './persona-search.ts';

// Shorter than the client's idle timeout of 10 seconds, so that a test fails if only this timeout ends the request.
vi.setConfig({ testTimeout: 8_000 });

const { signal } = new AbortController();
const imageUrl = 'https://images.test/a.png';
const pngBytes = Buffer.from('\u0089PNG\r\n\u001A\n and so on', 'latin1');
const mebibyteImage = Buffer.alloc(1024 * 1024, pngBytes);
let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'persona-images-')), 'kept');
});

afterEach(() => rm(dirname(folder), { recursive: true, force: true }));

function createPersonaImages(...answers: readonly ScriptedAnswer[]) {
  const { context, requests, clock } = createScriptedService(...answers);
  return { personaImages: new PersonaImages({ folder, service: context }), requests, clock };
}

/** Returns the names of the cached files. Empty if the folder does not exist. */
const listCachedFiles = (): Promise<string[]> => readdir(folder).catch(() => []);

test.each([
  ['png', pngBytes],
  ['jpg', Buffer.from('\u00FF\u00D8\u00FF\u00E0', 'latin1')],
  ['webp', Buffer.from('RIFF\n\r\u2028\u0001WEBPVP8 ', 'latin1')],
])(
  'PersonaImages caches a %s image under a hashed name, and sends one request without an API key',
  async (extension, bytes) => {
    const { personaImages, requests } = createPersonaImages({
      // The client must ignore the content type of the server.
      headers: { 'content-type': 'text/html' },
      body: [bytes],
    });
    const path = await personaImages.fetchImageFile(imageUrl, signal);
    expect(basename(path ?? '')).toMatch(new RegExp(`^[0-9a-f]{40}\\.${extension}$`, 'u'));
    expect(await readFile(path ?? '')).toEqual(bytes);
    expect(await personaImages.fetchImageFile(imageUrl, signal)).toBe(path);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers).toEqual({ accept: 'image/png, image/jpeg, image/webp' });
    expect(await listCachedFiles()).toEqual([basename(path ?? '')]);
  },
);

test.each([
  ['markup', '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'],
  ['an HTML page', '<!doctype html>'],
  ['a GIF', 'GIF89a'],
  ['an image after other bytes', `x${pngBytes.toString('latin1')}`],
  ['an audio file', 'RIFF\0\0\0\0WAVEfmt '],
  ['an empty reply', ''],
])('PersonaImages rejects %s even if the content type is image/png', async (_name, body) => {
  const answer = { headers: { 'content-type': 'image/png' }, body: [Buffer.from(body, 'latin1')] };
  expect(
    await createPersonaImages(answer).personaImages.fetchImageFile(imageUrl, signal),
  ).toBeUndefined();
  expect(await listCachedFiles()).toEqual([]);
});

test.each([201, 204, 206, 404, 500])(
  'PersonaImages rejects a reply with status %i',
  async (status) => {
    const { personaImages } = createPersonaImages({ status, body: [pngBytes] });
    expect(await personaImages.fetchImageFile(imageUrl, signal)).toBeUndefined();
    expect(await listCachedFiles()).toEqual([]);
  },
);

test.each([
  ['accepts', 2, true],
  ['rejects', 3, false],
])('PersonaImages, with a limit of 2 MiB, %s an image of %i MiB', async (_, size, isCached) => {
  const { personaImages } = createPersonaImages({
    body: Array.from({ length: size }, () => mebibyteImage),
  });
  expect((await personaImages.fetchImageFile(imageUrl, signal)) !== undefined).toBe(isCached);
  expect(await listCachedFiles()).toHaveLength(isCached ? 1 : 0);
});

test.each([
  ['an HTTP address', 'http://images.test/a.png'],
  ['an HTTP address on this machine', 'http://127.0.0.1:9/a.png'],
  ['an address with a password', 'https://a:b@images.test/a.png'],
  ['an address without a scheme', 'images.test/a.png'],
  ['an empty address', ''],
  ['a file URI', 'file:///etc/passwd'],
  ['a data URI', 'data:image/png;base64,iVBORw0KGgo='],
  ['localhost', 'https://localhost/a.png'],
  ['a loopback address', 'https://127.0.0.1/a.png'],
  ['a hexadecimal loopback address', 'https://0x7f.1/a.png'],
  ['an IPv6 loopback address', 'https://[::1]/a.png'],
  ['an IPv4-mapped loopback address', 'https://[::ffff:127.0.0.1]/a.png'],
  ['a private address (192.168.0.0/16)', 'https://192.168.0.1/a.png'],
  ['a private address (10.0.0.0/8)', 'https://10.1.2.3/a.png'],
  ['a cloud metadata address', 'https://169.254.169.254/latest/meta-data'],
  ['a private IPv6 address', 'https://[fd00::1]/a.png'],
  ['a host name without a dot', 'https://intranet/a.png'],
  ['a .local host name', 'https://printer.local/a.png'],
])('PersonaImages sends no image request to %s', async (_name, url) => {
  const { personaImages, requests } = createPersonaImages({ body: [pngBytes] });
  expect(await personaImages.fetchImageFile(url, signal)).toBeUndefined();
  expect(requests).toEqual([]);
});

describe('a request for a persona image', () => {
  /** Creates an image cache that sends real network requests to the loopback server. */
  function createNetworkImages(server: LoopbackServer) {
    const { context, clock } = createScriptedService();
    const transport = createDirectTransport();
    const baseUrl = new URL(`http://127.0.0.1:${server.port}/api/v1`);
    const service = {
      ...context,
      getEndpoint: async () => ({ ...(await context.getEndpoint()), baseUrl }),
      getTransport: async () => transport,
    };
    const images = new PersonaImages({ folder, service });
    return {
      findFile: (path: string) => images.fetchImageFile(new URL(path, baseUrl).href, signal),
      clock,
    };
  }

  test('can reach the origin of the service, but no other port of the same machine', async () => {
    await using server = await startHttpServer((_, response) => void response.end(pngBytes));
    await using otherServer = await startHttpServer((_, response) => void response.end(pngBytes));
    const { findFile } = createNetworkImages(server);
    expect(await findFile('/a.png')).toBeDefined();
    expect(await findFile(`http://127.0.0.1:${otherServer.port}/a.png`)).toBeUndefined();
    expect(otherServer.countConnections()).toBe(0);
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect (%i)', async (status) => {
    await using redirectTarget = await startHttpServer(
      (_, response) => void response.end(pngBytes),
    );
    await using server = await startHttpServer((_, response) => {
      response
        .writeHead(status, { location: `http://127.0.0.1:${redirectTarget.port}/a.png` })
        .end(pngBytes);
    });
    expect(await createNetworkImages(server).findFile('/a.png')).toBeUndefined();
    expect(redirectTarget.countConnections()).toBe(0);
    expect(await listCachedFiles()).toEqual([]);
  });

  test('is canceled when an endless body exceeds the size limit', async () => {
    await using server = await startHttpServer((_, response) => writeEndlessly(response));
    expect(await createNetworkImages(server).findFile('/a.png')).toBeUndefined();
    await server.closePromise;
    expect(await listCachedFiles()).toEqual([]);
  });

  test('is canceled immediately for an endless error body', async () => {
    await using server = await startHttpServer((_, response) => {
      response.writeHead(404).write('No');
    });
    expect(await createNetworkImages(server).findFile('/a.png')).toBeUndefined();
    await server.closePromise;
  });

  test('is canceled after 30 seconds if the body is incomplete', async () => {
    const responseStart = Promise.withResolvers<void>();
    await using server = await startHttpServer((_, response) => {
      response.write(pngBytes, () => responseStart.resolve());
    });
    const { findFile, clock } = createNetworkImages(server);
    const path = findFile('/a.png');
    await responseStart.promise;
    await clock.advance(30_000);
    expect(await path).toBeUndefined();
    await server.closePromise;
    expect(await listCachedFiles()).toEqual([]);
  });
});

/** Writes data to a response until the client closes the connection. */
function writeEndlessly(response: ServerResponse): void {
  const writeChunk = (): void => {
    while (!response.destroyed && response.write(mebibyteImage));
  };
  response.on('drain', writeChunk);
  writeChunk();
}
