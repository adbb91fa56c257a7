import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** Has all texts below the host's own in the language of the editor, as its own are. Before any of them is read. */
export function useLanguage(): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
}
