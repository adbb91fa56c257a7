import * as vscode from 'vscode';
import type { ReviewHunk } from '../three-way.ts';
import { type TurnRecord } from '../turn-record.ts';
import { TurnState } from '../turn-state.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { Emitter } from '../../../base/event.ts';
import type { ChangesView } from '../../protocol.ts';
import type { UnreviewedEdit } from '../../permissions/permission-rules.ts';
import type { Log } from '../../../platform/log.ts';
import {
  type ChangeRecorder,
  type FileChange,
  createRecordsAfterChange,
  createRecordsBeforeChange,
  type TurnRef,
} from './change-recorder.ts';
import type { UriLocator } from '../../../workspace/vscode/paths.ts';
import {
  type BlobStore,
  type CheckpointFiles,
  type CheckpointJournal,
  openCheckpoints,
} from './checkpoint-files.ts';
import { createChangesView, ReviewCounts } from './changes-view.ts';
import { RestoreCheck } from './restore-check.ts';
import {
  undoOrRedoTurn,
  type LabeledConflict,
  rejectFiles,
  type RejectedFile,
  type UndoOutcome,
  type UndoPorts,
} from './undo-turn.ts';
import { isId } from '../../../base/ids.ts';

export interface TurnChangesOptions {
  /** Storage folder of the extension, which contains the checkpoints. */
  readonly storage: vscode.Uri;
  readonly log: Log;
  readonly paths: UriLocator;
  /** Returns the open workspace folders. */
  readonly listFolders: () => readonly vscode.WorkspaceFolder[];
}

/**
 * Records the file changes of turns on disk and in memory. Provides the content of files before each turn, and restores
 * this content.
 */
export class TurnChanges implements ChangeRecorder, Disposable {
  readonly #checkpoints: CheckpointFiles;
  readonly #log: Log;
  readonly #counts = new ReviewCounts();
  readonly #unreviewedEdits: UnreviewedEdits;
  readonly #paths: UriLocator;
  readonly #listFolders: TurnChangesOptions['listFolders'];
  /**
   * Changes that tools announced before making them, as keys from `createChangeKey`. Tools announce only changes that
   * the permission rules or the user allowed.
   */
  readonly #announcedChanges = new Set<string>();
  readonly #turnPromises = new Map<string, Promise<Map<string, TurnState>>>();
  /** States of the loaded turns, by conversation id and turn id. Synchronous methods such as `getState` read them. */
  readonly #loadedStates = new Map<string, Map<string, TurnState>>();
  readonly #onDidChangeEmitter: Emitter<TurnRef>;
  readonly onDidChange: Emitter<TurnRef>['event'];
  #writePromise: Promise<unknown> = Promise.resolve();

