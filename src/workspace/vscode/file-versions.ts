import type * as vscode from 'vscode';

/** Which text of a file a conversation has seen: an edit must not land on another one. */
export interface FileVersions {
  /** The model has just read, or written, this text (normalised to LF, without BOM). */
  saw(conversationId: string, uri: vscode.Uri, text: string): void;
  /** Whether the text is another one than the conversation saw last; false for a file it has never seen. */
  changedSince(conversationId: string, uri: vscode.Uri, text: string): boolean;
  /** Forgets a conversation. */
  forget(conversationId: string): void;
}
