import { expect, test } from 'vitest';
import type { PlainServerSettings } from '../../test/foreign/plain-server.mjs';
import { connectToPlainServer, listSentBodies } from '../../test/support/plain-server-context.ts';
import { createScriptedService } from '../../test/support/scripted-transport.ts';
import { systemClock } from '../base/clock.ts';
import type { Answer, Message } from '../conversation/conversation.ts';
import { createSummaryRequest } from '../agent/compaction.ts';
import { decodeJournal, encodeRecords } from '../conversation/journal.ts';
import { buildRequest } from '../conversation/prompt.ts';
import type { ChatRequest, ToolDefinition } from '../service/chat/chat-types.ts';
import { streamChat } from '../service/chat/stream-chat.ts';
import type { ServiceContext } from '../service/http/client.ts';
import { streamAnswer } from './answer.ts';
import type { TurnEvent } from './turn-context.ts';

const { signal } = new AbortController();
const tools: readonly ToolDefinition[] = [
  { type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } },
];
const question: Message = {
  role: 'user',
  id: 'q',
  parentId: null,
  createdAt: 0,
  text: 'call read_file {"path":"a"}',
  attachments: [],
};

/** Sends `question` to the model. Returns the answer, and the turn events from which the answer was built. */
async function requestAnswer(context: ServiceContext, model: string) {
  const events: TurnEvent[] = [];
  await streamAnswer(
    {
      events: streamChat(context, buildRequest({ model, path: [question], tools }), { signal }),
      clock: systemClock,
      estimateCost: () => undefined,
    },
    (event) => events.push(event),
  );
  const turnEnd = events.findLast((event) => event.type === 'turn-end');
  const deltas = events.filter((event) => event.type === 'text-delta');
  const answer: Answer = {
    role: 'assistant',
    id: 'a',
    parentId: 'q',
    createdAt: 0,
    model: { id: model, name: model },
    text: deltas.map(({ text }) => text).join(''),
    reasoning: deltas.map(({ reasoning }) => reasoning).join(''),
    status: turnEnd?.status ?? 'failed',
    result: turnEnd?.result ?? {},
    toolRuns: [],
  };
  return { answer, events };
}

const getSentAnswer = ({ messages }: Pick<ChatRequest, 'messages'>) =>
  messages.find(({ role }) => role === 'assistant');

const reasoningText = 'The request is short, so a short answer is enough.';
const serverCases: readonly [string, string, PlainServerSettings, object][] = [
  [
    'llama.cpp',
    'Qwen3-VL-8B-Q4_K_M.gguf',
    { kind: 'llamacpp' },
    { reasoning_content: reasoningText },
  ],
  ['Ollama', 'qwen3:8b', { kind: 'ollama' }, { reasoning: reasoningText }],
  ['vLLM', 'Qwen/Qwen3-VL-8B-Instruct', { kind: 'vllm' }, { reasoning: reasoningText }],
  ['an old vLLM release', 'sql-adapter', { kind: 'vllm', legacy: true }, {}],
  ['LM Studio', 'qwen/qwen3-4b', { kind: 'lmstudio' }, { reasoning_content: reasoningText }],
  ['LM Studio', 'openai/gpt-oss-20b', { kind: 'lmstudio' }, { reasoning: reasoningText }],
  ['LiteLLM', 'local-qwen', { kind: 'litellm' }, { reasoning_content: reasoningText }],
];

test.each(serverCases)(
  'after a tool call, any reasoning from %s with the model %s is sent back in the field that contained it',
  async (_, model, settings, expected) => {
    await using connection = await connectToPlainServer(settings);
    const { context, server } = connection;
    const { answer } = await requestAnswer(context, model);
    expect(answer.result.toolCalls).toHaveLength(1);
    const path = [question, answer];
    await expectCompleteAnswer(
      context,
      buildRequest({ model, baseUrl: answer.result.connection, path, tools }),
    );
    const body = listSentBodies(server, '/chat/completions').at(-1) as unknown as ChatRequest;
    const {
      role: _role,
      content: _content,
      tool_calls: _calls,
      ...fields
    } = getSentAnswer(body) as {
      readonly role: string;
      readonly content: unknown;
      readonly tool_calls: unknown;
    };
    expect(fields).toEqual(expected);
    // Reasoning is not sent to another model.
    const answerSentToOtherModel = getSentAnswer(
      buildRequest({ model: 'other', baseUrl: answer.result.connection, path, tools }),
    );
    expect(Object.keys(answerSentToOtherModel ?? {})).toEqual(['role', 'content', 'tool_calls']);
    // Reasoning is not sent to a model of the same name at another service either.
    for (const url of [undefined, 'https://other.example/api/v1']) {
      const answerSentElsewhere = getSentAnswer(buildRequest({ model, baseUrl: url, path, tools }));
      expect(answerSentElsewhere).toEqual(answerSentToOtherModel);
    }
  },
);

