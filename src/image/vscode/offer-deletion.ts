import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { tellInformation } from '../../platform/notifications.ts';
import type { InsertedReference } from './insert-reference.ts';

/** How many insertions are followed at a time: an undo soon after is what is meant. */
const mostFollowed = 20;

/** Asks what is to become of a picture whose reference was undone. */
export class DeletionOffers implements Disposable {
  readonly #registrations: vscode.Disposable[];
  #followed: readonly InsertedReference[] = [];

  constructor() {
    this.#registrations = [
      vscode.workspace.onDidChangeTextDocument((change) => {
        if (change.reason === vscode.TextDocumentChangeReason.Undo) this.#look(change.document);
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#followed = this.#followed.filter((each) => each.document !== document);
      }),
    ];
  }

  follow(reference: InsertedReference): void {
    this.#followed = [...this.#followed, reference].slice(-mostFollowed);
  }

  dispose(): void {
    for (const each of this.#registrations) each.dispose();
  }

  #look(document: vscode.TextDocument): void {
    const mine = this.#followed.filter((each) => each.document === document);
    if (mine.length === 0) return;
    const text = document.getText();
    const undone = mine.filter((each) => !text.includes(each.text));
    this.#followed = this.#followed.filter((each) => !undone.includes(each));
    for (const each of undone) void offerDeletion(each.picture);
  }
}

async function offerDeletion(picture: vscode.Uri): Promise<void> {
  const remove = vscode.l10n.t('Delete File');
  const label = vscode.workspace.asRelativePath(picture);
  const answer = await tellInformation(
    vscode.l10n.t('The reference was removed. {0} is still there.', label),
    remove,
  );
  if (answer === remove) await deletePicture(picture);
}

/** Into the trash where there is one. */
async function deletePicture(picture: vscode.Uri): Promise<void> {
  const { fs } = vscode.workspace;
  try {
    await fs.delete(picture, { useTrash: true });
  } catch {
    await fs.delete(picture);
  }
}
