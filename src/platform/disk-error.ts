import * as vscode from 'vscode';

/** @param code As Node and VS Code name what a disk can refuse. */
export const isDiskFull = (code: string): boolean => code === 'ENOSPC' || code === 'EDQUOT';

/** @param code As Node and VS Code name what a disk can refuse. */
export const diskText = (code: string): string =>
  isDiskFull(code)
    ? vscode.l10n.t('The disk is full. Nothing was written. Free some space and try again.')
    : vscode.l10n.t('The file could not be written ({0}). Choose another folder.', code);

/** Describes an error of a file system for the user. */
export function diskErrorText(error: unknown): string {
  const { code = 'unknown', message = '' } = error as { code?: string; message?: string };
  // VS Code hands on what the disk said only as a part of the message.
  return diskText(/\b(?:ENOSPC|EDQUOT)\b|no space left/iu.test(message) ? 'ENOSPC' : code);
}
