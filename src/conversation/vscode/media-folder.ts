import * as vscode from 'vscode';

/** Where pictures and documents of messages are kept, for all windows. */
export const mediaFolder = ({ globalStorageUri }: vscode.ExtensionContext): vscode.Uri =>
  vscode.Uri.joinPath(globalStorageUri, 'media');
