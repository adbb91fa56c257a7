import { chmod, lstat, symlink } from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  type Found,
  planRestore,
  type Restore,
  restoredMode,
  type RestorePlan,
  type Step,
} from '../restore-plan.ts';
import { type Lines, mergeLines } from '../three-way.ts';
import type { Kept } from '../turn-record.ts';
import type { Blobs } from './checkpoint-files.ts';
import { editsTo } from './document-edits.ts';
import type { PlaceRefusal, RestorePlaces } from './restore-check.ts';
import { type Snapshot, snapshotOf, statOf, textOf } from './snapshot.ts';
import { openDocument } from '../../../workspace/vscode/documents.ts';

/** Makes the file hold exactly these bytes; does not touch one that does. */
export async function writeExactly(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  const now = await vscode.workspace.fs.readFile(uri).then(undefined, () => undefined);
  if (now !== undefined && Buffer.compare(now, bytes) === 0) return;
  await vscode.workspace.fs.writeFile(uri, bytes);
}

/** Makes a symbolic link where there was one and now is nothing. What it points to is not touched. */
export async function putLink(uri: vscode.Uri, { link }: Kept): Promise<void> {
  if (link === undefined || uri.scheme !== 'file') return;
  const there = await lstat(uri.fsPath).catch(() => undefined);
  if (there !== undefined) return;
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(uri, '..'));
  await symlink(link, uri.fsPath);
}

/** Lets a file that was made anew be run if it could be, and keeps it private if it was. */
export async function putMode(uri: vscode.Uri, { mode }: Kept): Promise<void> {
  if (mode !== undefined && uri.scheme === 'file') await chmod(uri.fsPath, restoredMode(mode));
}

/**
 * Makes folders that shall be there, and removes those that shall not when they are empty.
 * @param folders By URI, whether each shall be there.
 * @returns those that stay as they are for where they are.
 */
export async function putFolders(
  folders: ReadonlyMap<string, boolean>,
  places: RestorePlaces,
): Promise<readonly PlaceRefusal[]> {
  const refusals: PlaceRefusal[] = [];
  const deepestFirst = [...folders].toSorted(([a], [b]) => b.length - a.length);
  for (const [name, shallBe] of deepestFirst) {
    const refusal = await places.refusalOf(name);
    if (refusal !== undefined) {
      refusals.push(refusal);
      continue;
    }
    const uri = vscode.Uri.parse(name);
    if (shallBe) {
      if ((await statOf(uri)) === undefined) await vscode.workspace.fs.createDirectory(uri);
    } else if (await isEmptyFolder(uri)) await vscode.workspace.fs.delete(uri);
  }
  return refusals;
}

async function isEmptyFolder(uri: vscode.Uri): Promise<boolean> {
  const stat = await statOf(uri);
  // A link to an empty folder is not a folder of ours.
  if (stat?.type !== vscode.FileType.Directory) return false;
  return (await vscode.workspace.fs.readDirectory(uri)).length === 0;
}

/** Why a file stays as it is: somebody changed it since, what it was is gone, or its place is none to write to. */
export type Conflict = 'changed' | 'not-kept' | PlaceRefusal;

export interface RestoreOutcome {
  /** The files that stayed as they were, by their positions. */
  readonly conflicts: ReadonlyMap<number, Conflict>;
  /** What was at each place before; keyed by URI. */
  readonly was: ReadonlyMap<string, Snapshot>;
}

/**
 * Brings files to their other state, as one edit of the workspace where that is possible. Text that somebody wrote
 * since stays; what had unsaved changes stays unsaved.
 * @param refused Files that must stay as they are.
 */
export async function restoreFiles(
  restores: readonly Restore[],
  { blobs, places }: { readonly blobs: Pick<Blobs, 'read'>; readonly places: RestorePlaces },
  refused: ReadonlyMap<number, Conflict> = new Map(),
): Promise<RestoreOutcome> {
  const outside = await places.refusedOf(restores);
  const first = new Map([...refused, ...outside]);
  const was = await lookAt(restores.filter((_, index) => !outside.has(index)));
  let feasible = await feasiblePlan(restores, { was, blobs, refused: first });
  // Links may have been made while the files were read.
  const since = await places.refusedOf(restores);
  if (since.size > outside.size) {
    feasible = await feasiblePlan(restores, { was, blobs, refused: new Map([...first, ...since]) });
  }
  await new PlannedEdits(feasible, was).apply();
  const { plan, reasons } = feasible;
  const conflicts = plan.conflicts.map(
    (index) => [index, reasons.get(index) ?? 'changed'] as const,
  );
  return { conflicts: new Map(conflicts), was };
}

