import * as vscode from 'vscode';
import { looksSecret } from '../../../workspace/secret-file.ts';
import { count } from '../../../workspace/vscode/labels.ts';
import { FirstPaths, listFiles } from '../../../workspace/vscode/list-files.ts';
import type { SearchPlace } from '../../../workspace/vscode/search-scope.ts';
import { unsavedText, workspaceText } from '../../../workspace/vscode/file-text.ts';
import { type Gathered, leftOutNote, trustRefusal } from './gathered.ts';
import type { WorkspaceReader } from './workspace-reader.ts';

/** Names of a folder that are listed. */
const mostPaths = 500;
/** Characters of all files together, and of one. */
const mostCharacters = 100_000;
const mostOfFile = 20_000;
/** Bytes of a file that is opened at all: larger ones are seldom sources. */
const largestFile = 200_000;
const mostFilesRead = 200;

/**
 * The names of a folder's files, and the text of as many of them as fit, small and near ones first. Of a folder outside
 * of the workspace not even the names.
 */
export async function gatherFolder(
  uri: vscode.Uri,
  reader: WorkspaceReader,
  signal: AbortSignal,
): Promise<Gathered> {
  const refusal = trustRefusal();
  if (refusal !== undefined) return { refusal };
  if (!(await reader.contains(uri))) return { refusal: nothingIn(folderName(uri)) };
  const place = await reader.place(uri);
  const found = new FirstPaths(mostPaths);
  let secrets = 0;
  await listFiles(place, {
    program: await reader.tools.ripgrep(),
    signal,
    onPath(path) {
      if (looksSecret(path)) secrets += 1;
      else found.add(path);
    },
  });
  const label = place.label === '.' || place.label === '' ? folderName(uri) : place.label;
  if (found.count === 0) return { refusal: nothingIn(label) };
  const paths = found.paths();
  const { texts, read } = await textsOf(place, paths, reader);
  const more = found.count - paths.length;
  const text = [
    `${count(found.count, 'file')} below ${label}:`,
    ...paths.map((path) => place.labelOf(path)),
    ...(more > 0 ? [`[${more.toLocaleString('en-US')} more]`] : []),
    ...(read < found.count ? [`[The text of ${count(read, 'file')} follows.]`] : []),
    '',
    ...texts,
  ].join('\n');
  return { kind: 'folder', label: `${label}/`, language: '', text, note: leftOutNote(secrets) };
}

async function textsOf(
  place: SearchPlace,
  paths: readonly string[],
  reader: WorkspaceReader,
): Promise<{ readonly texts: readonly string[]; readonly read: number }> {
  const readable = reader.readable();
  const nearFirst = paths.toSorted((a, b) => depth(a) - depth(b)).slice(0, mostFilesRead);
  const texts: string[] = [];
  let left = mostCharacters;
  for (const path of nearFirst) {
    const uri = place.uriOf(path);
    const text = (await readable.has(uri)) ? await smallText(uri) : undefined;
    if (text === undefined) continue;
    const part = `--- ${place.labelOf(path)}\n${cut(text)}\n`;
    if (part.length > left) continue;
    texts.push(part);
    left -= part.length;
  }
  return { texts, read: texts.length };
}

/** Undefined for a file that is large, is no text, or cannot be read. */
async function smallText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const unsaved = unsavedText(uri);
    if (unsaved !== undefined) return unsaved.text;
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > largestFile) return undefined;
    const { text } = await workspaceText(uri);
    return text.includes('\0') || text.trim() === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

const nothingIn = (folder: string): string =>
  vscode.l10n.t('{0} has no files that may be sent.', folder);

const cut = (text: string): string =>
  text.length > mostOfFile ? `${text.slice(0, mostOfFile)}\n[cut]` : text;

const depth = (path: string): number => path.split('/').length;
const folderName = (uri: vscode.Uri): string => uri.path.split('/').findLast(Boolean) ?? '';
