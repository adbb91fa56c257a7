import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { JudgedPaths, WorkspacePaths } from '../../../workspace/vscode/paths.ts';
import { createRipgrepFinder } from '../../../agent/tools/vscode/workspace-tools.ts';
import type { ReadTools } from '../../../agent/tools/vscode/ports.ts';
import { ReadableUris } from '../../../workspace/vscode/text-search.ts';
import { searchPlace, type SearchPlace } from '../../../workspace/vscode/search-scope.ts';
import { SeenTexts } from '../../../workspace/vscode/file-text.ts';
import type { Host } from '../../../host.ts';

const everything = { excludes: [], names: undefined };

/** The workspace as the chat reads it for a person: by the same rules as the reading tools, which need no question. */
export class WorkspaceReader {
  readonly clock: Clock;
  readonly tools: ReadTools;
  readonly #paths: WorkspacePaths;

  constructor({ context, log }: Pick<Host, 'context' | 'log'>, clock: Clock = systemClock) {
    this.clock = clock;
    this.#paths = new WorkspacePaths({
      folders: () => vscode.workspace.workspaceFolders ?? [],
      isTrusted: () => vscode.workspace.isTrusted,
      closed: [vscode.Uri.joinPath(context.globalStorageUri, '..')],
    });
    this.tools = {
      paths: this.#paths,
      versions: new SeenTexts(),
      log,
      clock,
      ripgrep: createRipgrepFinder(log),
      uriBefore: undefined,
      judged: new JudgedPaths(this.#paths),
    };
  }

  /** Each open folder, to be listed or searched; none in an untrusted workspace. */
  async folders(): Promise<readonly SearchPlace[]> {
    const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    return Promise.all(folders.map(({ uri }) => this.place(uri)));
  }

  /** Whether a place is one of the workspace, by its name and by where links lead. Never rejects. */
  async contains(uri: vscode.Uri): Promise<boolean> {
    try {
      const { facts } = await this.#paths.locate(uri);
      return facts.inside && facts.realInside;
    } catch {
      return false;
    }
  }

  /** @throws ToolError for a place outside the workspace's file systems */
  async place(uri: vscode.Uri): Promise<SearchPlace> {
    return searchPlace(await this.#paths.locate(uri), everything);
  }

  /** Which files may be taken without a question: no secrets, nothing that a link brings in. For one use each. */
  readable(): ReadableUris {
    return new ReadableUris(this.#paths);
  }
}
