import type * as vscode from 'vscode';

/** The signal of a token of VS Code, until it is disposed. */
export function signalOf(
  token: vscode.CancellationToken,
): Disposable & { readonly signal: AbortSignal } {
  const canceller = new AbortController();
  if (token.isCancellationRequested) canceller.abort();
  const listening = token.onCancellationRequested(() => canceller.abort());
  return { signal: canceller.signal, [Symbol.dispose]: () => void listening.dispose() };
}
