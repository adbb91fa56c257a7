import * as vscode from 'vscode';

/** A duration as people read it on a clock: `14:05`, from an hour on `3 h 12 min`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  return vscode.l10n.t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}
