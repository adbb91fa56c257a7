import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTextAnswer, createUserMessage } from '../../test/support/conversation-builder.ts';
import { generateDamagedCopies, getLineAt } from '../../test/support/damage.ts';
import { root } from '../../test/support/paths.ts';
import type { Conversation, ConversationRecord, Message } from './conversation.ts';
import { decodeJournal, encodeRecords } from './journal.ts';

const startRecord: ConversationRecord = {
  type: 'conversation-start',
  version: 1,
  id: 'c1',
  at: 5,
  folder: null,
};
const createAddRecord = (message: Message): ConversationRecord => ({
  type: 'message-add',
  message,
});
const createDeltaRecord = (id: string, text: string): ConversationRecord => ({
  type: 'answer-delta',
  id,
  text,
  reasoning: '',
});
const journalRecords = [
  startRecord,
  createAddRecord(createUserMessage('u1', null, 'First question')),
  createAddRecord(createTextAnswer('a1', 'u1', '')),
  createDeltaRecord('a1', 'First '),
  createDeltaRecord('a1', 'answer'),
  createAddRecord(createUserMessage('u2', 'a1', 'Second question')),
  createAddRecord(createTextAnswer('a2', 'u2', 'Second answer')),
  createAddRecord(createUserMessage('u3', 'a2', 'Third question')),
];
const journalLines = encodeRecords(journalRecords).trimEnd().split('\n');

/** Decodes a conversation file (journal) in which the lines with the given 0-based indexes are damaged. */
function decodeDamagedJournal(...indexes: readonly number[]): Conversation | undefined {
  const text = journalLines.map((line, index) => (indexes.includes(index) ? line.slice(3) : line));
  return decodeJournal(text.join('\n'), 'c1');
}

const describeMessages = (conversation: Conversation | undefined): readonly string[] =>
  (conversation?.listPath() ?? []).map(
    ({ id, text }) => (conversation?.isIncomplete(id) ? '! ' : '') + text,
  );

describe('decodeJournal', () => {
  test.each<[string, readonly number[], readonly string[]]>([
    [
      'start record',
      [0],
      ['First question', 'First answer', 'Second question', 'Second answer', 'Third question'],
    ],
    [
      'first question',
      [1],
      ['! ', 'First answer', 'Second question', 'Second answer', 'Third question'],
    ],
    [
      'start record and first question',
      [0, 1],
      ['! ', 'First answer', 'Second question', 'Second answer', 'Third question'],
    ],
    [
      'start of an answer',
      [2],
      ['First question', '! First answer', 'Second question', 'Second answer', 'Third question'],
    ],
    [
      'part of an answer',
      [3],
      ['First question', '! answer', 'Second question', 'Second answer', 'Third question'],
    ],
    [
      'whole answer',
      [2, 3, 4],
      ['First question', '! ', 'Second question', 'Second answer', 'Third question'],
    ],
    [
      'later question',
      [5],
      ['First question', 'First answer', '! ', 'Second answer', 'Third question'],
    ],
    ['whole turn', [5, 6], ['First question', 'First answer', '! ', 'Third question']],
    [
      'last question',
      [7],
      ['First question', 'First answer', 'Second question', '! Second answer'],
    ],
    ['everything but the last question', [0, 1, 2, 3, 4, 5, 6], ['! ', 'Third question']],
  ])(
    'recovers the other messages if the %s is damaged, and marks incomplete messages',
    (_name, indexes, expected) => {
      const conversation = decodeDamagedJournal(...indexes);
      expect(describeMessages(conversation)).toEqual(expected);
      expect(conversation).toMatchObject({ id: 'c1', isDamaged: true });
    },
  );

  test('marks no message as incomplete if nothing is damaged', () => {
    const conversation = decodeDamagedJournal();
    expect(conversation?.isDamaged).toBe(false);
    expect(describeMessages(conversation).join()).not.toContain('!');
  });

  test('marks a message whose text contains invalid UTF-8, and recovers the other messages', () => {
    const bytes = Buffer.from(journalLines.join('\n'));
    bytes[bytes.indexOf('Second question')] = 0xff;
    const conversation = decodeJournal(bytes, 'c1');
    expect(describeMessages(conversation)[2]).toBe('! \u{FFFD}econd question');
    expect(conversation?.listPath()).toHaveLength(5);
  });

  test('uses the id from the file name if the start record contains another id, and reports damage', () => {
    expect(decodeJournal(journalLines.join('\n'), 'c2')).toMatchObject({
      id: 'c2',
      isDamaged: true,
    });
  });

  test('reports no damage for record types of a newer version', () => {
    const text = [...journalLines, '{"type":"mood-set","mood":"calm"}'].join('\n');
    expect(decodeJournal(text, 'c1')?.isDamaged).toBe(false);
  });

  test('ignores an object inside a damaged record, even if the object looks like a record', () => {
    const level = { type: 'permissions-set', level: 'all' };
    const result = { reasoningDetails: [{ a: 1 }, level, { b: 1 }] };
    const line = JSON.stringify(createAddRecord({ ...createTextAnswer('a3', 'u3'), result }));
    const text = [...journalLines, line.replace('"role"', 'role')].join('\n');
    expect(decodeJournal(text, 'c1')?.permissionLevel).toBeUndefined();
  });
});

describe('decodeJournal of a stored conversation with a damaged byte', () => {
  const folder = join(root, 'test/integration/stored-data/v1/storage/conversations');
  const paths = globSync(join(folder, '*.jsonl'));

  test.each(paths.map((path) => [basename(path, '.jsonl'), path]))(
    'returns all messages outside the damaged record (conversation %s)',
    (id, path) => {
      const intactBytes = readFileSync(path);
      const intactConversation = decodeJournal(intactBytes, id);
      const storedLines = intactBytes.toString('utf8').split('\n');
      for (const { bytes, offset, kind } of generateDamagedCopies(intactBytes)) {
        const conversation = decodeJournal(bytes, id);
        const damagedLine =
          kind === 'truncate' ? storedLines.length : getLineAt(intactBytes, offset);
        const readableText = kind === 'truncate' ? bytes.toString('utf8') : '';
        for (const message of intactConversation?.messages ?? []) {
          const lineNumbers = storedLines.flatMap((line, index) =>
            line.includes(`"id":"${message.id}"`) ? [index] : [],
          );
          const isOutside =
            kind === 'truncate'
              ? lineNumbers.every((line) => readableText.includes(`${storedLines[line]}\n`))
              : !lineNumbers.includes(damagedLine);
          if (isOutside)
            expect(conversation?.findMessage(message.id), `${kind} at ${offset}`).toMatchObject({
              role: message.role,
              text: message.text,
            });
        }
        const isUnreadable = bytes
          .toString('utf8')
          .split('\n')
          .some((line) => line !== '' && !isJson(line));
        // No message is missing if only a line break is damaged.
        if (isUnreadable && conversation !== undefined && intactBytes[offset] !== 0x0a)
          expect(conversation.isDamaged, `${kind} at ${offset}`).toBe(true);
      }
    },
    60_000,
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
