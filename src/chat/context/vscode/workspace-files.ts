import type * as vscode from 'vscode';
import { listFiles } from '../../../workspace/vscode/list-files.ts';
import type { SearchLocation } from '../../../workspace/vscode/search-scope.ts';
import type { WorkspaceReader } from './workspace-reader.ts';

/** File or folder of the workspace that the user can mention with `#`. */
export interface WorkspaceEntry {
  /** Path relative to the workspace folder. Starts with the folder's name if the workspace has several folders. */
  readonly label: string;
  readonly uri: vscode.Uri;
}

interface ListedPath {
  readonly label: string;
  readonly path: string;
  readonly root: SearchLocation;
}

interface Listing {
  readonly listedAt: number;
  readonly files: readonly ListedPath[];
  readonly folders: readonly ListedPath[];
}

/** Maximum number of listed files. Files beyond the limit cannot be suggested. */
const maxFiles = 50_000;
/** Cache lifetime in milliseconds, about the time that a user needs to type a name. */
const cacheLifetimeMs = 10_000;

/** Lists the files and folders of the workspace, and caches the list for a few seconds. */
export class WorkspaceFiles {
  readonly #reader: WorkspaceReader;
  #cached: Listing | undefined;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
  }

  /**
   * Returns all files or all folders of the workspace, except hidden and ignored ones. The list is incomplete if the
   * signal aborts. {@link toWorkspaceEntry} adds the URI of a listed path.
   */
  async list(kind: 'file' | 'folder', signal: AbortSignal): Promise<readonly ListedPath[]> {
    const { files, folders } = await this.#listing(signal);
    return kind === 'file' ? files : folders;
  }

  async #listing(signal: AbortSignal): Promise<Listing> {
    const now = this.#reader.clock.now();
    if (this.#cached !== undefined && now - this.#cached.listedAt < cacheLifetimeMs)
      return this.#cached;
    const files: ListedPath[] = [];
    const folders = new Map<string, ListedPath>();
    const program = await this.#reader.tools.ripgrep();
    const limitReached = new AbortController();
    for (const root of await this.#reader.folders()) {
      await listFiles(root, {
        program,
        signal: AbortSignal.any([signal, limitReached.signal]),
        onPath(path) {
          if (files.length >= maxFiles) return limitReached.abort();
          files.push({ label: root.labelOf(path), path, root });
          addFolders(folders, path, root);
        },
      });
    }
    const listing = { listedAt: now, files, folders: [...folders.values()] };
    if (!signal.aborted) this.#cached = listing;
    return listing;
  }
}

export const toWorkspaceEntry = ({ label, path, root }: ListedPath): WorkspaceEntry => ({
  label,
  uri: root.uriOf(path),
});

/** Adds all parent folders of a file, up to the root. */
function addFolders(folders: Map<string, ListedPath>, file: string, root: SearchLocation): void {
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
    const path = file.slice(0, end);
    const label = root.labelOf(path);
    if (folders.has(label)) return;
    folders.set(label, { label, path, root });
  }
}