  constructor({ storage, log, paths, listFolders }: TurnChangesOptions) {
    this.#paths = paths;
    this.#listFolders = listFolders;
    this.#checkpoints = openCheckpoints(storage.fsPath);
    this.#log = log;
    this.#unreviewedEdits = new UnreviewedEdits({
      checkpoints: this.#checkpoints,
      log,
      formatUri: formatPathInOpenFolder,
    });
    this.#onDidChangeEmitter = new Emitter((error) =>
      log.error('Could not notify a listener of changes', error),
    );
    this.onDidChange = this.#onDidChangeEmitter.event;
  }

  recordBeforeChange(turn: TurnRef, uri: vscode.Uri): Promise<void> {
    return this.#enqueueWrite(async () => {
      // Throws for a path that tools must not access, because no change of this path can be
      // permitted.
      await this.#paths.locate(uri);
      const state = await this.#ensureState(turn);
      await this.#appendRecords(
        turn,
        await createRecordsBeforeChange(state, uri, this.#createBlobStore(turn.conversationId)),
      );
      this.#announcedChanges.add(createChangeKey(turn, uri));
    });
  }

  recordAfterChange(turn: TurnRef, change: FileChange): Promise<void> {
    return this.#enqueueWrite(async () => {
      try {
        const state = await this.#ensureState(turn);
        await this.#assertPathsAnnounced(turn, change);
        await this.#appendRecords(
          turn,
          await createRecordsAfterChange(state, change, this.#createBlobStore(turn.conversationId)),
        );
      } catch (error) {
        // Logs the error: the file has changed already, and an error would hide the change from the
        // model.
        this.#log.error('Could not record a change', error);
      }
    });
  }

  /** Returns the reason why a file of a turn must not be changed; undefined if it may be changed. */
  async findRefusal(turn: TurnRef, uri: vscode.Uri): Promise<LabeledConflict | undefined> {
    const check = new RestoreCheck(this.#paths, this.getState(turn)?.openFolders ?? []);
    const refusal = await check.findRefusal(uri.toString());
    return refusal && { label: refusal.path, reason: refusal.reason };
  }

  /** Loads the changes of a conversation from disk if they are not loaded yet. */
  async load(conversationId: string): Promise<void> {
    const loadedTurns = await this.#loadTurns(conversationId);
    for (const turnId of loadedTurns.keys())
      this.#onDidChangeEmitter.fire({ conversationId, turnId });
  }

  /** Returns the view of a turn's changes in a loaded conversation; undefined if the turn changed nothing. */
  createChangesView(conversationId: string, turnId: string): ChangesView | undefined {
    const state = this.getState({ conversationId, turnId });
    return state === undefined ? undefined : createChangesView(turnId, state, this.#counts);
  }

  /** Returns the state of a turn; undefined if it is not loaded. */
  getState({ conversationId, turnId }: TurnRef): TurnState | undefined {
    return this.#loadedStates.get(conversationId)?.get(turnId);
  }

  /** Returns all loaded turns. The turns of a conversation are in the order in which they were loaded or created. */
  listTurns(): readonly TurnRef[] {
    return [...this.#loadedStates].flatMap(([conversationId, turns]) =>
      [...turns.keys()].map((turnId) => ({ conversationId, turnId })),
    );
  }

  /**
   * Lists the unreviewed edits by all turns of all chats to files in the open folders. An edit is unreviewed until the
   * user accepts or rejects it.
   */
  async listUnreviewedEdits(): Promise<readonly UnreviewedEdit[]> {
    await this.#writePromise;
    return this.#unreviewedEdits.list();
  }

  /** Returns the bytes with this hash; undefined if they were deleted. */
  readBlob(conversationId: string, blob: string): Promise<Uint8Array | undefined> {
    return this.#checkpoints.readBlob(conversationId, blob);
  }

  /**
   * Records the review state of files.
   * @param createUpdate Returns the records to write. Called after all earlier operations are complete, so that it uses
   *   the current state.
   */
  recordReview(turn: TurnRef, createUpdate: () => ReviewUpdate): Promise<void> {
    return this.#enqueueWrite(async () => {
      const { records, bytes } = createUpdate();
      if (bytes !== undefined) await this.#checkpoints.storeBlob(turn.conversationId, bytes);
      await this.#appendRecords(turn, records);
    });
  }

  /**
   * Undoes all changes of a turn.
   * @throws Error if VS Code cannot apply the changes
   */
  undo(turn: TurnRef): Promise<UndoOutcome> {
    return this.#undoOrRedo(turn, 'undo');
  }

  /** Redoes the changes that an undo reverted. */
  redo(turn: TurnRef): Promise<UndoOutcome> {
    return this.#undoOrRedo(turn, 'redo');
  }

  /**
   * Updates the counts of a file's pending changes from its hunks in an open document. Writes nothing to the journal.
   */
  updateCounts(turn: TurnRef, index: number, hunks: readonly ReviewHunk[]): void {
    const file = this.getState(turn)?.files[index];
    if (file?.review === 'pending' && this.#counts.updateCounts(file, hunks))
      this.#onDidChangeEmitter.fire(turn);
  }

  /** Restores files of a turn, and marks them as rejected. */
  reject(turn: TurnRef, files: readonly RejectedFile[]): Promise<UndoOutcome> {
    return this.#enqueueWrite(async () => {
      const state = assertReadable(await this.#ensureState(turn));
      const { records, outcome } = await rejectFiles(state, files, this.createUndoPorts(turn));
      await this.#appendRecords(turn, records);
      return outcome;
    });
  }

  /** Marks the checkpoints of a conversation as removed. For a day, `restoreConversationData` can undo this. */
  async removeConversationData(conversationId: string): Promise<void> {
    const turns = this.listTurns().filter((turn) => turn.conversationId === conversationId);
    await this.#enqueueWrite(async () => {
      this.#turnPromises.delete(conversationId);
      this.#loadedStates.delete(conversationId);
      if (isId(conversationId)) await this.#checkpoints.removeConversationData(conversationId);
    });
    for (const turn of turns) this.#onDidChangeEmitter.fire(turn);
  }

  async restoreConversationData(conversationId: string): Promise<void> {
    await this.#enqueueWrite(() => this.#checkpoints.restoreConversationData(conversationId));
    this.#turnPromises.delete(conversationId);
    await this.load(conversationId);
  }

  /** Resolves after the data of all operations that have started is on disk. */
  async waitForWrites(): Promise<void> {
    await this.#writePromise;
  }

  dispose(): void {
    this.#onDidChangeEmitter.dispose();
  }

  #undoOrRedo(turn: TurnRef, type: 'undo' | 'redo'): Promise<UndoOutcome> {
    return this.#enqueueWrite(async () => {
      const state = assertReadable(await this.#ensureState(turn));
      const { records, outcome } = await undoOrRedoTurn(state, type, this.createUndoPorts(turn));
      await this.#appendRecords(turn, records);
      return outcome;
    });
  }

  /**
   * Checks that a tool announced each changed path outside the workspace before the change.
   * @throws Error for a path outside the workspace that no tool announced
   */
  async #assertPathsAnnounced(turn: TurnRef, change: FileChange): Promise<void> {
    const uris = change.type === 'rename' ? [change.from, change.to] : [change.uri];
    const check = new RestoreCheck(this.#paths, []);
    for (const uri of uris) {
      if (this.#announcedChanges.has(createChangeKey(turn, uri))) continue;
      if ((await check.findRefusal(uri.toString())) !== undefined) {
        throw new Error('A change outside the workspace was not announced.');
      }
    }
  }

  createUndoPorts({ conversationId }: TurnRef): UndoPorts {
    return { blobStore: this.#createBlobStore(conversationId), paths: this.#paths };
  }

  #createBlobStore(conversationId: string): BlobStore {
    return {
      read: (blob) => this.#checkpoints.readBlob(conversationId, blob),
      store: (bytes) => this.#checkpoints.storeBlob(conversationId, bytes),
    };
  }

  async #ensureState(turn: TurnRef): Promise<TurnState> {
    const turns = await this.#loadTurns(turn.conversationId);
    const existingState = turns.get(turn.turnId);
    if (existingState !== undefined) return existingState;
    const state = new TurnState();
    turns.set(turn.turnId, state);
    return state;
  }

  #loadTurns(id: string): Promise<Map<string, TurnState>> {
    const existingLoadPromise = this.#turnPromises.get(id);
    if (existingLoadPromise !== undefined) return existingLoadPromise;
    const newLoadPromise = this.#readTurns(id).catch((error: unknown) => {
      // The next call loads the changes again.
      this.#turnPromises.delete(id);
      throw error;
    });
    this.#turnPromises.set(id, newLoadPromise);
    return newLoadPromise;
  }

  async #readTurns(id: string): Promise<Map<string, TurnState>> {
    const journals = await this.#checkpoints.load(id);
    const turns = new Map<string, TurnState>();
    for (const [turnId, records] of journals) turns.set(turnId, new TurnState(records));
    for (const state of turns.values())
      await this.#counts.countAcceptedParts(state, this.#createBlobStore(id));
    this.#loadedStates.set(id, turns);
    return turns;
  }

  async #appendRecords(turn: TurnRef, records: readonly TurnRecord[]): Promise<void> {
    if (records.length === 0) return;
    const state = await this.#ensureState(turn);
    const { conversationId, turnId } = turn;
    const folders = this.#listFolders().map(({ uri }) => uri.toString());
    const startRecord = { type: 'turn-start', version: 1, turnId, folders } as const;
    const newRecords = state.isStarted ? records : [startRecord, ...records];
    await this.#checkpoints.append(conversationId, turnId, newRecords);
    for (const record of newRecords) state.applyRecord(record);
    await this.#counts.countAcceptedParts(state, this.#createBlobStore(conversationId));
    this.#onDidChangeEmitter.fire(turn);
  }

  /** Runs operations one after another, because each operation uses the state after the previous one. */
  #enqueueWrite<T>(run: () => Promise<T>): Promise<T> {
    const resultPromise = this.#writePromise.then(run);
    this.#writePromise = resultPromise.catch(() => {});
    return resultPromise;
  }
}

