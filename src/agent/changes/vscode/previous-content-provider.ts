import * as vscode from 'vscode';
import type { FileState } from '../turn-record.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { TurnRef } from './change-recorder.ts';
import { formatFileLabel } from './changes-view.ts';
import { tryStat, decodeText } from './snapshot.ts';
import type { TurnChanges } from './turn-changes.ts';

export const previousContentScheme = 'inference-service-before';

/** Provides documents with the content of files before a turn, to compare them with the current files. */
export class PreviousContentProvider implements vscode.TextDocumentContentProvider, Disposable {
  readonly #changes: TurnChanges;
  readonly #registration: vscode.Disposable;

  constructor(changes: TurnChanges) {
    this.#changes = changes;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(
      previousContentScheme,
      this,
    );
  }

  /** Returns the content of a file before the turn; empty for a file that did not exist, and for an unknown URI. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const id = parseDocumentUri(uri);
    const state = id && this.#changes.getState(id.turn);
    const file = id && state?.files[id.file];
    if (id === undefined || file === undefined) return '';
    const fileState = id.side === 'before' ? file.before : file.after;
    return fileState === null ? '' : this.#readText(id.turn, fileState);
  }

  /**
   * Opens a comparison of a file before the turn with the current file.
   * @param index Index in `ChangesView.files`.
   * @returns an error message to show; undefined on success
   */
  async open(turn: TurnRef, index: number): Promise<string | undefined> {
    const state = this.#changes.getState(turn);
    const fileIndex = state?.changedIndexes[index];
    const file = fileIndex === undefined ? undefined : state?.files[fileIndex];
    if (file === undefined || fileIndex === undefined) {
      return vscode.l10n.t('The state before this turn is no longer stored.');
    }
    const side = file.after ?? file.before;
    const path = vscode.Uri.parse(side?.uri ?? '').path;
    const previousUri = toDocumentUri({ turn, file: fileIndex, side: 'before' }, path);
    const currentUri = await findExistingUri(file.after, file.before);
    await vscode.commands.executeCommand(
      'vscode.diff',
      previousUri,
      currentUri ?? toDocumentUri({ turn, file: fileIndex, side: 'after' }, path),
      vscode.l10n.t('{0} (before the turn ↔ now)', formatFileLabel(file)),
    );
    return undefined;
  }

  /**
   * Opens a comparison of all files that the turns changed. Compares the current content of each file with its content
   * before the first turn that changed it.
   */
  async openComparison(conversationId: string, turnIds: readonly string[]): Promise<void> {
    const resources = new Map<string, readonly [vscode.Uri, vscode.Uri | undefined, vscode.Uri]>();
    for (const turnId of turnIds) {
      const turn = { conversationId, turnId };
      const state = this.#changes.getState(turn);
      for (const index of state?.changedIndexes ?? []) {
        const { before = null, after = null } = state?.files[index] ?? {};
        const uri = (after ?? before)?.uri;
        if (uri === undefined || resources.has(uri)) continue;
        const currentUri = await findExistingUri(after, before);
        const path = vscode.Uri.parse(uri).path;
        const previousUri = toDocumentUri({ turn, file: index, side: 'before' }, path);
        resources.set(uri, [vscode.Uri.parse(uri), currentUri, previousUri]);
      }
    }
    await vscode.commands.executeCommand(
      'vscode.changes',
      vscode.l10n.t('Now ↔ before the message'),
      [...resources.values()],
    );
  }

  /**
   * Returns the URI of a document with the content of a file before the turn; undefined if the turn did not change the
   * file.
   */
  getOldUri(turn: TurnRef, uri: vscode.Uri): vscode.Uri | undefined {
    const file = this.#changes.getState(turn)?.findFileIndexAt(uri.toString());
    return file === undefined ? undefined : toDocumentUri({ turn, file, side: 'before' }, uri.path);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async #readText({ conversationId }: TurnRef, side: FileState): Promise<string> {
    const bytes = await this.#changes.readBlob(conversationId, side.kept.blob);
    if (bytes === undefined)
      return vscode.l10n.t('The state before this turn is no longer stored.');
    const text = await decodeText(vscode.Uri.parse(side.uri), bytes, side.kept.encoding);
    return text === undefined
      ? vscode.l10n.t('This file is not text: {0} bytes.', bytes.length)
      : text.lines.join(text.eol);
  }
}

interface PreviousDocumentId {
  readonly turn: TurnRef;
  readonly file: number;
  readonly side: 'before' | 'after';
}

/** Returns a URI that ends with the path of the file, so that VS Code detects its language and name. */
function toDocumentUri({ turn, file, side }: PreviousDocumentId, path: string): vscode.Uri {
  const query = [turn.conversationId, turn.turnId, file, side].join('/');
  return vscode.Uri.from({ scheme: previousContentScheme, path, query });
}

function parseDocumentUri({ query }: vscode.Uri): PreviousDocumentId | undefined {
  const [conversationId = '', turnId = '', file = '', side] = query.split('/');
  if (side !== 'before' && side !== 'after') return undefined;
  return { turn: { conversationId, turnId }, file: Number(file), side };
}

/** Returns the URI of the first file state whose file currently exists; undefined if none exists. */
async function findExistingUri(
  ...fileStates: (FileState | null)[]
): Promise<vscode.Uri | undefined> {
  for (const fileState of fileStates) {
    if (fileState === null) continue;
    const uri = vscode.Uri.parse(fileState.uri);
    if ((await tryStat(uri)) !== undefined) return uri;
  }
  return undefined;
}
