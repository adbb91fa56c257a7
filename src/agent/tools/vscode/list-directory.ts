import * as vscode from 'vscode';
import { isIgnored, collectScope } from '../../../workspace/ignore-rules.ts';
import type { Tool } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { optionalString } from '../../arguments.ts';
import { createExclusionFilter } from '../../../workspace/vscode/scan.ts';
import { pluralize } from '../../../workspace/vscode/labels.ts';
import { readOrFail } from './large-file.ts';
import type { ReadTools } from './ports.ts';
import {
  hiddenGlobs,
  createSearchLocation,
  type SearchLocation,
} from '../../../workspace/vscode/search-scope.ts';

const maxEntries = 500;

export function listDirectoryTool(tools: ReadTools): Tool {
  return {
    name: 'list_directory',
    kind: 'read',
    description:
      'Lists one folder: subfolders first, with a slash. Skips ignored and hidden entries.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Default: the workspace folder.' },
      },
      additionalProperties: false,
    },
    async plan(args) {
      const path = optionalString(args, 'path') ?? '.';
      const [resolved] = await tools.checkedPaths.resolve(args, [path]);
      return {
        verb: vscode.l10n.t('List'),
        pastVerb: vscode.l10n.t('Listed'),
        target: resolved?.label ?? path,
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args) {
      const [resolved] = await tools.checkedPaths.recheck(args, [
        optionalString(args, 'path') ?? '.',
      ]);
      if (resolved === undefined || resolved.facts.kind === 'missing')
        throw new ToolError('not-found', 'There is no such folder. Look for it with find_files.');
      if (resolved.facts.kind === 'file')
        throw new ToolError('bad-arguments', `${resolved.label} is a file: use read_file.`);
      const folder = await createSearchLocation(resolved, { excludes: [], names: undefined });
      return { output: await listEntries(folder, resolved.uri) };
    },
  };
}

async function listEntries(folder: SearchLocation, uri: vscode.Uri): Promise<string> {
  const { scope, source, root } = folder;
  const entries = await readOrFail(folder.label, vscode.workspace.fs.readDirectory(uri));
  const ignored = scope.useIgnoreFiles
    ? await collectScope(source, scope.searchPath, true)
    : undefined;
  const isHidden = createExclusionFilter({ ...scope, hiddenGlobs: hiddenGlobs('files', root) });
  const visible = entries.filter(([name, type]) => {
    const path = scope.searchPath === '' ? name : `${scope.searchPath}/${name}`;
    return !isHidden(path) && !isIgnored(ignored, path, type === vscode.FileType.Directory);
  });
  const names = visible.map(entryLabel).toSorted(compareFoldersFirst);
  const remainingCount = names.length - maxEntries;
  const hiddenCount = entries.length - visible.length;
  return [
    ...(names.length === 0 ? ['[The folder is empty.]'] : names.slice(0, maxEntries)),
    ...(remainingCount > 0
      ? [`[${remainingCount.toLocaleString('en-US')} more: use find_files.]`]
      : []),
    ...(hiddenCount > 0
      ? [`[${pluralize(hiddenCount, 'hidden or ignored entry', 'hidden or ignored entries')}]`]
      : []),
  ].join('\n');
}

function entryLabel([name, type]: readonly [string, vscode.FileType]): string {
  const folder = (type & vscode.FileType.Directory) !== 0 ? `${name}/` : name;
  return (type & vscode.FileType.SymbolicLink) !== 0 ? `${folder} (a link)` : folder;
}

function compareFoldersFirst(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => /\/(?: \(a link\))?$/u.test(name));
  if (first !== second) return first === true ? -1 : 1;
  return a < b ? -1 : 1;
}
