import { expect, test } from 'vitest';
import { decodeQueue, MessageQueue, type QueuedMessage } from './message-queue.ts';

const createMessage = (id: string, change: Partial<QueuedMessage> = {}): QueuedMessage => ({
  id,
  text: `Text of ${id}`,
  attachments: [],
  isUrgent: false,
  ...change,
});

const fileAttachment = {
  id: 'f1',
  kind: 'file',
  label: 'a.ts',
  language: 'typescript',
  text: 'a',
} as const;

function createQueue(...ids: string[]) {
  const savedTexts: string[] = [];
  const queue = new MessageQueue(
    ids.map((id) => createMessage(id)),
    (text) => savedTexts.push(text),
  );
  return { queue, savedTexts };
}

test('a queue keeps its messages in the order in which the user wrote them', () => {
  const { queue } = createQueue('q1');
  queue.addMessage(createMessage('q2'));
  expect(queue.messages.map(({ id }) => id)).toEqual(['q1', 'q2']);
  expect(queue.messages.some(({ isUrgent }) => isUrgent)).toBe(false);
});

test('a queue moves an urgent message before all others except earlier urgent messages', () => {
  const { queue } = createQueue('q1', 'q2', 'q3');
  queue.prioritize('q3');
  queue.prioritize('q2');
  queue.prioritize('q3');
  expect(queue.messages.map(({ id, isUrgent }) => [id, isUrgent])).toEqual([
    ['q3', true],
    ['q2', true],
    ['q1', false],
  ]);
});

test('a queue offers no restored or held message as the next message until the user sends that message', () => {
  const { queue } = createQueue('q1');
  expect(queue.nextMessage).toBeUndefined();
  queue.addMessage(createMessage('q2', { isUrgent: true }));
  expect(queue.nextMessage?.id).toBe('q2');
  queue.holdMessages();
  expect(queue.nextMessage).toBeUndefined();
  expect(queue.messages.some(({ isUrgent }) => isUrgent)).toBe(false);
  queue.prioritize('q1');
  expect(queue.nextMessage?.id).toBe('q1');
});

test('`holdMessages` makes only the matching messages of a queue wait, and leaves the other messages urgent', () => {
  const { queue } = createQueue();
  for (const id of ['q1', 'q2']) queue.addMessage(createMessage(id, { isUrgent: true }));
  queue.holdMessages(({ id }) => id === 'q1');
  expect(queue.nextMessage?.id).toBe('q2');
  expect(queue.messages.map(({ isUrgent }) => isUrgent)).toEqual([false, true]);
});

test('a queue saves and reports each change, and saves an empty queue as an empty text', () => {
  const { queue, savedTexts } = createQueue('q1');
  let changeCount = 0;
  queue.onDidChange(() => (changeCount += 1));
  queue.prioritize('q1');
  queue.removeMessage('q1');
  queue.removeMessage('q1');
  expect(changeCount).toBe(2);
  expect(savedTexts.at(-1)).toBe('');
});

test('a stored queue keeps its attachments and models, but its messages are no longer urgent', () => {
  const { queue, savedTexts } = createQueue();
  const model = { id: 'model-1', name: 'Model One' };
  queue.addMessage(createMessage('q1', { attachments: [fileAttachment], model, isUrgent: true }));
  expect(decodeQueue(savedTexts.at(-1) ?? '')).toEqual([
    createMessage('q1', { attachments: [fileAttachment], model }),
  ]);
});

test.each([
  ['an empty text', ''],
  ['an object instead of a list', '{"id":"q1"}'],
  [
    'a list of invalid entries',
    '[null, 1, {"id":"../x","text":"a"}, {"id":"q1"}, {"id":"q2","text":5}]',
  ],
  ['incomplete JSON', '[{"id":"q1"'],
])('decodeQueue returns no messages for %s', (_, text) => {
  expect(decodeQueue(text)).toEqual([]);
});

test.each([
  ['attachment list', '[{"id":"q1","text":"a","attachments":7}]'],
  ['attachment', '[{"id":"q1","text":"a","attachments":[{"id":"f"}]}]'],
  ['model', '[{"id":"q1","text":"a","model":{"id":5}}]'],
])('decodeQueue keeps a stored message but drops its invalid %s', (_, text) => {
  expect(decodeQueue(text)).toEqual([createMessage('q1', { text: 'a' })]);
});
