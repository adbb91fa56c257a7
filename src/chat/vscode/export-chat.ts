import * as vscode from 'vscode';
import type { Conversation } from '../../conversation/conversation.ts';
import { exportJson, exportMarkdown } from '../../conversation/export.ts';
import { showInformation } from '../../platform/notifications.ts';

/** Prompts for a format and a file, writes the conversation to the file and opens the file. */
export async function exportChat(conversation: Conversation): Promise<void> {
  if (conversation.isEmpty) {
    void showInformation(vscode.l10n.t('There is nothing to export yet.'));
    return;
  }
  const format = await vscode.window.showQuickPick(
    [
      { label: 'Markdown', description: vscode.l10n.t('the messages as shown'), extension: 'md' },
      {
        label: 'JSON',
        description: vscode.l10n.t('every branch, for programs'),
        extension: 'json',
      },
    ],
    { placeHolder: vscode.l10n.t('Export as') },
  );
  if (format === undefined) return;
  const target = await vscode.window.showSaveDialog({
    defaultUri: defaultTarget(`${fileNameOf(conversation.title)}.${format.extension}`),
    filters: { [format.label]: [format.extension] },
  });
  if (target === undefined) return;
  const text = format.extension === 'md' ? exportMarkdown(conversation) : exportJson(conversation);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(target);
}

function defaultTarget(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name);
}

/** Returns a file name for a title that is valid on all operating systems. */
function fileNameOf(title: string): string {
  const name = title
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '')
    .slice(0, 60);
  return name === '' ? 'chat' : name;
}
