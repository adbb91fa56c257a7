import type * as vscode from 'vscode';
import type { ContextPart } from '../../ports.ts';
import type { Snapshot } from '../../snapshot.ts';

/** A piece of context with the file that it is from, by which the rules judge it once more when it is used. */
export interface Piece {
  readonly uri: vscode.Uri;
  readonly part: ContextPart;
}

/** Something that has gathered pieces in the background. */
export interface PieceSource {
  /** What is known without a wait, best first. Takes a fraction of a millisecond. */
  pieces(document: vscode.TextDocument, snapshot: Snapshot): readonly Piece[];
}
