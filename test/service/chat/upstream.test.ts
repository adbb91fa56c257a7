import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createChatRequest, postChat, startTestService } from '../test-service.ts';

const upstreamUsage = { prompt_tokens: 100, completion_tokens: 10 };
const upstreamEvents = [
  'data: {"choices":[{"delta":{"content":"hé"}}]}\n\n',
  `data: ${JSON.stringify({ choices: [], usage: upstreamUsage })}\n\n`,
  'data: [DONE]\n\n',
];

/** Starts a minimal OpenAI-compatible server, and records the request bodies. */
async function startUpstreamServer(): Promise<{ url: string; bodies: unknown[] }> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') response.end('{"data":[{"id":"other-model:7b"}]}');
    else void request.toArray().then((chunks) => sendReply(JSON.parse(chunks.join('')), response));
  });
  const sendReply = (body: { stream?: boolean }, response: ServerResponse): void => {
    bodies.push(body);
    response.setHeader('content-type', body.stream ? 'text/event-stream' : 'application/json');
    response.end(
      body.stream ? upstreamEvents.join('') : JSON.stringify({ choices: [], usage: upstreamUsage }),
    );
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, bodies };
}

test('the service lists the models of an upstream server, forwards its responses unchanged, and charges the reported usage', async () => {
  const modelServer = await startUpstreamServer();
  const service = await startTestService({ upstreamUrl: modelServer.url });
  const modelList = (await (await fetch(`${service.baseUrl}/models`)).json()) as {
    data: { id: string }[];
  };
  expect(modelList.data.map(({ id }) => id)).toEqual(['other-model:7b']);
  const parameters = { service_parameters: { enable_web_search: 'on' } };
  const streamedReply = await postChat(
    service,
    createChatRequest('Hi', { stream: true, ...parameters }),
  );
  expect(streamedReply.headers.get('content-type')).toBe('text/event-stream');
  expect(await streamedReply.text()).toBe(upstreamEvents.join(''));
  const completeReply = await postChat(
    service,
    createChatRequest('Hi', { model: 'other-model:7b:disable_thinking=true' }),
  );
  expect(await completeReply.json()).toEqual({ choices: [], usage: upstreamUsage });
  expect(modelServer.bodies[0]).toEqual({
    model: 'other-model:7b',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  });
  const { charges } = await service.control.getAccounts();
  expect(charges).toMatchObject([{ diem: 65 }, { diem: 65 }]);
});
