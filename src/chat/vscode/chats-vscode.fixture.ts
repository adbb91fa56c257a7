import { join } from 'node:path';

const createSubscription = () => ({ dispose: () => {} });

/** Stub of the `vscode` module for tests outside of VS Code. Contains only what `chats.ts` uses. */
export const vscodeStub = {
  l10n: { t: (text: string) => text },
  window: { onDidChangeWindowState: createSubscription },
  workspace: {
    getConfiguration: () => ({ inspect: () => ({ defaultValue: false }) }),
    onDidChangeConfiguration: createSubscription,
  },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, name: string) => ({ fsPath: join(fsPath, name) }),
  },
};
