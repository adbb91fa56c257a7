import { describe, expect, test } from 'vitest';
import { createTool } from '../../test/support/agent-fixture.ts';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../test/support/conversation-builder.ts';
import type { ContextView } from './context-view.ts';
import type { Answer, Conversation, UserMessage } from '../conversation/conversation.ts';
import { decodeJournal, encodeRecords } from '../conversation/journal.ts';
import { RequestBuilder, type RequestParts } from './request-builder.ts';
import { estimateRequestTokens } from './context-budget.ts';

const createAttachment = (id: string, text: string) =>
  ({ id, kind: 'file', label: `src/${id}.ts`, language: 'typescript', text }) as const;
const fileAttachment = createAttachment('f1', 'const tide = 1;\n'.repeat(200));
const imageAttachment = {
  ...({ id: 'i1', kind: 'image' } as const),
  ...{ label: 'harbor.png', language: '', text: '' },
  media: { file: 'harbor.png', mediaType: 'image/png', bytes: 3_000, name: 'harbor.png' },
} as const;
const question: UserMessage = {
  ...createUserMessage('q1', null, 'What does it do?'),
  attachments: [fileAttachment, imageAttachment],
};
const createCallAnswer = (id: string, parentId: string, output: string): Answer => ({
  ...createTextAnswer(id, parentId, ''),
  result: {
    toolCalls: [{ id: 't0', type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  toolRuns: [
    {
      ...{ callId: 't0', status: 'done', verb: 'Read', target: `${id}.ts`, readOnly: true },
      ...{ output, startedAt: 1 },
    },
  ],
});
const [largeOutput, smallOutput] = ['large line\n'.repeat(900), 'small line\n'.repeat(90)];
const pathMessages = [
  question,
  createCallAnswer('a1', 'q1', largeOutput),
  createCallAnswer('a2', 'a1', smallOutput),
  createTextAnswer('a3', 'a2', 'It counts the tide.'),
  createUserMessage('q2', 'a3', 'And then?'),
];

const instructionFiles = [{ label: 'AGENTS.md', text: '' }];

const createRequestParts = (
  conversation: Conversation,
  limits: RequestParts['limits'] = { contextTokens: 100_000 },
): RequestParts => ({
  conversation,
  endId: conversation.head?.id ?? '',
  modelId: 'model-1',
  limits,
  instructions: ['Work with care.', 'From AGENTS.md: '.repeat(40)],
  tools: [createTool('read', () => '')],
  signal: new AbortController().signal,
  onCompletion: () => {},
  setSummary: () => {
    throw new Error('A summary was stored.');
  },
});

const createBuilder = (): RequestBuilder =>
  new RequestBuilder({
    requestCompletion: () => Promise.reject(new Error('A summary was requested.')),
    readMedia: () => Promise.resolve('QUJD'),
  });

const createContextView = (
  conversation: Conversation,
  limits?: RequestParts['limits'],
): Promise<ContextView> =>
  createBuilder().describeContext(createRequestParts(conversation, limits), instructionFiles);

const buildRequestText = async (conversation: Conversation): Promise<string> =>
  JSON.stringify((await createBuilder().buildRequest(createRequestParts(conversation))).messages);

const sumPartTokens = ({ parts }: ContextView): number =>
  Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);

const setRemoved = (conversation: Conversation, id: string, item: string, isRemoved = true): void =>
  conversation.applyRecord({ type: 'context-set', id, item, isRemoved });

describe('the context view', () => {
  test('contains parts whose sizes add up to the size of the sent request', async () => {
    const conversation = createConversation(...pathMessages);
    const view = await createContextView(conversation);
    const request = await createBuilder().buildRequest(createRequestParts(conversation));
    expect(sumPartTokens(view)).toBe(estimateRequestTokens(request));
    expect(Object.values(view.parts).every((tokens) => tokens > 0)).toBe(true);
  });

  test('lists the largest items first, each with its size in the request', async () => {
    const { items } = await createContextView(createConversation(...pathMessages));
    const sizes = items.map(({ tokens }) => tokens);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(items.slice(0, 5).map(({ label, messageId, id }) => [label, messageId, id])).toEqual([
      ['Read a1.ts', 'a1', 't0'],
      ['harbor.png', 'q1', 'i1'],
      ['src/f1.ts', 'q1', 'f1'],
      ['Read a2.ts', 'a2', 't0'],
      ['AGENTS.md', null, ''],
    ]);
  });

  test('omits old outputs that the request omits because they do not fit', async () => {
    const laterAnswer = createCallAnswer('a4', 'q2', smallOutput);
    const view = await createContextView(createConversation(...pathMessages, laterAnswer), {
      contextTokens: 7_000,
    });
    expect(view.items.find(({ messageId }) => messageId === 'a1')?.tokens ?? 0).toBeLessThan(100);
  });

  test("scales the token estimates to the service's count for the last request", async () => {
    const conversation = createConversation(...pathMessages);
    const builder = createBuilder();
    const parts = createRequestParts(conversation);
    const size = estimateRequestTokens(await builder.buildRequest(parts));
    const usage = { promptTokens: size * 2, completionTokens: 0, totalTokens: size * 2 };
    builder.recordUsage(conversation, 'model-1', usage);
    const view = await builder.describeContext(parts, instructionFiles);
    expect(sumPartTokens(view)).toBe(size * 2);
  });

  test('lists the same parts and items if the context size of the model is unknown', async () => {
    const conversation = createConversation(...pathMessages);
    expect(await createContextView(conversation, {})).toEqual(
      await createContextView(conversation),
    );
  });

  test('contains all parts even for a chat without messages', async () => {
    const view = await createContextView(createConversation());
    expect(view.parts).toMatchObject({ files: 0, conversation: 0 });
    expect(view.items.map(({ label }) => label)).toEqual(['AGENTS.md']);
  });
});

describe('an item that the user removes', () => {
  test.each([
    ['an attached file', 'q1', 'f1', 'const tide', 'The user removed this attachment'],
    ['an attached image', 'q1', 'i1', 'QUJD', 'The user removed this attachment'],
    ['the output of a tool call', 'a1', 't0', 'large line', 'The user removed this output'],
  ])(
    'is omitted from later requests until the user undoes the removal: %s',
    async (_, id, item, content, note) => {
      const conversation = createConversation(...pathMessages);
      const textBefore = await buildRequestText(conversation);
      const sizeBefore = sumPartTokens(await createContextView(conversation));
      expect(textBefore).toContain(content);
      setRemoved(conversation, id, item);
      const requestWithoutItem = await buildRequestText(conversation);
      expect(requestWithoutItem).not.toContain(content);
      expect(requestWithoutItem).toContain(note);
      const view = await createContextView(conversation);
      expect(sumPartTokens(view)).toBeLessThan(sizeBefore - 500);
      expect(view.items.at(-1)).toMatchObject({ messageId: id, id: item, isRemoved: true });
      setRemoved(conversation, id, item, false);
      expect(await buildRequestText(conversation)).toBe(textBefore);
    },
  );

  test('stays removed after a restart, but outputs of other calls with the same id remain', async () => {
    const start = {
      type: 'conversation-start',
      version: 1,
      id: 'c1',
      at: 1,
      folder: null,
    } as const;
    const records = [
      start,
      ...pathMessages.map((message) => ({ type: 'message-add', message }) as const),
      { type: 'context-set', id: 'a1', item: 't0', isRemoved: true } as const,
      { type: 'context-set', id: 'missing', item: 't0', isRemoved: true } as const,
    ];
    const restoredConversation = decodeJournal(encodeRecords(records));
    expect(restoredConversation?.isDamaged).toBe(false);
    const request =
      restoredConversation === undefined ? '' : await buildRequestText(restoredConversation);
    expect(request).not.toContain('large line');
    expect(request).toContain('small line');
  });

  test.each([
    ['message id', { type: 'context-set', id: '../x', item: 't0', isRemoved: true }],
    ['item id', { type: 'context-set', id: 'a1', item: 1, isRemoved: true }],
    ['value of `isRemoved`', { type: 'context-set', id: 'a1', item: 't0', isRemoved: 'yes' }],
  ])('stays in the request if the stored removal has an invalid %s', async (_, record) => {
    const start = {
      type: 'conversation-start',
      version: 1,
      id: 'c1',
      at: 1,
      folder: null,
    } as const;
    const text = encodeRecords([
      start,
      ...pathMessages.map((message) => ({ type: 'message-add', message }) as const),
    ]);
    const restoredConversation = decodeJournal(`${text}${JSON.stringify(record)}\n`);
    expect(
      restoredConversation === undefined ? '' : await buildRequestText(restoredConversation),
    ).toContain('large line');
  });
});
