import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import type { InstructionFile } from '../instructions.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { shownEditor } from '../../platform/window.ts';

/** Names of instruction files at the root of a folder. */
const atRoot = ['AGENTS.md', '.github/copilot-instructions.md'];
const anywhere = 'AGENTS.md';
/** A longer file is no instruction. */
const maxBytes = 256 * 1024;

/** All names, wherever the file is: as globs. */
export const instructionGlobs = atRoot.map((name) => `**/${name}`);

export interface InstructionPlaces {
  readonly folders: readonly Pick<vscode.WorkspaceFolder, 'uri' | 'name'>[];
  readonly isTrusted: boolean;
  /** The file that the person looks at. */
  readonly shown: vscode.Uri | undefined;
}

/**
 * The instruction files that count: those at the root of each folder, and the one nearest to the shown file.
 * None while the workspace is not trusted.
 */
export async function readInstructionFiles({
  folders,
  isTrusted,
  shown,
}: InstructionPlaces): Promise<readonly InstructionFile[]> {
  if (!isTrusted) return [];
  const read = (label: string, folder: Pick<vscode.WorkspaceFolder, 'uri' | 'name'>) =>
    readFile(folder.uri, label, folders.length > 1 ? `${folder.name}/${label}` : label);
  const roots = folders.flatMap((folder) => atRoot.map((each) => read(each, folder)));
  const files = await Promise.all([...roots, nearest()]);
  return files.filter((file) => file !== undefined);

  /** From the folder of the shown file upwards; the root's is there already. */
  async function nearest(): Promise<InstructionFile | undefined> {
    if (shown === undefined) return undefined;
    // A folder may lie in another one, and is a folder of its own.
    const [folder] = folders
      .filter(({ uri }) => isIn(shown, uri))
      .toSorted((a, b) => b.uri.path.length - a.uri.path.length);
    if (folder === undefined) return undefined;
    const root = folder.uri.path.length;
    for (let at = vscode.Uri.joinPath(shown, '..'); at.path.length > root;) {
      const uri = vscode.Uri.joinPath(at, anywhere);
      const file = await read(uri.path.slice(root + 1), folder);
      if (file !== undefined) return file;
      at = vscode.Uri.joinPath(at, '..');
    }
    return undefined;
  }
}

const isIn = (uri: vscode.Uri, folder: vscode.Uri): boolean =>
  uri.scheme === folder.scheme &&
  uri.authority === folder.authority &&
  uri.path.startsWith(folder.path.endsWith('/') ? folder.path : `${folder.path}/`);

async function readFile(
  folder: vscode.Uri,
  path: string,
  label: string,
): Promise<InstructionFile | undefined> {
  const uri = vscode.Uri.joinPath(folder, path);
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    // A link could bring in a file from outside the workspace.
    if (type !== vscode.FileType.File || size > maxBytes) return undefined;
    if (uri.scheme === 'file' && (await isThroughLink(folder, uri))) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return text.trim() === '' ? undefined : { label, text };
  } catch {
    return undefined;
  }
}

/** Whether a folder on the way from the workspace folder is a link: then the file may be from anywhere. */
async function isThroughLink(folder: vscode.Uri, file: vscode.Uri): Promise<boolean> {
  const inFolder = relative(folder.fsPath, file.fsPath);
  return (await realpath(file.fsPath)) !== join(await realpath(folder.fsPath), inFolder);
}

/** The instruction files that count now, read once until something about them may have changed. */
export class InstructionWatch implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  #files: Promise<readonly InstructionFile[]> | undefined;
  #shownFolder = folderOfShown();

  constructor() {
    const forget = (): void => this.#forget();
    for (const glob of instructionGlobs) {
      const watcher = this.#owned.add(vscode.workspace.createFileSystemWatcher(glob));
      this.#owned.add(watcher.onDidCreate(forget));
      this.#owned.add(watcher.onDidChange(forget));
      this.#owned.add(watcher.onDidDelete(forget));
    }
    // Sooner than the watcher tells it.
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (/\/(?:AGENTS|copilot-instructions)\.md$/u.test(uri.path)) forget();
      }),
    );
    const look = (): void => this.#lookAtShown();
    this.#owned.add(vscode.window.onDidChangeActiveTextEditor(look));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(look));
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(forget));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(forget));
  }

  /** They may be others now: ask again. */
  readonly onDidChange: Event<void> = (listener) => this.#changed.event(listener);

  /** Never rejects. The same promise until `onDidChange`. */
  get files(): Promise<readonly InstructionFile[]> {
    this.#files ??= readInstructionFiles({
      folders: vscode.workspace.workspaceFolders ?? [],
      isTrusted: vscode.workspace.isTrusted,
      shown: shownEditor()?.document.uri,
    });
    return this.#files;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #forget(): void {
    this.#files = undefined;
    this.#changed.fire();
  }

  /** Only another folder has another nearest file. */
  #lookAtShown(): void {
    const folder = folderOfShown();
    if (folder === this.#shownFolder) return;
    this.#shownFolder = folder;
    this.#forget();
  }
}

function folderOfShown(): string {
  const uri = shownEditor()?.document.uri;
  return uri === undefined ? '' : vscode.Uri.joinPath(uri, '..').toString();
}
