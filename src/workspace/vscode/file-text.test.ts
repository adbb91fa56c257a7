import { expect, test } from 'vitest';
import type * as vscode from 'vscode';
import { TextDigests } from './file-text.ts';

const uri = (path: string): vscode.Uri => ({ toString: () => `file://${path}` }) as vscode.Uri;

test('detects a changed text only after the conversation has seen the file', () => {
  const seen = new TextDigests();
  expect(seen.hasChanged('c1', uri('/a'), 'x')).toBe(false);
  seen.recordText('c1', uri('/a'), 'x');
  expect(seen.hasChanged('c1', uri('/a'), 'x')).toBe(false);
  expect(seen.hasChanged('c1', uri('/a'), 'y')).toBe(true);
  expect(seen.hasChanged('c1', uri('/b'), 'y')).toBe(false);
  expect(seen.hasChanged('c2', uri('/a'), 'y')).toBe(false);
  seen.recordText('c1', uri('/a'), 'y');
  expect(seen.hasChanged('c1', uri('/a'), 'y')).toBe(false);
  seen.forget('c1');
  expect(seen.hasChanged('c1', uri('/a'), 'x')).toBe(false);
});

test('forgets the least recently seen file beyond 5,000 files', () => {
  const seen = new TextDigests();
  for (let i = 0; i <= 5_000; i += 1) seen.recordText('c1', uri(`/${i}`), 'x');
  expect(seen.hasChanged('c1', uri('/0'), 'y')).toBe(false);
  expect(seen.hasChanged('c1', uri('/1'), 'y')).toBe(true);
});