async function expectCompleteAnswer(context: ServiceContext, request: ChatRequest): Promise<void> {
  for await (const batch of streamChat(context, request, { signal })) {
    const lastEvent = batch.at(-1);
    if (lastEvent?.type === 'stream-end') expect(lastEvent.outcome.kind).toBe('complete');
  }
}

const formatChunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
const connectionUrl = 'https://api.service.test/api/v1';
const toolCall = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

test('streamAnswer combines streamed reasoning details into whole entries, and sends the entries back with their signatures', async () => {
  const createReasoningDetail = (fields: object) => ({
    type: 'reasoning.text',
    index: 0,
    format: 'x',
    ...fields,
  });
  const { context } = createScriptedService({
    body: [
      formatChunk({
        reasoning: 'One ',
        reasoning_details: [createReasoningDetail({ text: 'One ' })],
      }),
      formatChunk({
        reasoning: 'two',
        reasoning_details: [createReasoningDetail({ text: 'two' })],
      }),
      formatChunk({ reasoning_details: [createReasoningDetail({ signature: 'sig' })] }),
      formatChunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'abc' }] }),
      formatChunk({ tool_calls: [toolCall] }, 'tool_calls'),
    ],
  });
  const { answer } = await requestAnswer(context, 'm');
  expect(answer.reasoning).toBe('One two');
  expect(
    getSentAnswer(buildRequest({ model: 'm', baseUrl: connectionUrl, path: [question, answer] })),
  ).toMatchObject({
    reasoning: 'One two',
    reasoning_details: [
      { type: 'reasoning.text', index: 0, format: 'x', text: 'One two', signature: 'sig' },
      { type: 'reasoning.encrypted', index: 1, data: 'abc' },
    ],
  });
});

test.each([
  ['with reasoning', { reasoning_content: 'Why\u200b' }],
  ['without reasoning', {}],
  ['with reasoning details', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'abc' }] }],
])('streamAnswer sends the signature of an answer %s back unchanged', async (_, fields) => {
  const { context } = createScriptedService({
    body: [
      formatChunk(fields),
      formatChunk({ content: 'I look.', thought_signature: 'c2ln\u200b+/=' }),
      formatChunk({ tool_calls: [toolCall] }, 'tool_calls'),
    ],
  });
  const { answer } = await requestAnswer(context, 'm');
  expect(answer.text).toBe('I look.');
  const sentAnswer = getSentAnswer(
    buildRequest({ model: 'm', baseUrl: connectionUrl, path: [question, answer] }),
  );
  expect(sentAnswer).toMatchObject({ ...fields, thought_signature: 'c2ln\u200b+/=' });
  const restoredAnswer = restoreAnswer(answer);
  expect(
    getSentAnswer(
      buildRequest({ model: 'm', baseUrl: connectionUrl, path: [question, restoredAnswer] }),
    ),
  ).toEqual(sentAnswer);
  // A summary request contains neither a part of the reasoning nor the signature.
  const summary = JSON.stringify(createSummaryRequest('m', [question, answer], undefined));
  expect(summary).toContain('I look.');
  expect(summary).not.toMatch(/Why|c2ln|abc/u);
});

/** Writes the answer in the format of a conversation file, and returns the answer that is read from this text. */
function restoreAnswer(answer: Answer): Answer {
  const records = [
    { type: 'conversation-start', version: 1, id: 'c1', at: 0, folder: null },
    { type: 'message-add', message: question },
    { type: 'message-add', message: answer },
  ] as const;
  const message = decodeJournal(encodeRecords(records))?.findMessage(answer.id);
  if (message?.role !== 'assistant') throw new Error('The answer is not in the journal.');
  return message;
}

test('streamAnswer sends reasoning from think tags back to the server in the content', async () => {
  const { context } = createScriptedService({
    body: [
      formatChunk({ content: '<think>Why</think>Because' }),
      formatChunk({ tool_calls: [toolCall] }, 'stop'),
    ],
  });
  const { answer } = await requestAnswer(context, 'm');
  const sentAnswer = getSentAnswer(
    buildRequest({ model: 'm', baseUrl: connectionUrl, path: [question, answer] }),
  );
  expect(sentAnswer?.content).toBe('<think>\nWhy\n</think>\n\nBecause');
});

test('streamAnswer records in the answer that the model rejected the tools', async () => {
  await using connection = await connectToPlainServer({ kind: 'ollama' });
  const { answer, events } = await requestAnswer(connection.context, 'gemma3:270m');
  expect(answer.status).toBe('complete');
  expect(answer.result.refusedParts).toEqual(['tools']);
  expect(events).toContainEqual({ type: 'part-refused', parts: ['tools'] });
});
