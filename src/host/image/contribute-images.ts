import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { CommandId } from '../command-ids.ts';
import { registerCommand } from '../commands.ts';
import type { Contributed } from '../contribution.ts';
import type { Host } from '../host.ts';
import type { ImageRuntime } from './image-runtime.ts';

/** Pictures: the commands, the studio's tab. All else is loaded with the first of them that is used. */
export function contributeImages(host: Host): Contributed {
  const owned = new DisposableStore();
  const runtime = new Lazy(async (): Promise<ImageRuntime> => {
    const { ImageRuntime } = await import('./image-runtime.ts');
    return owned.add(new ImageRuntime(host));
  });
  const command = (
    id: CommandId,
    run: (images: ImageRuntime, clicked: unknown) => unknown,
  ): void => {
    owned.add(registerCommand(id, host.log, async (clicked) => run(await runtime.get(), clicked)));
  };
  command('inferenceService.insertImage', (images) => images.insertImage());
  command('inferenceService.generateImageFromSelection', (images) =>
    images.generateFromSelection(),
  );
  command('inferenceService.openImageStudio', (images) => images.openStudio());
  command('inferenceService.openImageGallery', (images) => images.openGallery());
  command('inferenceService.editImage', (images, clicked) => images.editFile(clicked));
  command('inferenceService.upscaleImage', (images, clicked) => images.upscaleFile(clicked));
  command('inferenceService.removeImageBackground', (images, clicked) =>
    images.removeBackgroundOf(clicked),
  );
  owned.add(
    vscode.window.registerWebviewPanelSerializer('inferenceService.imageStudio', {
      deserializeWebviewPanel: async (panel) => (await runtime.get()).studio.adopt(panel),
    }),
  );
  return { dispose: () => owned.dispose() };
}
