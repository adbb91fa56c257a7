import * as vscode from 'vscode';
import { readStringArgument } from '../../arguments.ts';
import { mergeLines, splitLines } from '../../changes/three-way.ts';
import type { ChangeRecorder, TurnRef } from '../../changes/vscode/change-recorder.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { type EditTools, isReadable, createPathNotFoundError, throwIfAborted } from './ports.ts';
import { setText } from './text-file.ts';
import { decodeLossless } from '../../../workspace/vscode/file-text.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { evaluatePathAccess } from '../../../workspace/path-rules.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { formatUriLabel } from '../../../workspace/vscode/labels.ts';
import {
  type PathResolver,
  resolveExactUri,
  type ResolvedPath,
} from '../../../workspace/vscode/paths.ts';

interface FollowUpOptions {
  readonly changes: ChangeRecorder;
  readonly paths: PathResolver;
  readonly turn: TurnRef;
}

/** Labels of the documents that other extensions changed after the tool renamed a file, grouped by result. */
interface FollowUpResult {
  readonly savedFiles: readonly string[];
  readonly unsavedFiles: readonly string[];
  /** Labels of the documents to which the edits were not applied, because the user changed the same lines meanwhile. */
  readonly conflictingFiles: readonly string[];
}

/** Observes documents that other extensions change while a tool runs, for example to update imports of a moved file. */
export class FollowUpEdits implements Disposable {
  readonly #options: FollowUpOptions;
  readonly #initiallyDirtyUris = new Set<string>();
  /**
   * Texts that documents had before other extensions changed them, by URI. Contains only documents that had no unsaved
   * changes.
   */
  readonly #originalTexts = new Map<string, string>();
  readonly #changedDocuments = new Map<string, vscode.TextDocument>();
  /**
   * Documents into which the user may have typed: those that changed several times, because an extension changes a
   * document only once per rename, and those in which the user moved the cursor with the keyboard.
   */
  readonly #typedUris = new Set<string>();
  readonly #conflictingUris = new Set<string>();
  readonly #subscription: vscode.Disposable;

  constructor(options: FollowUpOptions) {
    this.#options = options;
    for (const document of vscode.workspace.textDocuments)
      if (document.isDirty) this.#initiallyDirtyUris.add(document.uri.toString());
      else this.#storeOriginalText(document);
    this.#subscription = vscode.Disposable.from(
      vscode.workspace.onDidOpenTextDocument((document) => this.#storeOriginalText(document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        const uri = document.uri.toString();
        if (this.#changedDocuments.has(uri)) this.#typedUris.add(uri);
        this.#changedDocuments.set(uri, document);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ kind, textEditor }) => {
        if (kind === vscode.TextEditorSelectionChangeKind.Keyboard)
          this.#typedUris.add(textEditor.document.uri.toString());
      }),
    );
  }

  #storeOriginalText(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    if (!document.isDirty && !this.#originalTexts.has(uri))
      this.#originalTexts.set(uri, document.getText());
  }

  /**
   * Saves the edits that other extensions made in response to the rename. Records these edits, and those that VS Code
   * already saved automatically, as changes of the turn. Neither saves nor records text that the user typed meanwhile,
   * because undoing the turn would remove it. Skips documents that are outside the workspace, reached through symbolic
   * links, sensitive or likely secret, or that had unsaved changes before the rename.
   */
  async save(): Promise<FollowUpResult> {
    this.#subscription.dispose();
    const savedFiles: string[] = [];
    const unsavedFiles: string[] = [];
    const conflictingFiles: string[] = [];
    for (const [uri, document] of this.#changedDocuments) {
      if (document.isUntitled) continue;
      const mayContainTyping = this.#initiallyDirtyUris.has(uri) || this.#typedUris.has(uri);
      const label = mayContainTyping ? undefined : await this.#saveDocument(document);
      if (label !== undefined) savedFiles.push(label);
      else if (this.#conflictingUris.has(uri)) conflictingFiles.push(formatUriLabel(document.uri));
      else if (document.isDirty) unsavedFiles.push(formatUriLabel(document.uri));
    }
    return { savedFiles, unsavedFiles, conflictingFiles };
  }

  /**
   * Saves one document. VS Code may have closed the document after an automatic save.
   * @returns the document's label; undefined if the document was not saved
   */
  async #saveDocument({ uri }: vscode.TextDocument): Promise<string | undefined> {
    const { changes, paths, turn } = this.#options;
    const resolvedPath = await resolveExactUri(paths, uri);
    if (resolvedPath === undefined) return undefined;
    const { reasons } = evaluatePathAccess(resolvedPath.facts, 'write');
    if (reasons.some(({ code }) => code !== 'write')) return undefined;
    const document = await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
    if (document === undefined) return undefined;
    const after = document.getText();
    const before = this.#originalTexts.get(uri.toString()) ?? (await readSavedText(document));
    if (before === undefined || before === after) return undefined;
    // The recorder stores the text of the document, so the document has its original text meanwhile.
    if (!(await replaceText(document, after, before))) return undefined;
    try {
      await changes.recordBeforeChange(turn, uri);
    } finally {
      if (!(await mergeText(document, before, after))) this.#conflictingUris.add(uri.toString());
    }
    // The user typed meanwhile.
    if (document.getText() !== after) return undefined;
    await document.save();
    if ((await readSavedText(document)) !== document.getText()) return undefined;
    await changes.recordAfterChange(turn, { type: 'edit', uri });
    return resolvedPath.label;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Returns the text of the document's file; undefined if it cannot be decoded without loss. */
async function readSavedText(document: vscode.TextDocument): Promise<string | undefined> {
  const bytes = await vscode.workspace.fs.readFile(document.uri);
  return (await decodeLossless(bytes, document.encoding))?.text;
}

const maxTries = 5;

/**
 * Replaces the text of a document if the document still has the text `oldText`. Repeats a rejected edit a few times,
 * because VS Code rejects an edit if the document changed and the extension has not been notified yet. Returns false if
 * the text was not replaced.
 */
async function replaceText(
  document: vscode.TextDocument,
  oldText: string,
  newText: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < maxTries && document.getText() === oldText; attempt += 1)
    if (await setText(document, newText)) return true;
  return false;
}

