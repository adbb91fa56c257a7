import * as vscode from 'vscode';
import { mergeLines } from '../three-way.ts';
import type { FileState, StoredContent, TurnRecord } from '../turn-record.ts';
import type { TurnState } from '../turn-state.ts';
import { blobHash, type Blobs } from './checkpoint-files.ts';
import {
  encodeText,
  countLines,
  type FileText,
  type Snapshot,
  takeSnapshot,
  tryStat,
  decodeText,
} from './snapshot.ts';
import { diffLines } from '../../../base/line-diff.ts';
import { ToolError } from '../../../workspace/tool-error.ts';

/** The turn that changes files: its conversation, and the person's message that began it. */
export interface TurnRef {
  readonly conversationId: string;
  readonly turnId: string;
}

export type FileChange =
  | { readonly type: 'edit' | 'create' | 'delete'; readonly uri: vscode.Uri }
  | { readonly type: 'rename'; readonly from: vscode.Uri; readonly to: vscode.Uri };

/** Told of every change that a tool makes, so that a turn can be reviewed and undone. */
export interface ChangeRecorder {
  /**
   * Keeps the file as it is (or that it does not exist) unless this turn already did.
   * @throws Error when it cannot be kept: then the change must not happen.
   */
  willChange(turn: TurnRef, uri: vscode.Uri): Promise<void>;
  /** The change is made and saved. */
  didChange(turn: TurnRef, change: FileChange): Promise<void>;
}

/** A change of more files at once is refused: it is more than anybody could look through. */
const maxFiles = 2_000;

type FileSnapshot = Snapshot & { kind: 'file' };

/**
 * What to write down before a file or a folder changes; the bytes are kept already.
 * @throws ToolError `too-large`; what the file system or the disk says.
 */
export async function recordsBefore(
  state: TurnState,
  uri: vscode.Uri,
  blobs: Blobs,
): Promise<readonly TurnRecord[]> {
  const snapshot = await takeSnapshot(uri);
  if (snapshot.kind === 'missing') return missingFolders(uri);
  if (snapshot.kind === 'file') return recordsBeforeFile(state, { uri, snapshot }, blobs);
  const { files, folders } = await listFolder(uri);
  const records: TurnRecord[] = folders.map((folder) => ({
    type: 'folder',
    uri: folder.toString(),
    existed: true,
  }));
  for (const file of files) {
    const snapshot = await takeSnapshot(file);
    if (snapshot.kind !== 'file') continue;
    records.push(...(await recordsBeforeFile(state, { uri: file, snapshot }, blobs)));
  }
  return records;
}

/** What to write down after it changed. */
export async function recordsAfter(
  state: TurnState,
  change: FileChange,
  blobs: Blobs,
): Promise<readonly TurnRecord[]> {
  if (change.type === 'delete') return [{ type: 'delete', uri: change.uri.toString() }];
  if (change.type !== 'rename') {
    const index = state.indexAt(change.uri.toString());
    // Called a new file, it would be removed by an undo.
    if (index === undefined && change.type === 'edit')
      throw new Error('Nobody said it would change.');
    return recordsAfterFile(state, change.uri, index, blobs);
  }
  const [from, to] = [change.from.toString(), change.to.toString()];
  const records: TurnRecord[] = [{ type: 'rename', from, to }];
  for (const index of state.indexesWithin(from)) {
    const oldUri = state.files[index]?.after?.uri ?? '';
    const uri = vscode.Uri.parse(`${to}${oldUri.slice(from.length)}`);
    records.push(...(await recordsAfterFile(state, uri, index, blobs)));
  }
  return records;
}

async function recordsBeforeFile(
  state: TurnState,
  { uri, snapshot }: { uri: vscode.Uri; snapshot: FileSnapshot },
  blobs: Blobs,
): Promise<readonly TurnRecord[]> {
  const name = uri.toString();
  const index = state.indexAt(name);
  const file = index === undefined ? undefined : state.files[index];
  if (file?.after?.kept.blob === snapshot.content.blob) return [];
  await blobs.store(snapshot.bytes);
  if (file === undefined) return [{ type: 'before', uri: name, kept: snapshot.content }];
  // Somebody typed into it since the turn changed it last: that is theirs, and stays when the turn is undone.
  const merged = await mergeTyping({ uri, snapshot, ...file }, blobs);
  const before: TurnRecord =
    merged === undefined
      ? { type: 'mixed', uri: name }
      : { type: 'before', uri: name, kept: merged };
  return [before, ...(await recordsAfterFile(state, uri, index, blobs))];
}

