import * as vscode from 'vscode';
import { createPathFilter } from '../../../workspace/path-filter.ts';
import type { Tool, ToolArguments } from '../../tool.ts';
import { formatCount } from '../../../base/amounts.ts';
import { integerArgument, optionalString, stringArgument } from '../../arguments.ts';
import { FirstPaths, listFiles } from '../../../workspace/vscode/list-files.ts';
import { workspaceFolderPaths } from '../../../workspace/vscode/labels.ts';
import { type ReadTools, throwIfAborted } from './ports.ts';
import { createSearchLocation } from '../../../workspace/vscode/search-scope.ts';

export function findFilesTool(tools: ReadTools): Tool {
  return {
    name: 'find_files',
    kind: 'read',
    description:
      'Finds files by path, e.g. *.test.ts (in any folder) or src/**/*.ts. Skips ignored and hidden files.',
    parameters: {
      type: 'object',
      properties: {
        glob: { type: 'string', minLength: 1, description: 'Comma-separated.' },
        path: { type: 'string', description: 'Folder to search. Default: the workspace.' },
        max_results: { type: 'integer', minimum: 1, maximum: 1_000, description: 'Default 200.' },
      },
      required: ['glob'],
      additionalProperties: false,
    },
    async plan(args) {
      const glob = stringArgument(args, 'glob');
      const paths = searchPaths(args);
      await tools.checkedPaths.resolve(args, paths);
      createPathFilter({ include: glob });
      return {
        verb: vscode.l10n.t('Find files'),
        pastVerb: vscode.l10n.t('Found files'),
        target: glob,
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, { signal }) {
      const glob = stringArgument(args, 'glob');
      const filter = createPathFilter({ include: glob });
      const maxResults = integerArgument(args, 'max_results', {
        min: 1,
        max: 1_000,
        fallback: 200,
      });
      const matches = new FirstPaths(maxResults);
      const program = await tools.ripgrep();
      for (const folder of await tools.checkedPaths.recheck(args, searchPaths(args))) {
        const searchFolder = await createSearchLocation(folder, filter);
        const start =
          searchFolder.scope.searchPath === '' ? 0 : searchFolder.scope.searchPath.length + 1;
        await listFiles(searchFolder, {
          program,
          signal,
          onPath(path) {
            if (filter.accepts(path.slice(start))) matches.add(searchFolder.labelOf(path));
          },
        });
      }
      throwIfAborted(signal);
      return { output: formatPaths(matches, glob), target: formatRow(matches.count, glob) };
    },
  };
}

/** Returns the path in the arguments, or else all workspace folders. */
export function searchPaths(args: ToolArguments): readonly string[] {
  const path = optionalString(args, 'path');
  return path === undefined ? workspaceFolderPaths() : [path];
}

const formatRow = (files: number, glob: string): string =>
  files === 1
    ? vscode.l10n.t('1 file for {0}', glob)
    : vscode.l10n.t('{0} files for {1}', formatCount(files), glob);

function formatPaths(found: FirstPaths, glob: string): string {
  const paths = found.paths();
  if (paths.length === 0) return `No file has a path like ${glob}.`;
  const remainingCount = found.count - paths.length;
  const note = `[${remainingCount.toLocaleString('en-US')} more: use a narrower glob or a folder.]`;
  return (remainingCount > 0 ? [...paths, note] : paths).join('\n');
}
