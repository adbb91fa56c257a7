import * as vscode from 'vscode';
import type { Tool, ToolArguments, ToolContext, ToolResult } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { textArgument } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import { FollowedEdits } from './followed-edits.ts';
import { type EditTools, isReadable, throwIfStopped } from './edits-ports.ts';

export function renameFileTool(tools: EditTools): Tool {
  return {
    name: 'rename_file',
    kind: 'edit',
    description:
      'Renames or moves a file or a folder, and makes the folders that it needs. Never overwrites. Imports in other files are updated where the language service does so; the result tells in which.',
    parameters: {
      type: 'object',
      properties: {
        from: { type: 'string', description: 'Relative to the workspace folder.' },
        to: { type: 'string', description: 'The whole new path, with the name.' },
      },
      required: ['from', 'to'],
      additionalProperties: false,
    },
    async plan(args) {
      const paths = pathsOf(args);
      const [from, to] = await tools.judged.resolve(args, paths);
      if (from === undefined || to === undefined) throw missing(paths[0]);
      if (isReadable(from) && isReadable(to)) assertMovable(from, to);
      return {
        verb: vscode.l10n.t('Rename'),
        done: vscode.l10n.t('Renamed'),
        target: `${from.label} → ${to.label}`,
        uri: to.uri.toString(),
        resources: paths.map((path) => ({ type: 'path', path, access: 'write' })),
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
    run: (args, context) => rename(tools, args, context),
  };
}

const listed = (what: string, labels: readonly string[]): string =>
  labels.length === 0 ? '' : ` ${what}: ${labels.join(', ')}.`;

const pathsOf = (args: ToolArguments): [string, string] => [
  textArgument(args, 'from'),
  textArgument(args, 'to'),
];

async function rename(
  { changes, judged, paths }: EditTools,
  args: ToolArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const [from, to] = await judged.recheck(args, pathsOf(args));
  if (from === undefined || to === undefined) throw missing(pathsOf(args)[0]);
  assertMovable(from, to);
  throwIfStopped(context.signal);
  await changes.willChange(context, from.uri);
  await changes.willChange(context, to.uri);
  await judged.recheck(args, pathsOf(args));
  throwIfStopped(context.signal);
  using followed = new FollowedEdits({ changes, paths, turn: context });
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from.uri, to.uri, { overwrite: false, ignoreIfExists: false });
  const applied = await vscode.workspace.applyEdit(edit);
  if (!applied || !(await exists(to.uri))) {
    throw new ToolError('failed', `${from.label} could not be renamed to ${to.label}.`);
  }
  await changes.didChange(context, { type: 'rename', from: from.uri, to: to.uri });
  const { saved, unsaved } = await followed.save();
  const also = listed('Also updated', saved);
  const left = listed('Changed too, but left unsaved for the person', unsaved);
  return { output: `Renamed ${from.label} to ${to.label}.${also}${left}` };
}

function assertMovable(from: ResolvedPath, to: ResolvedPath): void {
  if (from.facts.kind === 'missing') throw missing(from.label);
  if (to.uri.path.startsWith(`${from.uri.path}/`)) {
    throw new ToolError('bad-arguments', `${from.label} cannot be moved into itself.`);
  }
  if (to.facts.kind === 'missing' || isCaseOnly(from, to)) return;
  throw new ToolError('failed', `${to.label} exists already. It was not overwritten.`);
}

/** Where case does not count, a name that differs in it alone is the file's own. */
const isCaseOnly = (from: ResolvedPath, to: ResolvedPath): boolean =>
  from.uri.path !== to.uri.path &&
  from.uri.path.toLowerCase() === to.uri.path.toLowerCase() &&
  from.facts.realPath === to.facts.realPath;

const exists = (uri: vscode.Uri): Thenable<boolean> =>
  vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );

const missing = (label: string): ToolError => new ToolError('not-found', `There is no ${label}.`);
