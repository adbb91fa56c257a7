import * as vscode from 'vscode';
import { showProgress } from '../../tell.ts';

/** With a progress that can be cancelled. */
export function working<T>(title: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const location = vscode.ProgressLocation.Notification;
  return showProgress({ location, title, cancellable: true }, async (_report, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    return run(stop.signal);
  });
}
