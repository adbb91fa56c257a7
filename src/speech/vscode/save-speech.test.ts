import { beforeEach, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { writeSpeech } from './save-speech.ts';

const state = vi.hoisted(() => ({
  written: [] as string[],
  saveAs: undefined as { path: string } | undefined,
  pressed: [] as string[],
}));

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  workspace: {
    asRelativePath: ({ path }: { path: string }) => path,
    fs: {
      writeFile: async ({ path }: { path: string }, audio: Uint8Array) => {
        state.written.push(`${path}:${audio.length}`);
        if (path === '/full' && state.written.length < 3) throw new Error('ENOSPC');
      },
    },
  },
  window: {
    showSaveDialog: async () => state.saveAs,
    showInformationMessage: async () => {},
    showErrorMessage: async (_text: string, ...labels: string[]) =>
      labels.find((label) => label === state.pressed.at(0)) && state.pressed.shift(),
  },
}));

const writeSpeechFile = (): Promise<void> =>
  writeSpeech({ error: () => {} }, new Uint8Array(3), {
    uri: { path: '/full' } as vscode.Uri,
    format: 'wav',
  });

beforeEach(() => {
  state.written = [];
  state.saveAs = undefined;
});

test('writeSpeech can write the same speech in a second call after the first call failed', async () => {
  state.pressed = ['Retry', 'Retry'];
  await writeSpeechFile();
  await expect.poll(() => state.written).toEqual(['/full:3', '/full:3', '/full:3']);
});

test('writeSpeech writes the speech to another file after a failure', async () => {
  state.pressed = ['Save As…'];
  state.saveAs = { path: '/other' };
  await writeSpeechFile();
  await expect.poll(() => state.written).toEqual(['/full:3', '/other:3']);
});
