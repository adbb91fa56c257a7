import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { writeAmountsIn } from './base/amounts.ts';

/** Has all texts and amounts below the host's own in the language of the editor, as its own are. Before any is read. */
export function useLanguage(): void {
  l10n.config({ contents: vscode.l10n.bundle ?? {} });
  writeAmountsIn(vscode.env.language);
}
