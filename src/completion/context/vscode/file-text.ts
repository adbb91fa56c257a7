import * as vscode from 'vscode';
import type { FileRules } from './file-rules.ts';
import { documentAt } from '../../../workspace/vscode/documents.ts';
import { isSecretText } from '../secret-text.ts';
import { textBehind } from '../text-lines.ts';

/** Larger files are seldom written by people. */
const largestFile = 256 * 1_024;

/**
 * The text of a file that may go along, as it stands in the editor or on disk, with `\n` as line ends; undefined for
 * others. Opens no document: language services would begin to work on it. Never rejects.
 */
export async function shareableText(
  rules: FileRules,
  uri: vscode.Uri,
): Promise<string | undefined> {
  await rules.judged(uri);
  if (!rules.isShareable(uri)) return undefined;
  const text = textOfOpen(uri) ?? (await textOnDisk(uri));
  // The rules may have changed while it was read.
  if (text === undefined || !rules.isShareable(uri) || isSecretText(text)) return undefined;
  return text.replaceAll(/\r\n?/gu, '\n');
}

function textOfOpen(uri: vscode.Uri): string | undefined {
  const document = documentAt(uri.toString());
  return document && textBehind(document, { line: 0, character: 0 }, largestFile);
}

async function textOnDisk(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > largestFile) return undefined;
    const bytes = await vscode.workspace.fs.readFile(uri);
    return bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
