import { isRecord, type JsonRecord, parseJsonLines } from '../../base/json.ts';
import { hasNewerVersion } from '../../base/newer-version.ts';
import { isId } from '../../base/ids.ts';

/** Properties of the stored content of a file. */
export interface StoredContent {
  /** SHA-256 of the bytes in hexadecimal, which is also the name of the file that stores them. */
  readonly blob: string;
  /** Name that VS Code uses for the text encoding; absent if unknown. */
  readonly encoding?: string;
  /** Number of lines; absent for binary content. */
  readonly lines?: number;
  /** Permission bits; absent if the file system has none. */
  readonly mode?: number;
  /** Target of a symbolic link; absent for other files. For a link, `blob` is the hash of the target's content. */
  readonly link?: string;
  /** Path of the file with all links in its folders resolved; absent if it cannot be determined. */
  readonly realPath?: string;
}

/** Location and stored content of a file. */
export interface FileState {
  readonly uri: string;
  readonly kept: StoredContent;
}

export type ReviewState = 'pending' | 'accepted' | 'rejected';

/** One line of a turn's journal. Files are numbered from 0 in the order in which the turn changed them. */
export type TurnRecord =
  | {
      readonly type: 'turn-start';
      readonly version: 1;
      readonly turnId: string;
      /** URIs of the workspace folders that were open when the turn started. */
      readonly folders?: readonly string[];
    }
  /** State of a file before a change. A later record for the same file replaces an earlier one. */
  | { readonly type: 'before'; readonly uri: string; readonly kept: StoredContent }
  /**
   * Announces that a later change removes an existing folder (`existed` is true) or creates a folder (`existed` is
   * false).
   */
  | { readonly type: 'folder'; readonly uri: string; readonly existed: boolean }
  | { readonly type: 'create' | 'delete'; readonly uri: string }
  | { readonly type: 'rename'; readonly from: string; readonly to: string }
  /** State of a file after a change, with the numbers of lines added and removed since the state before the turn. */
  | {
      readonly type: 'after';
      readonly uri: string;
      readonly kept: StoredContent;
      readonly added: number;
      readonly removed: number;
    }
  /**
   * Records that the user edited the file during the turn, and that these edits cannot be separated from the turn's
   * changes.
   */
  | { readonly type: 'mixed'; readonly uri: string }
  /**
   * Review state of a file. `reviewed` is the hash of the file's text before the turn with all accepted changes
   * applied. It is absent until the user accepts a change.
   */
  | {
      readonly type: 'review';
      readonly file: number;
      readonly state: ReviewState;
      readonly reviewed?: string;
    }
  | { readonly type: 'undo' | 'redo'; readonly files: readonly RestoredFile[] }
  /** Placeholder for an unreadable record. Never written to a journal. */
  | { readonly type: 'damage' };

/** A file that an undo or redo changed: its state with the turn's changes (`done`) and without them (`undone`). */
export interface RestoredFile {
  readonly file: number;
  readonly done: FileState | null;
  readonly undone: FileState | null;
}

