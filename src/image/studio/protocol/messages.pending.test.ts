import { expect, test } from 'vitest';
import { addPendingMessage, type StudioHostMessage } from './messages.ts';

const collect = (...messages: readonly object[]): readonly StudioHostMessage[] => {
  const pendingMessages: StudioHostMessage[] = [];
  for (const message of messages) addPendingMessage(pendingMessages, message as StudioHostMessage);
  return pendingMessages;
};

const notice = (text: string): object => ({ type: 'notice-show', text });
const job = (id: string, status: string): object => ({ type: 'job-put', job: { id, status } });

test('addPendingMessage keeps only the last of several messages that replace the same part of the page', () => {
  expect(
    collect(notice('a'), job('1', 'queued'), notice('b'), job('2', 'queued'), job('1', 'done')),
  ).toEqual([notice('b'), job('2', 'queued'), job('1', 'done')]);
});

test('addPendingMessage keeps all messages with images and removals, in order', () => {
  const messages = [
    { type: 'images-put', images: [{ id: 'a' }] },
    { type: 'images-remove', ids: ['a'] },
    { type: 'images-put', images: [{ id: 'a' }] },
    { type: 'job-remove', id: '1' },
    { type: 'job-remove', id: '2' },
  ];
  expect(collect(...messages)).toEqual(messages);
});
