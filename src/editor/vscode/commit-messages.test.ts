import { expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { CommitMessageInput } from './commit-messages.ts';

function createMessageInput(value = ''): {
  input: { value: string };
  clock: ManualClock;
  messageInput: CommitMessageInput;
} {
  const input = { value };
  const clock = new ManualClock();
  return { input, clock, messageInput: new CommitMessageInput(input, clock) };
}

test('CommitMessageInput shows the message at intervals during streaming and the complete message at the end', async () => {
  const { input, clock, messageInput } = createMessageInput();
  expect(messageInput.show(() => 'Add')).toBe(true);
  expect(messageInput.show(() => 'Add ti')).toBe(true);
  expect(input.value).toBe('Add');
  await clock.advance(100);
  messageInput.show(() => 'Add tid');
  expect(input.value).toBe('Add tid');
  await messageInput.finishMessage('Add tides');
  expect(input.value).toBe('Add tides');
  expect(messageInput.isEmpty).toBe(false);
});

test('CommitMessageInput keeps text that the user enters during streaming', async () => {
  const { input, clock, messageInput } = createMessageInput('wip');
  messageInput.show(() => 'Add');
  input.value = 'Mine';
  await clock.advance(100);
  expect(messageInput.show(() => 'Add tides')).toBe(false);
  await messageInput.finishMessage('Add tides');
  expect(input.value).toBe('Mine');
  expect(messageInput.isEditedByUser).toBe(true);
});

test('CommitMessageInput waits while VS Code reports an older message late', async () => {
  const { input, clock, messageInput } = createMessageInput();
  messageInput.show(() => 'Add');
  await clock.advance(100);
  messageInput.show(() => 'Add tid');
  input.value = 'Add';
  await clock.advance(100);
  expect(messageInput.show(() => 'Add tides')).toBe(true);
  expect(input.value).toBe('Add');
  const finishPromise = messageInput.finishMessage('Add tides');
  await clock.advance(100);
  expect(input.value).toBe('Add');
  input.value = 'Add tid';
  await clock.advance(100);
  await finishPromise;
  expect(input.value).toBe('Add tides');
  expect(messageInput.isEditedByUser).toBe(false);
});

test('CommitMessageInput keeps an older message that the user restores with Undo', async () => {
  const { input, clock, messageInput } = createMessageInput();
  messageInput.show(() => 'Add');
  await clock.advance(100);
  messageInput.show(() => 'Add tid');
  input.value = 'Add';
  expect(messageInput.show(() => 'Add tides')).toBe(true);
  const finishPromise = messageInput.finishMessage('Add tides');
  await clock.advance(3_000);
  await finishPromise;
  expect(input.value).toBe('Add');
  expect(messageInput.isEditedByUser).toBe(true);
});

test.each(['', 'wip'])(
  'CommitMessageInput keeps the text “%s” from before the message if the user restores it',
  async (previousText) => {
    const { input, clock, messageInput } = createMessageInput(previousText);
    messageInput.show(() => 'Add');
    input.value = previousText;
    await clock.advance(100);
    expect(messageInput.show(() => 'Add tides')).toBe(false);
    await messageInput.finishMessage('Add tides');
    expect(input.value).toBe(previousText);
  },
);

test('CommitMessageInput restores the text that the message replaced', async () => {
  const { input, messageInput } = createMessageInput('wip');
  await messageInput.finishMessage('Add tides');
  expect(messageInput.previousText).toBe('wip');
  messageInput.restorePreviousText();
  expect(input.value).toBe('wip');
});

test('CommitMessageInput keeps the previous text if the message is empty', async () => {
  const { input, messageInput } = createMessageInput('wip');
  messageInput.show(() => '');
  await messageInput.finishMessage('');
  expect(input.value).toBe('wip');
  expect(messageInput.isEmpty).toBe(true);
});

test('CommitMessageInput restores the previous text if the complete answer has no message', async () => {
  const { input, messageInput } = createMessageInput('wip');
  messageInput.show(() => 'Here is');
  await messageInput.discardMessage();
  expect(input.value).toBe('wip');
  expect(messageInput.isEmpty).toBe(true);
});
