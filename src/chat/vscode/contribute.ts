import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import type { Contribution } from '../../platform/contribution.ts';
import { isVersionAtLeast } from '../../platform/newer-vscode.ts';
import type { ChatRuntime } from './chat-runtime.ts';

const viewType = 'inferenceService.chat';
const editorType = 'inferenceService.chatEditor';

/** Registers the side bar view and the editor tabs of the chat. The chat feature loads on first use. */
export function contributeChat(
  chat: Lazy<ChatRuntime>,
  { account, context, log }: Pick<Host, 'account' | 'context' | 'log'>,
): Contribution {
  const disposables = new DisposableStore();
  moveViewFromExplorer(context.globalState).catch((error: unknown) =>
    log.error('Could not move the chat view', error),
  );
  disposables.add(
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
  disposables.add(
    vscode.window.registerWebviewPanelSerializer(editorType, {
      deserializeWebviewPanel: async (panel, state: unknown) =>
        (await chat.get()).editors.deserializeWebviewPanel(panel, state),
    }),
  );
  disposables.add(
    vscode.window.registerUriHandler({
      handleUri: async (uri) => {
        const { openDeepLink } = await import('../context/vscode/deep-links.ts');
        await openDeepLink(uri, { account, chat });
      },
    }),
  );
  return {
    dispose: () => {
      disposables.dispose();
      void chat.getIfCreated().then((runtime) => runtime?.dispose());
    },
    close: async () => (await chat.getIfCreated())?.close(),
  };
}

const movedViewKey = 'chat.hasLeftExplorer';

/**
 * Moves the chat view from the Explorer into the activity bar. Editors based on VS Code before 1.106 show the view in
 * the Explorer, because they do not support extension views in the secondary side bar. Moves the view only once,
 * because the user can then choose another location.
 */
async function moveViewFromExplorer(state: vscode.Memento): Promise<void> {
  if (isVersionAtLeast(106) || state.get(movedViewKey) === true) return;
  // Some older editors have containers in the secondary side bar, so the view needs no move.
  const commands = await vscode.commands.getCommands();
  if (commands.includes('workbench.view.extension.inferenceService')) return;
  await vscode.commands.executeCommand('vscode.moveViews', {
    viewIds: [viewType],
    destinationId: 'workbench.view.extension.inferenceServiceActivity',
  });
  await state.update(movedViewKey, true);
}
