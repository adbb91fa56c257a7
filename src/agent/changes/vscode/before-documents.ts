import * as vscode from 'vscode';
import type { FileSide } from '../turn-record.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { TurnRef } from './change-recorder.ts';
import { fileLabel } from './changes-view.ts';
import { statOf, textOf } from './snapshot.ts';
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
    const address = readAddress(uri);
    const state = address && this.#changes.stateOf(address.turn);
    const file = address && state?.files[address.file];
    if (address === undefined || file === undefined) return '';
    const side = address.side === 'before' ? file.before : file.after;
    return side === null ? '' : this.#text(address.turn, side);
  }

  /**
   * Opens a comparison of the state before the turn with the file as it is.
   * @param index Of `ChangesView.files`.
   * @returns why not, for the person.
   */
  async open(turn: TurnRef, index: number): Promise<string | undefined> {
    const state = this.#changes.stateOf(turn);
    const number = state?.changed[index];
    const file = number === undefined ? undefined : state?.files[number];
    if (file === undefined || number === undefined) {
      return vscode.l10n.t('The state before this turn is no longer kept.');
    }
    const side = file.after ?? file.before;
    const path = vscode.Uri.parse(side?.uri ?? '').path;
    const before = addressOf({ turn, file: number, side: 'before' }, path);
    const now = await currentPlace(file.after, file.before);
    await vscode.commands.executeCommand(
      'vscode.diff',
      before,
      now ?? addressOf({ turn, file: number, side: 'after' }, path),
      vscode.l10n.t('{0} (before the turn ↔ now)', fileLabel(file)),
    );
    return undefined;
  }

  /** The address of what is at `uri` now, as it was before the turn; undefined when the turn did not touch it. */
  before(turn: TurnRef, uri: vscode.Uri): vscode.Uri | undefined {
    const file = this.#changes.stateOf(turn)?.at(uri.toString());
    return file === undefined ? undefined : addressOf({ turn, file, side: 'before' }, uri.path);
  }

  dispose(): void {
    this.#registered.dispose();
  }

  async #text({ conversationId }: TurnRef, side: FileSide): Promise<string> {
    const bytes = await this.#changes.read(conversationId, side.kept.blob);
    if (bytes === undefined) return vscode.l10n.t('This state is no longer kept.');
    const text = await textOf(vscode.Uri.parse(side.uri), bytes, side.kept.encoding);
    return text === undefined
      ? vscode.l10n.t('This file is not text: {0} bytes.', bytes.length)
      : text.lines.join(text.eol);
  }
}

interface Address {
  readonly turn: TurnRef;
  readonly file: number;
  readonly side: 'before' | 'after';
}

/** With the file's own path, so that it gets its language and name. */
function addressOf({ turn, file, side }: Address, path: string): vscode.Uri {
  const query = [turn.conversationId, turn.turnId, file, side].join('/');
  return vscode.Uri.from({ scheme: beforeScheme, path, query });
}

function readAddress({ query }: vscode.Uri): Address | undefined {
  const [conversationId = '', turnId = '', file = '', side] = query.split('/');
  if (side !== 'before' && side !== 'after') return undefined;
  return { turn: { conversationId, turnId }, file: Number(file), side };
}

/** Where the file is now, with or without the turn. */
async function currentPlace(...sides: (FileSide | null)[]): Promise<vscode.Uri | undefined> {
  for (const side of sides) {
    if (side === null) continue;
    const uri = vscode.Uri.parse(side.uri);
    if ((await statOf(uri)) !== undefined) return uri;
  }
  return undefined;
}
