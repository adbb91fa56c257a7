import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { CheckedPaths, WorkspacePaths } from '../../../workspace/vscode/paths.ts';
import { createRipgrepFinder } from '../../../agent/tools/vscode/workspace-tools.ts';
import type { ReadTools } from '../../../agent/tools/vscode/ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';
import {
  createSearchLocation,
  type SearchLocation,
} from '../../../workspace/vscode/search-scope.ts';
import { TextDigests } from '../../../workspace/vscode/file-text.ts';
import type { Host } from '../../../host.ts';

const noFilter = { excludeGlobs: [], nameGlobs: undefined };

/**
 * Reads the workspace for the chat. Reads only files that the agent's tools may also read without the user's approval.
 */
export class WorkspaceReader {
  readonly clock: Clock;
  readonly tools: ReadTools;
  readonly #paths: WorkspacePaths;

  constructor({ context, log }: Pick<Host, 'context' | 'log'>, clock: Clock = systemClock) {
    this.clock = clock;
    this.#paths = new WorkspacePaths({
      folders: () => vscode.workspace.workspaceFolders ?? [],
      isTrusted: () => vscode.workspace.isTrusted,
      forbiddenFolders: [vscode.Uri.joinPath(context.globalStorageUri, '..')],
    });
    this.tools = {
      paths: this.#paths,
      versions: new TextDigests(),
      log,
      clock,
      getRipgrepPath: createRipgrepFinder(log),
      getOldUri: undefined,
      checkedPaths: new CheckedPaths(this.#paths),
    };
  }

  /** Returns the workspace folders as search locations. Empty in an untrusted workspace. */
  async listFolders(): Promise<readonly SearchLocation[]> {
    const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    return Promise.all(folders.map(({ uri }) => this.locate(uri)));
  }

  /**
   * Checks whether a URI is in the workspace. Both its path and its real path, without symbolic links, must be in the
   * workspace. Never rejects.
   */
  async contains(uri: vscode.Uri): Promise<boolean> {
    try {
      const { facts } = await this.#paths.locate(uri);
      return facts.isInWorkspace && facts.isRealPathInWorkspace;
    } catch {
      return false;
    }
  }

  /**
   * Returns the search location of a URI.
   * @throws ToolError if no workspace folder has the URI's scheme and authority
   */
  async locate(uri: vscode.Uri): Promise<SearchLocation> {
    return createSearchLocation(await this.#paths.locate(uri), noFilter);
  }

  /**
   * Returns a filter for files that may be read without approval. Excludes secret files and links to targets outside
   * the workspace. The filter caches its results, so create a new filter for each use.
   */
  createReadableUriFilter(): ReadableUris {
    return new ReadableUris(this.#paths);
  }
}
