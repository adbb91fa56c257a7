import * as vscode from 'vscode';
import type { Host } from '../../host.ts';
import { workspaceId } from '../../platform/window.ts';

/**
 * Returns the folder of this workspace's gallery, with images as `<id>.<format's extension>`. The
 * folder is not in VS Code's workspace storage, whose path can change when a window reloads.
 */
export const galleryFolder = ({ context }: Host): vscode.Uri =>
  vscode.Uri.joinPath(context.globalStorageUri, 'images', workspaceId());
