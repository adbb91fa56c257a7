import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../../base/disposable.ts';
import { promptName, type PromptFile, readPromptFile } from '../../../conversation/prompt-file.ts';
import { decodedText } from '../../../workspace/vscode/file-text.ts';
import type { WorkspaceReader } from './workspace-reader.ts';

/** A prompt of the workspace, under the name that follows the slash. */
export interface NamedPrompt extends PromptFile {
  readonly name: string;
}

const folder = '.github/prompts';
const mostFiles = 100;
/** Bytes; a longer file is no prompt. */
const largestFile = 64 * 1024;

/** The prompt files of the open folders, read once until one of them changes. None in an untrusted workspace. */
export class PromptFiles implements Disposable {
  readonly #reader: WorkspaceReader;
  readonly #owned = new DisposableStore();
  #prompts: Promise<readonly NamedPrompt[]> | undefined;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
    const forget = (): void => {
      this.#prompts = undefined;
    };
    const watcher = this.#owned.add(
      vscode.workspace.createFileSystemWatcher(`**/${folder}/*.prompt.md`),
    );
    this.#owned.add(watcher.onDidCreate(forget));
    this.#owned.add(watcher.onDidChange(forget));
    this.#owned.add(watcher.onDidDelete(forget));
    // Sooner than the watcher tells it.
    this.#owned.add(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.path.endsWith('.prompt.md')) forget();
      }),
    );
    this.#owned.add(vscode.workspace.onDidGrantWorkspaceTrust(forget));
    this.#owned.add(vscode.workspace.onDidChangeWorkspaceFolders(forget));
  }

  /** By name; of two with one name the first folder's. Never rejects. */
  get all(): Promise<readonly NamedPrompt[]> {
    this.#prompts ??= this.#read();
    return this.#prompts;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #read(): Promise<readonly NamedPrompt[]> {
    if (!vscode.workspace.isTrusted) return [];
    const readable = this.#reader.readable();
    const prompts = new Map<string, NamedPrompt>();
    for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
      const place = vscode.Uri.joinPath(uri, folder);
      for (const file of (await namesIn(place)).slice(0, mostFiles)) {
        const name = promptName(file);
        if (name === undefined || prompts.has(name)) continue;
        const at = vscode.Uri.joinPath(place, file);
        // A link could bring in a file from outside the workspace.
        const prompt = (await readable.has(at)) ? await read(at) : undefined;
        if (prompt !== undefined && prompt.body !== '') prompts.set(name, { name, ...prompt });
      }
    }
    return [...prompts.values()].toSorted((a, b) => a.name.localeCompare(b.name));
  }
}

async function namesIn(place: vscode.Uri): Promise<readonly string[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(place);
    return entries.filter(([, type]) => type === vscode.FileType.File).map(([name]) => name);
  } catch {
    return [];
  }
}

async function read(uri: vscode.Uri): Promise<PromptFile | undefined> {
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > largestFile) return undefined;
    const { text } = await decodedText(uri, await vscode.workspace.fs.readFile(uri));
    return readPromptFile(text);
  } catch {
    return undefined;
  }
}
