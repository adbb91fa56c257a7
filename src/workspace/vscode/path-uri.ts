import { posix } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../tool-error.ts';
import { below, isOnDisk } from './real-paths.ts';

/**
 * The place that a path means, with slashes of either kind; it may be outside of every folder.
 * @throws ToolError when it means none on this system, or more than one
 */
export function uriOfPath(written: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri {
  const path = posix.normalize(written.replaceAll('\\', '/')).replace(/(?<=.)\/$/u, '');
  if (/^\/?[a-z]:/iu.test(path)) return onDrive(path);
  if (path.startsWith('/')) return absolute(path, folders);
  const [folder, rest] = inFolder(path, folders);
  const uri = folder.uri.with({
    path: posix.join(folder.uri.path, rest).replace(/(?<=.)\/$/u, ''),
  });
  return isOnDisk(uri) && process.platform === 'win32' ? onDrive(uri.path) : uri;
}

function onDrive(path: string): vscode.Uri {
  const isWhole = /^\/?[a-z]:\//iu.test(path);
  if (isWhole && process.platform === 'win32') return vscode.Uri.file(path);
  throw refused('The path names no place on this system.');
}

/** With several folders the first name may be that of a folder; otherwise the path belongs to the first folder. */
function inFolder(
  path: string,
  folders: readonly vscode.WorkspaceFolder[],
): readonly [vscode.WorkspaceFolder, string] {
  const [first = '', ...rest] = path.split('/');
  const named = folders.length > 1 ? folders.filter(({ name }) => name === first) : [];
  if (named.length > 1) {
    throw new ToolError('ambiguous', `Several folders are called ${first}. Write the whole path.`);
  }
  const [folder] = named.length > 0 ? named : folders;
  if (folder === undefined) throw refused('No folder is open.');
  return [folder, named.length > 0 ? rest.join('/') : path];
}

function absolute(path: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri {
  const elsewhere = folders.filter(({ uri }) => !isOnDisk(uri));
  const holder = elsewhere.find(({ uri }) => below(uri.path, path) !== undefined);
  // Without a folder on disk the disk of this machine is none of the workspace's business.
  const base = holder ?? (elsewhere.length === folders.length ? elsewhere[0] : undefined);
  if (base !== undefined) return base.uri.with({ path });
  return process.platform === 'win32' ? onDrive(path) : vscode.Uri.file(path);
}

const refused = (message: string): ToolError => new ToolError('refused-path', message);