/** Returns the path of a file relative to its workspace folder; undefined if it is outside all open folders. */
function formatPathInOpenFolder(uriText: string): string | undefined {
  const uri = vscode.Uri.parse(uriText);
  return vscode.workspace.getWorkspaceFolder(uri) && vscode.workspace.asRelativePath(uri);
}

export interface ReviewUpdate {
  readonly records: readonly (TurnRecord & { readonly type: 'review' })[];
  /** Bytes of the reviewed text that the records refer to. */
  readonly bytes?: Uint8Array | undefined;
}

/**
 * Returns the given state of a turn.
 * @throws Error for a damaged turn, because its list of files may be incomplete
 */
function assertReadable(state: TurnState): TurnState {
  if (state.isDamaged) throw new Error('The record of this turn is damaged.');
  return state;
}

const createChangeKey = ({ conversationId, turnId }: TurnRef, uri: vscode.Uri): string =>
  `${conversationId}/${turnId}/${uri.toString()}`;

export interface UnreviewedEditsPorts {
  readonly checkpoints: Pick<CheckpointFiles, 'listConversationIds' | 'listJournals' | 'readTurn'>;
  readonly log: Pick<Log, 'error'>;
  /** Returns the display path of a file; undefined if it is outside the open folders. */
  readonly formatUri: (uri: string) => string | undefined;
}

