import * as vscode from 'vscode';
import { createUnifiedDiff } from '../../edit/edit-report.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { stringArgument } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { sameBytes } from './text-file.ts';
import {
  type EditTools,
  isReadable,
  fileContentArgument,
  throwIfAborted,
  toolFailed,
} from './ports.ts';

export function createFileTool(tools: EditTools): Tool {
  return {
    name: 'create_file',
    kind: 'edit',
    description:
      'Creates a text file and its missing folders. Never overwrites: change an existing file with edit_file.',
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
      const path = stringArgument(args, 'path');
      const content = fileContentArgument(args['content'], 'content');
      const [resolved] = await tools.checkedPaths.resolve(args, [path]);
      if (resolved !== undefined && isReadable(resolved)) assertMissing(resolved);
      const label = resolved?.label ?? path;
      return {
        verb: vscode.l10n.t('Create'),
        pastVerb: vscode.l10n.t('Created'),
        target: label,
        ...(resolved && { uri: resolved.uri.toString() }),
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
    run: (args, context) => create(tools, args, context),
  };
}

async function create(
  { changes, checkedPaths, versions }: EditTools,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const path = stringArgument(args, 'path');
  const content = fileContentArgument(args['content'], 'content');
  const [resolved] = await checkedPaths.recheck(args, [path]);
  if (resolved === undefined) throw new ToolError('bad-arguments', 'The path leads nowhere.');
  assertMissing(resolved);
  const { uri, label } = resolved;
  const text = withConfiguredEol(uri, content);
  const bytes = await vscode.workspace.encode(text, { uri });
  throwIfAborted(context.signal);
  await changes.willChange(context, uri);
  await checkedPaths.recheck(args, [path]);
  throwIfAborted(context.signal);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: bytes, overwrite: false, ignoreIfExists: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw toolFailed(`${label} could not be made.`);
  const written = await vscode.workspace.fs.readFile(uri);
  await changes.didChange(context, { type: 'create', uri });
  if (!sameBytes(written, bytes)) {
    throw toolFailed(`${label} was created and its text changed. Read it.`);
  }
  versions.recordText(context.conversationId, uri, text.replaceAll(/\r\n?/gu, '\n'));
  return { output: `Created ${label}.` };
}

function assertMissing({ label, facts }: ResolvedPath): void {
  if (facts.kind === 'missing') return;
  throw toolFailed(
    facts.kind === 'directory'
      ? `${label} is a folder.`
      : `${label} exists already. Change it with edit_file; it was not overwritten.`,
  );
}

/**
 * Replaces the line endings of the content by those that the user's settings configure for new
 * files.
 */
function withConfiguredEol(uri: vscode.Uri, content: string): string {
  const eol = vscode.workspace.getConfiguration('files', uri).get<string>('eol');
  if (eol !== '\r\n' || content.includes('\r')) return content;
  return content.replaceAll('\n', '\r\n');
}
