import * as vscode from 'vscode';

/** Returns the message for a chat or a gallery that a newer version of the extension created. */
export const newerVersionMessage = (): string =>
  vscode.l10n.t(
    'Created by a newer version of Inference Service. Update the extension to open it.',
  );
