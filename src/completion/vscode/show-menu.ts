import * as vscode from 'vscode';
import { withoutIcons } from '../../platform/notifications.ts';
import type { CompletionParts } from './suggestion-state.ts';
import { completionLinks, completionRows, type StatusLink } from './status-rows.ts';

/** What the hover of the status bar entry says and offers of inline suggestions, for the keyboard. */
export async function showMenu(parts: CompletionParts): Promise<void> {
  const links = completionLinks(parts.suggestions).map((link) => ({
    label: withoutIcons(link.label),
    link,
  }));
  const rows = completionRows(parts).map(([name, value]) => ({
    label: name,
    description: withoutIcons(value),
    iconPath: new vscode.ThemeIcon('info'),
    link: undefined,
  }));
  const items: (vscode.QuickPickItem & { readonly link?: StatusLink | undefined })[] = [
    ...links,
    { label: vscode.l10n.t('At present'), kind: vscode.QuickPickItemKind.Separator },
    ...rows,
  ];
  const title = vscode.l10n.t('Inline Suggestions');
  const link = (await vscode.window.showQuickPick(items, { title }))?.link;
  if (link !== undefined) await vscode.commands.executeCommand(link.command, ...(link.args ?? []));
}
