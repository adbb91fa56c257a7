import * as vscode from 'vscode';

/** The open document of an address, as snapshots have it. */
export function documentAt(address: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === address);
}

/** Addresses of the documents in tabs, the visible ones first. One that was not shown yet may have no text. */
export function addressesInTabs(): ReadonlySet<string> {
  const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs.toSorted((a, b) => Number(b.isActive) - Number(a.isActive)))
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  return new Set([...visible, ...tabs].map((uri) => uri.toString()));
}
