import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitUntil } from '../../test/support/eventually.ts';
import { type McpServerOptions, type ServedTool, startMcpServer } from './mcp-server.ts';

const createSearchTool = (runs: string[], cost = 0): ServedTool => ({
  definition: {
    name: 'search_web',
    description: 'Searches the web.',
    inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
  },
  plan: ({ query }) =>
    Promise.resolve({
      question: 'Search the web for $0.01?',
      detail: String(query),
      expectedCost: cost,
      run: () => {
        runs.push(String(query));
        return Promise.resolve({
          text: `Results for ${String(query)}`,
          images: [{ mediaType: 'image/png', data: 'AAAA' }],
          cost: { usd: cost },
        });
      },
    }),
});

async function startServer(options: Partial<McpServerOptions> = {}) {
  const server = await startMcpServer({
    listTools: () => [createSearchTool([])],
    confirmCall: () => Promise.resolve(true),
    getMaxCost: () => 0,
    log: { error: vi.fn() },
    ...options,
  });
  onTestFinished(() => server.dispose());
  return server;
}

/** @param onAnswer Receives the body of each request after the server's answer. */
async function connectClient(
  { url, authorization }: { url: string; authorization: string },
  onAnswer: (body: string) => void = () => {},
) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  const headers = { authorization };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (typeof init?.body === 'string') onAnswer(init.body);
      return response;
    },
  });
  await client.connect(transport);
  return client;
}

const callSearchTool = (client: Client, query: string) =>
  client.callTool({ name: 'search_web', arguments: { query } });

