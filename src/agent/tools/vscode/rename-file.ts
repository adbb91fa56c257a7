import * as vscode from 'vscode';
import { readStringArgument } from '../../arguments.ts';
import type { ChangeRecorder, TurnRef } from '../../changes/vscode/change-recorder.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { type EditTools, isReadable, createPathNotFoundError, throwIfAborted } from './ports.ts';
import { decodeLossless, setText } from './text-file.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { judgePath } from '../../../workspace/path-rules.ts';
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

/** Labels of the documents that other extensions changed after the tool renamed a file. */
interface FollowUpResult {
  readonly savedFiles: readonly string[];
  readonly unsavedFiles: readonly string[];
}

/** Observes documents that other extensions change while a tool runs, for example to update imports of a moved file. */
export class FollowUpEdits implements Disposable {
  readonly #options: FollowUpOptions;
  readonly #dirtyBefore = new Map<string, string>();
  readonly #changedDocuments = new Map<string, vscode.TextDocument>();
  readonly #subscription: vscode.Disposable;

  constructor(options: FollowUpOptions) {
    this.#options = options;
    for (const document of vscode.workspace.textDocuments) {
      if (document.isDirty) this.#dirtyBefore.set(document.uri.toString(), document.getText());
    }
    this.#subscription = vscode.workspace.onDidChangeTextDocument(
      ({ document, contentChanges }) => {
        const uri = document.uri.toString();
        if (contentChanges.length > 0) this.#changedDocuments.set(uri, document);
      },
    );
  }

  /**
   * Saves the edits that other extensions made in response to the rename, as part of the turn. Before saving a
   * document, writes its original text to disk so that the change recorder stores that text. Skips documents that are
   * outside the workspace, reached through symbolic links, sensitive or likely secret, or that had unsaved changes
   * before the rename.
   */
  async save(): Promise<FollowUpResult> {
    this.#subscription.dispose();
    const result = { savedFiles: [] as string[], unsavedFiles: [] as string[] };
    for (const [uri, document] of this.#changedDocuments) {
      if (document.isClosed || document.isUntitled || !document.isDirty) continue;
      const label = this.#dirtyBefore.has(uri) ? undefined : await this.#saveDocument(document);
      if (label !== undefined) result.savedFiles.push(label);
      else if (document.isDirty) result.unsavedFiles.push(formatUriLabel(document.uri));
    }
    return result;
  }

  /**
   * Saves one document.
   * @returns the document's label; undefined if the document was not saved
   */
  async #saveDocument(document: vscode.TextDocument): Promise<string | undefined> {
    const { changes, paths, turn } = this.#options;
    const { uri } = document;
    const resolved = await resolveExactUri(paths, uri);
    if (resolved === undefined) return undefined;
    const { reasons } = judgePath(resolved.facts, 'write');
    if (reasons.some(({ code }) => code !== 'write')) return undefined;
    const after = document.getText();
    const bytes = await vscode.workspace.fs.readFile(uri);
    const before = await decodeLossless(bytes, document.encoding);
    if (before === undefined || before.text === after) return undefined;
    if (!(await setText(document, before.text))) return undefined;
    await changes.willChange(turn, uri);
    await setText(document, after);
    if (!(await document.save())) return undefined;
    await changes.didChange(turn, { type: 'edit', uri });
    return resolved.label;
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
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
      const [from, to] = await tools.checkedPaths.resolve(args, paths);
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
  await changes.willChange(context, from.uri);
  await changes.willChange(context, to.uri);
  await checkedPaths.recheck(args, readPaths(args));
  throwIfAborted(context.signal);
  using followUps = new FollowUpEdits({ changes, paths, turn: context });
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from.uri, to.uri, { overwrite: false, ignoreIfExists: false });
  const isApplied = await vscode.workspace.applyEdit(edit);
  if (!isApplied || !(await fileExists(to.uri))) {
    throw new ToolError('failed', `${from.label} could not be renamed to ${to.label}.`);
  }
  await changes.didChange(context, { type: 'rename', from: from.uri, to: to.uri });
  const { savedFiles, unsavedFiles } = await followUps.save();
  const savedNote = formatLabels('Also updated', savedFiles);
  const unsavedNote = formatLabels('Also changed, but not saved', unsavedFiles);
  return { output: `Renamed ${from.label} to ${to.label}.${savedNote}${unsavedNote}` };
}

function assertMovable(from: ResolvedPath, to: ResolvedPath): void {
  if (from.facts.kind === 'missing') throw createPathNotFoundError(from.label);
  if (to.uri.path.startsWith(`${from.uri.path}/`)) {
    throw new ToolError('bad-arguments', `${from.label} cannot be moved into itself.`);
  }
  if (to.facts.kind === 'missing' || isCaseOnly(from, to)) return;
  throw new ToolError('failed', `${to.label} exists already. It was not overwritten.`);
}

/** Checks whether two paths differ only in letter case and are the same file on a case-insensitive file system. */
const isCaseOnly = (from: ResolvedPath, to: ResolvedPath): boolean =>
  from.uri.path !== to.uri.path &&
  from.uri.path.toLowerCase() === to.uri.path.toLowerCase() &&
  from.facts.realPath === to.facts.realPath;

const fileExists = (uri: vscode.Uri): Thenable<boolean> =>
  vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
