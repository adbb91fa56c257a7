import * as vscode from 'vscode';
import { usageCsv } from '../usage.ts';
import type { Host } from '../../host.ts';

/** Saves every request that is kept as a file for spreadsheets, where the person says. */
export async function exportUsage(host: Host): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export usage'),
    filters: { CSV: ['csv'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, 'usage.csv') }),
  });
  if (target === undefined) return;
  const watch = await host.budget?.watch();
  const text = usageCsv((await watch?.usage()) ?? []);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  await vscode.window.showTextDocument(target, { preview: true });
}
