import { fc } from '../../../test/support/property.ts';
import { describe, expect, test } from 'vitest';
import { maxPromptLength } from './constants.ts';
import { readWebviewMessage, type WebviewMessage } from './page-message.ts';

/** Valid message of each type. */
const messageSamples: {
  readonly [Type in WebviewMessage['type']]: Omit<Extract<WebviewMessage, { type: Type }>, 'type'>;
} = {
  ready: { version: 1 },
  'message-send': { conversationId: 'c1', text: 'Hello' },
  'message-edit': { messageId: 'u1', text: 'Hello' },
  'message-copy': { messageId: 'u1' },
  'message-restore': { messageId: 'u1' },
  'turn-stop': {},
  'turn-retry': { messageId: 'a1' },
  'turn-continue': { messageId: 'a1' },
  'branch-select': { messageId: 'a1', index: 1 },
  'tool-output-request': { messageId: 'a1', callId: 'call/1' },
  'tool-open': { messageId: 'a1', callId: 'call/1' },
  'tool-cancel': { messageId: 'a1', callId: 'call/1' },
  'approval-answer': { id: 'p1', answer: 'deny', reason: 'No' },
  'question-answer': { id: 'q1', text: 'Yes' },
  'mode-select': { mode: 'ask' },
  'context-view-request': {},
  'context-remove': { messageId: 'a1', item: 't0', isRemoved: true },
  'permissions-select': { level: 'runCommands' },
  'active-file-attach': { label: 'src/app.ts' },
  'edits-notice-answer': { answer: 'close' },
  'suggestions-offer-answer': { answer: 'accept' },
  'changes-open': { turnId: 'u1', index: 0 },
  'changes-decide': { turnId: 'u1', decision: 'undo' },
  'image-act': { messageId: 'm1', imageId: 'i1', action: 'save-file' },
  'attestation-show': { messageId: 'm' },
  'image-hint-request': {},
  'code-copy': { text: 'x' },
  'code-insert': { text: 'x' },
  'code-apply': {
    text: 'x',
    info: 'ts src/a.ts',
    lineBefore: 'In src/a.ts:',
    textBefore: '',
  },
  'code-new-file': { text: 'x', language: 'ts' },
  'link-open': { href: 'https://docs.example/' },
  'paths-check': { paths: ['src/a.ts:3'] },
  'path-open': { path: 'src/a.ts' },
  'suggestion-choose': { text: 'Explain it' },
  'draft-change': { conversationId: 'c1', text: '' },
  'attachment-add': { source: 'file' },
  'context-search': { request: 1, kind: 'file', query: 'app' },
  'context-choose': { id: 'o1', text: 'Look at #' },
  'context-drop': { uris: ['file:///work/app.ts'] },
  'attachment-remove': { id: 'x1' },
  'plan-start': { messageId: 'a1', text: '1. Read' },
  'todo-change': { id: 't1', action: 'toggle', text: '' },
  'queue-act': { id: 'q1', action: 'send-now' },
  'media-add': { conversationId: 'c1', name: 'a.png', bytes: new Uint8Array([1]) },
  'media-scaled': { id: 'm1', bytes: null, note: 'Too small' },
  'attachment-open': { messageId: null, id: 'x1' },
  'model-list-request': { refresh: 'no' },
  'model-select': { id: 'model-1' },
  'voice-command': { command: 'dictate' },
  'speech-start': { messageId: 'm1' },
  'speech-next': { id: 'r1' },
  'speech-end': { id: 'r1' },
  'options-action': { action: 'set', name: 'topP', value: '0.5' },
  'conversation-new': {},
  'connect-submit': {
    address: 'api.example.com',
    key: 'key-1234',
    method: 'key',
    unencryptedOrigin: null,
  },
  'address-change': { address: 'api.example.com' },
  'local-servers-request': {},
  'action-run': { messageId: null, action: 'set-key' },
};
const sampleMessages = Object.entries(messageSamples).map(([type, fields]) => ({
  type,
  ...fields,
}));

const anyMessage = fc.constantFrom(...sampleMessages);

test('readWebviewMessage accepts a valid message of each type unchanged', () => {
  for (const message of sampleMessages) expect(readWebviewMessage(message)).toEqual(message);
});

