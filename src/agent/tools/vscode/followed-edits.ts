import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable.ts';
import type { ChangeRecorder, TurnRef } from '../../changes/vscode/change-recorder.ts';
import { judgePath } from '../../../workspace/path-rules.ts';
import { type Paths, placeOfUri } from '../../../workspace/vscode/paths.ts';
import { labelOf } from '../../../workspace/vscode/labels.ts';
import { setText } from './document-file.ts';
import { losslessText } from './encoding.ts';

interface FollowedParts {
  readonly changes: ChangeRecorder;
  readonly paths: Paths;
  readonly turn: TurnRef;
}

/** Labels of the documents. */
interface Followed {
  readonly saved: readonly string[];
  readonly unsaved: readonly string[];
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
   * Documents that nobody was asked about are left unsaved: those outside the workspace, behind links, or that are
   * sensitive or may hold secrets; and those that were unsaved before.
   */
  async save(): Promise<Followed> {
    this.#listening.dispose();
    const followed = { saved: [] as string[], unsaved: [] as string[] };
    for (const [name, document] of this.#changed) {
      if (document.isClosed || document.isUntitled || !document.isDirty) continue;
      const label = this.#before.has(name) ? undefined : await this.#saveOne(document);
      if (label !== undefined) followed.saved.push(label);
      else if (document.isDirty) followed.unsaved.push(labelOf(document.uri));
    }
    return followed;
  }

  /** @returns its label; undefined when it was not saved */
  async #saveOne(document: vscode.TextDocument): Promise<string | undefined> {
    const { changes, paths, turn } = this.#parts;
    const { uri } = document;
    const place = await placeOfUri(paths, uri);
    if (place === undefined) return undefined;
    const { reasons } = judgePath(place.facts, 'write');
    if (reasons.some(({ code }) => code !== 'write')) return undefined;
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
