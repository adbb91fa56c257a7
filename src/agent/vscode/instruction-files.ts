import * as vscode from 'vscode';
import type { InstructionFile } from '../instructions.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/event.ts';
import { shownEditor } from '../../platform/window.ts';
import { instructionGlobs, readInstructionFiles } from './agent-instruction-files.ts';

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
