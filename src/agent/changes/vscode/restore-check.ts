import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { isUnambiguousTarget, type FileRestore } from '../restore-plan.ts';
import type { FileState } from '../turn-record.ts';
import { findSensitiveReason } from '../../../workspace/sensitive-files.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { UriLocator, ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** A path that an undo must not change, and the reason. */
export interface PathRefusal {
  /**
   * `outside`: outside the workspace; `other-workspace`: in a folder that is not open in this window; `unplaced`: the
   * file's real path was not recorded.
   */
  readonly reason: 'outside' | 'other-workspace' | 'unplaced';
  /**
   * Text that shows the user which path is refused: the absolute path with unresolved links, or the URI if the file is
   * not on disk. For a link to a refused target, `path → target`.
   */
  readonly path: string;
}

/**
 * Checks which paths of a turn an undo may change. Any program can modify the recorded data on disk. Therefore, an undo
 * changes only files whose path and real path are in this workspace.
 */
export class RestoreCheck {
  readonly #paths: UriLocator;
  readonly #turnFolders: readonly string[];

  /**
   * @param turnFolders URIs of the folders that were open when the turn started. They only determine which reason a
   *   refusal contains.
   */
  constructor(paths: UriLocator, turnFolders: readonly string[]) {
    this.#paths = paths;
    this.#turnFolders = turnFolders;
  }

  /**
   * Returns the reasons why files must not be restored, by index in `restores`. The map has no entry for a file that
   * may be restored.
   */
  async findRefusalsByFile(
    restores: readonly FileRestore[],
  ): Promise<ReadonlyMap<number, PathRefusal>> {
    const refusals = await Promise.all(restores.map((restore) => this.#findFileRefusal(restore)));
    return new Map(
      refusals.flatMap((refusal, index) => (refusal ? [[index, refusal] as const] : [])),
    );
  }

  /**
   * Returns the reason why an undo must not change a path; undefined if it may.
   * @param uri URI of a file or a folder.
   */
  async findRefusal(uri: string): Promise<PathRefusal | undefined> {
    if (await this.#isInsideWorkspace(uri)) return undefined;
    const isInOtherWorkspace = this.#turnFolders.some((folder) => uri.startsWith(`${folder}/`));
    return {
      reason: isInOtherWorkspace ? 'other-workspace' : 'outside',
      path: formatDisplayPath(uri),
    };
  }

  /**
   * Checks whether a restore changes a file that other programs execute or read as configuration, at its current or its
   * restored path.
   */
  async isSensitive({ from, to }: FileRestore): Promise<boolean> {
    for (const fileState of [from, to]) {
      const resolvedPath =
        fileState === null ? undefined : await this.#resolveUri(vscode.Uri.parse(fileState.uri));
      const paths =
        resolvedPath === undefined ? [] : [resolvedPath.facts.path, resolvedPath.facts.realPath];
      if (paths.some((path) => findSensitiveReason(path) !== undefined)) return true;
    }
    return false;
  }

  async #findFileRefusal({ from, to }: FileRestore): Promise<PathRefusal | undefined> {
    for (const side of [from, to]) {
      if (side === null) continue;
      const refusal = (await this.findRefusal(side.uri)) ?? this.#findStateRefusal(side);
      if (refusal !== undefined) return refusal;
    }
    return to?.kept.link === undefined ? undefined : this.#findLinkRefusal(to, to.kept.link);
  }

  #findStateRefusal({ uri, kept }: FileState): PathRefusal | undefined {
    const isRealPathMissing =
      vscode.Uri.parse(uri).scheme === 'file' && kept.realPath === undefined;
    return isRealPathMissing ? { reason: 'unplaced', path: formatDisplayPath(uri) } : undefined;
  }

  async #findLinkRefusal(
    { uri, kept }: FileState,
    linkTarget: string,
  ): Promise<PathRefusal | undefined> {
    // The restore plan verifies that the real path of the folder is the recorded real path.
    const targetPath = resolve(dirname(kept.realPath ?? '/'), linkTarget);
    if (isUnambiguousTarget(linkTarget) && (await this.#resolveUri(vscode.Uri.file(targetPath))))
      return undefined;
    return { reason: 'outside', path: `${formatDisplayPath(uri)} → ${linkTarget}` };
  }

  async #isInsideWorkspace(uriText: string): Promise<boolean> {
    const uri = vscode.Uri.parse(uriText);
    // Rejects a URI in another spelling, which could be mistaken for another file.
    if (uri.toString() !== uriText) return false;
    const resolvedPath = await this.#resolveUri(uri);
    return (
      resolvedPath !== undefined &&
      resolvedPath.uri.toString() === uriText &&
      resolvedPath.facts.path !== ''
    );
  }

  async #resolveUri(uri: vscode.Uri): Promise<ResolvedPath | undefined> {
    try {
      const resolvedPath = await this.#paths.locate(uri);
      return resolvedPath.facts.isInWorkspace && resolvedPath.facts.isRealPathInWorkspace
        ? resolvedPath
        : undefined;
    } catch (error) {
      if (error instanceof ToolError) return undefined;
      throw error;
    }
  }
}

/** Returns a path to show to the user; the URI if the file is not on disk. */
export function formatDisplayPath(uriText: string): string {
  const uri = vscode.Uri.parse(uriText);
  return uri.scheme === 'file' ? resolve(uri.fsPath) : uriText;
}
