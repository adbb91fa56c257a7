import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { findOpenDocument } from './documents.ts';

/** Text of a file as an editor shows it. */
export interface WorkspaceText {
  /** Text with LF line endings, without a byte order mark. */
  readonly text: string;
  /** True if the text contains unsaved changes of an open editor. */
  readonly isUnsaved: boolean;
}

/**
 * Returns the unsaved text of a document that is open in an editor. Returns undefined if the document has no unsaved
 * changes or is not open.
 */
export function readUnsavedText(uri: vscode.Uri): WorkspaceText | undefined {
  const document = findOpenDocument(uri.toString());
  return document?.isDirty === true
    ? { text: normalizeText(document.getText()), isUnsaved: true }
    : undefined;
}

/**
 * Decodes the bytes of a file with the encoding that VS Code would use. Does not open the file as a document, because
 * language services would then analyze the file.
 * @throws Error if the bytes are not text
 */
export async function decodeText(uri: vscode.Uri, bytes: Uint8Array): Promise<WorkspaceText> {
  const encoding = findOpenDocument(uri.toString())?.encoding;
  const text = await (encoding === undefined
    ? vscode.workspace.decode(bytes, { uri })
    : vscode.workspace.decode(bytes, { encoding }));
  return { text: normalizeText(text), isUnsaved: false };
}

/**
 * Returns the unsaved text if the file has unsaved changes in an editor, and otherwise the text on disk.
 * @throws Error if the file cannot be read or is not text
 */
export async function readWorkspaceText(uri: vscode.Uri): Promise<WorkspaceText> {
  return readUnsavedText(uri) ?? decodeText(uri, await vscode.workspace.fs.readFile(uri));
}

/** Removes the byte order mark and converts line endings to LF. */
const normalizeText = (text: string): string =>
  (text.startsWith('\uFEFF') ? text.slice(1) : text).replaceAll(/\r\n?/gu, '\n');

/** Decoded text of a file, and a function that encodes other text in the same way. */
export interface EncodedText {
  /** Text without a byte order mark. Line endings are those of the file. */
  readonly text: string;
  /** Encodes a text with the encoding of the file. Adds a byte order mark if the file has one. */
  encode(text: string): Promise<Uint8Array>;
}

/**
 * Decodes bytes with the encoding that VS Code detects for the file.
 * @returns undefined if encoding the text again would result in different bytes
 */
export async function decodeLossless(
  bytes: Uint8Array,
  encoding: string,
): Promise<EncodedText | undefined> {
  if (encoding === 'utf8' || encoding === 'utf8bom') return decodeUtf8(bytes);
  const decodedText = await vscode.workspace.decode(bytes, { encoding });
  const text = decodedText.startsWith('\uFEFF') ? decodedText.slice(1) : decodedText;
  const encode = async (changedText: string): Promise<Uint8Array> =>
    vscode.workspace.encode(changedText, { encoding });
  return haveSameBytes(await encode(text), bytes) ? { text, encode } : undefined;
}

/**
 * Decodes UTF-8 without VS Code, because most files use UTF-8 and some are large. Returns undefined for invalid UTF-8.
 */
function decodeUtf8(bytes: Uint8Array): EncodedText | undefined {
  const byteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? '\uFEFF' : '';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return {
      text,
      encode: async (changedText) => new TextEncoder().encode(byteOrderMark + changedText),
    };
  } catch {
    return undefined;
  }
}

export const haveSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/**
 * Records the version of each file that the model last read or wrote. Tools then reject edits of files that changed
 * after the recorded version.
 */
export interface FileVersions {
  /**
   * Records the text that the model read or wrote, with LF line endings and without a byte order
   * mark.
   */
  recordText(conversationId: string, uri: vscode.Uri, text: string): void;
  /**
   * Checks whether the text of a file differs from the recorded text. Returns false for a file
   * without a record.
   */
  hasChanged(conversationId: string, uri: vscode.Uri, text: string): boolean;
  /** Removes all records of a conversation. */
  removeConversation(conversationId: string): void;
}

/** Maximum number of files per conversation. The least recently recorded file is removed first. */
const maxFiles = 5_000;

/** Stores a digest of each text in memory until the window closes. */
export class TextDigests implements FileVersions {
  readonly #digestsByConversation = new Map<string, Map<string, string>>();

  recordText(conversationId: string, uri: vscode.Uri, text: string): void {
    const digestsByFile =
      this.#digestsByConversation.get(conversationId) ?? new Map<string, string>();
    this.#digestsByConversation.set(conversationId, digestsByFile);
    const name = uri.toString();
    digestsByFile.delete(name);
    digestsByFile.set(name, hashText(text));
    const [oldestName] = digestsByFile.keys();
    if (digestsByFile.size > maxFiles && oldestName !== undefined) digestsByFile.delete(oldestName);
  }

  hasChanged(conversationId: string, uri: vscode.Uri, text: string): boolean {
    const storedDigest = this.#digestsByConversation.get(conversationId)?.get(uri.toString());
    return storedDigest !== undefined && storedDigest !== hashText(text);
  }

  removeConversation(conversationId: string): void {
    this.#digestsByConversation.delete(conversationId);
  }
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('base64');
