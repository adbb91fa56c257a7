import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { ChatRuntime } from './chat-runtime.ts';

const viewType = 'inferenceService.chat';
const editorType = 'inferenceService.chatEditor';

/** Registers the side bar view and the editor tabs of the chat. The chat feature loads on first use. */
export function contributeChat(
  chat: Lazy<ChatRuntime>,
  { account }: Pick<Host, 'account'>,
): Contribution {
  const owned = new DisposableStore();
  owned.add(
    vscode.window.registerWebviewViewProvider(viewType, {
      resolveWebviewView: async (view) => {
        let isDisposed = false;
        // Subscribe before the first `await`, because VS Code may dispose of the view at any time.
        view.onDidDispose(() => (isDisposed = true));
        const { view: chatView } = await chat.get();
        if (!isDisposed) await chatView.resolveWebviewView(view);
      },
    }),
  );
  owned.add(
    vscode.window.registerWebviewPanelSerializer(editorType, {
      deserializeWebviewPanel: async (panel, state: unknown) =>
        (await chat.get()).editors.deserializeWebviewPanel(panel, state),
    }),
  );
  owned.add(
    vscode.window.registerUriHandler({
      handleUri: async (uri) => {
        const { openDeepLink } = await import('../context/vscode/deep-links.ts');
        await openDeepLink(uri, { account, chat });
      },
    }),
  );
  return {
    dispose: () => {
      owned.dispose();
      void chat.getIfCreated().then((runtime) => runtime?.dispose());
    },
    close: async () => (await chat.getIfCreated())?.close(),
  };
}
