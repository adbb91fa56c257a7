import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import type { ImageRecord } from '../image-record.ts';
import type { Gallery } from './gallery.ts';

/** Whether the files that were saved from pictures are still where they were. */
export class SavedFiles implements Disposable {
  readonly #gallery: Gallery;
  readonly #owned = new DisposableStore();
  readonly #changes = this.#owned.add(new Emitter<void>());
  readonly #missing = new Set<string>();

  constructor(gallery: Gallery) {
    this.#gallery = gallery;
    this.#owned.add(vscode.workspace.onDidRenameFiles(({ files }) => void this.#follow(files)));
    this.#owned.add(vscode.workspace.onDidDeleteFiles(() => void this.look()));
    this.#owned.add(vscode.workspace.onDidCreateFiles(() => void this.look()));
  }

  /** A file appeared or went. */
  readonly onDidChange: Event<void> = (listener) => this.#changes.event(listener);

  /** The newest file of a picture that is there, as far as the last look knows. */
  find({ saved }: ImageRecord): string | undefined {
    return saved.findLast((uri) => !this.#missing.has(uri));
  }

  /** Looks at every file again: what another program moved is in no event. */
  async look(): Promise<void> {
    const uris = (await this.#gallery.list()).flatMap(({ saved }) => saved);
    const found = await Promise.all(uris.map(async (uri) => [uri, await isThere(uri)] as const));
    const before = this.#missing.size;
    let changed = false;
    for (const [uri, there] of found) {
      changed ||= there === this.#missing.has(uri);
      if (there) this.#missing.delete(uri);
      else this.#missing.add(uri);
    }
    if (changed || before !== this.#missing.size) this.#changes.fire();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #follow(files: readonly Renamed[]): Promise<void> {
    const uris = (await this.#gallery.list()).flatMap(({ saved }) => saved);
    const moves = new Map<string, string>();
    for (const saved of new Set(uris)) {
      const moved = movedBy(files, vscode.Uri.parse(saved));
      if (moved !== undefined) moves.set(saved, moved.toString());
    }
    await this.#gallery.noteMoved(moves);
    await this.look();
  }
}

type Renamed = vscode.FileRenameEvent['files'][number];

/** Where a file is now; a folder takes its files along. */
function movedBy(files: readonly Renamed[], uri: vscode.Uri): vscode.Uri | undefined {
  for (const { oldUri: from, newUri: to } of files) {
    const isIt = uri.path === from.path || uri.path.startsWith(`${from.path}/`);
    if (!isIt || uri.scheme !== from.scheme || uri.authority !== from.authority) continue;
    return to.with({ path: to.path + uri.path.slice(from.path.length) });
  }
  return undefined;
}

/** What cannot be looked at now (a file system that is not there yet) counts as there. */
async function isThere(uri: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.parse(uri, true));
    return true;
  } catch (error) {
    return !(error instanceof vscode.FileSystemError && error.code === 'FileNotFound');
  }
}
