import { chmod, lstat, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  type CurrentFile,
  planRestore,
  type FileRestore,
  computeRestoredPermissions,
  type RestorePlan,
  type RestoreStep,
} from '../restore-plan.ts';
import { type Lines, mergeLines } from '../three-way.ts';
import type { StoredContent } from '../turn-record.ts';
import type { BlobStore } from './checkpoint-files.ts';
import { computeEditsToLines } from './document-edits.ts';
import type { PathRefusal, RestoreCheck } from './restore-check.ts';
import { decodeText, encodeLikeFile, type Snapshot, takeSnapshot, tryStat } from './snapshot.ts';
import {
  findOpenDocument,
  isUnsavedNotebook,
  needsDiskWrite,
} from '../../../workspace/vscode/documents.ts';

/** Writes bytes to a file unless it already contains them. */
export async function writeFileIfDifferent(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  const currentBytes = await vscode.workspace.fs.readFile(uri).then(undefined, () => undefined);
  if (currentBytes !== undefined && Buffer.compare(currentBytes, bytes) === 0) return;
  await vscode.workspace.fs.writeFile(uri, bytes);
}

/**
 * Recreates a symbolic link if nothing exists at its path. Does not write to the file or folder that the link leads to.
 */
export async function createLink(uri: vscode.Uri, { link }: StoredContent): Promise<void> {
  if (link === undefined || uri.scheme !== 'file') return;
  const existingStats = await lstat(uri.fsPath).catch(() => undefined);
  if (existingStats !== undefined) return;
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
  await symlink(link, uri.fsPath);
}

/**
 * Restores the executable bit of a newly created file, and limits access by other users to the recorded permissions.
 */
export async function applyMode(uri: vscode.Uri, { mode }: StoredContent): Promise<void> {
  if (mode !== undefined && uri.scheme === 'file')
    await chmod(uri.fsPath, computeRestoredPermissions(mode));
}

/**
 * Creates the folders that should exist. Removes the other folders, if they are empty.
 * @param folders Folders by URI. The value is true for a folder that should exist.
 * @returns the reasons why folders stay unchanged
 */
export async function restoreFolders(
  folders: ReadonlyMap<string, boolean>,
  check: RestoreCheck,
): Promise<readonly PathRefusal[]> {
  const refusals: PathRefusal[] = [];
  const foldersDeepestFirst = [...folders].toSorted(([a], [b]) => b.length - a.length);
  for (const [uriText, shouldExist] of foldersDeepestFirst) {
    const refusal = await check.findRefusal(uriText);
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    const uri = vscode.Uri.parse(uriText);
    if (shouldExist) {
      if ((await tryStat(uri)) === undefined) await vscode.workspace.fs.createDirectory(uri);
    } else if (await isEmptyFolder(uri)) await vscode.workspace.fs.delete(uri);
  }
  return refusals;
}

async function isEmptyFolder(uri: vscode.Uri): Promise<boolean> {
  const stat = await tryStat(uri);
  // A link to an empty folder is never removed.
  if (stat?.type !== vscode.FileType.Directory) return false;
  return (await vscode.workspace.fs.readDirectory(uri)).length === 0;
}

/**
 * Reason why a file stays unchanged: it was changed later (`changed`), its recorded content was deleted (`not-kept`),
 * or an undo must not write to its path (`PathRefusal`).
 */
export type RestoreConflict = 'changed' | 'not-kept' | PathRefusal;

