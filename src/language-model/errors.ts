import * as vscode from 'vscode';
import type { FailureCode, ServiceFailure } from '../service/http/failure.ts';

/**
 * What VS Code is told of a failed request. Its message says what happened and what to do; VS Code shows it as it is.
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

/** The person has to do something about the account first. */
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

/** The signal of a token of VS Code, until it is disposed. */
export function toAbortSignal(
  token: vscode.CancellationToken,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  const subscription = token.onCancellationRequested(() => controller.abort());
  return { signal: controller.signal, [Symbol.dispose]: () => void subscription.dispose() };
}