test('startMcpServer serves its tools to the client of the MCP SDK', async () => {
  const client = await connectClient(await startServer());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search_web']);
  expect(await callSearchTool(client, 'tides')).toEqual({
    content: [
      { type: 'text', text: 'Results for tides' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
  });
  expect(await client.callTool({ name: 'other' })).toMatchObject({ isError: true });
});

test('startMcpServer requests approval of the exact content, and runs nothing after a denial', async () => {
  const [runs, details]: string[][] = [[], []];
  const confirm: McpServerOptions['confirmCall'] = ({ detail }) => {
    details?.push(detail);
    return Promise.resolve(false);
  };
  const client = await connectClient(
    await startServer({ listTools: () => [createSearchTool(runs ?? [])], confirmCall: confirm }),
  );
  expect(await callSearchTool(client, 'tides')).toMatchObject({ isError: true });
  expect(details).toEqual(['tides']);
  expect(runs).toEqual([]);
});

test('startMcpServer runs the next call while the dialog of a canceled call is open', async () => {
  const runs: string[] = [];
  const { promise: denialPromise, resolve: close } = Promise.withResolvers<boolean>();
  const { promise: dialogOpened, resolve: open } = Promise.withResolvers<void>();
  const confirmCall: McpServerOptions['confirmCall'] = ({ detail }) => {
    if (detail !== 'tides') return Promise.resolve(true);
    open();
    return denialPromise;
  };
  const server = await startServer({
    listTools: () => [createSearchTool(runs)],
    confirmCall,
  });
  const abortController = new AbortController();
  const responsePromise = fetch(server.url, {
    method: 'POST',
    signal: abortController.signal,
    headers: {
      authorization: server.authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_web', arguments: { query: 'tides' } },
    }),
  });
  await dialogOpened;
  abortController.abort();
  await expect(responsePromise).rejects.toThrow();
  const nextClient = await connectClient(server);
  expect(await callSearchTool(nextClient, 'moon')).not.toHaveProperty('isError');
  close(true);
  expect(runs).toEqual(['moon']);
});

test('startMcpServer runs a call that needs no approval while the approval dialog of another call is open', async () => {
  const { promise: dialogOpened, resolve: open } = Promise.withResolvers<void>();
  const { promise: approvalPromise, resolve: approve } = Promise.withResolvers<boolean>();
  const findTool: ServedTool = {
    definition: { name: 'find_files', inputSchema: { type: 'object' } },
    plan: () => Promise.resolve({ detail: '', run: () => Promise.resolve({ text: 'a.ts' }) }),
  };
  const confirmCall: McpServerOptions['confirmCall'] = () => {
    open();
    return approvalPromise;
  };
  const listTools = () => [createSearchTool([]), findTool];
  const client = await connectClient(await startServer({ listTools, confirmCall }));
  const waitingCallPromise = callSearchTool(client, 'tides');
  await dialogOpened;
  expect(await client.callTool({ name: 'find_files' })).toMatchObject({
    content: [{ type: 'text', text: 'a.ts' }],
  });
  approve(true);
  expect(await waitingCallPromise).not.toHaveProperty('isError');
});

test('startMcpServer plans a waiting call again before its approval dialog if an earlier call changed the price', async () => {
  let price = 1;
  const plannedQuestions: string[] = [];
  const runs: string[] = [];
  const payTool: ServedTool = {
    definition: { name: 'pay', inputSchema: { type: 'object' } },
    plan: () => {
      const plannedPrice = price;
      plannedQuestions.push(`Pay ${plannedPrice}?`);
      const run = () => {
        runs.push(`paid ${plannedPrice}`);
        price += 49;
        return Promise.resolve({ text: '' });
      };
      return Promise.resolve({ question: `Pay ${plannedPrice}?`, detail: '', run });
    },
  };
  const { promise: approvalPromise, resolve: approve } = Promise.withResolvers<boolean>();
  const questions: (string | undefined)[] = [];
  const confirmCall: McpServerOptions['confirmCall'] = ({ question }) => {
    questions.push(question);
    return approvalPromise;
  };
  const client = await connectClient(
    await startServer({ listTools: () => [payTool], confirmCall }),
  );
  const callPromises = [client.callTool({ name: 'pay' }), client.callTool({ name: 'pay' })];
  await waitUntil(() => plannedQuestions.length > 2);
  approve(true);
  await Promise.all(callPromises);
  expect(questions).toEqual(['Pay 1?', 'Pay 50?']);
  expect(runs).toEqual(['paid 1', 'paid 50']);
});

test('startMcpServer runs at most four calls that need no approval at the same time', async () => {
  let [startedCount, maxRunningCount] = [0, 0];
  const pendingResolves: (() => void)[] = [];
  const readTool: ServedTool = {
    definition: { name: 'read', inputSchema: { type: 'object' } },
    plan: () =>
      Promise.resolve({
        detail: '',
        run: async () => {
          startedCount += 1;
          await new Promise<void>((resolve) => {
            pendingResolves.push(resolve);
            maxRunningCount = Math.max(maxRunningCount, pendingResolves.length);
          });
          return { text: '' };
        },
      }),
  };
  const client = await connectClient(await startServer({ listTools: () => [readTool] }));
  const count = 9;
  const callPromises = Array.from({ length: count }, () => client.callTool({ name: 'read' }));
  for (let finishedCount = 0; finishedCount < count; finishedCount += 1) {
    await waitUntil(() => startedCount === Math.min(count, finishedCount + 4));
    pendingResolves.shift()?.();
  }
  await Promise.all(callPromises);
  expect(maxRunningCount).toBe(4);
});

/** Tool whose calls run until the test ends them. Records the planned calls and the running calls. */
function createSlowTool(question?: string) {
  const plannedIds: string[] = [];
  const runningCalls = new Map<string, () => void>();
  const tool: ServedTool = {
    definition: { name: 'slow', inputSchema: { type: 'object' } },
    plan: ({ id }) => {
      plannedIds.push(String(id));
      const run = (): Promise<{ text: string }> =>
        new Promise((resolve) => runningCalls.set(String(id), () => resolve({ text: 'done' })));
      return Promise.resolve({ ...(question === undefined ? {} : { question }), detail: '', run });
    },
  };
  return { tool, plannedIds, runningCalls };
}

const callSlowTool = (client: Client, id: string, signal?: AbortSignal) =>
  client.callTool({ name: 'slow', arguments: { id } }, undefined, signal && { signal });

/**
 * Connects a client of the MCP SDK. To cancel a call, the client sends a notification in a separate request.
 * `cancellationSent` resolves when the server has answered this request.
 */
async function connectCancelingClient(server: { url: string; authorization: string }) {
  const { promise: cancellationSent, resolve } = Promise.withResolvers<void>();
  const client = await connectClient(server, (body) => {
    if (body.includes('notifications/cancelled')) resolve();
  });
  return { client, cancellationSent };
}

test('startMcpServer shows the approval dialog of a paid call while four other calls run', async () => {
  const slowTool = createSlowTool();
  const confirm = vi.fn(() => Promise.resolve(true));
  const listTools = () => [slowTool.tool, createSearchTool([])];
  const client = await connectClient(await startServer({ listTools, confirmCall: confirm }));
  const callPromises = ['a', 'b', 'c', 'd'].map((id) => callSlowTool(client, id));
  await waitUntil(() => slowTool.runningCalls.size === 4);
  expect(await callSearchTool(client, 'tides')).not.toHaveProperty('isError');
  expect(confirm).toHaveBeenCalledOnce();
  for (const end of slowTool.runningCalls.values()) end();
  await Promise.all(callPromises);
});

test('startMcpServer never runs a call that the client cancels while the call waits for other calls', async () => {
  const slowTool = createSlowTool();
  const server = await startServer({ listTools: () => [slowTool.tool] });
  const { client, cancellationSent } = await connectCancelingClient(server);
  const callPromises = ['a', 'b', 'c', 'd'].map((id) => callSlowTool(client, id));
  await waitUntil(() => slowTool.runningCalls.size === 4);
  const abortController = new AbortController();
  const canceledCallPromise = callSlowTool(client, 'e', abortController.signal);
  const lastCallPromise = callSlowTool(client, 'f');
  await waitUntil(() => slowTool.plannedIds.length === 6);
  abortController.abort();
  await expect(canceledCallPromise).rejects.toThrow();
  await cancellationSent;
  for (const end of slowTool.runningCalls.values()) end();
  await waitUntil(() => slowTool.runningCalls.has('f'));
  slowTool.runningCalls.get('f')?.();
  await Promise.all([...callPromises, lastCallPromise]);
  expect([...slowTool.runningCalls.keys()]).toEqual(['a', 'b', 'c', 'd', 'f']);
});

test('startMcpServer shows no approval dialog for a paid call that the client cancels while the call waits for another call', async () => {
  const slowTool = createSlowTool('Pay?');
  const confirm = vi.fn(() => Promise.resolve(true));
  const server = await startServer({ listTools: () => [slowTool.tool], confirmCall: confirm });
  const { client, cancellationSent } = await connectCancelingClient(server);
  const firstCallPromise = callSlowTool(client, 'a');
  await waitUntil(() => slowTool.runningCalls.has('a'));
  const abortController = new AbortController();
  const canceledCallPromise = callSlowTool(client, 'b', abortController.signal);
  await waitUntil(() => slowTool.plannedIds.includes('b'));
  abortController.abort();
  await expect(canceledCallPromise).rejects.toThrow();
  await cancellationSent;
  slowTool.runningCalls.get('a')?.();
  await firstCallPromise;
  const nextCallPromise = callSlowTool(client, 'c');
  await waitUntil(() => slowTool.runningCalls.has('c'));
  slowTool.runningCalls.get('c')?.();
  await nextCallPromise;
  expect([...slowTool.runningCalls.keys()]).toEqual(['a', 'c']);
  expect(confirm).toHaveBeenCalledTimes(2);
});

test('startMcpServer does not cancel the call of another client that has the same request id', async () => {
  const slowTool = createSlowTool();
  const server = await startServer({ listTools: () => [slowTool.tool] });
  const client = await connectClient(server);
  const { client: otherClient, cancellationSent } = await connectCancelingClient(server);
  const abortController = new AbortController();
  const keptCallPromise = callSlowTool(client, 'kept');
  const canceledCallPromise = callSlowTool(otherClient, 'canceled', abortController.signal);
  await waitUntil(() => slowTool.runningCalls.size === 2);
  abortController.abort();
  await expect(canceledCallPromise).rejects.toThrow();
  await cancellationSent;
  slowTool.runningCalls.get('kept')?.();
  expect(await keptCallPromise).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
  slowTool.runningCalls.get('canceled')?.();
});

test('startMcpServer accepts connections only on 127.0.0.1', async () => {
  const { url } = await startServer();
  const socket = connect(Number(new URL(url).port), '127.0.0.2');
  onTestFinished(() => void socket.destroy());
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => 'connected'),
    once(socket, 'close').then(() => 'refused'),
  ]).catch(() => 'refused');
  expect(outcome).toBe('refused');
});

