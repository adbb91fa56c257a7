import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { ImageToolInput } from './image-lm-tool.ts';
import type { ImageRuntime } from './image-runtime.ts';

/**
 * Creates the image feature on first use. Other features receive the result as a type with fewer members, such as
 * `LazyChatImages`.
 */
export const createLazyImageRuntime = (host: Host): Lazy<ImageRuntime> =>
  new Lazy(async () => {
    const { ImageRuntime } = await import('./image-runtime.ts');
    return new ImageRuntime(host);
  });

/** Registers the studio tab, and the image tool for VS Code's chat. Both load the image feature on first use. */
export function registerImages(images: Lazy<ImageRuntime>): Contribution {
  const disposables = new DisposableStore();
  disposables.add(
    vscode.window.registerWebviewPanelSerializer('inferenceService.imageStudio', {
      deserializeWebviewPanel: async (panel) => (await images.get()).studio.restorePanel(panel),
    }),
  );
  disposables.add(
    vscode.lm.registerTool<ImageToolInput>('inferenceService_generateImage', {
      prepareInvocation: async (options) => (await images.get()).tool.prepareInvocation(options),
      invoke: async (options, token) => (await images.get()).tool.invoke(options, token),
    }),
  );
  return {
    dispose: () => {
      disposables.dispose();
      void images.getIfCreated().then((runtime) => runtime?.dispose());
    },
  };
}
