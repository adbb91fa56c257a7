import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { contributeAccount } from './account/vscode/contribute.ts';
import type { StatusSections } from './account/vscode/status-bar.ts';
import { type ExportedApi, createExportedApi } from './api/exported-api.ts';
import { setAmountLocale } from './base/amounts.ts';
import { ObservableValue } from './base/event.ts';
import { Lazy } from './base/lazy.ts';
import { contributeChat } from './chat/vscode/contribute.ts';
import { registerCompletions } from './completion/vscode/contribute.ts';
import { InlineSuggestions } from './completion/vscode/inline-suggestions.ts';
import type { CommandContext } from './commands.ts';
import { contributeEditor } from './editor/vscode/contribute.ts';
import { createHost, type Host } from './host.ts';
import { registerImages, createLazyImageRuntime } from './image/vscode/contribute.ts';
import { registerPastedImages } from './image/vscode/pasted-image-provider.ts';
import { contributeLanguageModel } from './language-model/contribute.ts';
import type { ConversationWithModel, VisibleChat } from './models/vscode/selected-model.ts';
import { registerCommands } from './platform/commands.ts';
import { type Contribution, registerSafely } from './platform/contribution.ts';
import { setChoiceState } from './platform/settings.ts';
import { reportUnfinishedOperations } from './wallet/vscode/contribute.ts';

/**
 * Passes VS Code's translations and display language to modules without access to the VS Code API.
 * Call it before any text is formatted.
 */
export function applyDisplayLanguage(): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  setAmountLocale(vscode.env.language);
}

let startedContributions: readonly Contribution[] = [];

/**
 * Activates the extension after startup, or on the first use of a view or command. Sends no request
 * unless inline suggestions are on. Reads no workspace file.
 */
export function activate(context: vscode.ExtensionContext): ExportedApi {
  applyDisplayLanguage();
  setChoiceState(context.globalState);
  const host = createHost(context, async (account) =>
    (await import('./wallet/x402/vscode/paying-sign-in.ts')).createPayingSignIn(account),
  );
  const { log } = host;
  // Settings Sync synchronizes option presets and pinned models between machines.
  context.globalState.setKeysForSync(['chat.optionPresets', 'models.pinned']);
  const images = createLazyImageRuntime(host);
  const suggestions = new InlineSuggestions(host);
  const visibleChat = new ObservableValue<ConversationWithModel | undefined>(undefined);
  const chat = new Lazy(async () => {
    const { ChatRuntime } = await import('./chat/vscode/chat-runtime.ts');
    return new ChatRuntime({
      host,
      images,
      tools: [
        async () =>
          (await import('./image/vscode/generate-image-tool.ts')).createImageTools(host, images),
        async () =>
          (await import('./language-model/tools/agent-tools.ts')).createAgentToolFactory(host),
      ],
      onAnswered: () => suggestions.reportAnswer(),
      onShown: (conversation) => visibleChat.set(conversation),
      suggestionsOffer: suggestions,
    });
  });
  const editor = new Lazy(async () => {
    const { EditorRuntime } = await import('./editor/vscode/editor-runtime.ts');
    return new EditorRuntime(host);
  });
  startedContributions = [
    registerSafely(
      log,
      registerCommands<CommandContext>,
      host,
      { host, images, suggestions, chat, editor },
      loadCommands,
    ),
    registerSafely(log, contributeAccount, host, () =>
      createStatusSections(host, suggestions, visibleChat),
    ),
    registerSafely(log, contributeChat, chat, host),
    registerSafely(log, registerImages, images),
    registerSafely(log, registerPastedImages, host),
    registerSafely(log, registerCompletions, host, suggestions),
    registerSafely(log, contributeEditor, editor, suggestions),
    registerSafely(log, contributeLanguageModel, host, images),
  ];
  reportUnfinishedOperations(host);
  context.subscriptions.push(host, suggestions, ...startedContributions);
  return createExportedApi(host, images);
}

/** Loads the providers of the status bar's sections for models and inline suggestions. */
async function createStatusSections(
  host: Host,
  suggestions: InlineSuggestions,
  visibleChat: VisibleChat,
): Promise<StatusSections> {
  const [{ getModelStatus }, { getCompletionStatus }] = await Promise.all([
    import('./models/vscode/selected-model.ts'),
    import('./completion/vscode/status-rows.ts'),
  ]);
  return {
    models: getModelStatus(host.models, visibleChat),
    suggestions: getCompletionStatus({ host, suggestions }),
  };
}

const loadCommands = async () => (await import('./commands.ts')).commands;

/** Closes all contributions. Resolves when unsaved data is on disk. */
export async function deactivate(): Promise<void> {
  await Promise.all(startedContributions.map(async (contribution) => contribution.close?.()));
}
