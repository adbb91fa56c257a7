import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { openDocument } from './documents.ts';

/** A file's text as an editor would show it. */
export interface WorkspaceText {
  /** Lines end with LF; without a byte order mark. */
  readonly text: string;
  /** It is an open editor's, and not on the disk. */
  readonly unsaved: boolean;
}

/** The unsaved text of an open editor, if there is one. */
export function unsavedText(uri: vscode.Uri): WorkspaceText | undefined {
  const document = openDocument(uri.toString());
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
  const encoding = openDocument(uri.toString())?.encoding;
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

/** Which text of a file a conversation has seen: an edit must not land on another one. */
export interface FileVersions {
  /** The model has just read, or written, this text (normalised to LF, without BOM). */
  saw(conversationId: string, uri: vscode.Uri, text: string): void;
  /** Whether the text is another one than the conversation saw last; false for a file it has never seen. */
  changedSince(conversationId: string, uri: vscode.Uri, text: string): boolean;
  /** Forgets a conversation. */
  forget(conversationId: string): void;
}

/** Files that are remembered of one conversation; the one seen longest ago is forgotten first. */
const fileLimit = 5_000;

/** Remembers the digest of each text, for as long as the window is open. */
export class SeenTexts implements FileVersions {
  readonly #conversations = new Map<string, Map<string, string>>();

  saw(conversationId: string, uri: vscode.Uri, text: string): void {
    const files = this.#conversations.get(conversationId) ?? new Map<string, string>();
    this.#conversations.set(conversationId, files);
    const name = uri.toString();
    files.delete(name);
    files.set(name, digestOf(text));
    const [oldest] = files.keys();
    if (files.size > fileLimit && oldest !== undefined) files.delete(oldest);
  }

  changedSince(conversationId: string, uri: vscode.Uri, text: string): boolean {
    const seen = this.#conversations.get(conversationId)?.get(uri.toString());
    return seen !== undefined && seen !== digestOf(text);
  }

  forget(conversationId: string): void {
    this.#conversations.delete(conversationId);
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64');
