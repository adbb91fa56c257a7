import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import type { InstructionFile } from '../../conversation/conversation.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { activeOrVisibleEditor } from '../../platform/window.ts';

/** Names of instruction files at the root of a workspace folder. */
const rootFileNames = ['AGENTS.md', '.github/copilot-instructions.md'];
const nestedFileName = 'AGENTS.md';
/** Maximum size of an instruction file in bytes. Larger files are ignored. */
const maxInstructionFileBytes = 256 * 1024;

/** Globs of all instruction files, in any folder. */
export const instructionGlobs = rootFileNames.map((name) => `**/${name}`);

export interface InstructionContext {
  readonly folders: readonly Pick<vscode.WorkspaceFolder, 'uri' | 'name'>[];
  readonly isTrusted: boolean;
  /** File in the active editor. */
  readonly visibleFile: vscode.Uri | undefined;
}

/**
 * Reads the applicable instruction files: the files at the root of each workspace folder, and the
 * file nearest to the visible file. Returns no files in an untrusted workspace.
 */
export async function readInstructionFiles({
  folders,
  isTrusted,
  visibleFile,
}: InstructionContext): Promise<readonly InstructionFile[]> {
  if (!isTrusted) return [];
  const read = (label: string, folder: Pick<vscode.WorkspaceFolder, 'uri' | 'name'>) =>
    readFile(folder.uri, label, folders.length > 1 ? `${folder.name}/${label}` : label);
  const roots = folders.flatMap((folder) => rootFileNames.map((name) => read(name, folder)));
  const files = await Promise.all([...roots, readNearest()]);
  return files.filter((file) => file !== undefined);

  /**
   * Finds the nearest file from the visible file's folder upward. Excludes the root of the
   * workspace folder.
   */
  async function readNearest(): Promise<InstructionFile | undefined> {
    if (visibleFile === undefined) return undefined;
    // If folders are nested, the innermost folder applies.
    const [folder] = folders
      .filter(({ uri }) => isInside(visibleFile, uri))
      .toSorted((a, b) => b.uri.path.length - a.uri.path.length);
    if (folder === undefined) return undefined;
    const root = folder.uri.path.length;
    for (let parent = vscode.Uri.joinPath(visibleFile, '..'); parent.path.length > root;) {
      const uri = vscode.Uri.joinPath(parent, nestedFileName);
      const file = await read(uri.path.slice(root + 1), folder);
      if (file !== undefined) return file;
      parent = vscode.Uri.joinPath(parent, '..');
    }
    return undefined;
  }
}

const isInside = (uri: vscode.Uri, folder: vscode.Uri): boolean =>
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
    // Excludes links, which could include a file from outside the workspace.
    if (type !== vscode.FileType.File || size > maxInstructionFileBytes) return undefined;
    if (uri.scheme === 'file' && (await isBehindLink(folder, uri))) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return text.trim() === '' ? undefined : { label, text };
  } catch {
    return undefined;
  }
}

/**
 * Checks whether a folder between the workspace folder and the file is a link. The file may then be
 * outside the workspace.
 */
async function isBehindLink(folder: vscode.Uri, file: vscode.Uri): Promise<boolean> {
  const relativePath = relative(folder.fsPath, file.fsPath);
  return (await realpath(file.fsPath)) !== join(await realpath(folder.fsPath), relativePath);
}

/** Caches the applicable instruction files until a file or the visible folder changes. */
export class InstructionWatcher implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #onDidChangeEmitter = this.#owned.add(new Emitter<void>());
  #files: Promise<readonly InstructionFile[]> | undefined;
  #visibleFolder = visibleFolder();

  constructor() {
    const invalidate = (): void => this.#invalidate();
    for (const glob of instructionGlobs) {
      const watcher = this.#owned.add(vscode.workspace.createFileSystemWatcher(glob));
      this.#owned.add(watcher.onDidCreate(invalidate));
      this.#owned.add(watcher.onDidChange(invalidate));
      this.#owned.add(watcher.onDidDelete(invalidate));
    }
    // Also observes save events, because they fire earlier than the file watcher.
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (/\/(?:AGENTS|copilot-instructions)\.md$/u.test(uri.path)) invalidate();
      }),
    );
    const checkVisibleFolder = (): void => this.#checkVisibleFolder();
    this.#owned.add(vscode.window.onDidChangeActiveTextEditor(checkVisibleFolder));
    this.#owned.add(vscode.window.onDidChangeVisibleTextEditors(checkVisibleFolder));
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(invalidate));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(invalidate));
  }

  /** Fires when the files may have changed. */
  readonly onDidChange: Event<void> = (listener) => this.#onDidChangeEmitter.event(listener);

  /**
   * Applicable instruction files. The promise never rejects, and is the same until `onDidChange`
   * fires.
   */
  get files(): Promise<readonly InstructionFile[]> {
    this.#files ??= readInstructionFiles({
      folders: vscode.workspace.workspaceFolders ?? [],
      isTrusted: vscode.workspace.isTrusted,
      visibleFile: activeOrVisibleEditor()?.document.uri,
    });
    return this.#files;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #invalidate(): void {
    this.#files = undefined;
    this.#onDidChangeEmitter.fire();
  }

  /**
   * Discards the cached files if the visible file is in another folder, because another file may
   * then be the nearest.
   */
  #checkVisibleFolder(): void {
    const folder = visibleFolder();
    if (folder === this.#visibleFolder) return;
    this.#visibleFolder = folder;
    this.#invalidate();
  }
}

function visibleFolder(): string {
  const uri = activeOrVisibleEditor()?.document.uri;
  return uri === undefined ? '' : vscode.Uri.joinPath(uri, '..').toString();
}
