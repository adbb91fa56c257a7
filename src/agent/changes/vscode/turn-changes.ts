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
import { RestoreCheck } from './restore-check.ts';
import {
  undoOrRedoTurn,
  type LabeledConflict,
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
  readonly #checkpoints: CheckpointFiles;
  readonly #log: Log;
  readonly #counts = new ReviewCounts();
  readonly #paths: Places;
  readonly #folders: TurnChangesOptions['folders'];
  /** Places that a tool said it would change, as it may only after they were allowed. */
  readonly #announcedChanges = new Set<string>();
  readonly #loading = new Map<string, Promise<Map<string, TurnState>>>();
  /** The same once it is read, for those who cannot wait. */
  readonly #loaded = new Map<string, Map<string, TurnState>>();
  readonly #onDidChange: Emitter<TurnRef>;
  readonly onDidChange: Emitter<TurnRef>['event'];
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ storage, log, paths, folders }: TurnChangesOptions) {
    this.#paths = paths;
    this.#folders = folders;
    this.#checkpoints = openCheckpoints(storage.fsPath);
    this.#log = log;
    this.#onDidChange = new Emitter((error) => log.error('A listener of changes failed', error));
    this.onDidChange = this.#onDidChange.event;
  }

  willChange(turn: TurnRef, uri: vscode.Uri): Promise<void> {
    return this.#enqueue(async () => {
      // A place that no tool can name is none that anybody allowed.
      await this.#paths.locate(uri);
      const state = await this.#ensureState(turn);
      await this.#append(turn, await recordsBefore(state, uri, this.#blobs(turn.conversationId)));
      this.#announcedChanges.add(changeKey(turn, uri));
    });
  }

  didChange(turn: TurnRef, change: FileChange): Promise<void> {
    return this.#enqueue(async () => {
      try {
        const state = await this.#ensureState(turn);
        await this.#assertAnnounced(turn, change);
        await this.#append(
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
  async refusalFor(turn: TurnRef, uri: vscode.Uri): Promise<LabeledConflict | undefined> {
    const check = new RestoreCheck(this.#paths, this.getState(turn)?.openFolders ?? []);
    const refusal = await check.refusalFor(uri.toString());
    return refusal && { label: refusal.path, reason: refusal.reason };
  }

  /** Reads what is on disk of a conversation, once. */
  async load(conversationId: string): Promise<void> {
    const turns = await this.#loadTurns(conversationId);
    for (const turnId of turns.keys()) this.#onDidChange.fire({ conversationId, turnId });
  }

  /** Of a conversation that is loaded; undefined for a turn that changed nothing. */
  changesView(conversationId: string, turnId: string): ChangesView | undefined {
    const state = this.getState({ conversationId, turnId });
    return state === undefined ? undefined : changesView(turnId, state, this.#counts);
  }

  /** Of a loaded turn. */
  getState({ conversationId, turnId }: TurnRef): TurnState | undefined {
    return this.#loaded.get(conversationId)?.get(turnId);
  }

  /** Every loaded turn; those of a conversation in the order in which they were read or made. */
  turns(): readonly TurnRef[] {
    return [...this.#loaded].flatMap(([conversationId, turns]) =>
      [...turns.keys()].map((turnId) => ({ conversationId, turnId })),
    );
  }

  /** Kept bytes; undefined when they are gone. */
  readBlob(conversationId: string, blob: string): Promise<Uint8Array | undefined> {
    return this.#checkpoints.readBlob(conversationId, blob);
  }

  /**
   * Writes down how far the review of files is.
   * @param decide Called when everything before is done: what it saw then is still so when it is written.
   */
  recordReview(turn: TurnRef, decide: () => ReviewUpdate): Promise<void> {
    return this.#enqueue(async () => {
      const { records, bytes } = decide();
      if (bytes !== undefined) await this.#checkpoints.storeBlob(turn.conversationId, bytes);
      await this.#append(turn, records);
    });
  }

  /** @throws what the editor says when it cannot apply the changes. */
  undo(turn: TurnRef): Promise<UndoOutcome> {
    return this.#undoOrRedo(turn, 'undo');
  }

  /** Brings back what an undo took away. */
  redo(turn: TurnRef): Promise<UndoOutcome> {
    return this.#undoOrRedo(turn, 'redo');
  }

  /** Puts files of a turn back and calls them rejected. */
  reject(turn: TurnRef, files: readonly Rejection[]): Promise<UndoOutcome> {
    return this.#enqueue(async () => {
      const state = await this.#ensureState(turn);
      const { records, outcome } = await rejectFiles(state, files, this.#undoPorts(turn));
      await this.#append(turn, records);
      return outcome;
    });
  }

  /** Puts the conversation's checkpoints aside; `restore` brings them back within a day. */
  async remove(conversationId: string): Promise<void> {
    const turns = this.turns().filter((turn) => turn.conversationId === conversationId);
    await this.#enqueue(async () => {
      this.#loading.delete(conversationId);
      this.#loaded.delete(conversationId);
      if (isId(conversationId)) await this.#checkpoints.remove(conversationId);
    });
    for (const turn of turns) this.#onDidChange.fire(turn);
  }

  async restore(conversationId: string): Promise<void> {
    await this.#enqueue(() => this.#checkpoints.restore(conversationId));
    this.#loading.delete(conversationId);
    await this.load(conversationId);
  }

  /** Resolves when everything that was begun is on disk. */
  async whenWritten(): Promise<void> {
    await this.#queue;
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  #undoOrRedo(turn: TurnRef, type: 'undo' | 'redo'): Promise<UndoOutcome> {
    return this.#enqueue(async () => {
      const state = await this.#ensureState(turn);
      const { records, outcome } = await undoOrRedoTurn(state, type, this.#undoPorts(turn));
      await this.#append(turn, records);
      return outcome;
    });
  }

  /** @throws Error for a place outside the workspace of which no tool said that it would change. */
  async #assertAnnounced(turn: TurnRef, change: FileChange): Promise<void> {
    const uris = change.type === 'rename' ? [change.from, change.to] : [change.uri];
    const check = new RestoreCheck(this.#paths, []);
    for (const uri of uris) {
      if (this.#announcedChanges.has(changeKey(turn, uri))) continue;
      if ((await check.refusalFor(uri.toString())) !== undefined) {
        throw new Error('Nobody said that a place outside the workspace would change.');
      }
    }
  }

  #undoPorts({ conversationId }: TurnRef): UndoPorts {
    return { blobs: this.#blobs(conversationId), paths: this.#paths };
  }

  #blobs(conversationId: string): Blobs {
    return {
      read: (blob) => this.#checkpoints.readBlob(conversationId, blob),
      store: (bytes) => this.#checkpoints.storeBlob(conversationId, bytes),
    };
  }

  async #ensureState(turn: TurnRef): Promise<TurnState> {
    const turns = await this.#loadTurns(turn.conversationId);
    const existing = turns.get(turn.turnId);
    if (existing !== undefined) return existing;
    const state = new TurnState();
    turns.set(turn.turnId, state);
    return state;
  }

  #loadTurns(id: string): Promise<Map<string, TurnState>> {
    const reading = this.#loading.get(id) ?? this.#readTurns(id);
    this.#loading.set(id, reading);
    return reading;
  }

  async #readTurns(id: string): Promise<Map<string, TurnState>> {
    const journals = await this.#checkpoints.load(id);
    const turns = new Map<string, TurnState>();
    for (const [turnId, records] of journals) turns.set(turnId, new TurnState(records));
    for (const state of turns.values()) await this.#counts.update(state, this.#blobs(id));
    this.#loaded.set(id, turns);
    return turns;
  }

  async #append(turn: TurnRef, records: readonly TurnRecord[]): Promise<void> {
    if (records.length === 0) return;
    const state = await this.#ensureState(turn);
    const { conversationId, turnId } = turn;
    const folders = this.#folders().map(({ uri }) => uri.toString());
    const start = { type: 'turn-start', version: 1, turnId, folders } as const;
    const newRecords = state.isStarted ? records : [start, ...records];
    await this.#checkpoints.append(conversationId, turnId, newRecords);
    for (const record of newRecords) state.apply(record);
    await this.#counts.update(state, this.#blobs(conversationId));
    this.#onDidChange.fire(turn);
  }

  /** One after the other: what a change finds must be what the one before it left. */
  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }
}

export interface ReviewUpdate {
  readonly records: readonly (TurnRecord & { readonly type: 'review' })[];
  /** That a record names. */
  readonly bytes?: Uint8Array | undefined;
}

const changeKey = ({ conversationId, turnId }: TurnRef, uri: vscode.Uri): string =>
  `${conversationId}/${turnId}/${uri.toString()}`;
