import * as vscode from 'vscode';
import { mergeLines } from '../three-way.ts';
import type { FileSide, Kept, TurnRecord } from '../turn-record.ts';
import type { TurnState } from '../turn-state.ts';
import { blobOf, type Blobs } from './checkpoint-files.ts';
import {
  bytesOfText,
  countLines,
  type FileText,
  type Snapshot,
  snapshotOf,
  statOf,
  textOf,
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
const mostFiles = 2_000;

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
  const snapshot = await snapshotOf(uri);
  if (snapshot.kind === 'missing') return missingFolders(uri);
  if (snapshot.kind === 'file') return recordsOfFile(state, { uri, snapshot }, blobs);
  const { files, folders } = await contentOf(uri);
  const records: TurnRecord[] = folders.map((folder) => ({
    type: 'folder',
    uri: folder.toString(),
    existed: true,
  }));
  for (const file of files) {
    const inside = await snapshotOf(file);
    if (inside.kind !== 'file') continue;
    records.push(...(await recordsOfFile(state, { uri: file, snapshot: inside }, blobs)));
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
    const index = state.at(change.uri.toString());
    // Called a new file, it would be removed by an undo.
    if (index === undefined && change.type === 'edit')
      throw new Error('Nobody said it would change.');
    return recordsLeft(state, change.uri, index, blobs);
  }
  const [from, to] = [change.from.toString(), change.to.toString()];
  const records: TurnRecord[] = [{ type: 'rename', from, to }];
  for (const index of state.within(from)) {
    const place = state.files[index]?.after?.uri ?? '';
    const uri = vscode.Uri.parse(`${to}${place.slice(from.length)}`);
    records.push(...(await recordsLeft(state, uri, index, blobs)));
  }
  return records;
}

async function recordsOfFile(
  state: TurnState,
  { uri, snapshot }: { uri: vscode.Uri; snapshot: FileSnapshot },
  blobs: Blobs,
): Promise<readonly TurnRecord[]> {
  const name = uri.toString();
  const index = state.at(name);
  const file = index === undefined ? undefined : state.files[index];
  if (file?.after?.kept.blob === snapshot.kept.blob) return [];
  await blobs.keep(snapshot.bytes);
  if (file === undefined) return [{ type: 'before', uri: name, kept: snapshot.kept }];
  // Somebody typed into it since the turn changed it last: that is theirs, and stays when the turn is undone.
  const typed = await withTyped({ uri, snapshot, ...file }, blobs);
  const before: TurnRecord =
    typed === undefined ? { type: 'mixed', uri: name } : { type: 'before', uri: name, kept: typed };
  return [before, ...(await recordsLeft(state, uri, index, blobs))];
}

/** The state before the turn, with what was typed since the turn's last change; undefined when that cannot be told. */
async function withTyped(
  file: {
    readonly uri: vscode.Uri;
    readonly snapshot: FileSnapshot;
    readonly before: FileSide | null;
    readonly after: FileSide | null;
  },
  blobs: Blobs,
): Promise<Kept | undefined> {
  const [before, after, now] = await Promise.all([
    keptText(file.before, blobs),
    keptText(file.after, blobs),
    textOf(file.uri, file.snapshot.bytes, file.snapshot.kept.encoding),
  ]);
  if (before === undefined || after === undefined || now === undefined) return undefined;
  const versions = { base: after.lines, mine: now.lines, theirs: before.lines };
  const lines = mergeLines(versions, 'mine') ?? now.lines;
  const bytes = await bytesOfText(file.uri, { ...before, lines });
  await blobs.keep(bytes);
  return { ...file.snapshot.kept, blob: blobOf(bytes), lines: countLines(lines) };
}

/** @param index The file's, when the turn knows it already; where it is now may be another place than it knows. */
async function recordsLeft(
  state: TurnState,
  uri: vscode.Uri,
  index: number | undefined,
  blobs: Blobs,
): Promise<readonly TurnRecord[]> {
  const snapshot = await snapshotOf(uri);
  if (snapshot.kind !== 'file') return [];
  await blobs.keep(snapshot.bytes);
  const before = index === undefined ? null : (state.files[index]?.before ?? null);
  const counts = await lineCounts(await keptText(before, blobs), uri, snapshot);
  return [{ type: 'after', uri: uri.toString(), kept: snapshot.kept, ...counts }];
}

async function lineCounts(
  before: FileText | undefined,
  uri: vscode.Uri,
  { bytes, kept }: FileSnapshot,
): Promise<{ added: number; removed: number }> {
  if (before === undefined) return { added: kept.lines ?? 0, removed: 0 };
  const now = await textOf(uri, bytes, kept.encoding);
  const counts = { added: 0, removed: 0 };
  for (const { from, to } of diffLines(before.lines, now?.lines ?? [])) {
    counts.added += to.end - to.start;
    counts.removed += from.end - from.start;
  }
  return counts;
}

async function keptText(side: FileSide | null, blobs: Blobs): Promise<FileText | undefined> {
  const bytes = side === null ? undefined : await blobs.read(side.kept.blob);
  if (side === null || bytes === undefined) return undefined;
  return textOf(vscode.Uri.parse(side.uri), bytes, side.kept.encoding);
}

/** The folders that must be made before a file can be here. */
async function missingFolders(uri: vscode.Uri): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = [];
  for (let folder = parentOf(uri); folder !== undefined; folder = parentOf(folder)) {
    if ((await statOf(folder)) !== undefined) break;
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
async function contentOf(folder: vscode.Uri): Promise<FolderContent> {
  const content: FolderContent = { files: [], folders: [folder] };
  for (const each of content.folders) {
    for (const [name, type] of await vscode.workspace.fs.readDirectory(each)) {
      const uri = vscode.Uri.joinPath(each, name);
      (type === vscode.FileType.Directory ? content.folders : content.files).push(uri);
      if (content.files.length + content.folders.length > mostFiles) throw tooMany(folder);
    }
  }
  return content;
}

const tooMany = (folder: vscode.Uri): ToolError =>
  new ToolError(
    'too-large',
    `${folder.path.split('/').at(-1)} holds more than ${mostFiles} files, so its state before the change cannot be kept for undo. It was not changed. Work on smaller parts.`,
  );
