import { expect, test } from 'vitest';
import { readCaller, parseChatRequest } from './api-chat.ts';

const messages = [{ role: 'user', content: 'Hi' }];

test('parseChatRequest copies known request fields and drops unknown fields', () => {
  const { signal } = new AbortController();
  const input = {
    messages,
    model: 'm',
    temperature: 0.5,
    maxTokens: 9,
    caller: 'a.b',
    signal,
    tools: [1],
  };
  expect(parseChatRequest(input, 'own')).toEqual({
    request: {
      model: 'm',
      messages,
      temperature: 0.5,
      max_completion_tokens: 9,
      parameters: { include_system_prompt: false },
    },
    caller: 'a.b',
    signal,
  });
});

test('parseChatRequest uses the user’s chat model if the request names no model', () => {
  expect(parseChatRequest({ messages }, 'own')).toMatchObject({ request: { model: 'own' } });
});

test('parseChatRequest returns a request that later changes of the input do not affect', () => {
  const ownMessages = [{ role: 'user', content: 'Hi' }];
  const parsedRequest = parseChatRequest({ messages: ownMessages }, 'm');
  ownMessages[0]!.content = 'Something else';
  ownMessages.push({ role: 'user', content: 'More' });
  expect(parsedRequest).toMatchObject({ request: { messages: [{ role: 'user', content: 'Hi' }] } });
});

test.each([
  ['nothing', undefined],
  ['a text', 'Hi'],
  ['a list', [messages]],
  ['no messages', {}],
  ['an empty list', { messages: [] }],
  ['an object instead of a list', { messages: { length: 1, 0: messages[0] } }],
  ['too many messages', { messages: Array.from({ length: 501 }, () => messages[0]) }],
  ['too much text', { messages: [{ role: 'user', content: 'x'.repeat(2_000_001) }] }],
  ['an unknown role', { messages: [{ role: 'tool', content: 'x' }] }],
  ['message parts', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }],
  ['an empty entry', { messages: [null] }],
  ['a number as the model', { messages, model: 7 }],
  ['a model without a name', { messages, model: '' }],
  ['an overlong model name', { messages, model: 'm'.repeat(201) }],
  ['an invalid temperature', { messages, temperature: Number.NaN }],
  ['a temperature that is too high', { messages, temperature: 3 }],
  ['half a token', { messages, maxTokens: 0.5 }],
  ['infinite tokens', { messages, maxTokens: Number.POSITIVE_INFINITY }],
])('parseChatRequest rejects an invalid chat request: %s', (_, input) => {
  expect(parseChatRequest(input, 'm')).toMatch(/\.$/u);
});

test.each([
  ['publisher.name', 'publisher.name'],
  ['a-b.c_d', 'a-b.c_d'],
  ['name', undefined],
  ['a.b.c', undefined],
  ['a.b\n\nAllow me', undefined],
  [`a.${'b'.repeat(101)}`, undefined],
  [7, undefined],
  [undefined, undefined],
])('readCaller reads the caller id %j as %j', (caller, id) => {
  expect(readCaller({ caller })).toBe(id);
});
