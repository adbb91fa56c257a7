import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { contributeAccount } from './account/vscode/contribute.ts';
import { type ExportedApi, exportedApi } from './api/exported-api.ts';
import { writeAmountsIn } from './base/amounts.ts';
import { contributeChat } from './chat/vscode/contribute.ts';
import { contributeCompletions } from './completion/vscode/contribute.ts';
import { InlineSuggestions } from './completion/vscode/inline-suggestions.ts';
import { contributeEditor } from './editor/vscode/contribute.ts';
import { createHost } from './host.ts';
import { contributeImages } from './image/vscode/contribute.ts';
import { Images } from './image/vscode/images.ts';
import { contributePastedImages } from './image/vscode/pasted-images.ts';
import { contributeLanguageModel } from './language-model/contribute.ts';
import { contributeModels } from './models/vscode/contribute.ts';
import { guarded } from './platform/contribution.ts';
import { contributePrivate } from './privacy/vscode/contribute.ts';
import { contributeWallet } from './wallet/vscode/contribute.ts';

/** Has all texts and amounts below the host's own in the language of the editor, as its own are. Before any is read. */
export function useLanguage(): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  writeAmountsIn(vscode.env.language);
}

const contributions = [
  contributeAccount,
  contributeModels,
  contributePrivate,
  contributeWallet,
  contributeChat,
  contributeImages,
  contributePastedImages,
  contributeCompletions,
  contributeEditor,
  contributeLanguageModel,
] as const;

let started: readonly ReturnType<typeof guarded>[] = [];

/**
 * Called by VS Code once it has started, or on the first use of a view or command of ours. Starts no request unless
 * inline suggestions are on, and reads no file of the workspace.
 */
export function activate(context: vscode.ExtensionContext): ExportedApi {
  useLanguage();
  const host = createHost(context);
  const images = new Images(host);
  const suggestions = new InlineSuggestions(host);
  started = contributions.map((contribute) => guarded(contribute, host, images, suggestions));
  context.subscriptions.push(host, images, suggestions, ...started);
  return exportedApi(host, images);
}

/** Waits until what people wrote is on disk. */
export async function deactivate(): Promise<void> {
  await Promise.all(started.map(async (each) => each.close?.()));
}
