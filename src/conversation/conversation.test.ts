import { describe, expect, test } from 'vitest';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../test/support/conversation-builder.ts';
import { decodeJournal, encodeRecords } from './journal.ts';
import type { ConversationRecord } from './conversation.ts';
import { permissionLevels } from './protocol.ts';

const getIds = (messages: readonly { id: string }[]): string[] => messages.map(({ id }) => id);

describe('Conversation', () => {
  test('returns a path of all messages from the first message to the head', () => {
    const conversation = createConversation(
      createUserMessage('u1', null),
      createTextAnswer('a1', 'u1'),
      createUserMessage('u2', 'a1'),
    );
    expect(getIds(conversation.listPath())).toEqual(['u1', 'a1', 'u2']);
    expect(conversation.head?.id).toBe('u2');
  });

  test('keeps the messages of a branch after an edited message starts another branch', () => {
    const conversation = createConversation(
      createUserMessage('u1', null),
      createTextAnswer('a1', 'u1'),
      createUserMessage('u2', null),
      createTextAnswer('a2', 'u2'),
    );
    expect(getIds(conversation.listPath())).toEqual(['u2', 'a2']);
    const editedMessage = conversation.findMessage('u2');
    expect(editedMessage && conversation.listSiblingIds(editedMessage)).toEqual(['u1', 'u2']);
    conversation.applyRecord({ type: 'head-set', id: conversation.findLeafId('u1') });
    expect(getIds(conversation.listPath())).toEqual(['u1', 'a1']);
  });

  test('has an empty path after the user restores the state before the first message, even after its journal is decoded again', () => {
    const conversation = createConversation(
      createUserMessage('u1', null),
      createTextAnswer('a1', 'u1'),
    );
    const restoreRecord = { type: 'head-set', id: '' } as const;
    conversation.applyRecord(restoreRecord);
    expect(conversation.listPath()).toEqual([]);
    const records: ConversationRecord[] = [
      { type: 'conversation-start', version: 1, id: 'c1', at: 1, folder: null },
      { type: 'message-add', message: createUserMessage('u1', null) },
      restoreRecord,
    ];
    const decodedConversation = decodeJournal(encodeRecords(records));
    expect(decodedConversation?.listPath()).toEqual([]);
    expect(decodedConversation?.findMessage('u1')).toBeDefined();
  });

  test('ignores records that refer to unknown messages or reuse the id of an existing message', () => {
    const conversation = createConversation(createUserMessage('u1', null));
    const hostileRecords: ConversationRecord[] = [
      { type: 'message-add', message: createTextAnswer('a1', 'nowhere') },
      { type: 'message-add', message: createUserMessage('u1', null, 'again') },
      { type: 'head-set', id: 'nowhere' },
      { type: 'answer-delta', id: 'u1', text: 'x', reasoning: '' },
      { type: 'answer-end', id: '__proto__', status: 'complete', result: {} },
    ];
    for (const record of hostileRecords) conversation.applyRecord(record);
    expect([...conversation.messages]).toEqual([createUserMessage('u1', null)]);
  });
});

describe('decodeJournal', () => {
  const startRecord: ConversationRecord = {
    type: 'conversation-start',
    version: 1,
    id: 'c1',
    at: 5,
    folder: null,
  };
  const records: ConversationRecord[] = [
    startRecord,
    { type: 'message-add', message: createUserMessage('u1', null, 'What is this?') },
    { type: 'title-set', title: 'What is this?' },
    { type: 'message-add', message: { ...createTextAnswer('a1', 'u1', ''), status: 'streaming' } },
    { type: 'answer-delta', id: 'a1', text: 'A ', reasoning: 'hm' },
    { type: 'answer-delta', id: 'a1', text: 'test', reasoning: '' },
    { type: 'answer-end', id: 'a1', status: 'complete', result: { durationMs: 7 } },
  ];

  test('restores a conversation from its encoded records', () => {
    const conversation = decodeJournal(encodeRecords(records));
    expect(conversation).toMatchObject({ id: 'c1', title: 'What is this?' });
    expect(conversation?.findMessage('a1')).toEqual({
      ...createTextAnswer('a1', 'u1', 'A test'),
      reasoning: 'hm',
      result: { durationMs: 7 },
    });
  });

  test.each(permissionLevels)('restores the permission level %s', (level) => {
    const text = encodeRecords([...records, { type: 'permissions-set', level }]);
    expect(decodeJournal(text)?.permissionLevel).toBe(level);
  });

  test('returns a conversation without a permission level if no valid record sets a level', () => {
    expect(decodeJournal(encodeRecords(records))?.permissionLevel).toBeUndefined();
    const hostileJournal = `${encodeRecords(records)}{"type":"permissions-set","level":"all"}\n`;
    expect(decodeJournal(hostileJournal)?.permissionLevel).toBeUndefined();
  });

  test('restores a conversation from a journal truncated at any byte, and marks an incomplete answer as interrupted', () => {
    const text = encodeRecords(records);
    const completeLength = encodeRecords(records.slice(0, 4)).length;
    const headerLength = encodeRecords([startRecord]).length;
    for (let length = headerLength; length < text.length; length += 1) {
      const conversation = decodeJournal(text.slice(0, length));
      expect(conversation?.id).toBe('c1');
      if (length >= completeLength && length < text.length - 1) {
        expect(conversation?.findMessage('a1')).toMatchObject({ status: 'interrupted' });
      }
    }
  });

  test.each([
    ['no content', ''],
    ['no start record', encodeRecords(records.slice(1))],
    ['binary content', '\u0000\u0001PK\n'],
    [
      'an unknown version',
      '{"type":"conversation-start","version":2,"id":"c1","at":5,"folder":null}\n',
    ],
    ['a list instead of a record', '[1,2,3]\n'],
    [
      'a path as id',
      '{"type":"conversation-start","version":1,"id":"../../x","at":5,"folder":null}\n',
    ],
    [
      'an invalid time',
      '{"type":"conversation-start","version":1,"id":"c1","at":1e300,"folder":null}\n',
    ],
  ])('returns undefined for a journal with %s', (_name, text) => {
    expect(decodeJournal(text)).toBeUndefined();
  });

  test('skips unknown and invalid lines of a journal', () => {
    const lines = encodeRecords(records).split('\n');
    lines.splice(
      2,
      0,
      '{"type":"from-the-future","x":1}',
      '{"type":"message-add","message":{"role":"user"}}',
      '{"type":"message-add","message":{"role":"user","id":"","parentId":"","createdAt":1,"text":"","attachments":[]}}',
      'null',
    );
    expect(decodeJournal(lines.join('\n'))?.findMessage('a1')).toMatchObject({ text: 'A test' });
  });
});
