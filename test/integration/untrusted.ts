import * as vscode from 'vscode';

/** Makes the workspace look untrusted until disposed. */
export function untrusted(): Disposable {
  const before = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
  Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, get: () => false });
  return {
    [Symbol.dispose]() {
      if (before !== undefined) Object.defineProperty(vscode.workspace, 'isTrusted', before);
    },
  };
}
