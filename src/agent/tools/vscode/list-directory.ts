import * as vscode from 'vscode';
import { isIgnored, scopeOf } from '../../../workspace/ignore-rules.ts';
import type { Tool } from '../../tool.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { optionalText } from '../../arguments.ts';
import { hiddenBy } from '../../../workspace/vscode/scan.ts';
import { count } from '../../../workspace/vscode/labels.ts';
import { readable } from './large-file.ts';
import type { ReadTools } from './ports.ts';
import {
  hiddenGlobs,
  searchPlace,
  type SearchPlace,
} from '../../../workspace/vscode/search-scope.ts';

const mostEntries = 500;

export function listDirectoryTool(tools: ReadTools): Tool {
  return {
    name: 'list_directory',
    kind: 'read',
    description:
      'Lists the names in one folder: folders first, with a slash at the end. Leaves out what .gitignore and the settings hide. To find files in all folders, use find_files.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Default: the workspace folder.' },
      },
      additionalProperties: false,
    },
    async plan(args) {
      const path = optionalText(args, 'path') ?? '.';
      const [place] = await tools.judged.resolve(args, [path]);
      return {
        verb: vscode.l10n.t('List'),
        done: vscode.l10n.t('Listed'),
        target: place?.label ?? path,
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args) {
      const [resolved] = await tools.judged.recheck(args, [optionalText(args, 'path') ?? '.']);
      if (resolved === undefined || resolved.facts.kind === 'missing')
        throw new ToolError('not-found', 'There is no such folder. Look for it with find_files.');
      if (resolved.facts.kind === 'file')
        throw new ToolError('bad-arguments', `${resolved.label} is a file: use read_file.`);
      const place = await searchPlace(resolved, { excludes: [], names: undefined });
      return { output: await list(place, resolved.uri) };
    },
  };
}

async function list(place: SearchPlace, uri: vscode.Uri): Promise<string> {
  const { scope, source, root } = place;
  const entries = await readable(place.label, vscode.workspace.fs.readDirectory(uri));
  const ignored = scope.useIgnoreFiles ? await scopeOf(source, scope.under, true) : undefined;
  const isHidden = hiddenBy({ ...scope, hidden: hiddenGlobs('files', root) });
  const shown = entries.filter(([name, type]) => {
    const path = scope.under === '' ? name : `${scope.under}/${name}`;
    return !isHidden(path) && !isIgnored(ignored, path, type === vscode.FileType.Directory);
  });
  const names = shown.map(entryLabel).toSorted(foldersFirst);
  const more = names.length - mostEntries;
  const left = entries.length - shown.length;
  return [
    ...(names.length === 0 ? ['[The folder is empty.]'] : names.slice(0, mostEntries)),
    ...(more > 0 ? [`[${more.toLocaleString('en-US')} more: use find_files.]`] : []),
    ...(left > 0
      ? [`[${count(left, 'hidden or ignored entry', 'hidden or ignored entries')}]`]
      : []),
  ].join('\n');
}

function entryLabel([name, type]: readonly [string, vscode.FileType]): string {
  const folder = (type & vscode.FileType.Directory) !== 0 ? `${name}/` : name;
  return (type & vscode.FileType.SymbolicLink) !== 0 ? `${folder} (a link)` : folder;
}

function foldersFirst(a: string, b: string): number {
  const [first, second] = [a, b].map((name) => /\/(?: \(a link\))?$/u.test(name));
  if (first !== second) return first === true ? -1 : 1;
  return a < b ? -1 : 1;
}
