import * as vscode from 'vscode';
import { mergeLines } from '../three-way.ts';
import type { FileState, StoredContent, TurnRecord } from '../turn-record.ts';
import type { TurnState } from '../turn-state.ts';
import { hashBlob, type BlobStore } from './checkpoint-files.ts';
import {
  encodeText,
  countLines,
  type FileText,
  type Snapshot,
  takeSnapshot,
  tryStat,
  decodeText,
} from './snapshot.ts';
import { countChangedLines } from '../../../base/line-diff.ts';
import { ToolError } from '../../../workspace/tool-error.ts';

/** A turn that changes files: its conversation, and the id of the user message that started it. */
export interface TurnRef {
  readonly conversationId: string;
  readonly turnId: string;
}

export type FileChange =
  | { readonly type: 'edit' | 'create' | 'delete'; readonly uri: vscode.Uri }
  | { readonly type: 'rename'; readonly from: vscode.Uri; readonly to: vscode.Uri };

/** Records every change that a tool makes, so that the user can review and undo the turn. */
export interface ChangeRecorder {
  /**
   * Stores the current state of a file before a change. Also stores that a file does not exist. Does nothing if the
   * turn has already stored a state of the file.
   * @throws Error if the state cannot be stored; the caller must then not change the file
   */
  recordBeforeChange(turn: TurnRef, uri: vscode.Uri): Promise<void>;
  /** Records a change that a tool has made and saved. */
  recordAfterChange(turn: TurnRef, change: FileChange): Promise<void>;
}

/** Maximum number of files in one change. A larger change is rejected, because a user could not review it. */
const maxFiles = 2_000;

type FileSnapshot = Snapshot & { kind: 'file' };

/**
 * Returns the journal records to write before a file or folder changes. Stores the file contents to which these records
 * refer.
 * @throws ToolError `too-large` if a file is too large or a folder contains too many files
 * @throws if a file cannot be read or its bytes cannot be stored
 */
export async function createRecordsBeforeChange(
  state: TurnState,
  uri: vscode.Uri,
  blobStore: BlobStore,
): Promise<readonly TurnRecord[]> {
  const snapshot = await takeSnapshot(uri);
  if (snapshot.kind === 'missing') return createMissingFolderRecords(uri);
  if (snapshot.kind === 'file')
    return createFileRecordsBeforeChange(state, { uri, snapshot }, blobStore);
  const { files, folders } = await listFolder(uri);
  const records: TurnRecord[] = folders.map((folderUri) => ({
    type: 'folder',
    uri: folderUri.toString(),
    existed: true,
  }));
  for (const fileUri of files) {
    const snapshot = await takeSnapshot(fileUri);
    if (snapshot.kind !== 'file') continue;
    records.push(
      ...(await createFileRecordsBeforeChange(state, { uri: fileUri, snapshot }, blobStore)),
    );
  }
  return records;
}

/** Returns the journal records to write after a tool has made a change. */
export async function createRecordsAfterChange(
  state: TurnState,
  change: FileChange,
  blobStore: BlobStore,
): Promise<readonly TurnRecord[]> {
  if (change.type === 'delete') return [{ type: 'delete', uri: change.uri.toString() }];
  if (change.type !== 'rename') {
    const index = state.findFileIndexAt(change.uri.toString());
    // Rejects an edited file without a recorded state, because an undo would treat the file as new
    // and delete it.
    if (index === undefined && change.type === 'edit')
      throw new Error('The change was not announced.');
    return createFileRecordsAfterChange(state, change.uri, index, blobStore);
  }
  const [from, to] = [change.from.toString(), change.to.toString()];
  const records: TurnRecord[] = [{ type: 'rename', from, to }];
  for (const index of state.findFileIndexesWithin(from)) {
    const oldUri = state.files[index]?.after?.uri ?? '';
    const uri = vscode.Uri.parse(`${to}${oldUri.slice(from.length)}`);
    records.push(...(await createFileRecordsAfterChange(state, uri, index, blobStore)));
  }
  return records;
}

async function createFileRecordsBeforeChange(
  state: TurnState,
  { uri, snapshot }: { uri: vscode.Uri; snapshot: FileSnapshot },
  blobStore: BlobStore,
): Promise<readonly TurnRecord[]> {
  const name = uri.toString();
  const index = state.findFileIndexAt(name);
  const file = index === undefined ? undefined : state.files[index];
  if (file?.after?.kept.blob === snapshot.content.blob) return [];
  await blobStore.store(snapshot.bytes);
  if (file === undefined) return [{ type: 'before', uri: name, kept: snapshot.content }];
  // The user edited the file since the turn's last change: these edits stay when the turn is
  // undone.
  const mergedContent = await mergeUserEdits({ uri, snapshot, ...file }, blobStore);
  const beforeRecord: TurnRecord =
    mergedContent === undefined
      ? { type: 'mixed', uri: name }
      : { type: 'before', uri: name, kept: mergedContent };
  return [beforeRecord, ...(await createFileRecordsAfterChange(state, uri, index, blobStore))];
}

