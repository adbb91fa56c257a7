import { readdirSync, rmSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Host } from '../../src/host.ts';
import { ImageRuntime } from '../../src/image/vscode/image-runtime.ts';
import { createModelCatalog } from '../../src/models/vscode/model-catalog.ts';
import { type AccountFixture, createAccountFixture, MemoryState } from './account-fixture.ts';
import { readSuiteEnvironment } from './environment.ts';
import { makeFolder } from './workspace-folder.ts';

/** Image commands in the real extension host, with a separate gallery. Dispose with `using`. */
export interface ImagesFixture extends AccountFixture {
  readonly host: Host;
  readonly images: ImageRuntime;
  /** A new folder in the open workspace. */
  readonly folder: vscode.Uri;
  /** Creates a file with this text in the folder, opens it, and selects all of its text. */
  openFile(name: string, text: string): Promise<vscode.TextEditor>;
}

export async function createImagesFixture(): Promise<ImagesFixture> {
  const { service } = readSuiteEnvironment();
  const fixture = createAccountFixture({
    environment: { INFERENCE_SERVICE_API_KEY: service.apiKey },
  });
  const extension = vscode.extensions.getExtension('inference-service.inference-service');
  if (extension === undefined) throw new Error('The extension is not there.');
  const { account, log } = fixture;
  const context = Object.assign(
    { extensionUri: extension.extensionUri, workspaceState: new MemoryState() },
    fixture.context,
  );
  const models = createModelCatalog({ context, account, log });
  const host: Host = {
    // The image commands use only these members of the context.
    context: context as unknown as vscode.ExtensionContext,
    log,
    account,
    models,
    isMintPreapproved: false,
    accountEnvironment: {},
    service: account.service,
  };
  // A fixed seed makes file names predictable, because they contain the seed.
  const images = Object.assign(new ImageRuntime(host), {
    generateSeed: () => 7,
  });
  await models.refresh();
  const path = makeFolder('images');
  const folder = vscode.Uri.file(path);
  return {
    ...fixture,
    host,
    images,
    folder,
    async openFile(name, text) {
      const uri = vscode.Uri.joinPath(folder, name);
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
      const editor = await vscode.window.showTextDocument(uri);
      const { document } = editor;
      editor.selection = new vscode.Selection(
        document.positionAt(0),
        document.positionAt(document.getText().length),
      );
      return editor;
    },
    [Symbol.dispose]() {
      images.dispose();
      models.dispose();
      fixture[Symbol.dispose]();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** Returns the names of all image files in the gallery folder, including incomplete files. */
export const listGalleryFiles = ({ images }: ImagesFixture): string[] => {
  try {
    return readdirSync(images.gallery.folder).filter((name) => name !== 'gallery.jsonl');
  } catch {
    return [];
  }
};

/** Replaces progress notifications, and simulates their Cancel button. */
export class FakeCancellableProgress implements Disposable {
  readonly startPromise: Promise<void>;
  readonly shownTitles: string[] = [];
  readonly progressMessages: string[] = [];
  readonly #source = new vscode.CancellationTokenSource();
  readonly #withProgress = vscode.window.withProgress;

  constructor() {
    const progressStart = Promise.withResolvers<void>();
    this.startPromise = progressStart.promise;
    const run: typeof vscode.window.withProgress = async ({ title = '' }, task) => {
      this.shownTitles.push(title);
      progressStart.resolve();
      const report = ({ message = '' }: { message?: string }): void => {
        this.progressMessages.push(message);
      };
      return task({ report }, this.#source.token);
    };
    Object.assign(vscode.window, { withProgress: run });
  }

  cancelProgress(): void {
    this.#source.cancel();
  }

  [Symbol.dispose](): void {
    Object.assign(vscode.window, { withProgress: this.#withProgress });
  }
}
