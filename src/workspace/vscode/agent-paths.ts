import type * as vscode from 'vscode';
import type { PathFacts } from '../path-rules.ts';

/** A path that a model named, found in the workspace. */
export interface ResolvedPath {
  readonly uri: vscode.Uri;
  /** Relative to its workspace folder, with the folder's name first when there are several. */
  readonly label: string;
  readonly facts: PathFacts;
}

/** From paths as models write them to places on disk, and what the rules need to know of each. */
export interface Paths {
  /**
   * Finds the place and looks at it (links, kind); the file need not exist.
   * @param path Relative to the first workspace folder, `folder/…` with several, absolute, or a `file:` URI's path.
   * @throws ToolError `refused-path` for names that no rule may allow.
   */
  resolve(path: string): Promise<ResolvedPath>;
  /**
   * Looks again, right before a change: resolves when the place is still the one that was judged.
   * @throws ToolError `refused-path` when a link or another kind of file has taken its place.
   */
  recheck(resolved: ResolvedPath): Promise<void>;
}

/** Places that nobody named by a path, such as those from a record. */
export interface Places {
  /**
   * Looks at a place that is known by its URI, which need not exist; any name will do.
   * @throws ToolError `refused-path` when no open folder is of its scheme and authority, and for what is not a plain
   *   address there.
   */
  locate(uri: vscode.Uri): Promise<ResolvedPath>;
}
