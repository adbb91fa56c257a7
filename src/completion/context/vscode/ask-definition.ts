import * as vscode from 'vscode';

/** Where something is declared: a file, and the line on which the declaration begins. */
export interface Definition {
  readonly uri: vscode.Uri;
  readonly line: number;
}

/**
 * Asks the language services where the name at a place is declared.
 * @returns undefined when none of them knows. Their errors are thrown.
 */
export async function askDefinition(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<Definition | undefined> {
  const found = await vscode.commands.executeCommand<
    readonly (vscode.Location | vscode.LocationLink)[] | undefined
  >('vscode.executeDefinitionProvider', document.uri, position);
  return found?.map(definitionOf).find(({ uri }) => uri.toString() !== document.uri.toString());
}

function definitionOf(found: vscode.Location | vscode.LocationLink): Definition {
  if ('targetUri' in found) return { uri: found.targetUri, line: found.targetRange.start.line };
  return { uri: found.uri, line: found.range.start.line };
}
