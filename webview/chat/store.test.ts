import { describe, expect, test } from 'vitest';
import {
  createApprovalView,
  createChangesView,
  createMessageView,
  createModelViews,
  createRequestView,
  createStateSetMessage,
  createToolCallView,
} from '../../test/support/webview-page/chat-states.ts';
import type { HostMessage } from '../../src/chat/protocol/host-message.ts';
import { initialState, reduceState, type State } from './store.ts';

const startState = applyMessages(initialState, [
  createStateSetMessage({
    messages: [
      createRequestView('u1', 'Hi'),
      createMessageView({ id: 'a1' }),
      createRequestView('u2', 'And?'),
    ],
  }),
]);

function applyMessages(state: State, messages: readonly HostMessage[]): State {
  return messages.reduce((before, message) => {
    const after = reduceState(before, message);
    if (after === undefined) throw new Error(`Out of step at ${message.type}`);
    return after;
  }, state);
}

const createDelta = (messageId: string, text: string, reasoning = ''): HostMessage => ({
  type: 'text-delta',
  messageId,
  text,
  reasoning,
});

test('reduceState ignores messages of unknown types', () => {
  for (const type of ['unknown', 'constructor', '__proto__', 'toString']) {
    expect(reduceState(startState, { type } as unknown as HostMessage)).toBe(startState);
  }
});

describe('an answer', () => {
  test('grows by deltas until the end, while other messages keep their identity', () => {
    const state = applyMessages(startState, [
      { type: 'message-put', message: createMessageView({ id: 'a2', status: 'streaming' }) },
      createDelta('a2', '', 'Hm'),
      { type: 'reasoning-end', messageId: 'a2', reasoningMs: 900 },
      createDelta('a2', 'Hel'),
      createDelta('a2', 'lo'),
    ]);
    expect(state.chat?.streaming).toBe('a2');
    expect(state.chat?.messages.at(-1)).toMatchObject({
      text: 'Hello',
      reasoning: 'Hm',
      reasoningMs: 900,
    });
    for (const index of [0, 1, 2]) {
      expect(state.chat?.messages[index]).toBe(startState.chat?.messages[index]);
    }
    const endedState = applyMessages(state, [
      {
        type: 'turn-end',
        messageId: 'a2',
        status: 'stopped',
        failure: null,
        stats: null,
        toolCalls: [createToolCallView()],
      },
    ]);
    expect(endedState.chat?.streaming).toBeNull();
    expect(endedState.chat?.messages.at(-1)).toMatchObject({ text: 'Hello', status: 'stopped' });
    expect(endedState.chat?.messages.at(-1)?.toolCalls).toHaveLength(1);
  });

  test('contains the failure while it waits for a retry, and no failure after the retry starts', () => {
    const failure = { code: 'overloaded', title: 'Busy', detail: null, retryAt: 1, actions: [] };
    const waitingState = applyMessages(startState, [
      { type: 'retry-wait', messageId: 'a1', failure },
    ]);
    expect(waitingState.chat?.messages[1]?.failure).toEqual(failure);
    const retriedState = applyMessages(waitingState, [
      { type: 'retry-wait', messageId: 'a1', failure: null },
    ]);
    expect(retriedState.chat?.messages[1]?.failure).toBeNull();
  });
});

describe('the tool calls of an answer', () => {
  const workingState = applyMessages(startState, [
    { type: 'message-put', message: createMessageView({ id: 'a2', status: 'working' }) },
    {
      type: 'tool-call-put',
      messageId: 'a2',
      call: createToolCallView({ id: 't1', status: 'running' }),
    },
    {
      type: 'tool-call-put',
      messageId: 'a2',
      call: createToolCallView({ id: 't2', status: 'waiting' }),
    },
  ]);

  test('are added and updated by id, while other calls and messages keep their identity', () => {
    const state = applyMessages(workingState, [
      { type: 'tool-call-put', messageId: 'a2', call: createToolCallView({ id: 't1' }) },
    ]);
    const [before, after] = [workingState, state].map(
      ({ chat }) => chat?.messages.at(-1)?.toolCalls,
    );
    expect(after?.map(({ id, status }) => `${id} ${status}`)).toEqual(['t1 done', 't2 waiting']);
    expect(after?.[1]).toBe(before?.[1]);
    expect(state.chat?.messages[0]).toBe(startState.chat?.messages[0]);
  });

  test('keep the turn running until they end', () => {
    expect(workingState.chat?.streaming).toBe('a2');
    const endedState = applyMessages(workingState, [
      { type: 'work-end', messageId: 'a2', status: 'complete' },
    ]);
    expect(endedState.chat?.streaming).toBeNull();
    expect(endedState.chat?.messages.at(-1)?.status).toBe('complete');
  });
});

