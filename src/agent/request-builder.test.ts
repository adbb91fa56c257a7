import { describe, expect, test } from 'vitest';
import { createTool } from '../../test/support/agent-fixture.ts';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../test/support/conversation-builder.ts';
import type { CompletionOptions } from '../service/chat/chat.ts';
import { ServiceError } from '../service/http/failure.ts';
import { estimateRequestTokens } from './context-budget.ts';
import { type ModelCompletion, RequestBuilder, type RequestParts } from './request-builder.ts';

const shortPath = [createUserMessage('q1', null), createTextAnswer('a1', 'q1')];
const longPath = [...shortPath, createUserMessage('q2', 'a1'), createTextAnswer('a2', 'q2')];

/** Creates a conversation with these messages and compacts it. */
async function compactConversation(
  messages: readonly (typeof shortPath)[number][],
  complete: (request: string, options: CompletionOptions) => Promise<ModelCompletion>,
) {
  const summaries: [id: string, text: string][] = [];
  const completions: ModelCompletion[] = [];
  const conversation = createConversation(...messages);
  const parts: RequestParts = {
    conversation,
    endId: messages.at(-1)?.id ?? '',
    modelId: 'model-1',
    limits: { contextTokens: 100_000 },
    instructions: [],
    tools: [],
    signal: new AbortController().signal,
    getProtectionTerms: () => ({ minProtection: 'encrypted' }),
    onCompletion: (completion) => completions.push(completion),
    setSummary: (id, text) => {
      summaries.push([id, text]);
      conversation.applyRecord({ type: 'summary-set', id, text });
    },
  };
  const builder = new RequestBuilder({
    requestCompletion: (request, options) => complete(JSON.stringify(request), options),
  });
  const compactAgain = () => builder.compact(parts);
  const buildRequest = () => builder.buildRequest(parts);
  return {
    isDone: await compactAgain(),
    again: compactAgain,
    request: buildRequest,
    summaries,
    completions,
  };
}

test.each([[100_000], [1_000]])(
  'estimateBaseTokens returns the size of a request without messages in a context of %d tokens',
  async (contextTokens) => {
    const parts: RequestParts = {
      conversation: createConversation(createUserMessage('q1', null)),
      endId: 'q1',
      modelId: 'model-1',
      limits: { contextTokens },
      instructions: ['Work like this. '.repeat(500)],
      tools: [createTool('read', () => ''), createTool('write', () => '')],
      signal: new AbortController().signal,
      onCompletion: () => {},
      setSummary: () => {},
    };
    const builder = new RequestBuilder({ requestCompletion: async () => ({ text: '' }) });
    const builtRequest = await builder.buildRequest(parts);
    const messages = builtRequest.messages.filter(({ role }) => role === 'system');
    expect(builder.estimateBaseTokens(parts)).toBe(
      estimateRequestTokens({ ...builtRequest, messages }),
    );
  },
);

describe('RequestBuilder.compact', () => {
  test('replaces everything before the last exchange with a summary, and reports the usage of the summary request', async () => {
    let requestText = '';
    const { isDone, request, summaries, completions } = await compactConversation(
      longPath,
      async (body) => {
        requestText = body;
        return { text: ' They greeted. ', cost: { usd: 0.01 } };
      },
    );
    expect(isDone).toBe(true);
    expect(summaries).toEqual([['q2', 'They greeted.']]);
    expect(completions).toEqual([{ text: ' They greeted. ', cost: { usd: 0.01 } }]);
    expect(requestText).toContain('User: q1');
    expect(requestText).not.toContain('User: q2');
    const messagesText = JSON.stringify((await request()).messages);
    expect(messagesText).toContain('They greeted.');
    expect(messagesText).not.toContain('"q1"');
  });

  test('requires end-to-end encryption for the summary request if the conversation requires it', async () => {
    let requestOptions: CompletionOptions | undefined;
    await compactConversation(longPath, async (_, options) => {
      requestOptions = options;
      return { text: 'Once.' };
    });
    expect(requestOptions).toMatchObject({ minProtection: 'encrypted' });
  });

  test('sends no request if no message precedes the last exchange', async () => {
    const reject = () => Promise.reject(new Error('It was asked.'));
    expect((await compactConversation(shortPath, reject)).isDone).toBe(false);
    const compaction = await compactConversation(longPath, async () => ({ text: 'Once.' }));
    expect(await compaction.again()).toBe(false);
  });

  test.each([
    ['the service rejects the request', () => Promise.reject(new ServiceError(offlineFailure))],
    ['the model writes nothing', async () => ({ text: ' \n' })],
  ])('fails with a ServiceError when %s', async (_description, complete) => {
    await expect(compactConversation(longPath, complete)).rejects.toBeInstanceOf(ServiceError);
  });
});

const offlineFailure = { code: 'offline', message: 'No connection.' } as const;