/**
 * Applies the edits that the user made since the turn's last change to the file's content before the turn, so that an
 * undo of the turn preserves these edits. Stores the result. Returns undefined if the edits cannot be separated from
 * the turn's changes.
 */
async function mergeUserEdits(
  file: {
    readonly uri: vscode.Uri;
    readonly snapshot: FileSnapshot;
    readonly before: FileState | null;
    readonly after: FileState | null;
  },
  blobStore: BlobStore,
): Promise<StoredContent | undefined> {
  const [before, after, now] = await Promise.all([
    readStoredText(file.before, blobStore),
    readStoredText(file.after, blobStore),
    decodeText(file.uri, file.snapshot.bytes, file.snapshot.content.encoding),
  ]);
  if (before === undefined || after === undefined || now === undefined) return undefined;
  const versions = { base: after.lines, mine: now.lines, theirs: before.lines };
  const lines = mergeLines(versions, 'mine') ?? now.lines;
  const bytes = await encodeText(file.uri, { ...before, lines });
  await blobStore.store(bytes);
  return { ...file.snapshot.content, blob: hashBlob(bytes), lines: countLines(lines) };
}

/**
 * Returns the journal records to write after a tool has changed one file.
 * @param index Index of the file in the turn; undefined if the turn has not changed the file before. The file may have
 *   had a different URI at the time of an earlier change.
 */
async function createFileRecordsAfterChange(
  state: TurnState,
  uri: vscode.Uri,
  index: number | undefined,
  blobStore: BlobStore,
): Promise<readonly TurnRecord[]> {
  const snapshot = await takeSnapshot(uri);
  if (snapshot.kind !== 'file') return [];
  await blobStore.store(snapshot.bytes);
  const before = index === undefined ? null : (state.files[index]?.before ?? null);
  const counts = await countFileChanges(await readStoredText(before, blobStore), uri, snapshot);
  return [{ type: 'after', uri: uri.toString(), kept: snapshot.content, ...counts }];
}

async function countFileChanges(
  before: FileText | undefined,
  uri: vscode.Uri,
  { bytes, content }: FileSnapshot,
): Promise<{ added: number; removed: number }> {
  if (before === undefined) return { added: content.lines ?? 0, removed: 0 };
  const now = await decodeText(uri, bytes, content.encoding);
  return countChangedLines(before.lines, now?.lines ?? []);
}

async function readStoredText(
  fileState: FileState | null,
  blobStore: BlobStore,
): Promise<FileText | undefined> {
  const bytes = fileState === null ? undefined : await blobStore.read(fileState.kept.blob);
  if (fileState === null || bytes === undefined) return undefined;
  return decodeText(vscode.Uri.parse(fileState.uri), bytes, fileState.kept.encoding);
}

/** Returns journal records for the missing parent folders that a change will create. The innermost folder is first. */
async function createMissingFolderRecords(uri: vscode.Uri): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = [];
  for (let folder = getParent(uri); folder !== undefined; folder = getParent(folder)) {
    if ((await tryStat(folder)) !== undefined) break;
    records.push({ type: 'folder', uri: folder.toString(), existed: false });
  }
  return records;
}

function getParent(uri: vscode.Uri): vscode.Uri | undefined {
  const parentUri = vscode.Uri.joinPath(uri, '..');
  return parentUri.path === uri.path ? undefined : parentUri;
}

interface FolderContent {
  readonly files: vscode.Uri[];
  readonly folders: vscode.Uri[];
}

/**
 * Lists all files and folders in a folder and its subfolders. Does not follow links, because they can lead outside the
 * folder.
 */
async function listFolder(folder: vscode.Uri): Promise<FolderContent> {
  const content: FolderContent = { files: [], folders: [folder] };
  for (const parent of content.folders) {
    for (const [name, type] of await vscode.workspace.fs.readDirectory(parent)) {
      const uri = vscode.Uri.joinPath(parent, name);
      (type === vscode.FileType.Directory ? content.folders : content.files).push(uri);
      if (content.files.length + content.folders.length > maxFiles)
        throw createTooManyFilesError(folder);
    }
  }
  return content;
}

const createTooManyFilesError = (folder: vscode.Uri): ToolError =>
  new ToolError(
    'too-large',
    `${folder.path.split('/').at(-1)} holds more than ${maxFiles} files, so its state before the change cannot be kept for undo. It was not changed. Work on smaller parts.`,
  );
