import { createHash } from 'node:crypto';
import type * as vscode from 'vscode';
import type { FileVersions } from './file-versions.ts';

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
