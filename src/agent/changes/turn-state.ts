import { omitUndefined } from '../../base/json.ts';
import type { FileState, RestoredFile, ReviewState, TurnRecord } from './turn-record.ts';

/** State of a file before and after a turn. Null means that the file does not exist. */
export interface TurnFile {
  readonly before: FileState | null;
  readonly after: FileState | null;
  /** True if the user edited the file during the turn and these edits cannot be separated from the turn's changes. */
  readonly hasUserEdits: boolean;
  readonly added: number;
  readonly removed: number;
  readonly review: ReviewState;
  /**
   * Hash of the text that a review compares with the current text; absent before the user accepts a part of the
   * changes.
   */
  readonly reviewedBlob?: string;
  /**
   * State of the file with the turn's changes (`done`) and without them (`undone`). Every undo and redo updates both.
   */
  readonly done: FileState | null;
  readonly undone: FileState | null;
}

/** File changes of a turn, computed from its journal. */
export class TurnState {
  readonly #files: TurnFile[] = [];
  readonly #folders = new Map<string, FolderState>();
  #isUndone = false;
  #hasStarted = false;
  #isDamaged = false;
  #openFolders: readonly string[] = [];

  constructor(records: readonly TurnRecord[] = []) {
    for (const record of records) this.applyRecord(record);
  }

  /** All files that the turn has changed. The index of a file never changes. */
  get files(): readonly TurnFile[] {
    return this.#files;
  }

  /** Indexes of files that differ from their state before the turn. */
  get changedIndexes(): readonly number[] {
    return [...this.#files.keys()].filter((index) => isChanged(this.#files[index]));
  }

  /**
   * Folders that the turn created or removed, by URI. The value is true for a removed folder and false for a created
   * folder.
   */
  get folders(): ReadonlyMap<string, boolean> {
    const folderEntries = [...this.#folders].filter(
      ([, folderState]) => folderState !== 'existing',
    );
    return new Map(folderEntries.map(([uri, folderState]) => [uri, folderState === 'removed']));
  }

  /** True if the journal contains a start record. */
  get isStarted(): boolean {
    return this.#hasStarted;
  }

  /** URIs of the workspace folders that were open when the turn started, according to its journal. */
  get openFolders(): readonly string[] {
    return this.#openFolders;
  }

  /**
   * True if a record is unreadable. The turn cannot be undone then, because the list of its files may be incomplete.
   */
  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  get isUndone(): boolean {
    return this.#isUndone;
  }

  /** Returns the index of the file that is now at this URI; undefined if the turn did not change such a file. */
  findFileIndexAt(uri: string): number | undefined {
    return this.#findFileIndexBy(({ after }) => after?.uri === uri);
  }

  /** Returns the indexes of the files that are now at this URI or in a folder at this URI. */
  findFileIndexesWithin(uri: string): readonly number[] {
    return [...this.#files.keys()].filter((index) => isWithin(this.#files[index]?.after?.uri, uri));
  }

  /** Applies a record. Ignores records about unknown files. */
  applyRecord(record: TurnRecord): void {
    switch (record.type) {
      case 'turn-start':
        this.#hasStarted = true;
        this.#openFolders = record.folders ?? [];
        break;
      case 'damage':
        // A second start record would not repair the journal.
        this.#hasStarted = true;
        this.#isDamaged = true;
        break;
      case 'before':
        this.#applyStateBefore({ uri: record.uri, kept: record.kept });
        break;
      case 'folder':
        // Only the first record of a folder applies: a folder that the turn created and removed did
        // not exist before.
        if (!this.#folders.has(record.uri)) {
          this.#folders.set(record.uri, record.existed ? 'existing' : 'created');
        }
        break;
      case 'create':
        this.#isUndone = false;
        break;
      case 'delete':
        this.#isUndone = false;
        for (const index of this.findFileIndexesWithin(record.uri)) this.#setFileUri(index, null);
        this.#recordFolderRemoval(record.uri);
        break;
      case 'rename':
        this.#isUndone = false;
        this.#renameFile(record.from, record.to);
        this.#recordFolderRemoval(record.from, record.to);
        break;
      case 'after':
        this.#applyStateAfter(record);
        break;
      case 'mixed':
        this.#updateFile(this.findFileIndexAt(record.uri), { hasUserEdits: true });
        break;
      case 'review':
        this.#updateFile(record.file, {
          review: record.state,
          ...(record.reviewed !== undefined && { reviewedBlob: record.reviewed }),
        });
        break;
      case 'undo':
      case 'redo':
        this.#restoreFiles(record.type === 'undo', record.files);
        break;
    }
  }

