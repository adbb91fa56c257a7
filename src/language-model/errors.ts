import * as vscode from 'vscode';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';

/**
 * Converts a failure to an error for VS Code, which shows the message unchanged. The message
 * contains the cause and the next step.
 */
export function toLanguageModelError({ code, message, detail }: ServiceFailure): Error {
  if (code === 'stopped') return new vscode.CancellationError();
  const text =
    detail === undefined || message.includes(detail) ? message : `${message} (${detail})`;
  if (permissionCodes.has(code)) return vscode.LanguageModelError.NoPermissions(text);
  if (code === 'model-not-found') return vscode.LanguageModelError.NotFound(text);
  if (code === 'content-policy') return vscode.LanguageModelError.Blocked(text);
  return new vscode.LanguageModelError(text);
}

/** Failure codes that require a change of the account, such as another key. */
const permissionCodes: ReadonlySet<FailureCode> = new Set([
  'no-address',
  'no-key',
  'invalid-key',
  'unauthorized',
  'forbidden',
  'model-access',
  'no-wallet',
  'sign-in-refused',
]);

/**
 * Returns an abort signal that aborts when a VS Code cancellation token is canceled. Disposing the
 * result ends the connection.
 */
export function toAbortSignal(
  token: vscode.CancellationToken,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: () => void subscription.dispose() };
}
