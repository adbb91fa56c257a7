import type * as vscode from 'vscode';
import type { ServiceContext } from './service/http/client.ts';
import type { Account } from './account/vscode/account.ts';
import type { LazyBudget } from './account/vscode/budget.ts';
import type { Log } from './platform/log.ts';
import type { ModelCatalogue } from './models/vscode/models-model-catalogue.ts';

/** What every contribution of the extension is built from. */
export interface Host {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly account: Account;
  readonly service: ServiceContext;
  /** The person's own, which {@link service} keeps to; absent where nothing is counted. */
  readonly budget?: LazyBudget;
  readonly models: ModelCatalogue;
}
