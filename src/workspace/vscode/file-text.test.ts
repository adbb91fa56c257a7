import { expect, test } from 'vitest';
import type * as vscode from 'vscode';
import { TextDigests } from './file-text.ts';

const createUri = (path: string): vscode.Uri =>
  ({ toString: () => `file://${path}` }) as vscode.Uri;

test('TextDigests reports a changed text only for a file that was recorded for the same conversation', () => {
  const digests = new TextDigests();
  expect(digests.hasChanged('c1', createUri('/a'), 'x')).toBe(false);
  digests.recordText('c1', createUri('/a'), 'x');
  expect(digests.hasChanged('c1', createUri('/a'), 'x')).toBe(false);
  expect(digests.hasChanged('c1', createUri('/a'), 'y')).toBe(true);
  expect(digests.hasChanged('c1', createUri('/b'), 'y')).toBe(false);
  expect(digests.hasChanged('c2', createUri('/a'), 'y')).toBe(false);
  digests.recordText('c1', createUri('/a'), 'y');
  expect(digests.hasChanged('c1', createUri('/a'), 'y')).toBe(false);
  digests.removeConversation('c1');
  expect(digests.hasChanged('c1', createUri('/a'), 'x')).toBe(false);
});

test('TextDigests removes the least recently recorded file when more than 5,000 files are recorded', () => {
  const digests = new TextDigests();
  for (let i = 0; i <= 5_000; i += 1) digests.recordText('c1', createUri(`/${i}`), 'x');
  expect(digests.hasChanged('c1', createUri('/0'), 'y')).toBe(false);
  expect(digests.hasChanged('c1', createUri('/1'), 'y')).toBe(true);
});
