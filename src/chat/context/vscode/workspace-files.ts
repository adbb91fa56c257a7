import type * as vscode from 'vscode';
import { listFiles } from '../../../workspace/vscode/list-files.ts';
import type { SearchPlace } from '../../../workspace/vscode/search-scope.ts';
import type { WorkspaceReader } from './workspace-reader.ts';

/** A file or folder of the workspace that can be mentioned with `#`. */
export interface ListedPlace {
  /** Path relative to its workspace folder. Starts with the folder's name when there are several folders. */
  readonly label: string;
  readonly uri: vscode.Uri;
}

interface Listed {
  readonly label: string;
  readonly path: string;
  readonly place: SearchPlace;
}

interface Listing {
  readonly at: number;
  readonly files: readonly Listed[];
  readonly folders: readonly Listed[];
}

/** Maximum number of listed files. In larger workspaces the user types a longer part of the path. */
const mostFiles = 50_000;
/** Cache lifetime in milliseconds, about the time in which a user types a name. */
const freshFor = 10_000;

/** Lists the workspace's files by name, and caches the list for a few seconds. */
export class WorkspaceFiles {
  readonly #reader: WorkspaceReader;
  #known: Listing | undefined;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
  }

  /**
   * Returns the listed files or folders, without hidden and ignored ones. Incomplete when the signal fires.
   * @returns entries whose URIs are created only for those that are shown
   */
  async list(kind: 'file' | 'folder', signal: AbortSignal): Promise<readonly Listed[]> {
    const { files, folders } = await this.#listing(signal);
    return kind === 'file' ? files : folders;
  }

  async #listing(signal: AbortSignal): Promise<Listing> {
    const at = this.#reader.clock.now();
    if (this.#known !== undefined && at - this.#known.at < freshFor) return this.#known;
    const files: Listed[] = [];
    const folders = new Map<string, Listed>();
    const program = await this.#reader.tools.ripgrep();
    const most = new AbortController();
    for (const place of await this.#reader.folders()) {
      await listFiles(place, {
        program,
        signal: AbortSignal.any([signal, most.signal]),
        onPath(path) {
          if (files.length >= mostFiles) return most.abort();
          files.push({ label: place.labelOf(path), path, place });
          addFolders(folders, path, place);
        },
      });
    }
    const listing = { at, files, folders: [...folders.values()] };
    if (!signal.aborted) this.#known = listing;
    return listing;
  }
}

export const listedPlace = ({ label, path, place }: Listed): ListedPlace => ({
  label,
  uri: place.uriOf(path),
});

/** Adds all parent folders of a file. */
function addFolders(folders: Map<string, Listed>, file: string, place: SearchPlace): void {
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
    const path = file.slice(0, end);
    const label = place.labelOf(path);
    if (folders.has(label)) return;
    folders.set(label, { label, path, place });
  }
}
