import * as vscode from 'vscode';
import type { InstructionFile } from '../../agent/instructions.ts';
import { shownEditor } from '../chat/code-actions.ts';

const atRoot = ['AGENTS.md', '.github/copilot-instructions.md'];
const anywhere = 'AGENTS.md';
/** A longer file is no instruction. */
const maxBytes = 256 * 1024;

/**
 * The instruction files that count now: those at the root of each folder, and the one nearest to the shown file.
 * None while the workspace is not trusted.
 */
export async function readInstructionFiles(): Promise<readonly InstructionFile[]> {
  if (!vscode.workspace.isTrusted) return [];
  const roots = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    atRoot.map((name) => vscode.Uri.joinPath(uri, name)),
  );
  const files = await Promise.all([...roots.map(read), nearest()]);
  const found = files.filter((file) => file !== undefined);
  // The nearest one may be the one at the root.
  return found.filter(({ label }, at) => found.findIndex((file) => file.label === label) === at);
}

/** From the folder of the shown file upwards. */
async function nearest(): Promise<InstructionFile | undefined> {
  const shown = shownEditor()?.document.uri;
  const folder = shown && vscode.workspace.getWorkspaceFolder(shown)?.uri;
  if (shown === undefined || folder === undefined) return undefined;
  for (let at = vscode.Uri.joinPath(shown, '..'); at.path.length > folder.path.length;) {
    const file = await read(vscode.Uri.joinPath(at, anywhere));
    if (file !== undefined) return file;
    at = vscode.Uri.joinPath(at, '..');
  }
  return undefined;
}

async function read(uri: vscode.Uri): Promise<InstructionFile | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    // A link could bring in a file from outside the workspace.
    if (type !== vscode.FileType.File || size > maxBytes) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return text.trim() === '' ? undefined : { label: vscode.workspace.asRelativePath(uri), text };
  } catch {
    return undefined;
  }
}
