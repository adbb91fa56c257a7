import * as vscode from 'vscode';
import { readBooleanArgument, readStringArgument } from '../../arguments.ts';
import type { Tool, ToolArguments, ToolContext, ToolPlan, ToolResult } from '../../tool.ts';
import {
  type EditTools,
  isReadable,
  isRefusedPath,
  createPathNotFoundError,
  throwIfAborted,
  createToolFailedError,
} from './ports.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';

/** Maximum number of files in a list of deleted files. */
export const maxListedFiles = 2_000;

/** Lists up to {@link maxListedFiles} files in a folder and its subfolders by relative path. Skips links. */
export async function listFolderFiles(folder: vscode.Uri): Promise<string[]> {
  const foundPaths: string[] = [];
  const pendingPaths = [''];
  for (
    let folderPath = pendingPaths.pop();
    folderPath !== undefined;
    folderPath = pendingPaths.pop()
  ) {
    const entries = await vscode.workspace.fs.readDirectory(
      vscode.Uri.joinPath(folder, folderPath),
    );
    for (const [name, type] of entries) {
      if (foundPaths.length === maxListedFiles) return foundPaths;
      const path = folderPath === '' ? name : `${folderPath}/${name}`;
      if (type === vscode.FileType.Directory) pendingPaths.push(path);
      else foundPaths.push(path);
    }
  }
  return foundPaths.toSorted();
}

export function createDeleteFileTool(tools: EditTools): Tool {
  const deletion = new FileDeletion(tools);
  return {
    name: 'delete_file',
    kind: 'edit',
    description:
      'Deletes a file, or a folder with its content if recursive is true. Uses the trash if available.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        recursive: { type: 'boolean', description: 'Required for a folder. Default false.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    plan: (args) => deletion.plan(args),
    run: (args, context) => deletion.run(args, context),
  };
}

class FileDeletion {
  readonly #tools: EditTools;
  /** Arguments of the calls whose preview announces a permanent deletion. Only these calls may delete permanently. */
  readonly #permanentCalls = new WeakSet<ToolArguments>();
  /** Scheme and authority of each file system on which moving a file to the trash failed. */
  readonly #fileSystemsWithoutTrash = new Set<string>();

  constructor(tools: EditTools) {
    this.#tools = tools;
  }

  async plan(args: ToolArguments): Promise<ToolPlan> {
    const path = readStringArgument(args, 'path');
    const [resolvedPath] = await this.#tools.checkedPaths.resolvePaths(args, [path]);
    if (resolvedPath === undefined) throw createPathNotFoundError(path);
    if (isReadable(resolvedPath)) assertDeletable(resolvedPath, args);
    const isPermanent = !this.#hasTrash(resolvedPath.uri);
    if (isPermanent) this.#permanentCalls.add(args);
    return {
      verb: vscode.l10n.t('Delete'),
      target: resolvedPath.label,
      resources: [{ type: 'path', path, access: 'delete' }],
      preview: {
        language: 'plaintext',
        text: await createDeletionPreview(resolvedPath, isPermanent),
        cwd: '',
        files: [resolvedPath.label],
      },
    };
  }

  async run(args: ToolArguments, context: ToolContext): Promise<ToolResult> {
    const { changes, checkedPaths } = this.#tools;
    const path = readStringArgument(args, 'path');
    const [resolvedPath] = await checkedPaths.recheck(args, [path]);
    if (resolvedPath === undefined) throw createPathNotFoundError(path);
    assertDeletable(resolvedPath, args);
    assertDocumentsSaved(resolvedPath);
    throwIfAborted(context.signal);
    await changes.recordBeforeChange(context, resolvedPath.uri);
    await checkedPaths.recheck(args, [path]);
    throwIfAborted(context.signal);
    await this.#deleteFile(resolvedPath, this.#permanentCalls.has(args));
    await changes.recordAfterChange(context, { type: 'delete', uri: resolvedPath.uri });
    return { output: `Deleted ${resolvedPath.label}.` };
  }

  async #deleteFile({ uri, label, facts }: ResolvedPath, isPermanent: boolean): Promise<void> {
    const recursive = facts.kind === 'directory';
    try {
      await vscode.workspace.fs.delete(uri, { recursive, useTrash: !isPermanent });
    } catch {
      if (isPermanent) throw createToolFailedError(`${label} could not be deleted.`);
      this.#fileSystemsWithoutTrash.add(getFileSystemKey(uri));
      throw createToolFailedError(
        `${label} could not be moved to the trash and was not deleted. Call again to ask the user for a permanent deletion.`,
      );
    }
  }

  /** Checks whether the file system has a trash. Remote and virtual file systems have none. */
  #hasTrash(uri: vscode.Uri): boolean {
    const isLocal = uri.scheme === 'file' && vscode.env.remoteName === undefined;
    return isLocal && !this.#fileSystemsWithoutTrash.has(getFileSystemKey(uri));
  }
}

const getFileSystemKey = ({ scheme, authority }: vscode.Uri): string => `${scheme}://${authority}`;

async function createDeletionPreview(
  resolvedPath: ResolvedPath,
  isPermanent: boolean,
): Promise<string> {
  const heading = isPermanent
    ? vscode.l10n.t('Deletes permanently (no trash on this system):')
    : vscode.l10n.t('Moves to the trash:');
  const isFolder = resolvedPath.facts.kind === 'directory' && !isRefusedPath(resolvedPath);
  const filePaths = isFolder ? await listFolderFiles(resolvedPath.uri).catch(() => undefined) : [];
  if (filePaths === undefined)
    return [heading, resolvedPath.label, vscode.l10n.t('What is in it cannot be listed.')].join(
      '\n',
    );
  const lines = filePaths.map((path) => `${resolvedPath.label}/${path}`);
  if (filePaths.length === maxListedFiles) lines.push(vscode.l10n.t('… and more'));
  return [heading, resolvedPath.label, ...lines].join('\n');
}

function assertDeletable({ label, facts }: ResolvedPath, args: ToolArguments): void {
  if (facts.kind === 'missing') throw createPathNotFoundError(label);
  if (facts.kind === 'directory' && !readBooleanArgument(args, 'recursive')) {
    throw new ToolError('bad-arguments', `${label} is a folder. Set "recursive" to delete it.`);
  }
}

/**
 * Rejects the deletion of unsaved changes, because the trash would not contain them.
 * @throws ToolError if a document to delete has unsaved changes
 */
function assertDocumentsSaved({ uri, label }: ResolvedPath): void {
  const target = uri.toString();
  const unsavedDocument = vscode.workspace.textDocuments.find((document) => {
    const documentUri = document.uri.toString();
    return document.isDirty && (documentUri === target || documentUri.startsWith(`${target}/`));
  });
  if (unsavedDocument === undefined) return;
  throw createToolFailedError(
    `${label} has changes in an editor that are not saved. It was not deleted.`,
  );
}