test('reduceState replaces the earlier changes of a turn', () => {
  const state = applyMessages(startState, [
    { type: 'changes-put', changes: createChangesView() },
    { type: 'changes-put', changes: createChangesView({ turnId: 'u2' }) },
    { type: 'changes-put', changes: createChangesView({ undone: true }) },
  ]);
  expect(state.chat?.changes.map(({ turnId, undone }) => [turnId, undone])).toEqual([
    ['u1', true],
    ['u2', false],
  ]);
});

describe('the transcript', () => {
  test('replaces the message with the same id', () => {
    const state = applyMessages(startState, [
      { type: 'message-put', message: createRequestView('u1', 'Hello') },
    ]);
    expect(state.chat?.messages.map(({ text }) => text)).toEqual(['Hello', '', 'And?']);
  });

  test('replaces all messages starting at an index', () => {
    const state = applyMessages(startState, [
      {
        type: 'transcript-splice',
        from: 1,
        messages: [createMessageView({ id: 'b1', status: 'streaming' })],
      },
    ]);
    expect(state.chat?.messages.map(({ id }) => id)).toEqual(['u1', 'b1']);
    expect(state.chat?.streaming).toBe('b1');
    expect(
      applyMessages(state, [{ type: 'transcript-splice', from: 1, messages: [] }]).chat?.streaming,
    ).toBeNull();
  });
});

describe('state updates that do not apply', () => {
  const updates: HostMessage[] = [
    createDelta('unknown', 'x'),
    { type: 'reasoning-end', messageId: 'unknown', reasoningMs: 1 },
    { type: 'retry-wait', messageId: 'unknown', failure: null },
    { type: 'work-end', messageId: 'unknown', status: 'complete' },
    { type: 'tool-call-put', messageId: 'unknown', call: createToolCallView() },
    { type: 'transcript-splice', from: 4, messages: [] },
  ];
  for (const update of updates) {
    test(`cause a request for the whole state: ${update.type}`, () => {
      expect(reduceState(startState, update)).toBeUndefined();
    });
  }

  test('include any update before the first complete state, except the model list', () => {
    expect(reduceState(initialState, { type: 'title-change', title: 'x' })).toBeUndefined();
    const state = reduceState(initialState, {
      type: 'model-list',
      models: createModelViews(2),
      stale: 'offline',
      loading: false,
      retryAt: null,
      privateOnly: true,
    });
    expect(state?.catalog).toMatchObject({ stale: 'offline', loading: false, privateOnly: true });
    expect(state?.catalog.models).toHaveLength(2);
  });
});

test('messages that only request an action do not change the state', () => {
  const actions: HostMessage[] = [
    { type: 'tool-output', messageId: 'a1', callId: 't1', arguments: '', output: '' },
    { type: 'draft-set', text: 'x', replace: true },
    { type: 'notice-show', text: 'x' },
    { type: 'composer-focus' },
    { type: 'find-open' },
  ];
  for (const action of actions) expect(reduceState(startState, action)).toBe(startState);
});

test('each message changes only the intended field of the chat', () => {
  const state = applyMessages(startState, [
    { type: 'title-change', title: 'Parsers' },
    { type: 'model-change', model: null },
    { type: 'attachments-change', attachments: [] },
    { type: 'settings-change', wrapCode: true },
    { type: 'pending-change', pending: [createApprovalView()] },
    { type: 'mode-change', mode: 'ask', toolsOff: 'No' },
    { type: 'edits-notice-change', isShown: true },
    { type: 'suggestions-offer-change', isShown: true },
    { type: 'instructions-change', instructions: [{ label: 'AGENTS.md', tokens: 1 }] },
    {
      type: 'turn-use-change',
      turnUse: { requests: 1, maxRequests: 0, tokens: 2, costUsd: 0.1, costDiem: null },
    },
    { type: 'context-change', context: { usedTokens: 1, limitTokens: 2 }, baseTokens: 4_500 },
    {
      type: 'account-change',
      account: { status: 'signed-out', profile: '', address: '', message: null, actions: [] },
    },
  ]);
  expect(state.chat).toMatchObject({
    conversation: { id: 'c1', title: 'Parsers' },
    model: null,
    wrapCode: true,
    pending: [createApprovalView()],
    mode: 'ask',
    toolsOff: 'No',
    editsNotice: true,
    suggestionsOffer: true,
    instructions: [{ label: 'AGENTS.md', tokens: 1 }],
    context: { usedTokens: 1, limitTokens: 2 },
    baseTokens: 4_500,
    account: { status: 'signed-out' },
  });
  expect(state.chat?.messages).toBe(startState.chat?.messages);
});
