import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { redact } from '../base/redact.ts';
import { createAccount } from './account/create-account.ts';
import type { Host } from './host.ts';
import { createLog } from './log.ts';
import { createModelCatalogue } from './models/create-model-catalogue.ts';

/** Builds what the contributions share. Nothing in here makes a request or loads the HTTP stack. */
export function createHost(context: vscode.ExtensionContext): Host & Disposable {
  const owned = new DisposableStore();
  const knownKeys = new Set<string>();
  const log = owned.add(createLog((line) => redact(line, [...knownKeys])));
  const account = owned.add(createAccount({ context, log, knownKeys }));
  const { service } = account;
  const models = owned.add(createModelCatalogue({ context, account, log }));
  return { context, log, account, service, models, dispose: () => owned.dispose() };
}
