import { expect, test } from 'vitest';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../test/support/conversation-builder.ts';
import type { AnswerProtection } from '../service/chat/protection.ts';
import type { Answer, Message } from '../conversation/conversation.ts';
import { getProtectedChat } from './protected-chat.ts';

const encryptedProtection: AnswerProtection = { kind: 'encrypted', checkedAt: 1, leftOut: [] };
const attestedProtection: AnswerProtection = { kind: 'attested', checkedAt: 1 };

const createAnswer = (
  protection: AnswerProtection,
  change: Partial<Answer> = {},
): Partial<Answer> => ({
  result: { protection },
  ...change,
});
const failedAnswer = { status: 'failed', text: '' } as const;

/** Creates a chat in which each answer follows the previous answer. */
const createChat = (...answers: readonly Partial<Answer>[]) =>
  createConversation(
    ...answers.flatMap((change, index) => [
      createUserMessage(`u${index}`, index === 0 ? null : `a${index - 1}`),
      { ...createTextAnswer(`a${index}`, `u${index}`), ...change },
    ]),
  );

test.each<[what: string, answers: readonly Partial<Answer>[], kind?: string, newestId?: string]>([
  ['no protected answer', [{}, {}]],
  ['an encrypted answer', [{}, createAnswer(encryptedProtection)], 'encrypted', 'a1'],
  [
    'an attested answer',
    [createAnswer(encryptedProtection), createAnswer(attestedProtection)],
    'attested',
    'a1',
  ],
  ['an unprotected answer after an encrypted answer', [createAnswer(encryptedProtection), {}]],
  [
    'an answer without protection, after the user consented',
    [createAnswer(encryptedProtection), createAnswer({ kind: 'none' })],
  ],
  [
    'a failed answer after an encrypted answer',
    [createAnswer(encryptedProtection), failedAnswer],
    'encrypted',
    'a0',
  ],
  [
    'an interrupted encrypted answer',
    [createAnswer(encryptedProtection, { status: 'interrupted' })],
    'encrypted',
    'a0',
  ],
  [
    'an image answer after an encrypted answer',
    [createAnswer(encryptedProtection), { images: [] }],
    'encrypted',
    'a0',
  ],
])('getProtectedChat returns the protection of a chat with %s', (_, answers, kind, newestId) => {
  const { id = '' } = createChat(...answers).head ?? {};
  expect(getProtectedChat(createChat(...answers), id)).toEqual(kind && { kind, newestId });
});

test('getProtectedChat does not treat an answer with a damaged record as unprotected', () => {
  const conversation = createChat(createAnswer(encryptedProtection), {});
  conversation.markDamaged('a1');
  expect(getProtectedChat(conversation, 'a1')).toEqual({ kind: 'encrypted', newestId: 'a0' });
});

test('getProtectedChat returns no protection after an unprotected retry, and keeps the protection of the other branch', () => {
  const conversation = createChat(
    createAnswer(encryptedProtection),
    createAnswer(attestedProtection),
  );
  for (const id of ['u0', 'a0', 'u1', 'a1']) {
    expect(getProtectedChat(conversation, id)).toEqual({ kind: 'attested', newestId: 'a1' });
  }
  conversation.applyRecord({ type: 'message-add', message: createTextAnswer('b0', 'u0') });
  expect(getProtectedChat(conversation, 'b0')).toBeUndefined();
  expect(getProtectedChat(conversation, 'a0')).toEqual({ kind: 'attested', newestId: 'a1' });
});

test('getProtectedChat uses the protection of sibling answers if the latest answer failed or is streaming', () => {
  const conversation = createChat(
    createAnswer(encryptedProtection),
    createAnswer(attestedProtection),
  );
  const add = (message: Message) => conversation.applyRecord({ type: 'message-add', message });
  add({ ...createTextAnswer('b1', 'u1'), ...failedAnswer });
  expect(getProtectedChat(conversation, 'b1')).toEqual({ kind: 'attested', newestId: 'a1' });
  add(createUserMessage('v1', 'a0'));
  add({ ...createTextAnswer('c1', 'v1'), status: 'streaming' });
  expect(getProtectedChat(conversation, 'c1')).toEqual({ kind: 'attested', newestId: 'a1' });
  add(createTextAnswer('d1', 'u1'));
  expect(getProtectedChat(conversation, 'b1')).toBeUndefined();
  expect(getProtectedChat(conversation, 'c1')).toBeUndefined();
});
