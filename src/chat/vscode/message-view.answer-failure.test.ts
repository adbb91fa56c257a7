import { expect, test, vi } from 'vitest';
import {
  createTextAnswer,
  createConversation,
  createUserMessage,
} from '../../../test/support/conversation-builder.ts';
import { createAnswerFailureView, createMessageView } from './message-view.ts';

vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));

const listActionLabels = (
  code: 'server-error' | 'rate-limited' | 'unstored-image',
  isImage: boolean,
) =>
  createAnswerFailureView({ failure: { code, message: '' } }, isImage)?.actions.map(
    ({ label }) => label,
  );

test('the retry button of a failed image warns that a retry may cost again if the service may have charged for the image', () => {
  expect(listActionLabels('server-error', true)).toEqual(['Retry (may cost again)']);
});

test('the retry button of a text answer, or of an image that the service did not charge for, shows no cost warning', () => {
  expect(listActionLabels('rate-limited', true)).toEqual(['Retry']);
  expect(listActionLabels('server-error', false)).toEqual(['Retry']);
});

test('the failure card of a paid image that is only in memory offers to save or discard the image', () => {
  expect(listActionLabels('unstored-image', true)).toEqual([
    'Save As…',
    'Discard',
    'Retry (may cost again)',
  ]);
});

test('the failure card offers the model that can replace the failed model', () => {
  const failure = { code: 'overloaded', message: '' } as const;
  const fallback = { id: 'model-2', name: 'Model\nTwo' };
  expect(createAnswerFailureView({ failure, fallback }, false)?.fallback).toEqual({
    id: 'model-2',
    name: 'Model Two',
  });
  expect(createAnswerFailureView({ failure }, false)).not.toHaveProperty('fallback');
});

test('an answer that replaced a failed answer names both models', () => {
  const conversation = createConversation(createUserMessage('q1', null), {
    ...createTextAnswer('a1', 'q1'),
    replacedModel: { id: 'model-0', name: 'Model Zero' },
  });
  const message = conversation.findMessage('a1');
  expect(message && createMessageView(conversation, message, undefined).notices).toEqual([
    'Model One answers instead of Model Zero.',
  ]);
});
