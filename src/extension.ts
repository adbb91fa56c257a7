import type * as vscode from 'vscode';
import { createHost } from './host/create-host.ts';
import { contributeAccount } from './host/account/contribute-account.ts';
import { contributeChat } from './host/chat/contribute-chat.ts';
import { contributeModels } from './host/models/contribute-models.ts';

let close: (() => Promise<void>) | undefined;

/** Called by VS Code on the first use of a view or command of ours. Starts no request and reads no file of the workspace. */
export function activate(context: vscode.ExtensionContext): void {
  const host = createHost(context);
  context.subscriptions.push(host, contributeAccount(host), contributeModels(host));
  const chat = contributeChat(host);
  context.subscriptions.push(chat);
  close = () => chat.close();
}

/** Waits until what people wrote is on disk. */
export async function deactivate(): Promise<void> {
  await close?.();
}
