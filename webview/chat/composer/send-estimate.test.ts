// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { ChatState } from '../../../src/chat/protocol/view-state.ts';
import {
  createChatState,
  createModelView,
} from '../../../test/support/webview-page/chat-states.ts';
import { estimateMessage, SendEstimate } from './send-estimate.ts';

const formatAmount = (value: number): string => String(Number(value.toFixed(6)));
const formatters = {
  formatTokens: String,
  formatUsd: (value: number) => `$${formatAmount(value)}`,
  formatAmount,
};
const draftText = 'x'.repeat(400);
const longPromptPrice = {
  unit: 'usd',
  input: 1,
  output: 4,
  extended: { threshold: 1_000, input: 3, output: 9 },
} as const;

test.each<[what: string, state: Partial<ChatState>, tokens: number, usd: number | null]>([
  ['a draft without context', {}, 100, 0.00007],
  ['a draft with instructions', { baseTokens: 4_500 }, 4_600, 0.00322],
  [
    'a draft after a conversation that includes the instructions',
    { baseTokens: 500, context: { usedTokens: 900, limitTokens: 9_000 } },
    1_000,
    0.0007,
  ],
  [
    'a draft after a conversation that is shorter than the instructions',
    { baseTokens: 4_500, context: { usedTokens: 900, limitTokens: 9_000 } },
    4_600,
    0.00322,
  ],
  [
    'a draft with an attachment',
    {
      attachments: [
        {
          id: 'a',
          kind: 'file',
          label: 'a.ts',
          tokens: 300,
          preview: '',
          bytes: null,
          thumbnail: null,
        },
      ],
    },
    400,
    0.00028,
  ],
  [
    'a draft with a web search',
    { options: { webSearch: 'on', searchDisabledReason: '', suffix: '', changed: false } },
    100,
    0.01007,
  ],
  [
    'a draft with an optional web search',
    { options: { webSearch: 'auto', searchDisabledReason: '', suffix: '', changed: false } },
    100,
    0.00007,
  ],
  [
    'a draft at the threshold of extended prices',
    { baseTokens: 900, model: createModelView({ price: longPromptPrice }) },
    1_000,
    0.001,
  ],
  [
    'a draft above the threshold of extended prices',
    { baseTokens: 901, model: createModelView({ price: longPromptPrice }) },
    1_001,
    0.003003,
  ],
  ['a draft for a model without a price', { model: createModelView({ price: null }) }, 100, null],
  ['a draft without a model', { model: null }, 100, null],
])(
  'estimateMessage computes the tokens and the cost of %s: $2 tokens, $3 US dollars',
  (_, state, tokens, usd) => {
    const estimate = estimateMessage(createChatState(state), draftText);
    expect(estimate.tokens.totalTokens).toBe(tokens);
    if (usd === null) expect(estimate.cost).toBeNull();
    else expect(estimate.cost?.amount).toBeCloseTo(usd, 9);
  },
);

test('SendEstimate describes the estimate and its parts, and returns nothing if the draft is empty', () => {
  const sendEstimate = new SendEstimate(formatters);
  const createSearchingChat = (webSearch: 'on' | 'auto'): ChatState =>
    createChatState({
      baseTokens: 900,
      options: { webSearch, searchDisabledReason: '', suffix: '', changed: false },
    });
  expect(sendEstimate.describeEstimate(createSearchingChat('on'), draftText).split('\n')).toEqual([
    '~1000 tokens · about $0.0107',
    'Instructions: 900',
    'The web search costs $0.01.',
    'The answer comes on top, for $2.8 per million tokens.',
  ]);
  const { attachments } = createChatState({
    attachments: [
      { id: 'a', kind: 'file', label: 'a', tokens: 300, preview: '', bytes: null, thumbnail: null },
    ],
  });
  expect(
    sendEstimate
      .describeEstimate(
        createChatState({
          baseTokens: 90,
          context: { usedTokens: 900, limitTokens: 9_000 },
          attachments,
        }),
        draftText,
      )
      .split('\n')[1],
  ).toBe('Conversation: 900 · Attached: 300');
  const estimateText = sendEstimate.describeEstimate(createSearchingChat('auto'), draftText);
  expect(estimateText).toMatch(/^~1000 tokens · about \$0\.0007 to \$0\.0107\n/u);
  expect(estimateText).toContain('The web search costs $0.01.');
  expect(
    sendEstimate.describeEstimate(createChatState({ model: null, mode: 'ask' }), draftText),
  ).toMatch(/^~100 tokens$/u);
  expect(
    sendEstimate.describeEstimate(createChatState({ baseTokens: null }), draftText),
    'what goes along is not counted yet',
  ).toBe('');
  expect(sendEstimate.describeEstimate(createChatState(), '')).toBe('');
  expect(sendEstimate.describeEstimate(createChatState(), '/image a boat')).toBe('');
});

test('SendEstimate shows prices in DIEM for a model without prices in dollars', () => {
  const sendEstimate = new SendEstimate(formatters);
  const price = { unit: 'diem', input: 2, output: 5 } as const;
  const text = sendEstimate.describeEstimate(
    createChatState({ baseTokens: 900, model: createModelView({ price }) }),
    draftText,
  );
  expect(text).toMatch(/^~1000 tokens · about 0\.002 DIEM\n/u);
  expect(text).toContain('for 5 DIEM per million tokens');
});
