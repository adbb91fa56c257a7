import * as vscode from 'vscode';

/** Whether long lines in code blocks of the chat wrap. */
export const wrapCode = (): boolean =>
  vscode.workspace.getConfiguration('inferenceService').get('chat.wrapCode', false);
