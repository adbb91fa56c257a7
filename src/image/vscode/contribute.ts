import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { Contribution } from '../../platform/contribution.ts';
import type { ImageToolInput } from './image-lm-tool.ts';
import type { Images } from './images.ts';

/** The studio's tab and the image tool of VS Code's chat. All else is loaded with the first of them that is used. */
export function contributeImages(images: Images): Contribution {
  const owned = new DisposableStore();
  owned.add(
    vscode.window.registerWebviewPanelSerializer('inferenceService.imageStudio', {
      deserializeWebviewPanel: async (panel) => (await images.runtime()).studio.adopt(panel),
    }),
  );
  owned.add(
    vscode.lm.registerTool<ImageToolInput>('inferenceService_generateImage', {
      prepareInvocation: async (options) =>
        (await images.runtime()).tool.prepareInvocation(options),
      invoke: async (options, token) => (await images.runtime()).tool.invoke(options, token),
    }),
  );
  return { dispose: () => owned.dispose() };
}
