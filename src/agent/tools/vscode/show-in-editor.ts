import * as vscode from 'vscode';
import type { Tool, ToolArguments } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { readIntegerArgument, readOptionalString, readStringArgument } from '../../arguments.ts';
import type { ResolvedPath } from '../../../workspace/vscode/paths.ts';
import type { ReadTools } from './ports.ts';
import { findOpenDocument } from '../../../workspace/vscode/documents.ts';

/** Options that show a file in the editor without moving the focus, so that the user can continue typing elsewhere. */
const showOptions = { preview: true, preserveFocus: true } as const;

export function createOpenFileTool(tools: ReadTools): Tool {
  return {
    name: 'open_file',
    summary: 'shows a file to the user',
    kind: 'editor',
    description:
      'Opens a file in an editor for the user. Does not return its content: use read_file for that.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        line: { type: 'integer', minimum: 1, description: 'Line to show, from 1.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async plan(args) {
      const path = readStringArgument(args, 'path');
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, [path]);
      return {
        verb: vscode.l10n.t('Open'),
        target: resolvedPath?.label ?? path,
        ...(resolvedPath && { uri: resolvedPath.uri.toString() }),
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args) {
      const [resolvedPath] = await tools.checkedPaths.recheck(args, [
        readStringArgument(args, 'path'),
      ]);
      const { uri, label } = requireFile(resolvedPath);
      const line = readLineArgument(args);
      const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
      await vscode.commands.executeCommand('vscode.open', uri, { ...showOptions, ...selection });
      return { output: `${label} is shown.` };
    },
  };
}

export function createShowDiffTool(tools: ReadTools): Tool {
  return {
    name: 'show_diff',
    summary: 'shows changes of one or two files to the user',
    kind: 'editor',
    description:
      'Opens a diff editor for the user: of two files, or of one file with its state before this turn, else with its saved or committed state.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the workspace folder.' },
        other_path: {
          type: 'string',
          description: 'File to compare with, shown on the right.',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async plan(args) {
      const paths = readDiffPaths(args);
      const resolvedPaths = await tools.checkedPaths.resolvePaths(args, paths);
      return {
        verb: vscode.l10n.t('Compare'),
        target: resolvedPaths.map(({ label }) => label).join(' ↔ '),
        ...(resolvedPaths[0] && { uri: resolvedPaths[0].uri.toString() }),
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, context) {
      const resolvedPaths = await tools.checkedPaths.recheck(args, readDiffPaths(args));
      const [left, right] = [
        requireFile(resolvedPaths[0]),
        resolvedPaths[1] && requireFile(resolvedPaths[1]),
      ];
      if (right !== undefined) {
        await showComparison(left.uri, right.uri, `${left.label} ↔ ${right.label}`);
        return { output: 'The comparison is shown.' };
      }
      const previousUri = await tools.getOldUri?.(left.uri, context);
      if (previousUri !== undefined) await showComparison(previousUri, left.uri, left.label);
      else await showFileChanges(left);
      return { output: `The changes of ${left.label} are shown.` };
    },
  };
}

function readDiffPaths(args: ToolArguments): readonly string[] {
  const otherPath = readOptionalString(args, 'other_path');
  return [readStringArgument(args, 'path'), ...(otherPath === undefined ? [] : [otherPath])];
}

async function showComparison(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.diff', left, right, title, showOptions);
}

/** Shows the unsaved changes of a file. If there are none, shows the changes since the last commit. */
async function showFileChanges({ uri, label }: ResolvedPath): Promise<void> {
  const document = findOpenDocument(uri.toString());
  const command =
    document?.isDirty === true ? 'workbench.files.action.compareWithSaved' : 'git.openChange';
  try {
    await vscode.commands.executeCommand(command, uri);
  } catch {
    throw new ToolError('failed', `No changes of ${label} are known. Give other_path.`);
  }
}

function readLineArgument(args: ToolArguments): number | undefined {
  const limits = { min: 1, max: 100_000_000, fallback: undefined };
  const line = readIntegerArgument(args, 'line', limits);
  return line === undefined ? undefined : line - 1;
}

function requireFile(resolvedPath: ResolvedPath | undefined): ResolvedPath {
  if (resolvedPath?.facts.kind === 'file') return resolvedPath;
  throw new ToolError('not-found', `There is no file ${resolvedPath?.label ?? 'there'}.`);
}