  #applyStateBefore(state: FileState): void {
    const index = this.findFileIndexAt(state.uri);
    if (index === undefined) {
      this.#files.push({ ...emptyFile, before: state, after: state, done: state, undone: state });
      return;
    }
    const { before } = this.#files[index] ?? emptyFile;
    // Adds the user's edits to the content before the turn, but keeps the path before the turn.
    if (before !== null) {
      const { blob, encoding, lines } = state.kept;
      const editedState = {
        uri: before.uri,
        kept: { ...before.kept, ...omitUndefined({ blob, encoding, lines }) },
      };
      this.#updateFile(index, { before: editedState, undone: editedState });
    }
  }

  #applyStateAfter({ uri, kept, added, removed }: TurnRecord & { type: 'after' }): void {
    this.#isUndone = false;
    const state = { uri, kept };
    const index = this.findFileIndexAt(uri) ?? this.#findDeletedFileIndex(uri);
    if (index === undefined) {
      this.#files.push({ ...emptyFile, after: state, done: state, added, removed });
      return;
    }
    this.#updateFile(index, { after: state, done: state, added, removed, review: 'pending' });
  }

  /**
   * Returns the index of the file that the turn deleted at this URI; undefined if none exists. If the turn creates a
   * file at this URI again, the file keeps this index.
   */
  #findDeletedFileIndex(uri: string): number | undefined {
    return this.#findFileIndexBy(({ before, after }) => after === null && before?.uri === uri);
  }

  #findFileIndexBy(matches: (file: TurnFile) => boolean): number | undefined {
    const index = this.#files.findIndex(matches);
    return index < 0 ? undefined : index;
  }

  #renameFile(oldUri: string, newUri: string): void {
    const movedIndexes = this.findFileIndexesWithin(oldUri);
    const replacedIndexes = this.findFileIndexesWithin(newUri).filter(
      (index) => !movedIndexes.includes(index),
    );
    for (const index of replacedIndexes) this.#setFileUri(index, null);
    for (const index of movedIndexes) {
      const uri = this.#files[index]?.after?.uri ?? '';
      this.#setFileUri(index, `${newUri}${uri.slice(oldUri.length)}`);
    }
  }

  /**
   * Records that the tracked folders at `oldUri` and inside it were deleted or moved. Folders that existed before the
   * turn then count as removed, and the folders at the new URIs as created.
   * @param newUri New URI of a moved folder; undefined for a deleted folder.
   */
  #recordFolderRemoval(oldUri: string, newUri?: string): void {
    for (const [uri, folderState] of [...this.#folders]) {
      if (!isWithin(uri, oldUri)) continue;
      if (folderState === 'existing') this.#folders.set(uri, 'removed');
      if (newUri === undefined) continue;
      const movedUri = `${newUri}${uri.slice(oldUri.length)}`;
      if (!this.#folders.has(movedUri)) this.#folders.set(movedUri, 'created');
    }
  }

  #setFileUri(index: number, uri: string | null): void {
    const after = this.#files[index]?.after ?? null;
    const newState = uri === null || after === null ? null : { uri, kept: after.kept };
    this.#updateFile(index, { after: newState, done: newState, review: 'pending' });
  }

  #restoreFiles(isUndone: boolean, files: readonly RestoredFile[]): void {
    this.#isUndone = isUndone;
    for (const { file, ...sides } of files) this.#updateFile(file, sides);
  }

  #updateFile(index: number | undefined, fields: Partial<TurnFile>): void {
    const file = index === undefined ? undefined : this.#files[index];
    if (index !== undefined && file !== undefined) this.#files[index] = { ...file, ...fields };
  }
}

type FolderState = 'created' | 'removed' | 'existing';

/**
 * Classifies the turn's change of a file. Returns `renamed` if the file has a new URI, even if its content also
 * changed.
 */
export function getChangeKind({
  before,
  after,
}: TurnFile): 'edited' | 'created' | 'deleted' | 'renamed' {
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  return before.uri === after.uri ? 'edited' : 'renamed';
}

const emptyFile: TurnFile = {
  before: null,
  after: null,
  hasUserEdits: false,
  added: 0,
  removed: 0,
  review: 'pending',
  done: null,
  undone: null,
};

function isChanged(file: TurnFile | undefined): boolean {
  if (file === undefined) return false;
  const { before, after } = file;
  return before?.uri !== after?.uri || before?.kept.blob !== after?.kept.blob;
}

const isWithin = (uri: string | undefined, folder: string): boolean =>
  uri !== undefined && (uri === folder || uri.startsWith(`${folder}/`));
