import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WorkspacePaths } from './paths.ts';
import { createSearchLocation } from './search-scope.ts';
import { ReadableUris, TextSearch } from './text-search.ts';
import { createPathFilter } from '../path-filter.ts';

vi.mock('vscode', async () => ({
  ...(await import('../../../test/support/disk-vscode.ts')),
  workspace: {
    textDocuments: [],
    getWorkspaceFolder: () => undefined,
    getConfiguration: () => ({ get: (_: string, value: unknown) => value }),
  },
}));

const fileNames = ['a.txt', 'src/b.txt', '.config/c.txt', 'src/.tool/d.txt', '.env', '.git/e.txt'];

let parent: string;
let outsideFolder: string;

beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'text-search-')));
  outsideFolder = join(parent, 'outside');
  for (const name of fileNames) {
    mkdirSync(join(outsideFolder, name, '..'), { recursive: true });
    writeFileSync(join(outsideFolder, name), 'needle\n');
  }
  mkdirSync(join(parent, 'app'));
  symlinkSync(outsideFolder, join(parent, 'app/link'));
});

afterEach(() => rmSync(parent, { recursive: true }));

const createPaths = (): WorkspacePaths =>
  new WorkspacePaths({
    folders: () => [{ uri: vscode.Uri.file(join(parent, 'app')), name: 'app', index: 0 }],
    isTrusted: () => true,
    forbiddenFolders: [],
  });

/** Lists the files in which a search of the folder finds text, as paths relative to the folder. */
async function searchText(folder: string): Promise<readonly string[]> {
  const paths = createPaths();
  const resolvedPath = await paths.resolvePath(folder);
  const filter = createPathFilter({ include: '' });
  const foundPaths: string[] = [];
  const textSearch = new TextSearch({
    target: await createSearchLocation(resolvedPath, filter),
    query: {
      text: 'needle',
      isRegex: false,
      isCaseSensitive: true,
      contextLineCount: 0,
      maxMatches: 100,
    },
    filter,
    result: { addLine: (label) => foundPaths.push(label.slice(resolvedPath.label.length + 1)) > 0 },
    readableUris: new ReadableUris(paths, resolvedPath),
  });
  await textSearch.run(undefined, AbortSignal.timeout(10_000));
  return foundPaths.toSorted();
}

test('TextSearch finds no text in settings files and secret files when it searches a folder outside the workspace', async () => {
  expect(await searchText(outsideFolder)).toEqual(['a.txt', 'src/b.txt']);
  expect(await searchText('link')).toEqual(['a.txt', 'src/b.txt']);
  // A call for a folder with settings requires approval each time.
  expect(await searchText(join(outsideFolder, '.config'))).toEqual(['c.txt']);
});

test('ReadableUris excludes settings files, secret files and Git files in an allowed folder outside the workspace', async () => {
  const paths = createPaths();
  const listReadableFiles = async (folder: string): Promise<readonly string[]> => {
    const uris = new ReadableUris(paths, await paths.resolvePath(join(outsideFolder, folder)));
    const readableFlags = await Promise.all(
      fileNames.map((name) => uris.isReadable(vscode.Uri.file(join(outsideFolder, name)))),
    );
    return fileNames.filter((_, index) => readableFlags[index]);
  };
  expect(await listReadableFiles('.')).toEqual(['a.txt', 'src/b.txt']);
  expect(await listReadableFiles('.config')).toEqual(['.config/c.txt']);
});
