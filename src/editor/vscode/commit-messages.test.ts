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
  messageInput.finishMessage('Add tides');
  expect(input.value).toBe('Add tides');
  expect(messageInput.isEmpty).toBe(false);
});

test('CommitMessageInput keeps text that the user enters during streaming', async () => {
  const { input, clock, messageInput } = createMessageInput('wip');
  messageInput.show(() => 'Add');
  input.value = 'Mine';
  await clock.advance(100);
  expect(messageInput.show(() => 'Add tides')).toBe(false);
  messageInput.finishMessage('Add tides');
  expect(input.value).toBe('Mine');
  expect(messageInput.isEditedByUser).toBe(true);
});

test('CommitMessageInput does not take a late report of an older message for an edit by the user', async () => {
  const { input, clock, messageInput } = createMessageInput();
  messageInput.show(() => 'Add');
  await clock.advance(100);
  messageInput.show(() => 'Add tid');
  // VS Code sends the extension each change of the input, also its own.
  input.value = 'Add';
  expect(messageInput.show(() => 'Add tides')).toBe(true);
  messageInput.finishMessage('Add tides');
  expect(input.value).toBe('Add tides');
  input.value = 'Add tid';
  expect(messageInput.isEditedByUser).toBe(false);
});

test('CommitMessageInput restores the text that the message replaced', () => {
  const { input, messageInput } = createMessageInput('wip');
  messageInput.finishMessage('Add tides');
  expect(messageInput.previousText).toBe('wip');
  messageInput.restorePreviousText();
  expect(input.value).toBe('wip');
});

test('CommitMessageInput keeps the previous text if the message is empty', () => {
  const { input, messageInput } = createMessageInput('wip');
  messageInput.show(() => '');
  messageInput.finishMessage('');
  expect(input.value).toBe('wip');
  expect(messageInput.isEmpty).toBe(true);
});

test('CommitMessageInput restores the previous text if the complete answer has no message', () => {
  const { input, messageInput } = createMessageInput('wip');
  messageInput.show(() => 'Here is');
  messageInput.discardMessage();
  expect(input.value).toBe('wip');
  expect(messageInput.isEmpty).toBe(true);
});
