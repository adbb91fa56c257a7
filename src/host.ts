import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { Account } from './account/vscode/account.ts';
import { createLazyBudget, type LazyBudget } from './account/vscode/budget.ts';
import { createAccount, type WalletSignIn } from './account/vscode/create-account.ts';
import { type Disposable, DisposableStore } from './base/disposable.ts';
import { redact } from './base/redact.ts';
import { createModelCatalog, type ModelCatalog } from './models/vscode/model-catalog.ts';
import { createLog, type Log } from './platform/log.ts';
import { accountEnvironment, isMintPreapproved } from './platform/mint-permission.ts';
import { createPrivacyPorts } from './privacy/vscode/contribute.ts';
import type { ServiceContext } from './service/http/client.ts';

/** Services that all contributions share. */
export interface Host {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly account: Account;
  readonly service: ServiceContext;
  /** Budget of the user, which {@link service} enforces; undefined if spending is not recorded. */
  readonly budget?: LazyBudget;
  readonly models: ModelCatalog;
  /** True if an environment variable lets programs create (mint) API keys without a confirmation. */
  readonly isMintPreapproved: boolean;
  /**
   * Environment variables with the paths of the files that contain the private key, or the password of the keystore,
   * with which programs create (mint) API keys. Copied when the extension starts.
   */
  readonly accountEnvironment: NodeJS.ProcessEnv;
}

/**
 * Creates the shared services. Sends no request and does not load the HTTP stack.
 * @param walletSignIn Signs the requests of an account that pays with a wallet.
 */
export function createHost(
  context: vscode.ExtensionContext,
  walletSignIn: WalletSignIn,
): Host & Disposable {
  const disposables = new DisposableStore();
  const knownKeys = new Set<string>();
  const log = disposables.add(createLog((line) => redact(line, [...knownKeys])));
  const { name, version } = context.extension.packageJSON as {
    readonly name: string;
    readonly version: string;
  };
  const userAgent = `${name}/${version}`;
  const account = disposables.add(
    createAccount({ context, log, knownKeys, walletSignIn, userAgent }),
  );
  const models = disposables.add(createModelCatalog({ context, account, log }));
  const spendingFolder = join(context.globalStorageUri.fsPath, 'spending');
  const { clock } = account.service;
  const budget = disposables.add(createLazyBudget({ folder: spendingFolder, clock, log, models }));
  const privacyPorts = createPrivacyPorts({ context, account, models });
  const service = { ...account.service, spending: budget, refusals: models, ...privacyPorts };
  return {
    context,
    log,
    account,
    service,
    budget,
    models,
    isMintPreapproved,
    accountEnvironment,
    dispose: () => disposables.dispose(),
  };
}
