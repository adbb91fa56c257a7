import * as vscode from 'vscode';
import { compileGlob, type PathPattern } from '../../../workspace/glob.ts';
import { foldersAbove } from '../../../workspace/ignore-rules.ts';
import { foldName } from '../../../workspace/vscode/ignore-files.ts';

/**
 * Whether the setting `files.exclude` leaves out a file, or a folder that it is in. What the person leaves out stays so
 * whatever a workspace or a folder of it says: their settings only add to it. Case never counts.
 * @param path Below the folder, with forward slashes.
 */
export function isHidden(folder: vscode.Uri, path: string): boolean {
  const places = [...foldersAbove(path).filter((above) => above !== ''), path];
  return excludedGlobs(folder).some((glob) => {
    const forms = [(text: string): string => text, foldName];
    return forms.some((form) => {
      const matches = compiled(form(glob));
      return places.some((place) => matches(form(place)));
    });
  });
}

/** Of every layer of the settings; merged ones would let the last of them take back what another one says. */
function excludedGlobs(folder: vscode.Uri): readonly string[] {
  const found = vscode.workspace
    .getConfiguration('files', folder)
    .inspect<Readonly<Record<string, unknown>>>('exclude');
  // People may take back what they are given to begin with.
  const layers = [
    { ...found?.defaultValue, ...found?.globalValue },
    found?.workspaceValue ?? {},
    found?.workspaceFolderValue ?? {},
  ];
  const globs = layers.flatMap((layer) =>
    // One that depends on a file beside it hides what was built from it, which is not worth asking the disk.
    Object.entries(layer).flatMap(([glob, on]) => (on === true ? [glob] : [])),
  );
  return [...new Set(globs)].map((glob) =>
    glob.startsWith('**/') || glob.startsWith('/') ? glob : `/${glob}`,
  );
}

/** What cannot be read may mean any file. */
function compiled(glob: string): PathPattern {
  try {
    return compileGlob(glob);
  } catch {
    return () => true;
  }
}
