import * as vscode from 'vscode';
import type { FileState } from '../turn-record.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { TurnRef } from './change-recorder.ts';
import { fileLabel } from './changes-view.ts';
import { tryStat, decodeText } from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';

export const beforeScheme = 'inference-service-before';

/** Shows files as they were before a turn, beside what they are now. */
export class BeforeDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #changes: TurnChanges;
  readonly #registered: vscode.Disposable;

  constructor(changes: TurnChanges) {
    this.#changes = changes;
    this.#registered = vscode.workspace.registerTextDocumentContentProvider(beforeScheme, this);
  }

  /** Empty for what did not exist, and for an address that is none of ours. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const id = parseDocumentUri(uri);
    const state = id && this.#changes.getState(id.turn);
    const file = id && state?.files[id.file];
    if (id === undefined || file === undefined) return '';
    const side = id.side === 'before' ? file.before : file.after;
    return side === null ? '' : this.#text(id.turn, side);
  }

  /**
   * Opens a comparison of the state before the turn with the file as it is.
   * @param index Of `ChangesView.files`.
   * @returns why not, for the person.
   */
  async open(turn: TurnRef, index: number): Promise<string | undefined> {
    const state = this.#changes.getState(turn);
    const number = state?.changedIndexes[index];
    const file = number === undefined ? undefined : state?.files[number];
    if (file === undefined || number === undefined) {
      return vscode.l10n.t('The state before this turn is no longer kept.');
    }
    const side = file.after ?? file.before;
    const path = vscode.Uri.parse(side?.uri ?? '').path;
    const before = toDocumentUri({ turn, file: number, side: 'before' }, path);
    const now = await existingUri(file.after, file.before);
    await vscode.commands.executeCommand(
      'vscode.diff',
      before,
      now ?? toDocumentUri({ turn, file: number, side: 'after' }, path),
      vscode.l10n.t('{0} (before the turn ↔ now)', fileLabel(file)),
    );
    return undefined;
  }

  /** The address of what is at `uri` now, as it was before the turn; undefined when the turn did not touch it. */
  uriBefore(turn: TurnRef, uri: vscode.Uri): vscode.Uri | undefined {
    const file = this.#changes.getState(turn)?.indexAt(uri.toString());
    return file === undefined ? undefined : toDocumentUri({ turn, file, side: 'before' }, uri.path);
  }

  dispose(): void {
    this.#registered.dispose();
  }

  async #text({ conversationId }: TurnRef, side: FileState): Promise<string> {
    const bytes = await this.#changes.readBlob(conversationId, side.kept.blob);
    if (bytes === undefined) return vscode.l10n.t('This state is no longer kept.');
    const text = await decodeText(vscode.Uri.parse(side.uri), bytes, side.kept.encoding);
    return text === undefined
      ? vscode.l10n.t('This file is not text: {0} bytes.', bytes.length)
      : text.lines.join(text.eol);
  }
}

interface BeforeDocumentId {
  readonly turn: TurnRef;
  readonly file: number;
  readonly side: 'before' | 'after';
}

/** With the file's own path, so that it gets its language and name. */
function toDocumentUri({ turn, file, side }: BeforeDocumentId, path: string): vscode.Uri {
  const query = [turn.conversationId, turn.turnId, file, side].join('/');
  return vscode.Uri.from({ scheme: beforeScheme, path, query });
}

function parseDocumentUri({ query }: vscode.Uri): BeforeDocumentId | undefined {
  const [conversationId = '', turnId = '', file = '', side] = query.split('/');
  if (side !== 'before' && side !== 'after') return undefined;
  return { turn: { conversationId, turnId }, file: Number(file), side };
}

/** Where the file is now, with or without the turn. */
async function existingUri(...sides: (FileState | null)[]): Promise<vscode.Uri | undefined> {
  for (const side of sides) {
    if (side === null) continue;
    const uri = vscode.Uri.parse(side.uri);
    if ((await tryStat(uri)) !== undefined) return uri;
  }
  return undefined;
}
