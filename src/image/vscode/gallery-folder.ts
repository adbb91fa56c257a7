import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { workspaceName } from '../../platform/window.ts';

/**
 * Where the pictures of this window's workspace are kept. Not in the storage VS Code has for a workspace, which changes
 * with a window that is reloaded.
 */
export const galleryFolder = ({ context }: Host): vscode.Uri =>
  vscode.Uri.joinPath(context.globalStorageUri, 'images', workspaceName());