/**
 * Lists the edits that wait for the user's review, from all turns of all chats. Reads the stored journals, so that
 * edits and reviews in other windows count too. Reads only journals that changed since the last call.
 */
export class UnreviewedEdits {
  readonly #ports: UnreviewedEditsPorts;
  #journals: ReadonlyMap<string, CachedJournal> = new Map();

  constructor(ports: UnreviewedEditsPorts) {
    this.#ports = ports;
  }

  /**
   * Lists the edits. For each unreadable chat or turn, logs an error and includes one entry, because it may contain
   * edits.
   */
  async list(): Promise<readonly UnreviewedEdit[]> {
    const { checkpoints, formatUri } = this.#ports;
    const journals = new Map<string, CachedJournal>();
    const unreadableIds = new Set<string>();
    for (const id of await checkpoints.listConversationIds()) {
      const storedJournals = await this.#tryReading(() => checkpoints.listJournals(id));
      if (storedJournals === undefined) unreadableIds.add(id);
      for (const journal of storedJournals ?? []) {
        const cachedJournal = await this.#tryReading(() => this.#readJournal(id, journal));
        if (cachedJournal === undefined) unreadableIds.add(id);
        else journals.set(createJournalKey(id, journal), cachedJournal);
      }
    }
    this.#journals = journals;
    const edits = [...journals.values()].flatMap((journal) => journal.edits);
    const labeledEdits = edits.flatMap(({ uri, blob }) => {
      const label = formatUri(uri);
      return label === undefined ? [] : [{ key: `${uri} ${blob}`, label }];
    });
    const unreadableLabel = vscode.l10n.t('edits of a chat that cannot be read');
    return [
      ...labeledEdits,
      ...[...unreadableIds].map((id) => ({ key: `unreadable ${id}`, label: unreadableLabel })),
    ];
  }

  async #readJournal(conversationId: string, journal: CheckpointJournal): Promise<CachedJournal> {
    const { turnId, sizeBytes, modifiedAt } = journal;
    const cachedJournal = this.#journals.get(createJournalKey(conversationId, journal));
    if (cachedJournal?.sizeBytes === sizeBytes && cachedJournal.modifiedAt === modifiedAt)
      return cachedJournal;
    const records = await this.#ports.checkpoints.readTurn(conversationId, turnId);
    if (records?.some(({ type }) => type === 'damage'))
      throw new Error('The record of this turn is damaged.');
    return { sizeBytes, modifiedAt, edits: listPendingEdits(records ?? []) };
  }

  async #tryReading<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#ports.log.error('Could not read the changes of a chat', error);
      return undefined;
    }
  }
}

interface CachedJournal extends Pick<CheckpointJournal, 'sizeBytes' | 'modifiedAt'> {
  readonly edits: readonly PendingEdit[];
}

interface PendingEdit {
  readonly uri: string;
  /** Hash of the file's content after the edit. */
  readonly blob: string;
}

const createJournalKey = (conversationId: string, { turnId }: CheckpointJournal): string =>
  `${conversationId}/${turnId}`;

function listPendingEdits(records: readonly TurnRecord[]): readonly PendingEdit[] {
  const state = new TurnState(records);
  if (state.isUndone) return [];
  return state.changedIndexes.flatMap((index) => {
    const file = state.files[index];
    if (file?.after == null || file.review !== 'pending') return [];
    return [{ uri: file.after.uri, blob: file.after.kept.blob }];
  });
}
