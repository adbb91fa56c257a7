import * as vscode from 'vscode';
import { unifiedDiff } from '../../edit/edit-report.ts';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { textArgument } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { sameBytes } from './text-file.ts';
import { type EditTools, isReadable, textContent, throwIfStopped, toolFailed } from './ports.ts';

export function createFileTool(tools: EditTools): Tool {
  return {
    name: 'create_file',
    kind: 'edit',
    description:
      'Makes a new text file with the content given, and the folders it needs. Never overwrites: an existing file is changed with edit_file.',
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
      const path = textArgument(args, 'path');
      const content = textContent(args['content'], 'content');
      const [place] = await tools.judged.resolve(args, [path]);
      if (place !== undefined && isReadable(place)) assertFree(place);
      const label = place?.label ?? path;
      return {
        verb: vscode.l10n.t('Create'),
        done: vscode.l10n.t('Created'),
        target: label,
        ...(place && { uri: place.uri.toString() }),
        resources: [
          { type: 'path', path, access: 'write', change: { before: '', after: content } },
        ],
        preview: { language: 'diff', text: unifiedDiff('', content), cwd: '', files: [label] },
      };
    },
    run: (args, context) => create(tools, args, context),
  };
}

async function create(
  { changes, judged, versions }: EditTools,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const path = textArgument(args, 'path');
  const content = textContent(args['content'], 'content');
  const [place] = await judged.recheck(args, [path]);
  if (place === undefined) throw new ToolError('bad-arguments', 'The path leads nowhere.');
  assertFree(place);
  const { uri, label } = place;
  const text = withUsualEndings(uri, content);
  const bytes = await vscode.workspace.encode(text, { uri });
  throwIfStopped(context.signal);
  await changes.willChange(context, uri);
  await judged.recheck(args, [path]);
  throwIfStopped(context.signal);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: bytes, overwrite: false, ignoreIfExists: false });
  if (!(await vscode.workspace.applyEdit(edit))) throw toolFailed(`${label} could not be made.`);
  const made = await vscode.workspace.fs.readFile(uri);
  await changes.didChange(context, { type: 'create', uri });
  if (!sameBytes(made, bytes)) {
    throw toolFailed(`${label} was made, but holds something else now. Read it.`);
  }
  versions.saw(context.conversationId, uri, text.replaceAll(/\r\n?/gu, '\n'));
  return { output: `Created ${label}.` };
}

function assertFree({ label, facts }: ResolvedPath): void {
  if (facts.kind === 'missing') return;
  throw toolFailed(
    facts.kind === 'directory'
      ? `${label} is a folder.`
      : `${label} exists already. Change it with edit_file; it was not overwritten.`,
  );
}

/** Where the person's settings name a line ending for new files, it is used. */
function withUsualEndings(uri: vscode.Uri, content: string): string {
  const ending = vscode.workspace.getConfiguration('files', uri).get<string>('eol');
  if (ending !== '\r\n' || content.includes('\r')) return content;
  return content.replaceAll('\n', '\r\n');
}