export function encodeTurnRecords(records: readonly TurnRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * Decodes a journal. Returns a `damage` record for each unreadable record, because the numbers of later files may then
 * be wrong. Skips records of an unknown type.
 * @returns undefined for a journal that a newer version of the extension wrote, because this version must not change it
 */
export function decodeTurnRecords(content: string | Uint8Array): readonly TurnRecord[] | undefined {
  const lines = parseJsonLines(content);
  const firstRecord = lines[0]?.value;
  if (firstRecord?.['type'] === 'turn-start' && hasNewerVersion(firstRecord, 1)) return undefined;
  const records = lines.flatMap(({ value, isDamaged }): readonly (TurnRecord | undefined)[] =>
    isDamaged || value === undefined ? [damageRecord] : [readRecord(value)],
  );
  const isComplete = records[0]?.type === 'turn-start';
  return [
    ...(isComplete ? [] : [damageRecord]),
    ...records.filter((record) => record !== undefined),
  ];
}

const damageRecord: TurnRecord = { type: 'damage' };

/** Decodes one record. Returns a `damage` record if it is unreadable, and undefined if its type is unknown. */
function readRecord(value: JsonRecord): TurnRecord | undefined {
  const record = readRecordByType(value);
  return record === undefined && recordTypes.has(value['type']) ? damageRecord : record;
}

const recordTypes: ReadonlySet<unknown> = new Set([
  'turn-start',
  'before',
  'after',
  'folder',
  'create',
  'delete',
  'mixed',
  'rename',
  'review',
  'undo',
  'redo',
] satisfies TurnRecord['type'][]);

function readRecordByType(value: JsonRecord): TurnRecord | undefined {
  switch (value['type']) {
    case 'turn-start':
      return readStartRecord(value);
    case 'before':
    case 'after':
      return readContentRecord(value['type'], value);
    case 'folder':
      return readFolderRecord(value);
    case 'create':
    case 'delete':
    case 'mixed':
      return isUri(value['uri']) ? { type: value['type'], uri: value['uri'] } : undefined;
    case 'rename':
      return isUri(value['from']) && isUri(value['to'])
        ? { type: 'rename', from: value['from'], to: value['to'] }
        : undefined;
    case 'review':
      return readReviewRecord(value);
    case 'undo':
    case 'redo':
      return readRestoreRecord(value['type'], value);
    default:
      return undefined;
  }
}

function readStartRecord({ turnId, folders }: JsonRecord): TurnRecord | undefined {
  if (!isId(turnId)) return undefined;
  const areUris = Array.isArray(folders) && folders.every(isUri);
  return { type: 'turn-start', version: 1, turnId, ...(areUris && { folders }) };
}

function readContentRecord(type: 'before' | 'after', value: JsonRecord): TurnRecord | undefined {
  const state = readFileState(value);
  if (state === undefined) return undefined;
  if (type === 'before') return { type, ...state };
  return { type, ...state, added: readCount(value['added']), removed: readCount(value['removed']) };
}

function readFolderRecord({ uri, existed }: JsonRecord): TurnRecord | undefined {
  return isUri(uri) && typeof existed === 'boolean' ? { type: 'folder', uri, existed } : undefined;
}

function readReviewRecord({ file, state, reviewed }: JsonRecord): TurnRecord | undefined {
  if (!isCount(file) || !isReviewState(state)) return undefined;
  return { type: 'review', file, state, ...(isBlob(reviewed) && { reviewed }) };
}

function readRestoreRecord(type: 'undo' | 'redo', { files }: JsonRecord): TurnRecord | undefined {
  if (!Array.isArray(files)) return undefined;
  const restoredFiles = files.map(readRestoredFile);
  // An invalid file rejects the whole record, because a partial restore would create a state that
  // never existed.
  return restoredFiles.every((file) => file !== undefined)
    ? { type, files: restoredFiles }
    : undefined;
}

function readRestoredFile(value: unknown): RestoredFile | undefined {
  if (!isRecord(value) || !isCount(value['file'])) return undefined;
  const done = readFileStateOrNull(value['done']);
  const undone = readFileStateOrNull(value['undone']);
  if (done === undefined || undone === undefined) return undefined;
  return { file: value['file'], done, undone };
}

function readFileStateOrNull(value: unknown): FileState | null | undefined {
  if (value === null) return null;
  return isRecord(value) ? readFileState(value) : undefined;
}

function readFileState({ uri, kept }: JsonRecord): FileState | undefined {
  if (!isUri(uri) || !isRecord(kept) || !isBlob(kept['blob'])) return undefined;
  const { blob, encoding, lines, mode, link, realPath } = kept;
  return {
    uri,
    kept: {
      blob,
      ...(typeof encoding === 'string' && { encoding }),
      ...(isCount(lines) && { lines }),
      ...(isCount(mode) && { mode: mode & 0o777 }),
      ...(typeof link === 'string' && { link }),
      ...(typeof realPath === 'string' && { realPath }),
    },
  };
}

const isBlob = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/u.test(value);
const isUri = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 8_192 && /^[a-z][a-z0-9+.-]*:\S+$/iu.test(value);
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const readCount = (value: unknown): number => (isCount(value) ? value : 0);
const isReviewState = (value: unknown): value is ReviewState =>
  value === 'pending' || value === 'accepted' || value === 'rejected';