async function lookAt(restores: readonly Restore[]): Promise<ReadonlyMap<string, Snapshot>> {
  const uris = new Set(restores.flatMap(({ from, to }) => [from?.uri ?? [], to?.uri ?? []].flat()));
  const found = new Map<string, Snapshot>();
  for (const uri of uris) {
    // What cannot be looked at is nothing that could be put back, or overwritten.
    const snapshot = await snapshotOf(vscode.Uri.parse(uri)).catch(
      () => ({ kind: 'folder' }) as const,
    );
    found.set(uri, snapshot);
  }
  return found;
}

interface Inputs {
  readonly was: ReadonlyMap<string, Snapshot>;
  readonly blobs: Pick<Blobs, 'read'>;
  readonly refused: ReadonlyMap<number, Conflict>;
}

interface Feasible {
  readonly plan: RestorePlan;
  readonly reasons: ReadonlyMap<number, Conflict>;
  /** Merged texts, by URI. */
  readonly texts: ReadonlyMap<string, Lines>;
  /** To be written, by URI. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

/** Plans again without the files whose bytes are gone or whose texts do not merge, until all others can be done. */
async function feasiblePlan(restores: readonly Restore[], inputs: Inputs): Promise<Feasible> {
  const refused = new Map(inputs.refused);
  for (;;) {
    const plan = planRestore(
      restores,
      (uri) => factsOf(inputs.was.get(uri)),
      new Set(refused.keys()),
    );
    const texts = new Map<string, Lines>();
    const bytes = new Map<string, Uint8Array>();
    const size = refused.size;
    for (const step of plan.steps) {
      if (step.type !== 'write' && step.type !== 'merge') continue;
      const index = restores.findIndex(({ to }) => to?.uri === step.uri);
      if (step.type === 'write') {
        const kept = await inputs.blobs.read(step.kept.blob);
        if (kept === undefined) refused.set(index, 'not-kept');
        else bytes.set(step.uri, kept);
      } else {
        const now = inputs.was.get(restores[index]?.from?.uri ?? step.uri);
        const merged = await mergedText(step, now, inputs.blobs);
        if (typeof merged === 'string') refused.set(index, merged);
        else texts.set(step.uri, merged);
      }
    }
    if (refused.size === size) return { plan, reasons: refused, texts, bytes };
  }
}

function factsOf(snapshot: Snapshot | undefined): Found {
  if (snapshot === undefined || snapshot.kind === 'folder') return { blob: 'folder' };
  if (snapshot.kind === 'file') return snapshot.kept;
  const { realPath } = snapshot;
  return { blob: null, ...(realPath !== undefined && { realPath }) };
}

async function mergedText(
  step: Step & { type: 'merge' },
  now: Snapshot | undefined,
  blobs: Pick<Blobs, 'read'>,
): Promise<Lines | 'changed' | 'not-kept'> {
  if (now?.kind !== 'file') return 'changed';
  const uri = vscode.Uri.parse(step.uri);
  const [baseBytes, theirBytes] = await Promise.all([
    blobs.read(step.base.blob),
    blobs.read(step.theirs.blob),
  ]);
  if (baseBytes === undefined || theirBytes === undefined) return 'not-kept';
  const [base, theirs, mine] = await Promise.all([
    textOf(uri, baseBytes, step.base.encoding),
    textOf(uri, theirBytes, step.theirs.encoding),
    textOf(uri, now.bytes, now.kept.encoding),
  ]);
  if (base === undefined || theirs === undefined || mine === undefined) return 'changed';
  const versions = { base: base.lines, mine: mine.lines, theirs: theirs.lines };
  return mergeLines(versions, 'refuse') ?? 'changed';
}

/** The plan as edits: files first, then the texts of those that had to move before. */
class PlannedEdits {
  readonly #plan: Feasible;
  readonly #was: ReadonlyMap<string, Snapshot>;
  /** Where each file comes from that moves, by where it goes. */
  readonly #moved: ReadonlyMap<string, string>;
  readonly #unsaved: ReadonlySet<string>;

