import * as vscode from 'vscode';
import type { TurnRef } from '../../changes/vscode/change-recorder.ts';
import { createUnifiedDiff } from '../../edit/edit-report.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { readStringArgument } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { haveSameBytes } from '../../../workspace/vscode/file-text.ts';
import { EditProblems } from './edit-problems.ts';
import {
  type EditTools,
  isReadable,
  readFileContentArgument,
  throwIfAborted,
  createToolFailedError,
} from './ports.ts';

export function createCreateFileTool(tools: EditTools): Tool {
  return {
    name: 'create_file',
    kind: 'edit',
    description:
      'Creates a text file and its missing folders. Never overwrites: change an existing file with edit_file. Write every line in full.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        content: { type: 'string', description: 'The whole text of the file.' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    async plan(args) {
      const path = readStringArgument(args, 'path');
      const content = readFileContentArgument(args['content'], 'content');
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, [path]);
      if (resolvedPath !== undefined && isReadable(resolvedPath)) assertFileMissing(resolvedPath);
      const label = resolvedPath?.label ?? path;
      const { assertNoElision, getTextFormat } = await import('../../edit/new-text-elision.ts');
      assertNoElision(content, getTextFormat(path), `${label} was not created.`);
      return {
        verb: vscode.l10n.t('Create'),
        target: label,
        ...(resolvedPath && { uri: resolvedPath.uri.toString() }),
        resources: [
          { type: 'path', path, access: 'write', change: { before: '', after: content } },
        ],
        preview: {
          language: 'diff',
          text: createUnifiedDiff('', content),
          cwd: '',
          files: [label],
        },
      };
    },
    run: (args, context) => runCreateFile(tools, args, context),
  };
}

async function runCreateFile(
  { changes, checkedPaths, clock, versions }: EditTools,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const path = readStringArgument(args, 'path');
  const content = readFileContentArgument(args['content'], 'content');
  const [resolvedPath] = await checkedPaths.recheck(args, [path]);
  if (resolvedPath === undefined) throw new ToolError('bad-arguments', 'The path leads nowhere.');
  assertFileMissing(resolvedPath);
  const { uri, label } = resolvedPath;
  throwIfAborted(context.signal);
  using problems = new EditProblems(uri, { clock, signal: context.signal });
  const recheck = async (): Promise<void> => {
    await checkedPaths.recheck(args, [path]);
    throwIfAborted(context.signal);
  };
  const text = await createTextFile({ changes, recheck }, context, {
    resolved: resolvedPath,
    content,
  });
  versions.recordText(context.conversationId, uri, text.replaceAll(/\r\n?/gu, '\n'));
  if (!isReadable(resolvedPath)) return { output: `Created ${label}.` };
  // Language services check only open files.
  await vscode.workspace.openTextDocument(uri).then(undefined, () => undefined);
  const problemText = await problems.describeNewProblems(label, '');
  return { output: problemText === '' ? `Created ${label}.` : `Created ${label}.\n${problemText}` };
}

/**
 * Creates a file and its missing folders.
 * @returns the text of the created file, with the line endings that the user's settings select
 */
export async function createTextFile(
  { changes, recheck }: Pick<EditTools, 'changes'> & { readonly recheck: () => Promise<void> },
  turn: TurnRef,
  {
    resolved: resolvedPath,
    content,
  }: { readonly resolved: ResolvedPath; readonly content: string },
): Promise<string> {
  const { uri, label } = resolvedPath;
  const text = convertToConfiguredEol(uri, content);
  const bytes = await vscode.workspace.encode(text, { uri });
  await changes.recordBeforeChange(turn, uri);
  await recheck();
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: bytes, overwrite: false, ignoreIfExists: false });
  if (!(await vscode.workspace.applyEdit(edit)))
    throw createToolFailedError(`${label} could not be made.`);
  const writtenBytes = await vscode.workspace.fs.readFile(uri);
  await changes.recordAfterChange(turn, { type: 'create', uri });
  if (!haveSameBytes(writtenBytes, bytes)) {
    throw createToolFailedError(`${label} was created and its text changed. Read it.`);
  }
  return text;
}

function assertFileMissing({ label, facts }: ResolvedPath): void {
  if (facts.kind === 'missing') return;
  throw createToolFailedError(
    facts.kind === 'directory'
      ? `${label} is a folder.`
      : `${label} exists already. Change it with edit_file; it was not overwritten.`,
  );
}

/** Returns the content with the line endings that the user's settings select for new files. */
function convertToConfiguredEol(uri: vscode.Uri, content: string): string {
  const eol = vscode.workspace.getConfiguration('files', uri).get<string>('eol');
  if (eol !== '\r\n' || content.includes('\r')) return content;
  return content.replaceAll('\n', '\r\n');
}
