import sharp from 'sharp';
import { expect, test } from 'vitest';
import { postChat, startTestService } from '../test-service.ts';

const createImage = (format: 'png' | 'gif' | 'avif', sideLength = 64): Promise<Buffer> =>
  sharp({
    create: {
      width: sideLength,
      height: sideLength,
      channels: 3,
      background: { r: 220, g: 30, b: 30 },
    },
  })
    .toFormat(format)
    .toBuffer();

async function describeImage(url: string): Promise<{ status: number; text: string }> {
  const service = await startTestService();
  // A fault replaces the body of a page, which serves as the image server.
  const image_url = { url: url.replace('ORIGIN', new URL(service.baseUrl).origin) };
  const messages = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
  const base64 = (await createImage('png')).toString('base64');
  const fault = { kind: 'body', contentType: 'image/png', base64 } as const;
  await service.control.injectFault({ match: { path: '/css/grid' }, fault });
  const reply = await postChat(service, { model: 'default_vision', messages });
  return { status: reply.status, text: await reply.text() };
}

const createDataUrl = (type: string, bytes: Buffer): string =>
  `data:image/${type};base64,${bytes.toString('base64')}`;

test.each([
  ['a PNG', async () => createDataUrl('png', await createImage('png'))],
  ['an AVIF', async () => createDataUrl('avif', await createImage('avif'))],
  ['an image on this machine', async () => 'ORIGIN/pages/docs.example.com/css/grid'],
])('a vision model describes %s', async (_, url) => {
  const { status, text } = await describeImage(await url());
  expect(status).toBe(200);
  expect(text).toContain('of **64 × 64** pixels. Its main colours are **red** (100 %)');
});

test.each([
  ['a GIF', async () => createDataUrl('gif', await createImage('gif'))],
  [
    'an image with 63 pixels per side',
    async () => createDataUrl('png', await createImage('png', 63)),
  ],
  ['bytes that are not an image', async () => createDataUrl('png', Buffer.from('not an image'))],
  ['a web page', async () => 'ORIGIN/pages/news.example.org/2026/comet'],
  ['an unreachable URL', async () => 'http://127.0.0.1:1/'],
  ['an image on another machine', async () => 'https://images.example.com/a.png'],
])('a vision model rejects %s', async (_, url) => {
  const { status, text } = await describeImage(await url());
  expect(status).toBe(400);
  expect(text).toContain('Supplied image did not pass validation checks.');
});