export interface RestoreOutcome {
  /** Reasons why files stay unchanged, by file index. */
  readonly conflicts: ReadonlyMap<number, RestoreConflict>;
  /** State at each URI before the restore. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
}

/**
 * Changes each file to the state `to` of its restore, if possible in one workspace edit. Retains text that the user
 * wrote after the turn, and leaves unsaved documents unsaved.
 * @param earlierConflicts Reasons why files must stay unchanged, by file index.
 */
export async function restoreFiles(
  restores: readonly FileRestore[],
  {
    blobStore,
    check,
  }: { readonly blobStore: Pick<BlobStore, 'read'>; readonly check: RestoreCheck },
  earlierConflicts: ReadonlyMap<number, RestoreConflict> = new Map(),
): Promise<RestoreOutcome> {
  const initialRefusals = await check.findRefusalsByFile(restores);
  const initialConflicts = new Map([...earlierConflicts, ...initialRefusals]);
  const snapshots = await takeSnapshots(restores.filter((_, index) => !initialRefusals.has(index)));
  let feasiblePlan = await planFeasibleRestore(restores, {
    snapshots,
    blobStore,
    refusedRestores: initialConflicts,
  });
  // Links may have been created while the files were read.
  const laterRefusals = await check.findRefusalsByFile(restores);
  if (laterRefusals.size > initialRefusals.size) {
    feasiblePlan = await planFeasibleRestore(restores, {
      snapshots,
      blobStore,
      refusedRestores: new Map([...initialConflicts, ...laterRefusals]),
    });
  }
  await new PlannedEdits(feasiblePlan, snapshots).apply();
  const { plan, reasons } = feasiblePlan;
  const conflicts = plan.conflictIndexes.map(
    (index) => [index, reasons.get(index) ?? 'changed'] as const,
  );
  return { conflicts: new Map(conflicts), snapshots };
}

async function takeSnapshots(
  restores: readonly FileRestore[],
): Promise<ReadonlyMap<string, Snapshot>> {
  const uris = new Set(restores.flatMap(({ from, to }) => [from?.uri ?? [], to?.uri ?? []].flat()));
  const snapshots = new Map<string, Snapshot>();
  for (const uri of uris) {
    // Unreadable files and notebooks with unsaved changes count as folders: they are neither
    // restored nor overwritten.
    const snapshot = isUnsavedNotebook(uri)
      ? ({ kind: 'folder' } as const)
      : await takeSnapshot(vscode.Uri.parse(uri)).catch(() => ({ kind: 'folder' }) as const);
    snapshots.set(uri, snapshot);
  }
  return snapshots;
}

interface PlanInputs {
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  readonly blobStore: Pick<BlobStore, 'read'>;
  readonly refusedRestores: ReadonlyMap<number, RestoreConflict>;
}

interface FeasiblePlan {
  readonly plan: RestorePlan;
  readonly reasons: ReadonlyMap<number, RestoreConflict>;
  /** Merged text of each file that is merged in its document, by URI. */
  readonly texts: ReadonlyMap<string, Lines>;
  /** Bytes of each file that is written or is merged on disk, by URI. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/**
 * Plans the restore. Omits files whose bytes are missing or whose texts cannot be merged, and plans again until all
 * remaining files can be restored.
 */
async function planFeasibleRestore(
  restores: readonly FileRestore[],
  inputs: PlanInputs,
): Promise<FeasiblePlan> {
  const conflicts = new Map(inputs.refusedRestores);
  for (;;) {
    const plan = planRestore(
      restores,
      (uri) => toCurrentFile(inputs.snapshots.get(uri)),
      new Set(conflicts.keys()),
    );
    const texts = new Map<string, Lines>();
    const bytes = new Map<string, Uint8Array>();
    const size = conflicts.size;
    for (const step of plan.steps) {
      if (step.type !== 'write' && step.type !== 'merge') continue;
      const index = restores.findIndex(({ to }) => to?.uri === step.uri);
      if (step.type === 'write') {
        const bytesToWrite = await inputs.blobStore.read(step.kept.blob);
        if (bytesToWrite === undefined) conflicts.set(index, 'not-kept');
        else bytes.set(step.uri, bytesToWrite);
      } else {
        const source = restores[index]?.from?.uri ?? step.uri;
        const merge = await mergeText(step, source, inputs);
        if (typeof merge === 'string') conflicts.set(index, merge);
        else if ('bytes' in merge) bytes.set(step.uri, merge.bytes);
        else texts.set(step.uri, merge.lines);
      }
    }
    if (conflicts.size === size) return { plan, reasons: conflicts, texts, bytes };
  }
}

function toCurrentFile(snapshot: Snapshot | undefined): CurrentFile {
  if (snapshot === undefined || snapshot.kind === 'folder') return { blob: 'folder' };
  if (snapshot.kind === 'file') return snapshot.content;
  const { realPath } = snapshot;
  return { blob: null, ...(realPath !== undefined && { realPath }) };
}

/**
 * Merges the current text of a file at `source` with the changes of a step. Returns bytes for a notebook that must be
 * written on disk, and otherwise the lines for its document.
 */
async function mergeText(
  step: RestoreStep & { type: 'merge' },
  source: string,
  { snapshots, blobStore }: PlanInputs,
): Promise<{ readonly lines: Lines } | { readonly bytes: Uint8Array } | 'changed' | 'not-kept'> {
  const snapshot = snapshots.get(source);
  if (snapshot?.kind !== 'file') return 'changed';
  const uri = vscode.Uri.parse(step.uri);
  const [baseBytes, theirBytes] = await Promise.all([
    blobStore.read(step.base.blob),
    blobStore.read(step.theirs.blob),
  ]);
  if (baseBytes === undefined || theirBytes === undefined) return 'not-kept';
  const [base, theirs, mine] = await Promise.all([
    decodeText(uri, baseBytes, step.base.encoding),
    decodeText(uri, theirBytes, step.theirs.encoding),
    decodeText(uri, snapshot.bytes, snapshot.content.encoding),
  ]);
  if (base === undefined || theirs === undefined || mine === undefined) return 'changed';
  const versions = { base: base.lines, mine: mine.lines, theirs: theirs.lines };
  const lines = mergeLines(versions, 'refuse');
  if (lines === undefined) return 'changed';
  const sourceUri = vscode.Uri.parse(source);
  if (!needsDiskWrite(sourceUri)) return { lines };
  const bytes = await encodeLikeFile(sourceUri, snapshot.bytes, lines);
  return bytes === undefined ? 'changed' : { bytes };
}

/**
 * Applies a plan as workspace edits: first all steps, then the new texts of moved files. Then writes notebooks, and the
 * exact bytes of other files, on disk.
 */
class PlannedEdits {
  readonly #plan: FeasiblePlan;
  readonly #snapshots: ReadonlyMap<string, Snapshot>;
  /** Previous URI of each moved file, by its new URI. */
  readonly #sourceByTarget: ReadonlyMap<string, string>;
  /** URIs from which the plan moves files away. */
  readonly #vacatedUris: ReadonlySet<string>;
  readonly #dirtyUris: ReadonlySet<string>;
  /** URIs of files whose content is written on disk only. */
  readonly #diskUris: ReadonlySet<string>;

