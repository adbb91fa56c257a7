import * as vscode from 'vscode';

/** Makes VS Code report an untrusted workspace until disposal. */
export function simulateUntrustedWorkspace(): Disposable {
  const originalProperty = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
  Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, get: () => false });
  return {
    [Symbol.dispose]() {
      if (originalProperty !== undefined)
        Object.defineProperty(vscode.workspace, 'isTrusted', originalProperty);
    },
  };
}
