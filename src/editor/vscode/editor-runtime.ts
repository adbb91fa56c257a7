import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { accessOf } from '../../api/access.ts';
import type { Host } from '../../host.ts';
import { tellQuietly, tellWarning } from '../../platform/notifications.ts';
import { CommitMessages } from './commit-messages.ts';
import type { EditorCommand } from './contribute.ts';
import { editPlace, tellEnd } from './edit-command.ts';
import { InlineEdits } from './inline-edits.ts';

/** What the editor's commands work with. Loaded with the first of them. */
export class EditorRuntime implements Disposable {
  readonly #host: Host;
  readonly #owned = new DisposableStore();
  readonly edits: InlineEdits;
  readonly commitMessages: CommitMessages;

  constructor(host: Host) {
    this.#host = host;
    this.edits = this.#owned.add(new InlineEdits(host));
    this.commitMessages = this.#owned.add(new CommitMessages(host));
  }

  async run(id: EditorCommand, args: readonly unknown[]): Promise<void> {
    const parts = { host: this.#host, edits: this.edits };
    const [uri] = args;
    const edit = this.edits.of(uri instanceof vscode.Uri ? uri : undefined);
    switch (id) {
      case 'inferenceService.editInline':
        return editPlace(parts, 'editInline', args);
      case 'inferenceService.fix':
        return editPlace(parts, 'fix', args);
      case 'inferenceService.document':
        return editPlace(parts, 'document', args);
      case 'inferenceService.inlineEdit.accept':
        return edit?.accept();
      case 'inferenceService.inlineEdit.reject':
        if (edit !== undefined && !(await edit.reject())) void tellWarning(notRejected());
        return;
      case 'inferenceService.inlineEdit.retry':
        if (edit !== undefined) await tellEnd(edit, await edit.retry(), this.edits);
        return;
      case 'inferenceService.inlineEdit.stop':
        return edit?.stop();
      case 'inferenceService.generateCommitMessage':
        return this.commitMessages.generate(args);
      case 'inferenceService.stopCommitMessage':
        return this.commitMessages.stop();
      case 'inferenceService.forgetExtensionAccess':
        await accessOf(this.#host).forget();
        return tellQuietly(vscode.l10n.t('Other extensions are asked about again.'));
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

const notRejected = (): string =>
  vscode.l10n.t('The lines could not be put back. Use Undo in the file.');
