import { describe, expect, test } from 'vitest';
import { toBatches } from '../../test/support/batches.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { MemoryStore } from '../../test/support/memory-store.ts';
import { omitUndefined } from '../base/json.ts';
import type { ChatEvent, ChatRequest } from '../service/chat/chat-types.ts';
import { ServiceError, type ServiceFailure } from '../service/http/failure.ts';
import { readModel } from '../service/read-model.ts';
import { toChatParameters, readChatOptions } from '../conversation/chat-options.ts';
import { type ChatPorts, ChatSession, type SessionEvent } from './chat-session.ts';
import { Conversation, type ConversationRecord } from '../conversation/conversation.ts';
import { decodeJournal, encodeRecords } from '../conversation/journal.ts';
import { buildRequest } from '../conversation/prompt.ts';
import { getProtectedChat } from './protected-chat.ts';
import type { Mode, PermissionLevel } from '../conversation/protocol.ts';
import type { TurnAgent } from '../agent/turn-agent.ts';

const startRecord: ConversationRecord & { type: 'conversation-start' } = {
  type: 'conversation-start',
  version: 1,
  id: 'c1',
  at: 0,
  folder: null,
};
const completeEvent: ChatEvent = {
  type: 'stream-end',
  outcome: { kind: 'complete', finishReason: 'stop' },
};
const interruptedEvent: ChatEvent = {
  type: 'stream-end',
  outcome: { kind: 'failed', failure: { code: 'interrupted', message: 'cut' } },
};

/** Model that supports all options used in the tests. */
const searchModel = readModel({
  id: 'model-1',
  model_spec: { capabilities: { supportsWebSearch: true } },
});

type ScriptedAnswers = readonly (readonly ChatEvent[])[];

/** Creates a session whose model replies with the given scripts, one per request. */
const createScriptedSession = (...scripts: ScriptedAnswers) => createSession(scripts);

async function* streamAnswer(
  script: readonly ChatEvent[],
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  for (const event of script) {
    if (signal.aborted) break;
    yield event;
  }
  if (!signal.aborted) return;
  yield { type: 'stream-end', outcome: { kind: 'failed', failure: getAbortFailure(signal) } };
}

function createSession(
  scripts: ScriptedAnswers,
  agent?: TurnAgent,
  optionalPorts: Pick<
    ChatPorts,
    'canContinue' | 'getPermissionLevel' | 'interruptions' | 'getMode'
  > = {},
) {
  const store = new MemoryStore();
  const requests: ChatRequest[] = [];
  const events: SessionEvent[] = [];
  const recordCounts: number[] = [];
  const loggedErrors: unknown[] = [];
  let idCount = 0;
  let selectedModel = { id: 'model-1', name: 'Model One' };
  const selectModel = (model: typeof selectedModel): void => void (selectedModel = model);
  const ports: ChatPorts = {
    store,
    clock: new ManualClock(),
    createId: () => `m${++idCount}`,
    ...(agent && { loadAgent: () => Promise.resolve(agent) }),
    ...omitUndefined(optionalPorts),
    stream: async (request, signal) => {
      recordCounts.push(store.listRecords('c1').length);
      return toBatches(streamAnswer(scripts[requests.push(request) - 1] ?? [], signal));
    },
    getModel: () => selectedModel,
    getParameters: async (options) => toChatParameters(readChatOptions(options), searchModel),
    estimateCost: () => ({ usd: 0.5 }),
    reportRequestOutcome: () => {},
    logError: (_, error) => loggedErrors.push(error),
    onStoreFailure: (error) => loggedErrors.push(error),
  };
  const session = new ChatSession(new Conversation(startRecord), ports, [startRecord]);
  session.onDidChange((event) => events.push(event));
  return { session, selectModel, store, requests, events, recordCounts, loggedErrors };
}

/** Returns the failure that the service client reports for an aborted request. */
const getAbortFailure = ({ reason }: AbortSignal): ServiceFailure =>
  reason instanceof ServiceError ? reason.failure : { code: 'stopped', message: 'Stopped.' };

