import * as vscode from 'vscode';

/** A file's text as an editor would show it. */
export interface WorkspaceText {
  /** Lines end with LF; without a byte order mark. */
  readonly text: string;
  /** It is an open editor's, and not on the disk. */
  readonly unsaved: boolean;
}

/** The unsaved text of an open editor, if there is one. */
export function unsavedText(uri: vscode.Uri): WorkspaceText | undefined {
  const document = openDocument(uri);
  return document?.isDirty === true
    ? { text: normalized(document.getText()), unsaved: true }
    : undefined;
}

/**
 * Bytes of a file as text, in the encoding that the editor would open it with. Opens no document: language services
 * would start to work on each one.
 * @throws Error for bytes that are no text.
 */
export async function decodedText(uri: vscode.Uri, bytes: Uint8Array): Promise<WorkspaceText> {
  const encoding = openDocument(uri)?.encoding;
  const text = await (encoding === undefined
    ? vscode.workspace.decode(bytes, { uri })
    : vscode.workspace.decode(bytes, { encoding }));
  return { text: normalized(text), unsaved: false };
}

/** Unsaved or from the disk. @throws Error when it cannot be read */
export async function workspaceText(uri: vscode.Uri): Promise<WorkspaceText> {
  return unsavedText(uri) ?? decodedText(uri, await vscode.workspace.fs.readFile(uri));
}

/** As documents are kept: see the contract of the file versions. */
const normalized = (text: string): string =>
  (text.startsWith('\uFEFF') ? text.slice(1) : text).replaceAll(/\r\n?/gu, '\n');

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
}
