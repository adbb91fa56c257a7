import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { stripHiddenCharacters } from '../../base/hidden-characters.ts';

/** Also the language, whose lines are wrapped. */
const scheme = 'inference-service-attestation';
/** Enough for the tabs that are open. */
const mostTexts = 20;

/** Shows attestations as documents that nobody can edit. */
export class AttestationDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  /** The last ones, by the number in their address. */
  readonly #texts = new Map<string, string>();
  #count = 0;

  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.#texts.get(query) ?? '';
  }

  /** @param name Of the model that it is about. */
  async open(text: string, name: string): Promise<void> {
    this.#count += 1;
    const query = String(this.#count);
    this.#texts.set(query, stripHiddenCharacters(text).text);
    this.#texts.delete(String(this.#count - mostTexts));
    // A name comes from the service, and is no path.
    const title = vscode.l10n.t('Attestation of {0}', name.replaceAll(/[^\p{L}\p{N} .-]/gu, ' '));
    const uri = vscode.Uri.from({ scheme, path: `/${title}`, query });
    const document = await vscode.languages.setTextDocumentLanguage(
      await vscode.workspace.openTextDocument(uri),
      scheme,
    );
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#registered.dispose();
  }
}