const createTextDelta = (value: string): ChatEvent => ({ type: 'text-delta', text: value });

describe('ChatSession', () => {
  test('writes the user message to disk before sending the request', async () => {
    const { session, store, recordCounts } = createScriptedSession([
      createTextDelta('Hi'),
      completeEvent,
    ]);
    await session.send('Hello', []);
    expect(recordCounts).toEqual([4]);
    expect(store.listRecords('c1').map(({ type }) => type)).toEqual([
      'conversation-start',
      'message-add',
      'title-set',
      'message-add',
      'answer-delta',
      'answer-end',
    ]);
  });

  test('stores the current permission level at the first turn of a chat without a permission level', async () => {
    let level: PermissionLevel = 'applyEdits';
    const { session, store } = createSession([[completeEvent], [completeEvent]], undefined, {
      getPermissionLevel: () => level,
    });
    await session.send('Hello', []);
    level = 'runCommands';
    await session.send('And now?', []);
    expect(store.listRecords('c1').filter(({ type }) => type === 'permissions-set')).toEqual([
      { type: 'permissions-set', level: 'applyEdits' },
    ]);
    await session.setPermissionLevel('ask');
    expect((await store.load('c1'))?.permissionLevel).toBe('ask');
  });

  test('stores the mode of the chat, and keeps this mode when the mode of new chats changes', async () => {
    let mode: Mode = 'plan';
    const { session, store } = createSession([[completeEvent], [completeEvent]], undefined, {
      getMode: () => mode,
    });
    await session.send('Hello', []);
    mode = 'agent';
    await session.send('And now?', []);
    expect((await store.load('c1'))?.mode).toBe('plan');
    await session.setMode('ask');
    expect((await store.load('c1'))?.mode).toBe('ask');
  });

  test('requests the answers of one turn from another model, and the answers of later turns from the selected model', async () => {
    const { session, requests } = createSession([[completeEvent], [completeEvent]]);
    await session.send('Start', [], { id: 'model-2', name: 'Model Two' });
    await session.send('And now?', []);
    expect(requests.map(({ model }) => model)).toEqual(['model-2', 'model-1']);
  });

  test('restores a complete answer from disk', async () => {
    const { session, store } = createScriptedSession([
      { type: 'reasoning-delta', text: 'Let me see' },
      createTextDelta('Fo'),
      createTextDelta('ur'),
      { type: 'usage', usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12 } },
      completeEvent,
    ]);
    await session.send('2 + 2?', []);
    const conversation = await store.load('c1');
    expect(conversation?.title).toBe('2 + 2?');
    expect(conversation?.head).toMatchObject({
      text: 'Four',
      reasoning: 'Let me see',
      status: 'complete',
      result: { cost: { usd: 0.5 }, costEstimated: true, usage: { totalTokens: 12 } },
    });
  });

  test('keeps the text of an interrupted answer and appends the text of the continued answer', async () => {
    const { session, requests } = createScriptedSession(
      [createTextDelta('One, two'), interruptedEvent],
      [createTextDelta(', three'), completeEvent],
    );
    await session.send('Count', []);
    const partialAnswer = session.conversation.head;
    expect(partialAnswer).toMatchObject({ text: 'One, two', status: 'interrupted' });
    await session.continue(partialAnswer?.id ?? '');
    expect(session.conversation.head).toMatchObject({
      text: 'One, two, three',
      status: 'complete',
    });
    expect(requests[1]?.messages.slice(1).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  test('sends one request if the user continues an answer twice, and removes the failure from the answer', async () => {
    const { session, requests, events } = createScriptedSession(
      [createTextDelta('half'), interruptedEvent],
      [createTextDelta(' whole'), completeEvent],
      [createTextDelta(' twice'), completeEvent],
    );
    await session.send('Go', []);
    const { id = '' } = session.conversation.head ?? {};
    await Promise.all([session.continue(id), session.continue(id)]);
    expect(requests).toHaveLength(2);
    expect(session.conversation.head).toMatchObject({ text: 'half whole', status: 'complete' });
    const resumeEvent = events.find(({ type }) => type === 'answer-resume');
    expect(resumeEvent).toMatchObject({ answer: { status: 'streaming' } });
    expect(resumeEvent).not.toHaveProperty('answer.result.failure');
  });

  test('stores an answer as interrupted if the window closes while the answer is streaming', async () => {
    const { session, store } = createScriptedSession([
      createTextDelta('Start'),
      createTextDelta(' more'),
      completeEvent,
    ]);
    session.onDidChange((event) => {
      if (event.type === 'turn-event' && event.event.type === 'text-delta') session.dispose();
    });
    await session.send('Go', []);
    await session.waitUntilSettled();
    expect((await store.load('c1'))?.head).toMatchObject({ text: 'Start', status: 'interrupted' });
  });

  test('marks an answer as interrupted if its stream ends without an end event', async () => {
    const { session } = createScriptedSession([createTextDelta('Half')]);
    await session.send('Go', []);
    expect(session.conversation.head).toMatchObject({ text: 'Half', status: 'interrupted' });
    expect(session.runningAnswerId).toBeUndefined();
  });

  test('omits attachments from an edited message if the user has removed them from the context', async () => {
    const { session } = createScriptedSession([completeEvent], [completeEvent]);
    const attachment = { kind: 'file', label: 'x', language: 'plaintext', text: 'x' } as const;
    await session.send('First', [
      { ...attachment, id: 'kept' },
      { ...attachment, id: 'removed', isRemoved: true },
    ]);
    const [question] = session.conversation.listPath();
    await session.edit(question?.id ?? '', 'Second');
    const [editedMessage] = session.conversation.listPath();
    expect(editedMessage?.role === 'user' && editedMessage.attachments.map(({ id }) => id)).toEqual(
      ['kept'],
    );
  });

  test('creates a branch for each retry and edit, and shows the selected branch', async () => {
    const { session, requests, events } = createScriptedSession(
      [createTextDelta('A'), completeEvent],
      [createTextDelta('B'), completeEvent],
      [createTextDelta('C'), completeEvent],
    );
    await session.send('First', []);
    const [question, firstAnswer] = session.conversation.listPath();
    await session.retry(firstAnswer?.id ?? '');
    expect(session.conversation.head).toMatchObject({ text: 'B' });
    await session.edit(question?.id ?? '', 'Second');
    expect(session.conversation.listPath().map((message) => message.text)).toEqual(['Second', 'C']);
    expect(requests[2]?.messages.at(-1)).toMatchObject({ content: 'Second' });
    await session.selectBranch(question?.id ?? '', 0);
    expect(session.conversation.listPath().map((message) => message.text)).toEqual(['First', 'B']);
    expect(events.filter(({ type }) => type === 'path-change')).toEqual([
      { type: 'path-change', startIndex: 1 },
      { type: 'path-change', startIndex: 0 },
      { type: 'path-change', startIndex: 0 },
    ]);
  });

  test('retries once with another model, and keeps both answers as branches', async () => {
    const { session, requests } = createScriptedSession(
      [createTextDelta('A'), completeEvent],
      [createTextDelta('B'), completeEvent],
      [createTextDelta('C'), completeEvent],
    );
    await session.send('First', []);
    const [, firstAnswer] = session.conversation.listPath();
    await session.retry(firstAnswer?.id ?? '', { id: 'model-2', name: 'Model 2' });
    expect(session.conversation.head).toMatchObject({
      text: 'B',
      model: { id: 'model-2', name: 'Model 2' },
    });
    await session.selectBranch(firstAnswer?.id ?? '', 0);
    expect(session.conversation.head).toMatchObject({ text: 'A', model: { id: 'model-1' } });
    await session.send('Second', []);
    expect(requests.map(({ model }) => model)).toEqual(['model-1', 'model-2', 'model-1']);
  });

  test('keeps the received text if the user stops an answer', async () => {
    const { session } = createScriptedSession([
      createTextDelta('Start'),
      createTextDelta(' never seen'),
      completeEvent,
    ]);
    session.onDidChange((event) => {
      if (event.type === 'turn-event' && event.event.type === 'text-delta') void session.stop();
    });
    await session.send('Go', []);
    expect(session.conversation.head).toMatchObject({ text: 'Start', status: 'stopped' });
  });

  test('rejects a message while an answer is streaming', async () => {
    const { session, requests } = createScriptedSession([createTextDelta('A'), completeEvent]);
    await Promise.all([session.send('One', []), session.send('Two', [])]);
    expect(requests).toHaveLength(1);
    expect(session.conversation.listPath()).toHaveLength(2);
  });

  test('writes all unsaved records with the next message after a failed write', async () => {
    const { session, store, loggedErrors } = createScriptedSession(
      [createTextDelta('A'), completeEvent],
      [createTextDelta('B'), completeEvent],
    );
    store.writeError = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    await session.send('One', []);
    expect(session.conversation.head).toMatchObject({ text: 'A', status: 'complete' });
    expect(store.listRecords('c1')).toEqual([]);
    expect(loggedErrors).toEqual([store.writeError]);
    store.writeError = undefined;
    await session.send('Two', []);
    await session.waitUntilSettled();
    const savedConversation = await store.load('c1');
    expect(savedConversation?.listPath().map((message) => message.text)).toEqual([
      'One',
      'A',
      'Two',
      'B',
    ]);
  });

  test('creates no file for an empty conversation', async () => {
    const { session, store } = createScriptedSession();
    await session.rename('Named early');
    await session.waitUntilSettled();
    expect(store.listRecords('c1')).toEqual([]);
  });
});

describe('a turn with tool calls', () => {
  const callEvents: ChatEvent[] = [
    { type: 'tool-call-delta', index: 0, id: 't0', name: 'read', arguments: '{}' },
    { type: 'stream-end', outcome: { kind: 'complete', finishReason: 'tool_calls' } },
  ];
  const agentError = new Error('broken');
  const workingAgent: TurnAgent = {
    buildRequest: ({ conversation, modelId }, endId) =>
      Promise.resolve(buildRequest({ model: modelId, path: conversation.listPath(endId) })),
    runCalls: () => Promise.resolve(true),
    lowerSizeLimits: () => Promise.resolve(false),
    compactConversation: () => Promise.resolve(false),
    recordUsage: () => {},
    canSendRequest: () => true,
    withdrawRequests: () => {},
  };
  const throwError = (): never => {
    throw agentError;
  };

  test.each<[what: string, agent: Partial<TurnAgent>]>([
    ['the promise of `runCalls` is rejected', { runCalls: () => Promise.reject(agentError) }],
    ['`runCalls` throws an error', { runCalls: throwError }],
  ])('ends with a failed answer if %s, and does not block the next message', async (_, agent) => {
    const { session, store, events, loggedErrors } = createSession(
      [callEvents, [createTextDelta('Hi'), completeEvent]],
      {
        ...workingAgent,
        ...agent,
      },
    );
    await session.send('Go', []);
    expect(session.runningAnswerId).toBeUndefined();
    expect(loggedErrors).toEqual([agentError]);
    const failedAnswer = session.conversation.head;
    expect(failedAnswer).toMatchObject({
      status: 'complete',
      result: { toolCalls: [{ id: 't0' }], failure: { code: 'internal-error' } },
    });
    expect(events.at(-1)).toEqual({ type: 'work-end', answer: failedAnswer });
    expect((await store.load('c1'))?.head).toEqual(failedAnswer);
    await session.send('Again', []);
    expect(session.conversation.head).toMatchObject({ text: 'Hi', status: 'complete' });
  });

  test('continues with a queued message of the user after the current tool call, and skips the remaining calls', async () => {
    const waitingMessages = [{ text: 'Use metres', attachments: [] }];
    const turns: string[] = [];
    let withdrawalCount = 0;
    const { session, store, requests, events } = createSession(
      [callEvents, [createTextDelta('Metres'), completeEvent]],
      {
        ...workingAgent,
        runCalls: (turn) => {
          turns.push(turn.turnId);
          expect(turn.isInterrupted?.()).toBe(true);
          session.interrupt();
          return Promise.resolve(false);
        },
        recordUsage: ({ turnId }) => turns.push(turnId),
        withdrawRequests: () => (withdrawalCount += 1),
      },
      {
        interruptions: {
          hasMessage: () => waitingMessages.length > 0,
          takeMessage: () => waitingMessages.shift(),
        },
      },
    );
    await session.send('Go', []);
    expect(withdrawalCount).toBe(1);
    const path = session.conversation.listPath();
    expect(path.map(({ text: messageText }) => messageText)).toEqual([
      'Go',
      '',
      'Use metres',
      'Metres',
    ]);
    expect(requests.at(-1)?.messages.slice(-2)).toEqual([
      { role: 'tool', tool_call_id: 't0', content: expect.any(String) },
      { role: 'user', content: 'Use metres' },
    ]);
    // The message starts a new turn, with its own budget and undo.
    expect(turns).toEqual([path[0]?.id, path[0]?.id, path[2]?.id]);
    expect(events.filter(({ type }) => type === 'work-end')).toHaveLength(1);
    expect((await store.load('c1'))?.listPath().at(-1)).toMatchObject({ text: 'Metres' });
  });

  test('ends when the user stops the turn, even if a queued message waits', async () => {
    const waitingMessages = [{ text: 'Use metres', attachments: [] }];
    const { session, requests } = createSession(
      [callEvents],
      {
        ...workingAgent,
        runCalls: () => {
          void session.stop();
          return Promise.resolve(true);
        },
      },
      {
        interruptions: {
          hasMessage: () => waitingMessages.length > 0,
          takeMessage: () => waitingMessages.shift(),
        },
      },
    );
    await session.send('Go', []);
    expect(requests).toHaveLength(1);
    expect(waitingMessages).toHaveLength(1);
    expect(session.runningAnswerId).toBeUndefined();
  });

  test('aborts the signal of its tool calls if `runCalls` fails', async () => {
    let signal: AbortSignal | undefined;
    const { session } = createSession([callEvents], {
      ...workingAgent,
      runCalls: (turn) => {
        signal = turn.signal;
        return Promise.reject(agentError);
      },
    });
    await session.send('Go', []);
    expect(signal?.aborted).toBe(true);
  });

  test('uses the model of the first request for all requests, even if the user selects another model during the turn', async () => {
    const agentSession = createSession([callEvents, [createTextDelta('Done'), completeEvent]], {
      ...workingAgent,
      runCalls: async ({ conversation }) => {
        agentSession.selectModel({ id: 'model-2', name: 'Model Two' });
        return conversation.listPath().length < 3;
      },
    });
    await agentSession.session.send('Go', []);
    expect(agentSession.requests.map(({ model }) => model)).toEqual(['model-1', 'model-1']);
    const [, firstAnswer, secondAnswer] = agentSession.session.conversation.listPath();
    expect([firstAnswer, secondAnswer]).toMatchObject([
      { model: { id: 'model-1' } },
      { model: { id: 'model-1' } },
    ]);
  });

  test('continues if the agent fails to record the usage of an answer', async () => {
    const { session, events, loggedErrors } = createSession(
      [callEvents, [createTextDelta('Done'), completeEvent]],
      {
        ...workingAgent,
        recordUsage: throwError,
      },
    );
    await session.send('Go', []);
    expect(loggedErrors).toEqual([agentError, agentError]);
    const endEvents = events.filter(
      (sessionEvent) =>
        sessionEvent.type === 'turn-event' && sessionEvent.event.type === 'turn-end',
    );
    expect(endEvents).toHaveLength(2);
    expect(session.conversation.head).toMatchObject({ text: 'Done', status: 'complete' });
  });
});

describe('a protected conversation', () => {
  const encryptedStart: ChatEvent = {
    type: 'protection',
    protection: { kind: 'encrypted', checkedAt: 1, leftOut: [] },
  };

  /** Creates a chat with one encrypted answer. `hasConsent` is the user's answer to all consent prompts. */
  async function createProtectedChat(hasConsent: boolean, endEvent: ChatEvent = completeEvent) {
    const consentRequests: unknown[] = [];
    const canContinue = async (...consentArguments: readonly unknown[]): Promise<boolean> => {
      consentRequests.push(consentArguments);
      return hasConsent;
    };
    const agent: TurnAgent = {
      buildRequest: ({ conversation, modelId }, endId) =>
        Promise.resolve(buildRequest({ model: modelId, path: conversation.listPath(endId) })),
      runCalls: () => Promise.resolve(false),
      lowerSizeLimits: () => Promise.resolve(false),
      compactConversation: () => Promise.resolve(true),
      recordUsage: () => {},
      canSendRequest: () => true,
      withdrawRequests: () => {},
    };
    const scripts = [
      [createTextDelta('A'), encryptedStart, endEvent],
      [createTextDelta('B'), completeEvent],
    ];
    const agentSession = createSession(scripts, agent, { canContinue });
    await agentSession.session.send('One', []);
    expect(consentRequests).toEqual([]);
    const [question, firstAnswer] = agentSession.session.conversation.listPath();
    return {
      ...agentSession,
      consentRequests,
      questionId: question?.id ?? '',
      firstAnswerId: firstAnswer?.id ?? '',
    };
  }
  type ProtectedChat = Awaited<ReturnType<typeof createProtectedChat>>;

  const actions: Record<string, (chat: ProtectedChat) => Promise<unknown>> = {
    'a new message': ({ session }) => session.send('Two', []),
    'an edit': ({ session, questionId }) => session.edit(questionId, 'Other'),
    'a retry': ({ session, firstAnswerId }) => session.retry(firstAnswerId),
  };
  const allActions = Object.entries(actions);

  test.each(allActions)('is sent for %s if the user consents', async (_, runAction) => {
    const chat = await createProtectedChat(true);
    await runAction(chat);
    expect(chat.consentRequests).toEqual([
      [{ kind: 'encrypted', newestId: chat.firstAnswerId }, 'model-1'],
    ]);
    expect(chat.requests).toHaveLength(2);
    expect(chat.session.conversation.head).toMatchObject({ text: 'B' });
    // The previous request was sent unprotected, so no further consent is needed.
    await chat.session.send('Three', []);
    expect(chat.consentRequests).toHaveLength(1);
  });

  test('requires consent if a retry uses another model', async () => {
    const chat = await createProtectedChat(true);
    await chat.session.retry(chat.firstAnswerId, { id: 'model-2', name: 'Model 2' });
    expect(chat.consentRequests).toEqual([
      [{ kind: 'encrypted', newestId: chat.firstAnswerId }, 'model-2'],
    ]);
  });

  test.each(allActions)(
    'is neither changed nor sent for %s if the user does not consent',
    async (_, runAction) => {
      const chat = await createProtectedChat(false);
      const recordsBefore = chat.store.listRecords('c1');
      await runAction(chat);
      await chat.session.waitUntilSettled();
      expect(chat.consentRequests).toHaveLength(1);
      expect(chat.requests).toHaveLength(1);
      expect(chat.store.listRecords('c1')).toEqual(recordsBefore);
      expect(chat.session.runningAnswerId).toBeUndefined();
    },
  );

  test.each([
    ['continues', 'consents', true, 'AB', 2],
    ['does not continue', 'does not consent', false, 'A', 1],
  ])(
    '%s an interrupted answer if the user %s',
    async (_result, _condition, hasConsent, expectedText, requestCount) => {
      const chat = await createProtectedChat(hasConsent, interruptedEvent);
      await chat.session.continue(chat.firstAnswerId);
      expect(chat.consentRequests).toHaveLength(1);
      expect(chat.requests).toHaveLength(requestCount);
      expect(chat.session.conversation.head).toMatchObject({ text: expectedText });
    },
  );

  test('remains protected if the window closes during the first answer', async () => {
    const protectionFields = {
      protection: { kind: 'encrypted', checkedAt: 1, leftOut: [] },
    } as const;
    const { session, store } = createScriptedSession([
      { type: 'stream-start', info: {}, ...protectionFields },
      createTextDelta('A'),
      completeEvent,
    ]);
    await session.send('One', []);
    const { id = '' } = session.conversation.head ?? {};
    expect(getProtectedChat(session.conversation, id)).toBeUndefined();
    const unfinishedRecords = store.listRecords('c1').filter(({ type }) => type !== 'answer-end');
    const reopenedConversation = decodeJournal(encodeRecords(unfinishedRecords));
    expect(reopenedConversation?.head).toMatchObject({
      status: 'interrupted',
      text: 'A',
      result: protectionFields,
    });
    expect(reopenedConversation && getProtectedChat(reopenedConversation, id)).toEqual({
      kind: 'encrypted',
      newestId: id,
    });
  });

  test.each([
    ['can', 'consents', true],
    ['cannot', 'does not consent', false],
  ])('%s be summarized if the user %s', async (_result, _condition, hasConsent) => {
    const chat = await createProtectedChat(hasConsent);
    expect(await chat.session.compact(new AbortController().signal)).toBe(hasConsent || undefined);
    expect(chat.consentRequests).toHaveLength(1);
  });

  test.each([
    ['accepts', 'consents', true],
    ['rejects', 'does not consent', false],
  ])('%s a message or an edit if the user %s', async (_result, _condition, hasConsent) => {
    const attachmentCalls: string[] = [];
    const takeAttachments = () => (attachmentCalls.push('taken'), []);
    const { session } = await createProtectedChat(hasConsent);
    expect(await session.send('Two', takeAttachments)).toBe(hasConsent);
    expect(attachmentCalls).toHaveLength(hasConsent ? 1 : 0);
    const editedChat = await createProtectedChat(hasConsent);
    expect(await editedChat.session.edit(editedChat.questionId, 'Other')).toBe(hasConsent);
  });

  test('sends only the first of two messages that wait for the consent prompt', async () => {
    const chat = await createProtectedChat(true);
    const attachmentCalls: string[] = [];
    const send = (text: string) => chat.session.send(text, () => (attachmentCalls.push(text), []));
    expect(await Promise.all([send('Two'), send('Three')])).toEqual([true, false]);
    expect(attachmentCalls).toEqual(['Two']);
    expect(chat.requests).toHaveLength(2);
  });

  test('sends only one request if the user asks twice to continue an answer while the consent prompt is open', async () => {
    const chat = await createProtectedChat(true, interruptedEvent);
    await Promise.all([
      chat.session.continue(chat.firstAnswerId),
      chat.session.continue(chat.firstAnswerId),
    ]);
    expect(chat.requests).toHaveLength(2);
  });
});

describe('conversation options', () => {
  test('apply from the next request on, and are stored with the conversation', async () => {
    const { session, requests, store, events } = createScriptedSession([
      createTextDelta('Hi'),
      completeEvent,
    ]);
    await session.setOptions({ temperature: 0.5 });
    expect(store.listRecords('c1')).toHaveLength(0);
    await session.send('Hello', []);
    expect(requests[0]?.temperature).toBe(0.5);
    expect(store.listRecords('c1')).toContainEqual({
      type: 'options-set',
      options: { temperature: 0.5 },
    });
    expect(events[0]).toEqual({ type: 'options-change' });
  });

  test('turn off web search while the user continues an answer that already has sources', async () => {
    const citations = [{ title: 'T', url: 'https://a.test/' }];
    const { session, requests } = createScriptedSession(
      [createTextDelta('So^1^'), { type: 'citations', citations }, interruptedEvent],
      [createTextDelta(' it is.'), completeEvent],
    );
    await session.setOptions({ webSearch: 'on' });
    await session.send('Why?', []);
    const answer = session.conversation.head;
    await session.continue(answer?.id ?? '');
    expect(requests.map(({ parameters }) => parameters?.enable_web_search)).toEqual(['on', 'off']);
    const completeAnswer = session.conversation.head;
    expect(
      completeAnswer?.role === 'assistant' && [
        completeAnswer.text,
        completeAnswer.result.citations,
      ],
    ).toEqual(['So^1^ it is.', citations]);
  });
});
