import type * as vscode from 'vscode';
import type { Paths, ResolvedPath } from './agent-paths.ts';

/**
 * The place of a file that the editor names, as the rules need it.
 * @returns undefined where no path that a model could write leads to it: then no rule was asked.
 */
export async function placeOfUri(paths: Paths, uri: vscode.Uri): Promise<ResolvedPath | undefined> {
  // Here a backslash is a part of a name; in a model's path it would be a slash, and lead elsewhere.
  if (uri.path.includes('\\')) return undefined;
  const path = uri.scheme === 'file' ? uri.fsPath : uri.path;
  const place = await paths.resolve(path).catch(() => undefined);
  const isSame = place?.uri.scheme === uri.scheme && place.uri.authority === uri.authority;
  return isSame ? place : undefined;
}
