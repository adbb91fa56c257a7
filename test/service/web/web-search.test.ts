import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Chunk } from '../chat/chunks.ts';
import { createChatRequest, parseEvents, postChat, startTestService } from '../test-service.ts';
import type { LocalService } from '../server.ts';
import type { Citation } from './built-in-web.ts';

const searchModelId = 'search-scout-24b';
const newsQuestion = 'What is the latest news about the comet?';

interface SearchReply {
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: {
      readonly content: string;
      readonly tool_calls: readonly {
        readonly id: string;
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    };
  }[];
  readonly service_parameters: { readonly web_search_citations: readonly Citation[] };
}

async function searchWeb(
  service: LocalService,
  content: unknown,
  parameters: object | undefined,
  otherFields: object = {},
): Promise<SearchReply> {
  const body = {
    ...createChatRequest('', { model: searchModelId, ...otherFields }),
    service_parameters: parameters,
  };
  const reply = await postChat(service, { ...body, messages: [{ role: 'user', content }] });
  expect(reply.status).toBe(200);
  return (await reply.json()) as SearchReply;
}

const findUrls = (reply: SearchReply): string[] =>
  reply.service_parameters.web_search_citations.map(({ url }) => url);

const getText = (reply: SearchReply): string => reply.choices[0]?.message.content ?? '';

describe('web search', () => {
  test.each([
    ['on', 'How do I undo my last commit?', 'https://forum.example.net/t/undo-last-commit'],
    ['on', 'Explain closures in JavaScript', 'https://docs.example.com/javascript/closures'],
    ['on', 'small docker images', 'https://handbook.example.net/docker/layers'],
    ['auto', 'What is the current version of Lantern?', 'https://releases.example.com/lantern/5.2'],
    ['auto', 'Weather in Northport today', 'https://weather.example.org/northport'],
    ['auto', newsQuestion, 'https://news.example.org/2026/comet'],
  ])(
    'with the setting `%s` returns the best match first for “%s”',
    async (enable_web_search, question, bestUrl) => {
      const service = await startTestService();
      expect(findUrls(await searchWeb(service, question, { enable_web_search }))[0]).toBe(bestUrl);
    },
  );

  test.each(['What happened in the world today?', 'Any news?', 'Tell me what is happening today'])(
    'with the setting `auto` returns current news for “%s”',
    async (question) => {
      const service = await startTestService();
      const urls = findUrls(await searchWeb(service, question, { enable_web_search: 'auto' }));
      expect(urls).toHaveLength(5);
      expect(urls[0]).toBe('https://news.example.org/2026/harbour-bridge');
    },
  );

  test.each([
    ['auto', 'Explain closures in JavaScript'],
    ['off', newsQuestion],
    ['on', 'zyzzyva quux'],
  ])('with the setting `%s` returns no page for “%s”', async (enable_web_search, question) => {
    const service = await startTestService();
    expect(findUrls(await searchWeb(service, question, { enable_web_search }))).toEqual([]);
  });

  test('returns title, URL, text and date, and the answer quotes the sources', async () => {
    const service = await startTestService();
    const searchOptions = { enable_web_search: 'on', enable_web_citations: true };
    const reply = await searchWeb(service, 'comet telescope', searchOptions);
    expect(reply.service_parameters.web_search_citations).toEqual([
      {
        title: 'Comet visible without a telescope',
        url: 'https://news.example.org/2026/comet',
        content: expect.stringContaining('The best time is the hour before sunrise'),
        date: '2026-09-30',
      },
    ]);
    expect(getText(reply)).toContain(
      'will be visible to the naked eye for ten nights from Friday.^1^',
    );
  });

  test('adds citation markers to the answer only on request', async () => {
    const service = await startTestService();
    const citationParameters = { enable_web_search: 'on', enable_web_citations: true };
    expect(getText(await searchWeb(service, newsQuestion, citationParameters))).toMatch(
      /\^1\^[^]*\^1,2/,
    );
    expect(
      getText(await searchWeb(service, newsQuestion, { enable_web_search: 'on' })),
    ).not.toContain('^');
  });

  test('is skipped for requests with images, and for models without web search', async () => {
    const service = await startTestService();
    const image = sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } });
    const url = `data:image/png;base64,${(await image.png().toBuffer()).toString('base64')}`;
    const content = [
      { type: 'text', text: newsQuestion },
      { type: 'image_url', image_url: { url } },
    ];
    const searchOptions = { enable_web_search: 'on' };
    expect(
      findUrls(await searchWeb(service, content, searchOptions, { model: 'default' })),
    ).toEqual([]);
    expect(
      findUrls(await searchWeb(service, newsQuestion, searchOptions, { model: 'compact-xs-3b' })),
    ).toEqual([]);
    expect(
      findUrls(await searchWeb(service, newsQuestion, searchOptions, { model: 'default' })),
    ).not.toEqual([]);
  });

  test('can be enabled by a model name suffix, and can search social media posts', async () => {
    const service = await startTestService();
    const modelWithSuffix = `${searchModelId}:enable_web_search=on&enable_web_citations=true`;
    const reply = await searchWeb(service, newsQuestion, {}, { model: modelWithSuffix });
    expect(getText(reply)).toContain('^1^');
    expect(findUrls(await searchWeb(service, 'comet', { enable_x_search: true }))).toEqual([
      'https://social.example.net/noor/1002',
    ]);
  });
});

