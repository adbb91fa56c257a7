import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { getWorkspaceId } from '../../platform/window.ts';

/**
 * Returns the gallery folder of the current workspace. Image files are named `<id>.<format's extension>`. The folder is
 * not in VS Code's workspace storage, because the path of that storage can change when a window reloads.
 */
export const getGalleryFolder = ({ context }: Host): vscode.Uri =>
  vscode.Uri.joinPath(context.globalStorageUri, 'images', getWorkspaceId());