/**
 * Applies the changes from `before` to `after` to a document with the text `before`. If the user typed meanwhile, keeps
 * the typed text and changes only other lines. Returns false if the user changed the same lines.
 */
async function mergeText(
  document: vscode.TextDocument,
  before: string,
  after: string,
): Promise<boolean> {
  const [base, theirs] = [splitLines(before), splitLines(after)];
  const eol = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  for (let attempt = 0; attempt < maxTries; attempt += 1) {
    const text = document.getText();
    const versions = { base, mine: splitLines(text), theirs };
    const mergedText = text === before ? after : mergeLines(versions, 'refuse')?.join(eol);
    if (mergedText === undefined) return false;
    if (await setText(document, mergedText)) return true;
  }
  return false;
}

export function createRenameFileTool(tools: EditTools): Tool {
  return {
    name: 'rename_file',
    kind: 'edit',
    description:
      'Renames or moves a file or folder and creates missing folders. Never overwrites. Language services may update imports in other files; the result lists those files.',
    parameters: {
      type: 'object',
      properties: {
        from: { type: 'string', description: 'Relative to the workspace folder.' },
        to: { type: 'string', description: 'Full new path, including the name.' },
      },
      required: ['from', 'to'],
      additionalProperties: false,
    },
    async plan(args) {
      const paths = readPaths(args);
      const [from, to] = await tools.checkedPaths.resolvePaths(args, paths);
      if (from === undefined || to === undefined) throw createPathNotFoundError(paths[0]);
      if (isReadable(from) && isReadable(to)) assertMovable(from, to);
      return {
        verb: vscode.l10n.t('Rename'),
        target: `${from.label} → ${to.label}`,
        uri: to.uri.toString(),
        resources: paths.map((path) => ({ type: 'path', path, access: 'move' })),
        preview: {
          language: 'plaintext',
          text: [
            from.label,
            `→ ${to.label}`,
            vscode.l10n.t('Imports in other files are updated where the editor offers it.'),
          ].join('\n'),
          cwd: '',
          files: [from.label, to.label],
        },
      };
    },
    run: (args, context) => runRenameFile(tools, args, context),
  };
}

const formatLabels = (heading: string, labels: readonly string[]): string =>
  labels.length === 0 ? '' : ` ${heading}: ${labels.join(', ')}.`;

const readPaths = (args: ToolArguments): [string, string] => [
  readStringArgument(args, 'from'),
  readStringArgument(args, 'to'),
];

async function runRenameFile(
  { changes, checkedPaths, paths }: EditTools,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const [from, to] = await checkedPaths.recheck(args, readPaths(args));
  if (from === undefined || to === undefined) throw createPathNotFoundError(readPaths(args)[0]);
  assertMovable(from, to);
  throwIfAborted(context.signal);
  await changes.recordBeforeChange(context, from.uri);
  await changes.recordBeforeChange(context, to.uri);
  await checkedPaths.recheck(args, readPaths(args));
  throwIfAborted(context.signal);
  using followUps = new FollowUpEdits({ changes, paths, turn: context });
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from.uri, to.uri, { overwrite: false, ignoreIfExists: false });
  const isApplied = await vscode.workspace.applyEdit(edit);
  if (!isApplied || !(await fileExists(to.uri))) {
    throw new ToolError('failed', `${from.label} could not be renamed to ${to.label}.`);
  }
  await changes.recordAfterChange(context, { type: 'rename', from: from.uri, to: to.uri });
  const { savedFiles, unsavedFiles, conflictingFiles } = await followUps.save();
  const savedNote = formatLabels('Also updated', savedFiles);
  const unsavedNote = formatLabels('Also changed, but not saved', unsavedFiles);
  const conflictNote = formatLabels('Not updated', conflictingFiles);
  return {
    output: `Renamed ${from.label} to ${to.label}.${savedNote}${unsavedNote}${conflictNote}`,
  };
}

function assertMovable(from: ResolvedPath, to: ResolvedPath): void {
  if (from.facts.kind === 'missing') throw createPathNotFoundError(from.label);
  if (to.uri.path.startsWith(`${from.uri.path}/`)) {
    throw new ToolError('bad-arguments', `${from.label} cannot be moved into itself.`);
  }
  if (to.facts.kind === 'missing' || isCaseOnlyRename(from, to)) return;
  throw new ToolError('failed', `${to.label} exists already. It was not overwritten.`);
}

/** Checks whether two paths differ only in letter case and are the same file on a case-insensitive file system. */
const isCaseOnlyRename = (from: ResolvedPath, to: ResolvedPath): boolean =>
  from.uri.path !== to.uri.path &&
  from.uri.path.toLowerCase() === to.uri.path.toLowerCase() &&
  from.facts.realPath === to.facts.realPath;

const fileExists = (uri: vscode.Uri): Thenable<boolean> =>
  vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