  constructor(plan: Feasible, was: ReadonlyMap<string, Snapshot>) {
    this.#plan = plan;
    this.#was = was;
    this.#moved = new Map(
      plan.plan.steps.flatMap((step) => (step.type === 'rename' ? [[step.to, step.from]] : [])),
    );
    const dirty = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
    this.#unsaved = new Set(dirty.map(({ uri }) => uri.toString()));
  }

  async apply(): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    let isEmpty = true;
    for (const step of this.#plan.plan.steps) {
      if (await this.#add(edit, step)) isEmpty = false;
    }
    // `size` counts texts only, and an empty edit counts as refused.
    if (!isEmpty) await applyEdit(edit);
    for (const { uri, kept } of this.#writes()) await putLink(vscode.Uri.parse(uri), kept);
    // Only a file that is where it belongs can be edited there.
    const later = new vscode.WorkspaceEdit();
    for (const uri of this.#moved.keys()) await this.#addText(later, vscode.Uri.parse(uri));
    if (later.size > 0) await applyEdit(later);
    await this.#save();
  }

  /** @returns whether the step belongs into this edit. */
  async #add(edit: vscode.WorkspaceEdit, step: Step): Promise<boolean> {
    if (step.type === 'rename') {
      edit.renameFile(vscode.Uri.parse(step.from), vscode.Uri.parse(step.to));
      return true;
    }
    const uri = vscode.Uri.parse(step.uri);
    if (step.type === 'delete') edit.deleteFile(uri);
    else if (this.#moved.has(step.uri)) return false;
    else if (await this.#addText(edit, uri)) return true;
    else if (step.type === 'merge' || this.#isNewLink(step)) return false;
    else edit.createFile(uri, { overwrite: true, contents: this.#bytes(step.uri) });
    return true;
  }

  /** As edits of text where an editor has the file or the text must be merged: its undo then has one more step. */
  async #addText(edit: vscode.WorkspaceEdit, uri: vscode.Uri): Promise<boolean> {
    const name = uri.toString();
    const merged = this.#plan.texts.get(name);
    const open = openDocument(uri.toString());
    if (merged === undefined && (open === undefined || !this.#plan.bytes.has(name))) return false;
    const document = open ?? (await vscode.workspace.openTextDocument(uri));
    const lines = merged ?? (await textOf(uri, this.#bytes(name), document.encoding))?.lines;
    if (lines === undefined) return false;
    edit.set(uri, editsTo(document, lines));
    return true;
  }

  /** Makes sure of the bytes on disk, too: saving may format, and mends mixed line ends. */
  async #save(): Promise<void> {
    for (const name of this.#plan.texts.keys()) {
      const wasUnsaved = [name, this.#moved.get(name) ?? ''].some((each) =>
        this.#unsaved.has(each),
      );
      if (!wasUnsaved) await openDocument(name)?.save();
    }
    for (const step of this.#writes().filter((each) => !this.#isNewLink(each))) {
      const uri = vscode.Uri.parse(step.uri);
      await openDocument(uri.toString())?.save();
      await writeExactly(uri, this.#bytes(step.uri));
      if (this.#isNew(step.uri)) await putMode(uri, step.kept);
    }
  }

  #writes(): readonly (Step & { type: 'write' })[] {
    return this.#plan.plan.steps.filter((step) => step.type === 'write');
  }

  #bytes(uri: string): Uint8Array {
    return this.#plan.bytes.get(uri) ?? new Uint8Array();
  }

  #isNew(uri: string): boolean {
    return this.#was.get(uri)?.kind === 'missing' && !this.#moved.has(uri);
  }

  #isNewLink({ uri, kept }: Step & { type: 'write' }): boolean {
    return kept.link !== undefined && this.#isNew(uri);
  }
}

async function applyEdit(edit: vscode.WorkspaceEdit): Promise<void> {
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error('The editor did not apply the changes.');
  }
}
