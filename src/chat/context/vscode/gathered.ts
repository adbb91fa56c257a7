import * as vscode from 'vscode';
import type { Attachment } from '../../../conversation/conversation.ts';

/** What was found for a message, or a sentence that says why nothing goes along. */
export type Gathered = GatheredText | { readonly refusal: string };

export interface GatheredText extends Pick<Attachment, 'kind' | 'label' | 'language' | 'text'> {
  /** What the person should know of it, e.g. that files were left out. */
  readonly note?: string;
}

/** Why nothing of the folder may be taken; undefined in a trusted workspace. */
export function trustRefusal(): string | undefined {
  return vscode.workspace.isTrusted
    ? undefined
    : vscode.l10n.t('Nothing of this folder is sent until you trust the workspace.');
}

/** Tells how many files were left out for their names; empty for none. */
export function leftOutNote(secretFiles: number): string {
  if (secretFiles === 0) return '';
  return secretFiles === 1
    ? vscode.l10n.t('One file is left out because it may hold secrets.')
    : vscode.l10n.t('{0} files are left out because they may hold secrets.', secretFiles);
}