/** The state before the turn, with what was typed since the turn's last change; undefined when that cannot be told. */
async function mergeTyping(
  file: {
    readonly uri: vscode.Uri;
    readonly snapshot: FileSnapshot;
    readonly before: FileState | null;
    readonly after: FileState | null;
  },
  blobs: Blobs,
): Promise<StoredContent | undefined> {
  const [before, after, now] = await Promise.all([
    readStoredText(file.before, blobs),
    readStoredText(file.after, blobs),
    decodeText(file.uri, file.snapshot.bytes, file.snapshot.content.encoding),
  ]);
  if (before === undefined || after === undefined || now === undefined) return undefined;
  const versions = { base: after.lines, mine: now.lines, theirs: before.lines };
  const lines = mergeLines(versions, 'mine') ?? now.lines;
  const bytes = await encodeText(file.uri, { ...before, lines });
  await blobs.store(bytes);
  return { ...file.snapshot.content, blob: blobHash(bytes), lines: countLines(lines) };
}

/** @param index The file's, when the turn knows it already; where it is now may be another place than it knows. */
async function recordsAfterFile(
  state: TurnState,
  uri: vscode.Uri,
  index: number | undefined,
  blobs: Blobs,
): Promise<readonly TurnRecord[]> {
  const snapshot = await takeSnapshot(uri);
  if (snapshot.kind !== 'file') return [];
  await blobs.store(snapshot.bytes);
  const before = index === undefined ? null : (state.files[index]?.before ?? null);
  const counts = await countFileChanges(await readStoredText(before, blobs), uri, snapshot);
  return [{ type: 'after', uri: uri.toString(), kept: snapshot.content, ...counts }];
}

async function countFileChanges(
  before: FileText | undefined,
  uri: vscode.Uri,
  { bytes, content }: FileSnapshot,
): Promise<{ added: number; removed: number }> {
  if (before === undefined) return { added: content.lines ?? 0, removed: 0 };
  const now = await decodeText(uri, bytes, content.encoding);
  const counts = { added: 0, removed: 0 };
  for (const { from, to } of diffLines(before.lines, now?.lines ?? [])) {
    counts.added += to.end - to.start;
    counts.removed += from.end - from.start;
  }
  return counts;
}

async function readStoredText(side: FileState | null, blobs: Blobs): Promise<FileText | undefined> {
  const bytes = side === null ? undefined : await blobs.read(side.kept.blob);
  if (side === null || bytes === undefined) return undefined;
  return decodeText(vscode.Uri.parse(side.uri), bytes, side.kept.encoding);
}

/** The folders that must be made before a file can be here. */
async function missingFolders(uri: vscode.Uri): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = [];
  for (let folder = parentOf(uri); folder !== undefined; folder = parentOf(folder)) {
    if ((await tryStat(folder)) !== undefined) break;
    records.push({ type: 'folder', uri: folder.toString(), existed: false });
  }
  return records;
}

function parentOf(uri: vscode.Uri): vscode.Uri | undefined {
  const parent = vscode.Uri.joinPath(uri, '..');
  return parent.path === uri.path ? undefined : parent;
}

interface FolderContent {
  readonly files: vscode.Uri[];
  readonly folders: vscode.Uri[];
}

/** Links are not followed: what they lead to is somewhere else. */
async function listFolder(folder: vscode.Uri): Promise<FolderContent> {
  const content: FolderContent = { files: [], folders: [folder] };
  for (const parent of content.folders) {
    for (const [name, type] of await vscode.workspace.fs.readDirectory(parent)) {
      const uri = vscode.Uri.joinPath(parent, name);
      (type === vscode.FileType.Directory ? content.folders : content.files).push(uri);
      if (content.files.length + content.folders.length > maxFiles) throw tooManyFiles(folder);
    }
  }
  return content;
}

const tooManyFiles = (folder: vscode.Uri): ToolError =>
  new ToolError(
    'too-large',
    `${folder.path.split('/').at(-1)} holds more than ${maxFiles} files, so its state before the change cannot be kept for undo. It was not changed. Work on smaller parts.`,
  );
