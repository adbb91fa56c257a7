import { describe, expect, test } from 'vitest';
import { makePdf } from '../files/make-files.fixture.ts';
import { postJson, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';

const readSpending = async ({
  control,
}: Awaited<ReturnType<typeof startTestService>>): Promise<number> => {
  const { charges } = await control.getAccounts();
  return charges.reduce((sum, { usd, bundled, diem }) => sum + usd + bundled + diem, 0);
};

describe('/augment/search', () => {
  test('returns pages, and charges one cent', async () => {
    const service = await startTestService();
    const body = { query: 'comet telescope', limit: 1, search_provider: 'brave' };
    const reply = await postJson(service, { path: '/augment/search', body });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({
      query: 'comet telescope',
      results: [
        {
          title: 'Comet visible without a telescope',
          url: 'https://news.example.org/2026/comet',
          content: expect.stringContaining('ten nights'),
          date: '2026-09-30',
        },
      ],
    });
    expect(await readSpending(service)).toBe(10_000);
  });

  test.each([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['a query of 401 characters', { query: 'a'.repeat(401) }],
    ['the limit 0', { query: 'a', limit: 0 }],
    ['the limit 21', { query: 'a', limit: 21 }],
    ['the limit 1.5', { query: 'a', limit: 1.5 }],
  ])('rejects a body with %s', async (_, body) => {
    const service = await startTestService();
    expect((await postJson(service, { path: '/augment/search', body })).status).toBe(400);
    expect(await readSpending(service)).toBe(0);
  });

  test('allows twenty searches per minute', async () => {
    const service = await startTestService();
    await service.control.changeClock({ set: '2026-11-20T10:00:00Z' });
    const requestSearch = () =>
      postJson(service, { path: '/augment/search', body: { query: 'tea' } });
    const replies = await Promise.all(Array.from({ length: 21 }, requestSearch));
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(1);
    await service.control.changeClock({ advance: 60_000 });
    expect((await requestSearch()).status).toBe(200);
  });

  test('requires a key', async () => {
    const service = await startTestService({ missingKeyStatus: 401 });
    const reply = await fetch(`${service.baseUrl}/augment/search`, { method: 'POST' });
    expect(reply.status).toBe(401);
  });
});

describe('/augment/scrape', () => {
  test('returns a page as Markdown', async () => {
    const service = await startTestService();
    const url = 'https://docs.example.com/css/grid';
    const reply = await postJson(service, { path: '/augment/scrape', body: { url } });
    expect(await reply.json()).toEqual({
      url,
      content: expect.stringMatching(/^# Layout with CSS grid\n\nCSS grid lays out/),
      format: 'markdown',
    });
    expect(await readSpending(service)).toBe(10_000);
  });

  test.each([
    ['no address', 400],
    ['file:///etc/passwd', 400],
    ['https://elsewhere.example.com/', 422],
    ['http://127.0.0.1:1/', 422],
  ])('rejects the URL "%s"', async (url, status) => {
    const service = await startTestService();
    const reply = await postJson(service, { path: '/augment/scrape', body: { url } });
    expect(reply.status).toBe(status);
    expect(await readSpending(service)).toBe(0);
  });
});

describe('/augment/text-parser', () => {
  const send = (service: LocalService, file: Buffer | string | undefined): Promise<Response> => {
    const body = new FormData();
    if (file !== undefined)
      body.set('file', typeof file === 'string' ? file : new File([new Uint8Array(file)], 'a.pdf'));
    const headers = { authorization: `Bearer ${service.apiKey}` };
    return fetch(`${service.baseUrl}/augment/text-parser`, { method: 'POST', headers, body });
  };

  test('extracts the text of a file from a form', async () => {
    const service = await startTestService();
    const reply = await send(service, makePdf(['Hello, 32 characters are ten tok.']));
    expect(await reply.json()).toEqual({ text: 'Hello, 32 characters are ten tok.', tokens: 11 });
  });

  test.each([
    ['no file', undefined, 400],
    ['a text in place of the file', 'text', 400],
    ['an unreadable file', Buffer.from([0xff, 0xfe, 0xfd]), 422],
    ['a file that is too large', Buffer.alloc(25 * 1024 * 1024 + 1), 413],
  ])('rejects an upload with %s', async (_, file, status) => {
    const service = await startTestService();
    expect((await send(service, file)).status).toBe(status);
  });
});
