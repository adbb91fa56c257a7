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

const noFilter = { excludes: [], names: undefined };

/** Reads the workspace for the chat, with the same restrictions as the read tools that need no approval. */
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
      ripgrep: createRipgrepFinder(log),
      uriBefore: undefined,
      checkedPaths: new CheckedPaths(this.#paths),
    };
  }

  /** Returns each open folder as a search root. Empty in an untrusted workspace. */
  async folders(): Promise<readonly SearchLocation[]> {
    const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    return Promise.all(folders.map(({ uri }) => this.place(uri)));
  }

  /** Checks whether a URI is inside the workspace, by its path and after following links. Never rejects. */
  async contains(uri: vscode.Uri): Promise<boolean> {
    try {
      const { facts } = await this.#paths.locate(uri);
      return facts.isInWorkspace && facts.isRealPathInWorkspace;
    } catch {
      return false;
    }
  }

  /** @throws ToolError for a URI outside the workspace's file systems */
  async place(uri: vscode.Uri): Promise<SearchLocation> {
    return createSearchLocation(await this.#paths.locate(uri), noFilter);
  }

  /**
   * Returns a filter of files that may be read without asking the user: no secret files, no links out of the workspace.
   * Create one per use.
   */
  readableUris(): ReadableUris {
    return new ReadableUris(this.#paths);
  }
}
