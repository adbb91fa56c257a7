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
  ['is undefined', undefined],
  ['is a text', 'Hi'],
  ['is a list', [messages]],
  ['has no messages', {}],
  ['has an empty list of messages', { messages: [] }],
  ['has an object instead of a list of messages', { messages: { length: 1, 0: messages[0] } }],
  ['has too many messages', { messages: Array.from({ length: 501 }, () => messages[0]) }],
  ['has too much text', { messages: [{ role: 'user', content: 'x'.repeat(2_000_001) }] }],
  ['has a message with an unknown role', { messages: [{ role: 'tool', content: 'x' }] }],
  [
    'has a message with parts instead of a text',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
  ],
  ['has an empty entry in the list of messages', { messages: [null] }],
  ['has a number as the model', { messages, model: 7 }],
  ['has an empty model name', { messages, model: '' }],
  ['has an overlong model name', { messages, model: 'm'.repeat(201) }],
  ['has an invalid temperature', { messages, temperature: Number.NaN }],
  ['has a temperature that is too high', { messages, temperature: 3 }],
  ['has a limit of half a token', { messages, maxTokens: 0.5 }],
  ['has an infinite token limit', { messages, maxTokens: Number.POSITIVE_INFINITY }],
])('parseChatRequest rejects a chat request that %s', (_, input) => {
  expect(parseChatRequest(input, 'm')).toMatch(/\.$/u);
});

test.each([['publisher.name'], ['a-b.c_d']])('readCaller accepts the caller id "%s"', (caller) => {
  expect(readCaller({ caller })).toBe(caller);
});

test.each([
  ['a caller id without a publisher', 'name'],
  ['a caller id with three parts', 'a.b.c'],
  ['a caller id with line breaks', 'a.b\n\nAllow me'],
  ['an overlong caller id', `a.${'b'.repeat(101)}`],
  ['a number as the caller id', 7],
  ['a missing caller id', undefined],
])('readCaller rejects %s', (_, caller) => {
  expect(readCaller({ caller })).toBeUndefined();
});