  constructor(plan: FeasiblePlan, snapshots: ReadonlyMap<string, Snapshot>) {
    this.#plan = plan;
    this.#snapshots = snapshots;
    this.#sourceByTarget = new Map(
      plan.plan.steps.flatMap((step) => (step.type === 'rename' ? [[step.to, step.from]] : [])),
    );
    this.#vacatedUris = new Set(this.#sourceByTarget.values());
    const dirtyDocuments = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
    this.#dirtyUris = new Set(dirtyDocuments.map(({ uri }) => uri.toString()));
    this.#diskUris = new Set(
      plan.plan.steps.flatMap((step) =>
        (step.type === 'write' && needsDiskWrite(vscode.Uri.parse(step.uri))) ||
        (step.type === 'merge' && plan.bytes.has(step.uri))
          ? [step.uri]
          : [],
      ),
    );
  }

  async apply(): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    let isEmpty = true;
    for (const step of this.#plan.plan.steps) {
      if (await this.#addStep(edit, step)) isEmpty = false;
    }
    // `size` counts text edits only, and VS Code reports an empty edit as rejected.
    if (!isEmpty) await applyEdit(edit);
    for (const { uri, kept } of this.#listWriteSteps())
      await createLink(vscode.Uri.parse(uri), kept);
    // The text of a moved file can be edited only at the new path.
    const movedFilesEdit = new vscode.WorkspaceEdit();
    for (const uri of this.#sourceByTarget.keys())
      await this.#addTextEdits(movedFilesEdit, vscode.Uri.parse(uri));
    if (movedFilesEdit.size > 0) await applyEdit(movedFilesEdit);
    await this.#saveFiles();
  }

  /**
   * Adds one step of the plan to the workspace edit.
   * @returns false if the step must run outside the workspace edit
   */
  async #addStep(edit: vscode.WorkspaceEdit, step: RestoreStep): Promise<boolean> {
    if (step.type === 'rename') {
      edit.renameFile(vscode.Uri.parse(step.from), vscode.Uri.parse(step.to));
      return true;
    }
    const uri = vscode.Uri.parse(step.uri);
    if (step.type === 'delete') edit.deleteFile(uri);
    else if (this.#sourceByTarget.has(step.uri)) return false;
    // The open document of a vacated URI belongs to the file that moves away.
    else if (!this.#vacatedUris.has(step.uri) && (await this.#addTextEdits(edit, uri))) return true;
    // An undo in the editor would delete the file, because it reverts a creation.
    else if (step.type === 'merge' || this.#isNewLink(step) || this.#diskUris.has(step.uri))
      return false;
    else edit.createFile(uri, { overwrite: true, contents: this.#readBytes(step.uri) });
    return true;
  }

  /**
   * Adds text edits for a file that is open in an editor or whose text was merged. Returns false if the file needs no
   * text edits. For a moved file, these edits are a separate undo step.
   */
  async #addTextEdits(edit: vscode.WorkspaceEdit, uri: vscode.Uri): Promise<boolean> {
    const name = uri.toString();
    const mergedLines = this.#plan.texts.get(name);
    const openDocument = findOpenDocument(uri.toString());
    const isWrittenOnDisk =
      openDocument === undefined || !this.#plan.bytes.has(name) || this.#diskUris.has(name);
    if (mergedLines === undefined && isWrittenOnDisk) return false;
    const document = openDocument ?? (await vscode.workspace.openTextDocument(uri));
    const lines =
      mergedLines ?? (await decodeText(uri, this.#readBytes(name), document.encoding))?.lines;
    if (lines === undefined) return false;
    edit.set(uri, computeEditsToLines(document, lines));
    return true;
  }

  /**
   * Saves the changed documents, then corrects the bytes on disk. Saving may format a document and normalize mixed line
   * endings.
   */
  async #saveFiles(): Promise<void> {
    for (const targetUri of this.#plan.texts.keys()) {
      const wasDirty = [targetUri, this.#sourceByTarget.get(targetUri) ?? ''].some((uri) =>
        this.#dirtyUris.has(uri),
      );
      if (!wasDirty) await findOpenDocument(targetUri)?.save();
    }
    const writeSteps = new Map(this.#listWriteSteps().map((step) => [step.uri, step]));
    for (const [name, bytes] of this.#plan.bytes) {
      const step = writeSteps.get(name);
      if (step !== undefined && this.#isNewLink(step)) continue;
      const uri = vscode.Uri.parse(name);
      await findOpenDocument(name)?.save();
      await writeFileIfDifferent(uri, bytes);
      if (step !== undefined && this.#isNewFile(name)) await applyMode(uri, step.kept);
    }
  }

  #listWriteSteps(): readonly (RestoreStep & { type: 'write' })[] {
    return this.#plan.plan.steps.filter((step) => step.type === 'write');
  }

  #readBytes(uri: string): Uint8Array {
    return this.#plan.bytes.get(uri) ?? new Uint8Array();
  }

  /** Checks whether the plan creates a file at a path that did not exist, or from which it moves the file away. */
  #isNewFile(uri: string): boolean {
    const isMissing = this.#vacatedUris.has(uri) || this.#snapshots.get(uri)?.kind === 'missing';
    return isMissing && !this.#sourceByTarget.has(uri);
  }

  #isNewLink({ uri, kept }: RestoreStep & { type: 'write' }): boolean {
    return kept.link !== undefined && this.#isNewFile(uri);
  }
}

async function applyEdit(edit: vscode.WorkspaceEdit): Promise<void> {
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor did not apply the changes.');
  }
}
