import { expect, test } from 'vitest';
import { addPendingMessage, type StudioHostMessage } from './messages.ts';

const collectPendingMessages = (...messages: readonly object[]): readonly StudioHostMessage[] => {
  const pendingMessages: StudioHostMessage[] = [];
  for (const message of messages) addPendingMessage(pendingMessages, message as StudioHostMessage);
  return pendingMessages;
};

const createNotice = (text: string): object => ({ type: 'notice-show', text });
const createJobMessage = (id: string, status: string): object => ({
  type: 'job-put',
  job: { id, status },
});

test('addPendingMessage keeps only the last of several messages that replace the same part of the page', () => {
  expect(
    collectPendingMessages(
      createNotice('a'),
      createJobMessage('1', 'queued'),
      createNotice('b'),
      createJobMessage('2', 'queued'),
      createJobMessage('1', 'done'),
    ),
  ).toEqual([createNotice('b'), createJobMessage('2', 'queued'), createJobMessage('1', 'done')]);
});

test('addPendingMessage keeps all messages that add images, remove images or remove jobs, in order', () => {
  const messages = [
    { type: 'images-put', images: [{ id: 'a' }] },
    { type: 'images-remove', ids: ['a'] },
    { type: 'images-put', images: [{ id: 'a' }] },
    { type: 'job-remove', id: '1' },
    { type: 'job-remove', id: '2' },
  ];
  expect(collectPendingMessages(...messages)).toEqual(messages);
});
