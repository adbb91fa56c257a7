import * as vscode from 'vscode';
import { createPathFilter } from '../../../workspace/path-filter.ts';
import type { Tool, ToolArguments } from '../../tool.ts';
import { formatCount } from '../../../base/amounts.ts';
import { readIntegerArgument, readOptionalString, readStringArgument } from '../../arguments.ts';
import { FirstPaths, listFiles } from '../../../workspace/vscode/list-files.ts';
import { listWorkspaceFolderPaths, pluralize } from '../../../workspace/vscode/labels.ts';
import { type ReadTools, throwIfAborted } from './ports.ts';
import {
  createSearchLocation,
  readHiddenGlobs,
  type SearchLocation,
} from '../../../workspace/vscode/search-scope.ts';
import { isIgnored, collectScope } from '../../../workspace/ignore-rules.ts';
import { ToolError } from '../../../workspace/tool-error.ts';
import { createExclusionFilter } from '../../../workspace/vscode/scan.ts';
import { readOrFail } from './large-file.ts';

export function createFindFilesTool(tools: ReadTools): Tool {
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
        max_results: { type: 'integer', minimum: 1, maximum: 1_000 },
      },
      required: ['glob'],
      additionalProperties: false,
    },
    async plan(args) {
      const glob = readStringArgument(args, 'glob');
      const paths = getSearchPaths(args);
      await tools.checkedPaths.resolvePaths(args, paths);
      createPathFilter({ include: glob });
      return {
        verb: vscode.l10n.t('Find files'),
        target: glob,
        resources: paths.map((path) => ({ type: 'path', path, access: 'read' })),
      };
    },
    async run(args, { signal }) {
      const glob = readStringArgument(args, 'glob');
      const filter = createPathFilter({ include: glob });
      const maxResults = readIntegerArgument(args, 'max_results', {
        min: 1,
        max: 1_000,
        fallback: 200,
      });
      const firstPaths = new FirstPaths(maxResults);
      const ripgrepPath = await tools.getRipgrepPath();
      for (const folder of await tools.checkedPaths.recheck(args, getSearchPaths(args))) {
        const searchFolder = await createSearchLocation(folder, filter);
        const start =
          searchFolder.scope.searchPath === '' ? 0 : searchFolder.scope.searchPath.length + 1;
        await listFiles(searchFolder, {
          program: ripgrepPath,
          signal,
          onPath(path) {
            if (filter.accepts(path.slice(start))) firstPaths.add(searchFolder.formatLabel(path));
          },
        });
      }
      throwIfAborted(signal);
      return {
        output: formatPaths(firstPaths, glob),
        target: formatRowTarget(firstPaths.count, glob),
      };
    },
  };
}

/**
 * Returns the paths to search: the path in the arguments, or all workspace folders if the arguments contain no path.
 */
export function getSearchPaths(args: ToolArguments): readonly string[] {
  const path = readOptionalString(args, 'path');
  return path === undefined ? listWorkspaceFolderPaths() : [path];
}

const formatRowTarget = (fileCount: number, glob: string): string =>
  `${glob} (${formatCount(fileCount)})`;

function formatPaths(foundPaths: FirstPaths, glob: string): string {
  const paths = foundPaths.listPaths();
  if (paths.length === 0) return `No file has a path like ${glob}.`;
  const remainingCount = foundPaths.count - paths.length;
  const note = `[${remainingCount.toLocaleString('en-US')} more: use a narrower glob or a folder.]`;
  return (remainingCount > 0 ? [...paths, note] : paths).join('\n');
}

const maxEntries = 500;

export function createListDirectoryTool(tools: ReadTools): Tool {
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
      const path = readOptionalString(args, 'path') ?? '.';
      const [resolvedPath] = await tools.checkedPaths.resolvePaths(args, [path]);
      return {
        verb: vscode.l10n.t('List'),
        target: resolvedPath?.label ?? path,
        resources: [{ type: 'path', path, access: 'read' }],
      };
    },
    async run(args) {
      const [resolvedPath] = await tools.checkedPaths.recheck(args, [
        readOptionalString(args, 'path') ?? '.',
      ]);
      if (resolvedPath === undefined || resolvedPath.facts.kind === 'missing')
        throw new ToolError('not-found', 'There is no such folder. Look for it with find_files.');
      if (resolvedPath.facts.kind === 'file')
        throw new ToolError('bad-arguments', `${resolvedPath.label} is a file: use read_file.`);
      const folder = await createSearchLocation(resolvedPath, {
        excludeGlobs: [],
        nameGlobs: undefined,
      });
      return { output: await listEntries(folder, resolvedPath.uri) };
    },
  };
}

async function listEntries(folder: SearchLocation, uri: vscode.Uri): Promise<string> {
  const { scope, source, root } = folder;
  const entries = await readOrFail(folder.label, vscode.workspace.fs.readDirectory(uri));
  const ignoreScope = scope.usesIgnoreFiles
    ? await collectScope(source, scope.searchPath, true)
    : undefined;
  const isHidden = createExclusionFilter({ ...scope, hiddenGlobs: readHiddenGlobs('files', root) });
  const visibleEntries = entries.filter(([name, type]) => {
    const path = scope.searchPath === '' ? name : `${scope.searchPath}/${name}`;
    return !isHidden(path) && !isIgnored(ignoreScope, path, type === vscode.FileType.Directory);
  });
  const names = visibleEntries.map(formatEntry).toSorted(compareFoldersFirst);
  const remainingCount = names.length - maxEntries;
  const hiddenCount = entries.length - visibleEntries.length;
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

function formatEntry([name, type]: readonly [string, vscode.FileType]): string {
  const displayName = (type & vscode.FileType.Directory) !== 0 ? `${name}/` : name;
  return (type & vscode.FileType.SymbolicLink) !== 0 ? `${displayName} (a link)` : displayName;
}

function compareFoldersFirst(a: string, b: string): number {
  const [isFirstFolder, isSecondFolder] = [a, b].map((name) => /\/(?: \(a link\))?$/u.test(name));
  if (isFirstFolder !== isSecondFolder) return isFirstFolder === true ? -1 : 1;
  return a < b ? -1 : 1;
}
