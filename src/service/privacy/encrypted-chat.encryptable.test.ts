import { expect, test } from 'vitest';
import type { ChatRequest } from '../chat/chat-types.ts';
import { toEncryptableRequest } from './encrypted-chat.ts';

const secretText = 'Lanternfish';
const messages: ChatRequest['messages'] = [{ role: 'user', content: secretText }];

test.each(['sealed', 'sealed:70b'])(
  'toEncryptableRequest keeps the model id "%s" and omits no features',
  (model) => {
    const result = toEncryptableRequest({ model, messages });
    expect(result.request.model).toBe(model);
    expect(result.omittedFeatures).toEqual([]);
  },
);

test.each<[id: string, sent: string, description: string, omittedFeatures: readonly string[]]>([
  ['sealed:70b:web', 'sealed:70b', 'web search', ['web-search']],
  ['sealed:enable_web_search=auto', 'sealed', 'web search', ['web-search']],
  ['sealed:enable_web_search=off', 'sealed', 'no features', []],
  ['sealed:enable_web_scraping=true', 'sealed', 'web search', ['web-search']],
  ['sealed:enable_web_scraping=false', 'sealed', 'no features', []],
  ['sealed:disable_thinking=true', 'sealed', 'no features', []],
  [`sealed:character_slug=${secretText}`, 'sealed', 'the persona', ['persona']],
  [
    'sealed:enable_web_search=on&character_slug=a',
    'sealed',
    'web search and the persona',
    ['web-search', 'persona'],
  ],
])(
  'toEncryptableRequest shortens the model id "%s" to "%s" and omits %s',
  (model, sentModel, _description, omittedFeatures) => {
    const result = toEncryptableRequest({ model, messages });
    expect(result.request.model).toBe(sentModel);
    expect(result.omittedFeatures).toEqual(omittedFeatures);
  },
);

test('toEncryptableRequest removes user content from all request fields except the messages', () => {
  const { request } = toEncryptableRequest({
    model: 'sealed',
    messages,
    stop: secretText,
    prompt_cache_key: secretText,
    tools: [{ type: 'function', function: { name: secretText } }],
    response_format: { type: 'json_schema', json_schema: { name: secretText } },
    parameters: { character_slug: secretText, enable_web_search: 'on' },
  });
  const { messages: plainMessages, ...otherFields } = request;
  expect(plainMessages).toEqual(messages);
  expect(JSON.stringify(otherFields)).not.toContain(secretText);
  expect(otherFields.parameters).toMatchObject({ enable_e2ee: true, enable_web_search: 'off' });
});

test('toEncryptableRequest replaces images and files in messages with a short note', () => {
  const dataUrl = `data:application/octet-stream;base64,${secretText}`;
  const { request, omittedFeatures } = toEncryptableRequest({
    model: 'sealed',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: dataUrl } },
          { type: 'file', file: { filename: 'a.pdf', file_data: dataUrl } },
        ],
      },
    ],
  });
  expect(request.messages).toEqual([
    { role: 'user', content: 'Look.\n[A picture is left out]\n[A file is left out: a.pdf]' },
  ]);
  expect(omittedFeatures).toEqual(['pictures', 'files']);
});
