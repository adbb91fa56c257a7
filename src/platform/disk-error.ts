import * as vscode from 'vscode';

/**
 * Checks whether a write failed because the disk or the quota is full.
 * @param code Error code from Node or VS Code, such as `ENOSPC`.
 */
export const isDiskFull = (code: string): boolean => code === 'ENOSPC' || code === 'EDQUOT';

/**
 * Formats the error code of a failed disk access for the user.
 * @param code Error code from Node or VS Code, such as `ENOSPC`.
 */
export const formatDiskErrorCode = (code: string): string =>
  isDiskFull(code)
    ? vscode.l10n.t('The disk is full, so nothing was written. Free some space and try again.')
    : vscode.l10n.t('The file could not be written ({0}). Choose another folder.', code);

/** Formats a file system error for the user. */
export function formatDiskError(error: unknown): string {
  const { code = 'unknown', message = '' } = error as { code?: string; message?: string };
  // VS Code includes the original error code only in the message.
  return formatDiskErrorCode(
    /\b(?:ENOSPC|EDQUOT)\b|no space left/iu.test(message) ? 'ENOSPC' : code,
  );
}
