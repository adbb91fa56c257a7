import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import type { ChangeRecorder, TurnRef } from '../change-recorder.ts';
import type { Paths } from '../paths.ts';
import { setText } from './document-file.ts';
import { losslessText } from './encoding.ts';

interface FollowedParts {
  readonly changes: ChangeRecorder;
  readonly paths: Paths;
  readonly turn: TurnRef;
}

/** What other extensions change in documents while a tool works, such as imports of a file that moves. */
export class FollowedEdits implements Disposable {
  readonly #parts: FollowedParts;
  readonly #before = new Map<string, string>();
  readonly #changed = new Map<string, vscode.TextDocument>();
  readonly #listening: vscode.Disposable;

  constructor(parts: FollowedParts) {
    this.#parts = parts;
    for (const document of vscode.workspace.textDocuments) {
      if (document.isDirty) this.#before.set(document.uri.toString(), document.getText());
    }
    this.#listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const name = document.uri.toString();
      if (contentChanges.length > 0) this.#changed.set(name, document);
    });
  }

  /**
   * Saves them as changes of the turn: each is put back first, so that the recorder keeps the state before.
   * Documents that lie outside the workspace, or were unsaved before, are left as they are.
   * @returns their labels.
   */
  async save(): Promise<string[]> {
    this.#listening.dispose();
    const labels: string[] = [];
    for (const [name, document] of this.#changed) {
      if (document.isClosed || !document.isDirty || this.#before.has(name)) continue;
      const label = await this.#saveOne(document);
      if (label !== undefined) labels.push(label);
    }
    return labels;
  }

  async #saveOne(document: vscode.TextDocument): Promise<string | undefined> {
    const { changes, paths, turn } = this.#parts;
    const { uri } = document;
    const place = await paths.resolve(uri.fsPath).catch(() => undefined);
    if (place === undefined || !place.facts.realInside || place.facts.isLink) return undefined;
    const after = document.getText();
    const bytes = await vscode.workspace.fs.readFile(uri);
    const before = await losslessText(bytes, document.encoding);
    if (before === undefined || before.text === after) return undefined;
    if (!(await setText(document, before.text))) return undefined;
    await changes.willChange(turn, uri);
    await setText(document, after);
    if (!(await document.save())) return undefined;
    await changes.didChange(turn, { type: 'edit', uri });
    return place.label;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
