import * as vscode from 'vscode';

/** Explains why a chat or a gallery cannot be opened. */
export const newerVersionMessage = (): string =>
  vscode.l10n.t(
    'Created by a newer version of Inference Service. Update the extension to open it.',
  );
