import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { CommandId } from '../../platform/command-ids.ts';
import { registerCommand } from '../../platform/commands.ts';
import type { Contributed } from '../../platform/contribution.ts';
import type { Host } from '../../host.ts';
import type { ImageToolInput } from './image-lm-tool.ts';
import type { ImageRuntime } from './image-runtime.ts';
import type { Images } from './images.ts';

/** Pictures: the commands, the studio's tab. All else is loaded with the first of them that is used. */
export function contributeImages(host: Host, images: Images): Contributed {
  const owned = new DisposableStore();
  const command = (
    id: CommandId,
    run: (runtime: ImageRuntime, clicked: unknown) => unknown,
  ): void => {
    owned.add(
      registerCommand(id, host.log, async (clicked) => run(await images.runtime(), clicked)),
    );
  };
  command('inferenceService.insertImage', (runtime) => runtime.insertImage());
  command('inferenceService.generateImageFromSelection', (runtime) =>
    runtime.generateFromSelection(),
  );
  command('inferenceService.openImageStudio', (runtime) => runtime.openStudio());
  command('inferenceService.openImageGallery', (runtime) => runtime.openGallery());
  command('inferenceService.editImage', (runtime, clicked) => runtime.editFile(clicked));
  command('inferenceService.upscaleImage', (runtime, clicked) => runtime.upscaleFile(clicked));
  command('inferenceService.removeImageBackground', (runtime, clicked) =>
    runtime.removeBackgroundOf(clicked),
  );
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