describe('the web pages', () => {
  test('whose URLs are in the last message are read instead of a web search, up to a limit of five pages', async () => {
    const service = await startTestService();
    const { controlUrl } = service;
    const knownUrl = 'https://docs.example.com/css/grid';
    const urlText = [knownUrl, 'https://nowhere.example.com/', `${controlUrl}/script`].join(
      ' and ',
    );
    const parameters = { enable_web_scraping: true, enable_web_search: 'on' };
    const reply = await searchWeb(service, `Compare ${urlText}.`, parameters);
    expect(findUrls(reply)).toEqual([knownUrl, `${controlUrl}/script`]);
    expect(getText(reply)).toContain('I could not read https://nowhere.example.com/.');
    const manyUrls = Array.from({ length: 7 }, (_, n) => `${knownUrl}?${n}`).join(' ');
    expect(findUrls(await searchWeb(service, manyUrls, parameters))).toHaveLength(5);
  });

  test('on this machine are returned without markup, and redirects are not followed', async () => {
    const service = await startTestService();
    const server = createServer((request, response) => {
      if (request.url === '/moved') return response.writeHead(302, { location: '/' }).end();
      const html =
        '<html><head><title>Tea &amp; cake</title></head><body><script>steal()</script><h1>Tea</h1><p>Water at 80&#176;.</p><ul><li>Wait<li>Drink</ul></body>';
      return response.setHeader('content-type', 'text/html').end(html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const reply = await searchWeb(service, `Read ${url} and ${url}moved`, {
      enable_web_scraping: true,
    });
    expect(reply.service_parameters.web_search_citations).toEqual([
      { title: 'Tea & cake', url, date: '', content: '# Tea\n\nWater at 80°.\n\n- Wait\n- Drink' },
    ]);
  });

  test('are served by the service at the local URLs of citations', async () => {
    const service = await startTestService();
    await service.control.setSearchOptions({ links: 'local' });
    const [firstUrl = ''] = findUrls(
      await searchWeb(service, newsQuestion, { enable_web_search: 'on' }),
    );
    expect(firstUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/pages\/news\.example\.org\/2026\/comet$/);
    const pageReply = await fetch(firstUrl);
    expect(pageReply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await pageReply.text()).toContain('<h1>Comet visible without a telescope</h1>');
    expect((await fetch(`${firstUrl}-not`)).status).toBe(404);
    const scrapedReply = await searchWeb(service, `Read ${firstUrl}`, {
      enable_web_scraping: true,
    });
    expect(scrapedReply.service_parameters.web_search_citations[0]?.date).toBe('2026-09-30');
  });
});

describe('search results in a stream', () => {
  const requestChunks = async (service: LocalService, parameters: object): Promise<Chunk[]> => {
    const body = createChatRequest('comet', { model: searchModelId, stream: true });
    const reply = await postChat(service, { ...body, service_parameters: parameters });
    return parseEvents(await reply.text()) as unknown as Chunk[];
  };
  const searchOptions = { enable_web_search: 'on', include_search_results_in_stream: true };
  const countCitations = (chunk: Chunk | undefined) =>
    chunk?.service_parameters?.web_search_citations.length;

  test.each([
    ['last', 'the last chunk', undefined, 1],
    ['first', 'the first chunk', 1, 0],
    ['both', 'the first and last chunk', 1, 1],
  ] as const)(
    'are sent in $1 if configured',
    async (citationPosition, _, firstCount, lastCount) => {
      const service = await startTestService();
      await service.control.setSearchOptions({ citations: citationPosition });
      const chunks = await requestChunks(service, searchOptions);
      expect([countCitations(chunks[0]), countCitations(chunks.at(-1))]).toEqual([
        firstCount,
        lastCount,
      ]);
      expect(chunks.slice(1, -1).every((chunk) => chunk.service_parameters === undefined)).toBe(
        true,
      );
      expect(chunks.at(-1)?.usage?.total_tokens).toEqual(expect.any(Number));
      const completeReply = await searchWeb(service, 'comet', searchOptions);
      expect(completeReply.service_parameters.web_search_citations).toHaveLength(1);
    },
  );

  test('are omitted unless requested', async () => {
    const service = await startTestService();
    await service.control.setSearchOptions({ citations: 'both' });
    const chunks = await requestChunks(service, { enable_web_search: 'on' });
    expect(chunks.every((chunk) => chunk.service_parameters === undefined)).toBe(true);
  });
});

test.each([
  ['web_search', 'web_search'],
  ['web_search_documents', 'acme_web_search_documents'],
] as const)(
  'search results are sent as a call of the tool %s if `return_search_results_as_documents` is set',
  async (documents, name) => {
    const service = await startTestService({ vendorPrefix: 'acme' });
    await service.control.setSearchOptions({ documents });
    const sendQuestion = (question: string, parameters: object) => {
      const settings = { return_search_results_as_documents: true, ...parameters };
      return searchWeb(service, question, undefined, { acme_parameters: settings });
    };
    const [choice] = (await sendQuestion('comet telescope', { enable_web_search: 'on' })).choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({ id: 'web_search_call', function: { name } });
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({
      documents: [
        {
          id: '1',
          title: 'Comet visible without a telescope',
          url: 'https://news.example.org/2026/comet',
          snippet: expect.stringContaining('naked eye'),
          published_at: '2026-09-30',
        },
      ],
    });
    const emptyReply = await sendQuestion('comet', {});
    expect(emptyReply.choices[0]?.message.tool_calls).toEqual([]);
  },
);

test.each([
  ['for a search', 'comet', { enable_web_search: 'on' }, 1],
  ['for a search without results', 'zyzzyva', { enable_web_search: 'on' }, 1],
  ['nothing if no search takes place', 'comet', { enable_web_search: 'auto' }, 0],
  [
    'for each page that is read',
    'https://docs.example.com/css/grid https://a.test',
    { enable_web_scraping: true },
    1,
  ],
  [
    'for each social media post that is found',
    'the comet and the bridge',
    { enable_x_search: true },
    2,
  ],
] as const)('a chat request is charged %s', async (_, question, parameters, lookupCount) => {
  const service = await startTestService();
  const body = createChatRequest(question, { model: searchModelId, max_completion_tokens: 1 });
  const costs = await Promise.all(
    [parameters, {}].map(async (service_parameters) => {
      const reply = await postChat(service, { ...body, service_parameters });
      const { cost } = (await reply.json()) as { cost: { usd: number; diem: number } };
      return cost.usd + cost.diem;
    }),
  );
  expect((costs[0] ?? 0) - (costs[1] ?? 0)).toBeCloseTo(lookupCount * 0.01, 6);
});

test('the control plane replaces search results with any JSON', async () => {
  const service = await startTestService();
  const results = [{ title: '\u202Eevil', url: 'javascript:alert(1)' }, 7, null];
  await service.control.setSearchOptions({ results });
  const reply = await searchWeb(service, 'anything', { enable_web_search: 'on' });
  expect(reply.service_parameters.web_search_citations).toEqual(results);
  await service.control.addScripts({ steps: [{ content: 'Said.^1^' }], citations: [{ url: 'u' }] });
  const scriptedReply = await searchWeb(service, 'anything', {});
  expect(scriptedReply.service_parameters.web_search_citations).toEqual([{ url: 'u' }]);
  await service.control.reset();
  expect(
    findUrls(await searchWeb(service, newsQuestion, { enable_web_search: 'on' }))[0],
  ).toContain('comet');
});
