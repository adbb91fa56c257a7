import type { Page } from 'playwright-core';
import type { HostMessage } from '../../../src/chat/protocol/host-message.ts';
import {
  answeredMessages,
  answerText,
  codeText,
  failureView,
  createMessageView,
  createModelView,
  createModelViews,
  createRequestView,
  createStateSetMessage,
} from './chat-states.ts';
import { composerScenes } from './composer-scenes.ts';
import { toolScenes } from './tool-scenes.ts';

/** State of the chat. Tests check its rendering, and the screenshot command captures it. */
export interface Scene {
  readonly name: string;
  readonly messages: readonly HostMessage[];
  /** Performs user actions in the page after it has received the messages. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const attachedFiles = [
  {
    id: 'f1',
    kind: 'selection',
    label: 'src/parser.ts:10-42',
    tokens: 1_210,
    preview: 'code',
    bytes: null,
    thumbnail: null,
  },
  {
    id: 'f2',
    kind: 'file',
    label: 'packages/application/source/components/navigation/breadcrumbs.test.ts',
    tokens: 18_400,
    preview: 'code',
    bytes: null,
    thumbnail: null,
  },
  {
    id: 'f3',
    kind: 'problems',
    label: '3 problems in src/lexer.ts',
    tokens: 96,
    preview: '',
    bytes: null,
    thumbnail: null,
  },
] as const;

const createStreamingMessage = (change: Parameters<typeof createMessageView>[0]): HostMessage =>
  createStateSetMessage({
    messages: [
      createRequestView('u1', 'How does the parser find the end of a string?'),
      createMessageView({ id: 'a1', status: 'streaming', ...change }),
    ],
    streaming: 'a1',
  });

/** Incomplete answer with formulas, a diagram and the first rows of a table. */
const unfinishedAnswerText = [
  String.raw`The height is $h(t) = h_0 + a \cos(\omega t)$, summed over the constituents:`,
  String.raw`$$h(t) = h_0 + \sum_{i=1}^{n} a_i \cos\left(\frac{2\pi t}{T_i} + \varphi_i\right)$$`,
  '```mermaid\nflowchart LR\n  Gauge --> Filter --> Model --> Forecast\n```',
  '| Tide | Time | Height |\n|---|---|---|\n| Low | 08:12 | 0.6 m |\n| High | 14:05 | **3.',
].join('\n\n');

const openModelPicker = (page: Page): Promise<void> =>
  page.getByRole('combobox', { name: 'Model', exact: true }).click();

const createModelListMessage = (
  change: Partial<Extract<HostMessage, { type: 'model-list' }>> = {},
): HostMessage => ({
  type: 'model-list',
  models: [],
  stale: null,
  loading: false,
  retryAt: null,
  privateOnly: false,
  ...change,
});

export const scenes: readonly Scene[] = [
  { name: 'empty', messages: [createStateSetMessage()] },
  { name: 'suggestions-offer', messages: [createStateSetMessage({ suggestionsOffer: true })] },
  {
    name: 'edits-notice',
    messages: [createStateSetMessage({ editsNotice: true, messages: answeredMessages })],
  },
  {
    name: 'signed-out',
    messages: [
      createStateSetMessage({
        account: {
          status: 'signed-out',
          profile: 'Default',
          address: '',
          message: null,
          actions: [
            { action: 'set-key', label: 'Set API Key' },
            { action: 'mint-key', label: 'Get API Key with Wallet' },
          ],
        },
        model: null,
        suggestions: [],
      }),
    ],
  },
  {
    name: 'attention',
    messages: [
      createStateSetMessage({
        messages: answeredMessages,
        account: {
          status: 'needs-attention',
          profile: 'Default',
          address: '',
          message: 'The service no longer accepts this key.',
          actions: [{ action: 'set-key', label: 'Set API Key' }],
        },
      }),
    ],
  },
  {
    name: 'answered',
    messages: [createStateSetMessage({ messages: answeredMessages })],
    prepare: (page) => page.getByRole('article', { name: 'Assistant' }).hover(),
  },
  {
    name: 'answer-details',
    messages: [createStateSetMessage({ messages: answeredMessages })],
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Thought for 6.2 s' }).click();
      await page.getByRole('button', { name: /tokens · / }).click();
    },
  },
  {
    name: 'code',
    messages: [
      createStateSetMessage({
        messages: [createRequestView('u1', 'Show me code'), createMessageView({ text: codeText })],
      }),
    ],
    prepare: (page) => page.locator('.hljs-selector-class').waitFor(),
  },
  { name: 'waiting', messages: [createStreamingMessage({})] },
  {
    name: 'thinking',
    messages: [
      createStreamingMessage({
        reasoning: 'First the tokens.\nThen I check whether `endOf` sees escapes',
      }),
    ],
  },
  {
    name: 'streaming-formula-and-diagram',
    messages: [
      createStateSetMessage({
        messages: [
          createRequestView('u1', 'How do I predict the height of the tide?'),
          createMessageView({ id: 'a1', status: 'streaming', text: unfinishedAnswerText }),
        ],
        streaming: 'a1',
      }),
    ],
    prepare: async (page) => {
      await page.locator('.katex').first().waitFor();
      await page.locator('.diagram img').first().waitFor();
    },
  },
  {
    name: 'streaming',
    messages: [
      createStreamingMessage({
        text: answerText.slice(0, 700),
        reasoning: 'Tokens.',
        reasoningMs: 4_000,
      }),
      { type: 'attachments-change', attachments: [...attachedFiles] },
      { type: 'draft-set', text: 'And what about\nblock comments?', replace: true },
    ],
  },
  {
    name: 'stopped',
    messages: [
      createStateSetMessage({
        messages: [
          createRequestView('u1', 'Write a poem'),
          createMessageView({ text: 'Rows of green', status: 'stopped', stats: null }),
        ],
      }),
    ],
  },
  {
    name: 'interrupted',
    messages: [
      createStateSetMessage({
        messages: [
          createRequestView('u1', 'Ignore\u200b this', { hiddenCharacters: 3 }),
          createMessageView({ text: 'Rows of green, columns of', status: 'interrupted' }),
        ],
      }),
    ],
  },
  {
    name: 'failed',
    messages: [
      createStateSetMessage({
        messages: [
          createRequestView('u1', 'Hello'),
          createMessageView({ status: 'failed', failure: failureView }),
        ],
      }),
    ],
  },
  {
    name: 'retrying',
    messages: [
      createStreamingMessage({
        failure: {
          code: 'rate-limited',
          title: 'The service is limiting requests.',
          detail: 'At most 20 requests per minute with this model.',
          retryAt: Date.now() + 600_000,
          actions: [{ action: 'choose-model', label: 'Choose another model' }],
        },
      }),
    ],
  },
  {
    name: 'right-to-left',
    messages: [
      createStateSetMessage({
        messages: [
          createRequestView('u1', 'كيف يعمل المحلل؟'),
          createMessageView({
            text: 'يقرأ المحلل الملف كله مرة واحدة.\n\n- أولاً\n- ثانياً',
            stats: null,
          }),
        ],
        attachments: [...attachedFiles],
      }),
    ],
  },
  {
    name: 'editing',
    messages: [createStateSetMessage({ messages: answeredMessages })],
    prepare: async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).press('ArrowUp');
    },
  },
  {
    name: 'models',
    messages: [
      createStateSetMessage({ model: createModelView({ id: 'model-1', name: 'Harbour 1 Coder' }) }),
      createModelListMessage({ models: createModelViews(40) }),
    ],
    prepare: openModelPicker,
  },
  {
    name: 'models-stale',
    messages: [
      createStateSetMessage(),
      createModelListMessage({
        models: createModelViews(3),
        stale: 'The service cannot be reached.',
      }),
    ],
    prepare: openModelPicker,
  },
  {
    name: 'models-waiting',
    messages: [
      createStateSetMessage(),
      createModelListMessage({
        models: createModelViews(3),
        stale: 'Too many requests.',
        loading: true,
        retryAt: Date.now() + 600_000,
      }),
    ],
    prepare: openModelPicker,
  },
  {
    name: 'models-none',
    messages: [createStateSetMessage(), createModelListMessage()],
    prepare: openModelPicker,
  },
  {
    name: 'models-loading',
    messages: [createStateSetMessage(), createModelListMessage({ loading: true })],
    prepare: openModelPicker,
  },
  {
    name: 'find',
    messages: [createStateSetMessage({ messages: answeredMessages })],
    prepare: async (page) => {
      await page.keyboard.press('Control+f');
      await page.getByRole('textbox', { name: 'Find' }).fill('string');
      await page.keyboard.press('Enter');
    },
  },
  {
    name: 'notice',
    messages: [
      createStateSetMessage({ messages: answeredMessages }),
      { type: 'notice-show', text: 'The file is too large to attach.' },
    ],
  },
  ...composerScenes,
  ...toolScenes,
];
