import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { request } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { streamChat } from '../../src/service/chat/stream-chat.ts';
import { CircuitBreakers } from '../../src/service/http/circuit-breaker.ts';
import type { ServiceContext } from '../../src/service/http/client.ts';
import { createDirectTransport } from '../../src/service/http/direct-transport.ts';

/** Client that reads one streamed answer and passes each text delta to `onChunk`. */
export type StreamClient<Chunk = string> = (
  baseUrl: string,
  onChunk: (chunk: Chunk) => void,
) => Promise<void>;

const apiKey = 'bench-key';
const messages = [{ role: 'user' as const, content: 'Hi' }];
const transport = createDirectTransport();

export const streamWithExtension: StreamClient = async (baseUrl, onText) => {
  const context: ServiceContext = {
    getEndpoint: async () => ({ baseUrl: new URL(baseUrl), vendorPrefix: 'service', apiKey }),
    getTransport: async () => transport,
    clock: systemClock,
    breakers: new CircuitBreakers(systemClock),
    random: Math.random,
  };
  const { signal } = new AbortController();
  for await (const events of streamChat(context, { model: 'm', messages }, { signal })) {
    for (const event of events) {
      if (event.type === 'text-delta') onText(event.text);
      else if (event.type === 'stream-end' && event.outcome.kind === 'failed') {
        throw new Error(event.outcome.failure.message);
      }
    }
  }
};

export const streamWithOpenAi: StreamClient = async (baseUrl, onText) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey });
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  for await (const chunk of stream) onText(chunk.choices[0]?.delta.content ?? '');
};

/** Client that reads the bytes without parsing them. Its time is a lower bound for all clients. */
export const streamBytesWithUndici: StreamClient<Uint8Array> = async (baseUrl, onBytes) => {
  const { body } = await request(`${baseUrl}/chat/completions`, createPostOptions());
  for await (const bytes of body) onBytes(bytes);
};

export const streamWithFetch: StreamClient = async (baseUrl, onText) => {
  const response = await fetch(`${baseUrl}/chat/completions`, createPostOptions());
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data !== '[DONE]') onText(JSON.parse(data).choices[0].delta.content);
    },
  });
  for await (const bytes of response.body ?? [])
    parser.feed(decoder.decode(bytes, { stream: true }));
};

const createPostOptions = () => ({
  method: 'POST' as const,
  headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
  body: JSON.stringify({ model: 'm', messages, stream: true }),
});

/** Closes the idle connections of the extension's client. */
export const closeClients = (): Promise<void> => transport.close();
