import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EditDependencies } from './edit-command.ts';
import { ChangeReviews } from './review-changes.ts';

const state = vi.hoisted(() => ({ messages: [] as string[], repository: undefined as unknown }));

vi.mock('./edit-command.ts', () => ({}));
vi.mock('./editor-target.ts', () => ({}));
vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/vscode-stub.ts')),
  FileType: { File: 1 },
  Uri: Map,
  ProgressLocation: { Notification: 15 },
  extensions: {
    getExtension: () => ({
      activate: async () => ({
        enabled: true,
        getAPI: () => ({ git: { path: 'git' }, repositories: [state.repository] }),
      }),
    }),
  },
  window: {
    withProgress: (_: unknown, run: (...args: unknown[]) => unknown) =>
      run({ report: () => {} }, { onCancellationRequested: () => {} }),
    showInformationMessage: async (message: string) => void state.messages.push(message),
  },
  workspace: {
    isTrusted: true,
    onDidChangeTextDocument: () => ({ dispose: () => {} }),
    fs: {
      stat: async ({ fsPath }: FakeUri) => ({ type: 1, size: (await stat(fsPath)).size }),
      readFile: ({ fsPath }: FakeUri) => readFile(fsPath),
    },
  },
}));

interface FakeUri {
  readonly path: string;
  readonly fsPath: string;
}

const createUri = (path: string): FakeUri => ({ path, fsPath: path });

test('ChangeReviews sends no tracked file for which Git fails, and lists the file as omitted', async () => {
  const root = await mkdtemp(join(tmpdir(), 'reviewed-git-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const runGit = (...args: string[]) => execFileSync('git', args, { cwd: root });
  runGit('init', '--quiet');
  await writeFile(join(root, 'file.txt'), 'old\n');
  runGit('add', '.');
  runGit('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message=a');
  runGit('config', 'filter.broken.clean', 'exit 1');
  runGit('config', 'filter.broken.required', 'true');
  await writeFile(join(root, '.git', 'info', 'attributes'), '*.txt filter=broken\n');
  await writeFile(join(root, 'file.txt'), 'new\n');
  const change = { uri: createUri(join(root, 'file.txt')), status: 5 };
  const changes = { indexChanges: [], workingTreeChanges: [change] };
  state.repository = { rootUri: createUri(root), state: changes };
  // A request would need a model, and this host has none.
  const host = { account: {}, service: {} };
  const reviews = new ChangeReviews({ host } as unknown as EditDependencies);
  await reviews.review([]);
  reviews.dispose();
  expect(state.messages).toEqual(['0 of 1 changed files were reviewed, without file.txt.']);
});
