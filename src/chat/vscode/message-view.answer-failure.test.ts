import { expect, test, vi } from 'vitest';
import { answerFailure } from './message-view.ts';

vi.mock('vscode', () => import('../../../test/support/vscode-stub.ts'));

const listActionLabels = (
  code: 'server-error' | 'rate-limited' | 'unstored-image',
  isImage: boolean,
) => answerFailure({ failure: { code, message: '' } }, isImage)?.actions.map(({ label }) => label);

test('the retry of an image that the service may have charged states that it may cost again', () => {
  expect(listActionLabels('server-error', true)).toEqual(['Retry (may cost again)']);
});

test('the retry of an image that was not charged, and of a text answer, has the usual label', () => {
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
