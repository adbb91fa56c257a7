import { expect, test } from 'vitest';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { scrapePage, searchWeb } from './augment.ts';
import type { PaidRequest, Spending } from './chat/spending.ts';

const { signal } = new AbortController();

const searchWithAnswer = (answer: unknown, query = 'tides', limit?: number) => {
  const { context, requests } = createScriptedService({ body: [JSON.stringify(answer)] });
  const options = limit === undefined ? { signal } : { signal, limit };
  return { requests, resultsPromise: searchWeb(context, query, options) };
};

const listSentBodies = (requests: ReturnType<typeof createScriptedService>['requests']): unknown =>
  requests.map(({ body }) => JSON.parse(String(body)) as unknown);

test('searchWeb sends the search query and returns the results in the order of the service', async () => {
  const page = { title: 'Tides', url: 'https://a.example/t', content: 'High.', date: '2026-01-02' };
  const { resultsPromise, requests } = searchWithAnswer({
    query: 'tides',
    results: [page, { url: 'http://b.example' }],
  });
  expect(await resultsPromise).toEqual([
    page,
    { title: 'http://b.example', url: 'http://b.example' },
  ]);
  expect(requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'POST /api/v1/augment/search',
  ]);
  expect(listSentBodies(requests)).toEqual([{ query: 'tides', limit: 10 }]);
});

test.each([
  [0, 1],
  [3.7, 3],
  [999, 20],
])('searchWeb sends the requested search result limit %d as %d', async (limit, sentLimit) => {
  const { resultsPromise, requests } = searchWithAnswer({ results: [] }, 'x', limit);
  await resultsPromise;
  expect(listSentBodies(requests)).toEqual([{ query: 'x', limit: sentLimit }]);
});

test('searchWeb truncates a search query to 400 characters', async () => {
  const { resultsPromise, requests } = searchWithAnswer({ results: [] }, 'x'.repeat(500));
  await resultsPromise;
  expect(listSentBodies(requests)).toEqual([{ query: 'x'.repeat(400), limit: 10 }]);
});

test('searchWeb skips invalid search results, truncates long fields, and returns at most the requested number', async () => {
  const invalidResults = [
    null,
    7,
    'text',
    {},
    { url: 7 },
    { url: 'javascript:alert(1)' },
    { url: 'file:///etc/passwd' },
    { url: 'https://' },
    { url: `https://a.example/${'x'.repeat(3_000)}` },
  ];
  const longResult = {
    url: 'https://a.example',
    title: 't'.repeat(999),
    content: 'c'.repeat(9_999),
    date: 7,
  };
  const { resultsPromise } = searchWithAnswer(
    { results: [...invalidResults, longResult, longResult, longResult] },
    'x',
    2,
  );
  const [firstResult, ...otherResults] = await resultsPromise;
  expect(otherResults).toHaveLength(1);
  expect(firstResult?.title).toHaveLength(300);
  expect(firstResult?.content).toHaveLength(4_000);
  expect(firstResult).not.toHaveProperty('date');
});

test.each([null, 7, [], {}, { results: {} }, '<html>'])(
  'searchWeb rejects %j as search results',
  async (answer) => {
    const { resultsPromise } = searchWithAnswer(answer);
    await expect(resultsPromise).rejects.toMatchObject({
      failure: { code: 'unexpected-response' },
    });
  },
);

const scrapeWithAnswer = (answer: unknown) => {
  const { context, requests } = createScriptedService({ body: [JSON.stringify(answer)] });
  return { requests, pagePromise: scrapePage(context, 'https://a.example/t', { signal }) };
};

test('scrapePage reads a web page and truncates its content at 200,000 characters', async () => {
  const { pagePromise, requests } = scrapeWithAnswer({
    url: 'https://evil.example',
    content: '# Tides',
    format: 'markdown',
  });
  expect(await pagePromise).toEqual({
    url: 'https://a.example/t',
    content: '# Tides',
    isTruncated: false,
  });
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/api/v1/augment/scrape']);
  expect(listSentBodies(requests)).toEqual([{ url: 'https://a.example/t' }]);
  const truncatedPage = await scrapeWithAnswer({ content: 'x'.repeat(200_001) }).pagePromise;
  expect([truncatedPage.content.length, truncatedPage.isTruncated]).toEqual([200_000, true]);
});

test.each([null, [], {}, { content: 7 }])('scrapePage rejects %j as a web page', async (answer) => {
  const failure = { failure: { code: 'unexpected-response' } };
  await expect(scrapeWithAnswer(answer).pagePromise).rejects.toMatchObject(failure);
});

test('searchWeb reserves the price before a call, records the price only after success, and always releases the reservation', async () => {
  const logLines: string[] = [];
  const logCall = (stepName: string) => (request: PaidRequest) =>
    void logLines.push(`${stepName} ${request.price?.usd}`);
  const spending: Spending = {
    authorizeRequest: async (request) => logCall('authorize')(request),
    recordSpending: logCall('recordSpending'),
    releaseReservedPrice: logCall('release'),
  };
  const { context } = createScriptedService(
    { body: ['{"results":[]}'] },
    { status: 400, body: ['{}'] },
  );
  await searchWeb({ ...context, spending }, 'x', { signal });
  expect(logLines.splice(0)).toEqual(['authorize 0.01', 'recordSpending 0.01', 'release 0.01']);
  await expect(searchWeb({ ...context, spending }, 'x', { signal })).rejects.toMatchObject({
    failure: { code: 'invalid-request' },
  });
  expect(logLines).toEqual(['authorize 0.01', 'release 0.01']);
});

test('searchWeb sends a paid search only once if the service may have charged the failed request', async () => {
  const { context, requests } = createScriptedService(
    { status: 500 },
    { body: ['{"results":[]}'] },
  );
  await expect(searchWeb(context, 'x', { signal })).rejects.toMatchObject({
    failure: { status: 500 },
  });
  expect(requests).toHaveLength(1);
});

test('searchWeb does not send the query to another service that the user selects during the price confirmation', async () => {
  const { context, requests } = createScriptedService({ body: ['{"results":[]}'] });
  let address = 'https://api.service.test/api/v1';
  const spending: Spending = {
    authorizeRequest: async () => void (address = 'https://other.service.test/api/v1'),
    recordSpending: () => {},
    releaseReservedPrice: () => {},
  };
  const getEndpoint = async () => ({ ...(await context.getEndpoint()), baseUrl: new URL(address) });
  await expect(
    searchWeb({ ...context, getEndpoint, spending }, 'x', { signal }),
  ).rejects.toMatchObject({ failure: { code: 'address-changed' } });
  expect(requests).toEqual([]);
});
