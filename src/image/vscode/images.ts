import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Lazy } from '../../base/lazy.ts';
import type { Host } from '../../host.ts';
import type { ImageRuntime } from './image-runtime.ts';
import { workspaceName } from '../../platform/window.ts';

/**
 * Where the pictures of this window's workspace are kept. Not in the storage VS Code has for a workspace, which changes
 * with a window that is reloaded.
 */
export const galleryFolder = ({ context }: Host): vscode.Uri =>
  vscode.Uri.joinPath(context.globalStorageUri, 'images', workspaceName());

/** The pictures of this window, for every part that works with them. All they need is loaded on first use. */
export class Images implements Disposable {
  /** Where the gallery keeps its pictures, each as `<id>.<format's ending>`. */
  readonly folder: vscode.Uri;
  readonly #owned = new DisposableStore();
  readonly #runtime: Lazy<ImageRuntime>;

  constructor(host: Host) {
    this.folder = galleryFolder(host);
    this.#runtime = new Lazy(async () => {
      const { ImageRuntime } = await import('./image-runtime.ts');
      return this.#owned.add(new ImageRuntime(host, this.folder.fsPath));
    });
  }

  /** @throws what loading it throws; the next call tries again */
  runtime(): Promise<ImageRuntime> {
    return this.#runtime.get();
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
