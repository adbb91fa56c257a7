import { expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { CheckpointFiles } from './checkpoint-files.ts';
import { TurnChanges } from './turn-changes.ts';

test('TurnChanges tries again to load the changes of a conversation after the first attempt failed', async () => {
  const changes = new TurnChanges({
    storage: { fsPath: '/missing' } as vscode.Uri,
    log: { error: () => {} } as never,
    paths: { locate: () => Promise.reject(new Error('Not asked.')) },
    listFolders: () => [],
  });
  const loadSpy = vi.spyOn(CheckpointFiles.prototype, 'load');
  loadSpy.mockRejectedValueOnce(new Error('EIO'));
  await expect(changes.load('c1')).rejects.toThrow('EIO');
  await changes.load('c1');
  expect(loadSpy).toHaveBeenCalledTimes(2);
  loadSpy.mockRestore();
  changes.dispose();
});
