import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { type CommandId, commandIds } from '../../platform/command-ids.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Contributed } from '../../platform/contribution.ts';

/** The commands of the chat, which are loaded with it. */
export type ChatCommand = (typeof named)[number] | `inferenceService.agent.${string}`;

const named = [
  'inferenceService.focusChat',
  'inferenceService.newChat',
  'inferenceService.openChatInEditor',
  'inferenceService.showHistory',
  'inferenceService.renameChat',
  'inferenceService.deleteChat',
  'inferenceService.exportChat',
  'inferenceService.findInChat',
  'inferenceService.stopAnswer',
  'inferenceService.toggleMode',
  'inferenceService.configureTools',
  'inferenceService.showUsage',
  'inferenceService.undoTurn',
  'inferenceService.explain',
  'inferenceService.writeTests',
  'inferenceService.askAboutSelection',
  'inferenceService.attachSelection',
  'inferenceService.attachProblems',
  'inferenceService.attachFile',
  'inferenceService.readAloud',
  'inferenceService.stopReading',
  'inferenceService.saveSpeech',
  'inferenceService.selectVoice',
  'inferenceService.dictate',
  'inferenceService.transcribeFile',
  'inferenceService.chatWithPersona',
] as const satisfies readonly CommandId[];

export const chatCommands = [
  ...named,
  ...commandIds.filter((id) => id.startsWith('inferenceService.agent.')),
] as readonly (CommandId & ChatCommand)[];

const viewType = 'inferenceService.chat';
const editorType = 'inferenceService.chatEditor';

/** Registers the chat: its view, its editor tabs, its commands. The chat itself is loaded with the first use of one. */
export function contributeChat(
  host: Host,
  images: Images,
  suggestions: InlineSuggestions,
): Contributed {
  const owned = new DisposableStore();
  const chat = new Lazy(async () => {
    const { ChatRuntime } = await import('./chat-runtime.ts');
    return new ChatRuntime(host, images, suggestions);
  });
  owned.add(
    vscode.window.registerWebviewViewProvider(viewType, {
      resolveWebviewView: async (view) => {
        let gone = false;
        // Before the first wait: VS Code may dispose of the view at any time.
        view.onDidDispose(() => (gone = true));
        const { view: chatView } = await chat.get();
        if (!gone) await chatView.resolveWebviewView(view);
      },
    }),
  );
  owned.add(
    vscode.window.registerWebviewPanelSerializer(editorType, {
      deserializeWebviewPanel: async (panel, state: unknown) =>
        (await chat.get()).editors.deserializeWebviewPanel(panel, state),
    }),
  );
  for (const id of chatCommands) {
    owned.add(registerCommand(id, host.log, async (...args) => (await chat.get()).run(id, args)));
  }
  return {
    dispose: () => {
      owned.dispose();
      void chat.existing().then((runtime) => runtime?.dispose());
    },
    close: async () => (await chat.existing())?.close(),
  };
}