test('startMcpServer enforces the cost limit even if paid calls arrive in parallel', async () => {
  const runs: string[] = [];
  const tools = [createSearchTool(runs, 0.4)];
  const client = await connectClient(
    await startServer({ listTools: () => tools, getMaxCost: () => 1 }),
  );
  const results = await Promise.all(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((query) => callSearchTool(client, query)),
  );
  expect(runs).toHaveLength(2);
  expect(results.filter(({ isError }) => isError === true)).toHaveLength(4);
});

test.each<[what: string, headers: Record<string, string>, status: number]>([
  ['without a token', { authorization: '' }, 401],
  ['with another token', { authorization: 'Bearer x' }, 401],
  ['for another host', { host: 'rebound.example' }, 421],
  ['from a web page', { origin: 'https://page.example' }, 403],
  ['from a page on this machine', { origin: 'http://127.0.0.1' }, 403],
])('startMcpServer rejects a request %s with status $2', async (_, headers, status) => {
  const { url, authorization } = await startServer();
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const request = httpRequest(
    url,
    { method: 'POST', headers: { authorization, 'content-type': 'application/json', ...headers } },
    (response) => {
      response.resume();
      resolve(response.statusCode);
    },
  );
  request.on('error', reject);
  request.end('{}');
  expect(await promise).toBe(status);
});

test('startMcpServer returns the message of a failed call without details of the error', async () => {
  const brokenTool: ServedTool = {
    ...createSearchTool([]),
    plan: () => Promise.reject(new Error('secret path /home/a')),
  };
  const client = await connectClient(await startServer({ listTools: () => [brokenTool] }));
  const result = await callSearchTool(client, 'x');
  expect(JSON.stringify(result)).not.toContain('/home/a');
  expect(result.isError).toBe(true);
});

test('startMcpServer logs a request whose body is not JSON, and answers with status 400', async () => {
  const log = { error: vi.fn() };
  const { url, authorization } = await startServer({ log });
  const response = await fetch(url, { method: 'POST', headers: { authorization }, body: '{' });
  expect(response.status).toBe(400);
  expect(log.error).toHaveBeenCalledExactlyOnceWith(expect.any(String), expect.any(SyntaxError));
});
