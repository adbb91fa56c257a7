import { join } from 'node:path';
import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from './base/disposable.ts';
import { redact } from './base/redact.ts';
import { createBudget } from './account/vscode/budget.ts';
import { createAccount } from './account/vscode/create-account.ts';
import type { Host } from './host.ts';
import { createLog } from './platform/log.ts';
import { createModelCatalogue } from './models/vscode/model-catalogue.ts';
import { privateService } from './privacy/vscode/private-service.ts';

/** Builds what the contributions share. Nothing in here makes a request or loads the HTTP stack. */
export function createHost(context: vscode.ExtensionContext): Host & Disposable {
  const owned = new DisposableStore();
  const knownKeys = new Set<string>();
  const log = owned.add(createLog((line) => redact(line, [...knownKeys])));
  const account = owned.add(createAccount({ context, log, knownKeys }));
  const models = owned.add(createModelCatalogue({ context, account, log }));
  const folder = join(context.globalStorageUri.fsPath, 'spending');
  const { clock } = account.service;
  const budget = owned.add(createBudget({ folder, clock, log, models }));
  const guards = privateService({ context, account, models });
  const service = { ...account.service, spending: budget, ...guards };
  return { context, log, account, service, budget, models, dispose: () => owned.dispose() };
}
