import type * as vscode from 'vscode';
import { type TurnRecord } from '../turn-record.ts';
import { TurnState } from '../turn-state.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { Emitter } from '../../../base/event.ts';
import type { ChangesView } from '../../protocol.ts';
import type { Log } from '../../../platform/log.ts';
import {
  type ChangeRecorder,
  type FileChange,
  recordsAfter,
  recordsBefore,
  type TurnRef,
} from './change-recorder.ts';
import type { Places } from '../../../workspace/vscode/paths.ts';
import { type Blobs, type CheckpointFiles, openCheckpoints } from './checkpoint-files.ts';
import { changesView, ReviewCounts } from './changes-view.ts';
import { RestorePlaces } from './restore-check.ts';
import {
  flipTurn,
  type LabelledConflict,
  rejectFiles,
  type Rejection,
  type UndoOutcome,
  type UndoPorts,
} from './undo-turn.ts';
import { isId } from '../../../base/ids.ts';

export interface TurnChangesOptions {
  /** The extension's storage: the checkpoints get a folder of their own in it. */
  readonly storage: vscode.Uri;
  readonly log: Log;
  readonly paths: Places;
  /** That are open. */
  readonly folders: () => readonly vscode.WorkspaceFolder[];
}

/** What turns changed in files, on disk and in memory: the state before each can be looked at and brought back. */
export class TurnChanges implements ChangeRecorder, Disposable {
  readonly #files: CheckpointFiles;
  readonly #log: Log;
  readonly #counts = new ReviewCounts();
  readonly #paths: Places;
  readonly #folders: TurnChangesOptions['folders'];
  /** Places that a tool said it would change, as it may only after they were allowed. */
  readonly #announced = new Set<string>();
  readonly #reading = new Map<string, Promise<Map<string, TurnState>>>();
  /** The same once it is read, for those who cannot wait. */
  readonly #loaded = new Map<string, Map<string, TurnState>>();
  readonly #changed: Emitter<TurnRef>;
  readonly onDidChange: Emitter<TurnRef>['event'];
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ storage, log, paths, folders }: TurnChangesOptions) {
    this.#paths = paths;
    this.#folders = folders;
    this.#files = openCheckpoints(storage.fsPath);
    this.#log = log;
    this.#changed = new Emitter((error) => log.error('A listener of changes failed', error));
    this.onDidChange = this.#changed.event;
  }

  willChange(turn: TurnRef, uri: vscode.Uri): Promise<void> {
    return this.#inOrder(async () => {
      // A place that no tool can name is none that anybody allowed.
      await this.#paths.locate(uri);
      const state = await this.#state(turn);
      await this.#write(turn, await recordsBefore(state, uri, this.#blobs(turn.conversationId)));
      this.#announced.add(announcement(turn, uri));
    });
  }

  didChange(turn: TurnRef, change: FileChange): Promise<void> {
    return this.#inOrder(async () => {
      try {
        const state = await this.#state(turn);
        await this.#checkPlaces(turn, change);
        await this.#write(
          turn,
          await recordsAfter(state, change, this.#blobs(turn.conversationId)),
        );
      } catch (error) {
        // The file has changed already: to fail now would only hide that from the model.
        this.#log.error('A change of a file could not be recorded', error);
      }
    });
  }

  /** Why a file of a turn may not be changed, by where it is; undefined when it may. */
  async refusalOf(turn: TurnRef, uri: vscode.Uri): Promise<LabelledConflict | undefined> {
    const places = new RestorePlaces(this.#paths, this.stateOf(turn)?.openFolders ?? []);
    const refusal = await places.refusalOf(uri.toString());
    return refusal && { label: refusal.place, reason: refusal.reason };
  }

  /** Reads what is on disk of a conversation, once. */
  async load(conversationId: string): Promise<void> {
    const turns = await this.#conversation(conversationId);
    for (const turnId of turns.keys()) this.#changed.fire({ conversationId, turnId });
  }

  /** Of a conversation that is loaded; undefined for a turn that changed nothing. */
  changesOf(conversationId: string, turnId: string): ChangesView | undefined {
    const state = this.stateOf({ conversationId, turnId });
    return state === undefined ? undefined : changesView(turnId, state, this.#counts);
  }

  /** Of a loaded turn. */
  stateOf({ conversationId, turnId }: TurnRef): TurnState | undefined {
    return this.#loaded.get(conversationId)?.get(turnId);
  }

  /** Every loaded turn; those of a conversation in the order in which they were read or made. */
  turns(): readonly TurnRef[] {
    return [...this.#loaded].flatMap(([conversationId, turns]) =>
      [...turns.keys()].map((turnId) => ({ conversationId, turnId })),
    );
  }

  /** Kept bytes; undefined when they are gone. */
  read(conversationId: string, blob: string): Promise<Uint8Array | undefined> {
    return this.#files.read(conversationId, blob);
  }

  /**
   * Writes down how far the review of files is.
   * @param decide Called when everything before is done: what it saw then is still so when it is written.
   */
  review(turn: TurnRef, decide: () => ReviewNote): Promise<void> {
    return this.#inOrder(async () => {
      const { records, bytes } = decide();
      if (bytes !== undefined) await this.#files.keep(turn.conversationId, bytes);
      await this.#write(turn, records);
    });
  }

  /** @throws what the editor says when it cannot apply the changes. */
  undo(turn: TurnRef): Promise<UndoOutcome> {
    return this.#flip(turn, 'undo');
  }

  /** Brings back what an undo took away. */
  redo(turn: TurnRef): Promise<UndoOutcome> {
    return this.#flip(turn, 'redo');
  }

  /** Puts files of a turn back and calls them rejected. */
  reject(turn: TurnRef, files: readonly Rejection[]): Promise<UndoOutcome> {
    return this.#inOrder(async () => {
      const state = await this.#state(turn);
      const { records, outcome } = await rejectFiles(state, files, this.#ports(turn));
      await this.#write(turn, records);
      return outcome;
    });
  }

  /** Puts the conversation's checkpoints aside; `restore` brings them back within a day. */
  async remove(conversationId: string): Promise<void> {
    const turns = this.turns().filter((turn) => turn.conversationId === conversationId);
    await this.#inOrder(async () => {
      this.#reading.delete(conversationId);
      this.#loaded.delete(conversationId);
      if (isId(conversationId)) await this.#files.remove(conversationId);
    });
    for (const turn of turns) this.#changed.fire(turn);
  }

  async restore(conversationId: string): Promise<void> {
    await this.#inOrder(() => this.#files.restore(conversationId));
    this.#reading.delete(conversationId);
    await this.load(conversationId);
  }

  /** Resolves when everything that was begun is on disk. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #flip(turn: TurnRef, type: 'undo' | 'redo'): Promise<UndoOutcome> {
    return this.#inOrder(async () => {
      const state = await this.#state(turn);
      const { records, outcome } = await flipTurn(state, type, this.#ports(turn));
      await this.#write(turn, records);
      return outcome;
    });
  }

  /** @throws Error for a place outside the workspace of which no tool said that it would change. */
  async #checkPlaces(turn: TurnRef, change: FileChange): Promise<void> {
    const uris = change.type === 'rename' ? [change.from, change.to] : [change.uri];
    const places = new RestorePlaces(this.#paths, []);
    for (const uri of uris) {
      if (this.#announced.has(announcement(turn, uri))) continue;
      if ((await places.refusalOf(uri.toString())) !== undefined) {
        throw new Error('Nobody said that a place outside the workspace would change.');
      }
    }
  }

  #ports({ conversationId }: TurnRef): UndoPorts {
    return { blobs: this.#blobs(conversationId), paths: this.#paths };
  }

  #blobs(conversationId: string): Blobs {
    return {
      read: (blob) => this.#files.read(conversationId, blob),
      keep: (bytes) => this.#files.keep(conversationId, bytes),
    };
  }

  async #state(turn: TurnRef): Promise<TurnState> {
    const turns = await this.#conversation(turn.conversationId);
    const known = turns.get(turn.turnId);
    if (known !== undefined) return known;
    const state = new TurnState();
    turns.set(turn.turnId, state);
    return state;
  }

  #conversation(id: string): Promise<Map<string, TurnState>> {
    const reading = this.#reading.get(id) ?? this.#read(id);
    this.#reading.set(id, reading);
    return reading;
  }

  async #read(id: string): Promise<Map<string, TurnState>> {
    const journals = await this.#files.load(id);
    const turns = new Map<string, TurnState>();
    for (const [turnId, records] of journals) turns.set(turnId, new TurnState(records));
    for (const state of turns.values()) await this.#counts.read(state, this.#blobs(id));
    this.#loaded.set(id, turns);
    return turns;
  }

  async #write(turn: TurnRef, records: readonly TurnRecord[]): Promise<void> {
    if (records.length === 0) return;
    const state = await this.#state(turn);
    const { conversationId, turnId } = turn;
    const folders = this.#folders().map(({ uri }) => uri.toString());
    const start = { type: 'turn-start', version: 1, turnId, folders } as const;
    const all = state.started ? records : [start, ...records];
    await this.#files.append(conversationId, turnId, all);
    for (const record of all) state.apply(record);
    await this.#counts.read(state, this.#blobs(conversationId));
    this.#changed.fire(turn);
  }

  /** One after the other: what a change finds must be what the one before it left. */
  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }
}

export interface ReviewNote {
  readonly records: readonly (TurnRecord & { readonly type: 'review' })[];
  /** That a record names. */
  readonly bytes?: Uint8Array | undefined;
}

const announcement = ({ conversationId, turnId }: TurnRef, uri: vscode.Uri): string =>
  `${conversationId}/${turnId}/${uri.toString()}`;
