import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import type { Host } from '../../host.ts';
import { showWarning } from '../../platform/notifications.ts';
import { CommitMessages } from './commit-messages.ts';
import {
  type EditKind,
  formatRestoreFailure,
  runEditCommand,
  showEditResult,
} from './edit-command.ts';
import type { InlineEdit } from './inline-edit.ts';
import { InlineEdits } from './inline-edits.ts';
import { ChangeReviews } from './review-changes.ts';

/** Objects that the editor commands share. Loaded when the first command runs. */
export class EditorRuntime implements Disposable {
  readonly #host: Host;
  readonly #disposables = new DisposableStore();
  readonly edits: InlineEdits;
  readonly commitMessages: CommitMessages;
  readonly reviews: ChangeReviews;

  constructor(host: Host) {
    this.#host = host;
    this.edits = this.#disposables.add(new InlineEdits(host));
    this.commitMessages = this.#disposables.add(new CommitMessages(host));
    this.reviews = this.#disposables.add(new ChangeReviews({ host, edits: this.edits }));
  }

  /**
   * Runs an edit command.
   * @param args URI and range to edit. If empty, the selection in the active editor is edited.
   */
  async edit(kind: EditKind, args: readonly unknown[]): Promise<void> {
    await runEditCommand({ host: this.#host, edits: this.edits }, kind, args);
  }

  async accept(uri: unknown): Promise<void> {
    await this.#findEdit(uri)?.accept();
  }

  async reject(uri: unknown): Promise<void> {
    const edit = this.#findEdit(uri);
    if (edit !== undefined && !(await edit.reject())) void showWarning(formatRestoreFailure());
  }

  async retry(uri: unknown): Promise<void> {
    const edit = this.#findEdit(uri);
    if (edit !== undefined) await showEditResult(edit, await edit.retry(), this.edits);
  }

  async stop(uri: unknown): Promise<void> {
    await this.#findEdit(uri)?.stop();
  }

  #findEdit(uri: unknown): InlineEdit | undefined {
    return this.edits.find(uri instanceof vscode.Uri ? uri : undefined);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
