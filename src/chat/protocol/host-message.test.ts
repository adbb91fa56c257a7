import { fc } from '../../../test/support/property.ts';
import { safeParse } from 'valibot';
import { expect, test } from 'vitest';
import {
  answeredMessages,
  createApprovalView,
  createChangesView,
  createChatState,
  failureView,
  createMessageView,
  createModelView,
  createQuestionView,
  answerStats,
  createToolCallView,
} from '../../../test/support/webview-page/chat-states.ts';
import { protocolVersion } from './constants.ts';
import { type HostMessage, hostMessageSchema } from './host-message.ts';

const messageId = 'a1';

/** Valid message of each type. */
const messageSamples: {
  readonly [Type in HostMessage['type']]: Omit<Extract<HostMessage, { type: Type }>, 'type'>;
} = {
  'state-set': {
    version: protocolVersion,
    state: createChatState({
      messages: [...answeredMessages],
      pending: [createApprovalView(), createQuestionView()],
      changes: [createChangesView()],
      instructions: [{ label: 'AGENTS.md', tokens: 12 }],
      context: { usedTokens: 1, limitTokens: 2 },
    }),
  },
  'message-put': { message: createMessageView({ failure: failureView, stats: answerStats }) },
  'transcript-splice': { from: 0, messages: [createMessageView()] },
  'text-delta': { messageId, text: 'a', reasoning: '' },
  'reasoning-end': { messageId, reasoningMs: 1 },
  'retry-wait': { messageId, failure: failureView },
  'turn-end': { messageId, status: 'complete', failure: null, stats: answerStats, toolCalls: [] },
  'tool-call-put': { messageId, call: createToolCallView() },
  'tool-output': { messageId, callId: 't1', arguments: '{}', output: 'text' },
  'work-end': { messageId, status: 'complete' },
  'pending-change': { pending: [createApprovalView(), createQuestionView()] },
  'changes-put': { changes: createChangesView() },
  'mode-change': { mode: 'ask', toolsOff: 'No' },
  'permissions-change': { permissionLevel: 'ask' },
  'active-file-change': { activeFile: 'src/app.ts' },
  'edits-notice-change': { isShown: true },
  'suggestions-offer-change': { isShown: true },
  'connect-result': {
    address: 'https://api.test/v1',
    problem: { field: 'key', message: 'No', unencryptedOrigin: null },
    fixes: [],
  },
  'local-servers': { servers: [{ name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' }] },
  'instructions-change': { instructions: [{ label: 'AGENTS.md', tokens: 12 }] },
  'turn-use-change': {
    turnUse: { requests: 1, maxRequests: 25, tokens: 10, costUsd: null, costDiem: 0.1 },
  },
  'context-change': { context: { usedTokens: 1, limitTokens: 2 }, baseTokens: 4_500 },
  'options-change': {
    options: { webSearch: 'auto', searchDisabledReason: '', suffix: '', changed: true },
  },
  'voice-change': { voice: { reads: true, listens: false, persona: 'Alan Watts' } },
  'speech-open': { id: 'r1', messageId },
  'speech-samples': { id: 'r1', rate: 24_000, channels: 1, samples: 'AAA=' },
  'speech-file': { id: 'r1', file: 'AAA=' },
  'speech-part': { id: 'r1', isLast: true },
  'speech-wait': { id: 'r1', message: 'The service is busy.', retryAt: 1_790_000_000_000 },
  'speech-fail': { id: 'r1', message: 'No voice' },
  'speech-close': { id: 'r1' },
  'composer-type': { text: 'Hello' },
  'option-details': {
    fields: [
      {
        name: 'topP',
        kind: 'text',
        label: 'Top P',
        help: 'From 0 to 1.',
        value: '2',
        choices: [],
        placeholder: 'Default',
        problem: 'This must be a number from 0 to 1.',
        isOmitted: false,
      },
    ],
    presets: [{ id: 'precise', name: 'Precise', own: false }],
    preset: '',
    notes: [],
  },
  'citations-put': {
    messageId,
    citations: [
      { title: 'T', url: 'https://a.test/', host: 'a.test', quote: 'Q', date: '2026-10-01' },
    ],
  },
  'protection-put': {
    messageId,
    protection: {
      kind: 'encrypted',
      label: 'Encrypted end to end',
      detail: 'Nobody else read it.',
    },
  },
  'title-change': { title: 'T' },
  'attachments-change': { attachments: [] },
  'context-view': {
    limitTokens: 100,
    cachedTokens: 1,
    parts: { system: 1, tools: 2, instructions: 3, files: 4, conversation: 5 },
    items: [{ messageId: null, id: '', label: 'AGENTS.md', tokens: 3, isRemoved: false }],
  },
  'todos-change': { todos: [{ id: 't1', text: 'Read the code', status: 'active' }] },
  'queue-change': { queued: [{ id: 'q1', text: 'And the tests', isUrgent: false, isHeld: false }] },
  'model-change': { model: createModelView() },
  'model-list': {
    models: [createModelView()],
    stale: null,
    loading: false,
    retryAt: null,
    privateOnly: false,
  },
  'account-change': { account: createChatState().account },
  'settings-change': { wrapCode: true },
  'suggestions-change': { suggestions: ['Explain it'] },
  'draft-set': { text: 'd', replace: true },
  'notice-show': { text: 'n' },
  'paths-found': { paths: ['src/a.ts'] },
  'image-hint': { text: 'Painter Turbo · $0.01' },
  'context-suggestions': {
    request: 1,
    suggestions: [{ id: 'o1', kind: 'file', insert: '#app.ts', label: 'app.ts', detail: 'src' }],
    note: '',
  },
  'media-scale': { id: 'm1', name: 'a.png', bytes: new Uint8Array([1]) },
  'sound-play': {},
  'composer-focus': {},
  'find-open': {},
};
const sampleMessages = Object.entries(messageSamples).map(([type, fields]) => ({
  type,
  ...fields,
}));

function parseHostMessage(value: unknown): HostMessage | undefined {
  const result = safeParse(hostMessageSchema, value);
  return result.success ? result.output : undefined;
}

test('hostMessageSchema accepts a valid message of each type unchanged', () => {
  for (const message of sampleMessages) expect(parseHostMessage(message)).toStrictEqual(message);
});

test('hostMessageSchema rejects a state with an older protocol version', () => {
  expect(
    parseHostMessage({ type: 'state-set', version: protocolVersion, state: createChatState() }),
  ).toBeDefined();
  expect(
    parseHostMessage({ type: 'state-set', version: protocolVersion - 1, state: createChatState() }),
  ).toBeUndefined();
});

test('hostMessageSchema rejects arbitrary values', () => {
  const anyValue = fc.anything({ withNullPrototype: true, withObjectString: true });
  fc.assert(fc.property(anyValue, (value) => parseHostMessage(value) === undefined));
});

test('hostMessageSchema never changes a message that it accepts, even if one field has an arbitrary value', () => {
  const arbitraryValue = fc.oneof(
    fc.anything(),
    fc.constantFrom('<img src=x onerror=steal()>', 'x'.repeat(5_000), -1, 0.5, Infinity),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...sampleMessages),
      fc.nat(),
      arbitraryValue,
      (originalMessage, index, value) => {
        const changedMessage = structuredClone(originalMessage);
        const fields = listFields(changedMessage);
        const field = fields[index % fields.length];
        if (field !== undefined) field.owner[field.name] = value;
        const parsedMessage = parseHostMessage(changedMessage);
        if (parsedMessage !== undefined) expect(parsedMessage).toStrictEqual(changedMessage);
      },
    ),
    { numRuns: 500 },
  );
});

test.each(['__proto__', 'constructor', 'prototype', 'key'])(
  'hostMessageSchema rejects a message with an additional field %s at any depth',
  (name) => {
    for (const originalMessage of sampleMessages) {
      const owners = new Set(listFields(originalMessage).map(({ owner }) => owner));
      for (let index = 0; index < owners.size; index++) {
        const changedMessage = structuredClone(originalMessage);
        const owner =
          [...new Set(listFields(changedMessage).map((field) => field.owner))][index] ?? {};
        if (Array.isArray(owner) || owner instanceof Uint8Array) continue;
        Object.defineProperty(owner, name, { value: { admin: true }, enumerable: true });
        expect(
          parseHostMessage(changedMessage),
          `${originalMessage.type} ${index}`,
        ).toBeUndefined();
      }
    }
  },
);

interface ObjectField {
  readonly owner: Record<string, unknown>;
  readonly name: string;
}

/**
 * Returns all fields of the nested objects and arrays in `value`. The fields of an outer object precede those of the
 * objects inside it.
 */
function listFields(value: unknown): ObjectField[] {
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  const ownFields = Object.keys(owner).map((name) => ({ owner, name }));
  return [...ownFields, ...ownFields.flatMap(({ name }) => listFields(owner[name]))];
}
