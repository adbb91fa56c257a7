import type * as vscode from 'vscode';

/** The turn that changes files: its conversation, and the person's message that began it. */
export interface TurnRef {
  readonly conversationId: string;
  readonly turnId: string;
}

export type FileChange =
  | { readonly type: 'edit' | 'create' | 'delete'; readonly uri: vscode.Uri }
  | { readonly type: 'rename'; readonly from: vscode.Uri; readonly to: vscode.Uri };

/** Told of every change that a tool makes, so that a turn can be reviewed and undone. */
export interface ChangeRecorder {
  /**
   * Keeps the file as it is (or that it does not exist) unless this turn already did.
   * @throws Error when it cannot be kept: then the change must not happen.
   */
  willChange(turn: TurnRef, uri: vscode.Uri): Promise<void>;
  /** The change is made and saved. */
  didChange(turn: TurnRef, change: FileChange): Promise<void>;
}