describe('readWebviewMessage', () => {
  test.each([
    ['an undefined value', undefined],
    ['a string', 'turn-stop'],
    ['an array', [{ type: 'turn-stop' }]],
    ['no type', {}],
    ['an unknown type', { type: 'runCommand', command: 'workbench.action.terminal.new' }],
    ['the type constructor', { type: 'constructor' }],
    ['the type __proto__', { type: '__proto__' }],
    ['an array as the type', { type: ['turn-stop'] }],
    ['an additional field', { type: 'turn-stop', command: 'workbench.action.quit' }],
    ['a field __proto__', JSON.parse('{"type":"turn-stop","__proto__":{"admin":true}}')],
    ['a field constructor', JSON.parse('{"type":"turn-stop","constructor":{"prototype":{}}}')],
    ['a path as an id', { type: 'message-copy', messageId: '../../etc/passwd' }],
    ['markup as an id', { type: 'message-copy', messageId: '<img src=x>' }],
    ['a long id', { type: 'message-copy', messageId: 'x'.repeat(65) }],
    ['an array as an id', { type: 'message-copy', messageId: ['u1'] }],
    ['a command as an action', { type: 'action-run', messageId: null, action: 'workbench.x' }],
    ['an empty text', { type: 'message-edit', messageId: 'u1', text: '' }],
    [
      'a text longer than the limit',
      { type: 'message-send', text: 'x'.repeat(maxPromptLength + 1) },
    ],
    ['a link longer than the limit', { type: 'link-open', href: `https://${'x'.repeat(4_096)}` }],
    ['a negative index', { type: 'branch-select', messageId: 'a1', index: -1 }],
    ['a fractional index', { type: 'branch-select', messageId: 'a1', index: 0.5 }],
    [
      'an index that is not a number',
      { type: 'branch-select', messageId: 'a1', index: Number.NaN },
    ],
    [
      'an unknown answer to an approval',
      { type: 'approval-answer', id: 'p1', answer: 'yes', reason: '' },
    ],
    ['an answer without an id', { type: 'approval-answer', answer: 'once', reason: '' }],
    [
      'an item of the context with a text as the flag',
      { type: 'context-remove', messageId: 'a1', item: 't0', isRemoved: 'yes' },
    ],
    ['an unknown mode', { type: 'mode-select', mode: 'yolo' }],
    ['an unknown permission level', { type: 'permissions-select', level: 'all' }],
    [
      'a path as the index of a changed file',
      { type: 'changes-open', turnId: 'u1', index: '../x' },
    ],
    ['an unknown kind of search', { type: 'context-search', request: 1, kind: 'key', query: '' }],
    [
      'a search text longer than the limit',
      { type: 'context-search', request: 1, kind: 'any', query: 'x'.repeat(201) },
    ],
    [
      'too many dropped files',
      { type: 'context-drop', uris: Array.from({ length: 51 }, () => 'file:///a') },
    ],
    ['a path as the id of a suggestion', { type: 'context-choose', id: '../x', text: '' }],
    ['an unknown attachment source', { type: 'attachment-add', source: '/etc/passwd' }],
  ])('rejects a message with %s', (_description, value) => {
    expect(readWebviewMessage(value)).toBeUndefined();
  });

  test('rejects arbitrary values', () => {
    const anyValue = fc.anything({ withNullPrototype: true, withObjectString: true });
    fc.assert(fc.property(anyValue, (value) => readWebviewMessage(value) === undefined));
  });

  test('rejects a message with an additional field', () => {
    const additionalName = fc.oneof(
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', 'toString'),
    );
    const fieldArbitrary = fc.tuple(additionalName, fc.jsonValue());
    fc.assert(
      fc.property(anyMessage, fieldArbitrary, (message, [name, value]) => {
        fc.pre(!Object.hasOwn(message, name));
        const entries = [...Object.entries(message), [name, value] as const];
        return readWebviewMessage(Object.fromEntries(entries)) === undefined;
      }),
    );
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });

  test('rejects a message with a missing field', () => {
    for (const message of sampleMessages) {
      for (const name of Object.keys(message)) {
        const otherEntries = Object.entries(message).filter(([key]) => key !== name);
        expect(readWebviewMessage(Object.fromEntries(otherEntries)), name).toBeUndefined();
      }
    }
  });
});

test('readWebviewMessage never changes a message that it accepts, even if one field has an arbitrary value', () => {
  const arbitraryValue = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true });
  fc.assert(
    fc.property(anyMessage, fc.nat(), arbitraryValue, (message, index, value) => {
      const names = Object.keys(message);
      const changedMessage = { ...message, [names[index % names.length] ?? '']: value };
      const parsedMessage = readWebviewMessage(changedMessage);
      if (parsedMessage !== undefined) expect(parsedMessage).toStrictEqual(changedMessage);
    }),
  );
});
