import type * as vscode from 'vscode';

/** Name of the state that contains the accounts that the user has connected. */
export const knownAccountsState = 'wallet.accounts';

/** Checks whether the user has connected an account. Decodes none, because the decoder loads `viem`. */
export function hasKnownAccount({ globalState }: Pick<vscode.ExtensionContext, 'globalState'>) {
  const stored = globalState.get<unknown>(knownAccountsState);
  return Array.isArray(stored) && stored.length > 0;
}
