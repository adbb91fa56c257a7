import type * as vscode from 'vscode';
import type { Account } from '../../account/vscode/account.ts';
import type { ModelCatalogue } from '../../models/vscode/model-catalogue.ts';

/** What the lock on models and the protection of chats know. */
export interface PrivateParts {
  /** Where it is kept what was checked; without it, it is not. */
  readonly context?: Pick<vscode.ExtensionContext, 'globalStorageUri'>;
  readonly account: Pick<Account, 'service' | 'state'>;
  readonly models: Pick<ModelCatalogue, 'all' | 'failure' | 'refresh' | 'onDidChange'>;
}
