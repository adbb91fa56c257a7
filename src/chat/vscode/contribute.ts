import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { InlineSuggestions } from '../../completion/vscode/inline-suggestions.ts';
import type { Contributed } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { Images } from '../../image/vscode/images.ts';
import { chatCommands } from './chat-commands.ts';

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
