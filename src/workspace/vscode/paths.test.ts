import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test, vi } from 'vitest';
import * as vscode from 'vscode';
import { fc } from '../../../test/support/property.ts';
import { WorkspacePaths } from './paths.ts';

vi.mock('vscode', () => import('../../../test/support/disk-vscode.ts'));

const root = realpathSync(mkdtempSync(join(tmpdir(), 'inference-service-paths-')));
for (const folder of ['a/apps/web', 'a/src', 'b/apps/web', 'b/src'])
  mkdirSync(join(root, folder), { recursive: true });
afterAll(() => rmSync(root, { recursive: true }));

const createPaths = (...names: readonly string[]): WorkspacePaths =>
  new WorkspacePaths({
    folders: () =>
      names.map((name, index) => ({
        uri: vscode.Uri.file(join(root, index === 0 ? 'a' : 'b')),
        name,
        index,
      })),
    isTrusted: () => true,
    forbiddenFolders: [],
  });

// A `.code-workspace` file can give a folder any name.
const folderName = fc.oneof(
  fc.constantFrom('b', 'apps/web', 'src', '.', '..', '../a', '/', 'apps\\web', 'c:', 'file:', ''),
  fc.string(),
);

test('the label of a path leads to the same path, whatever the names of the folders are', async () => {
  await fc.assert(
    fc.asyncProperty(folderName, folderName, async (firstName, secondName) => {
      const paths = createPaths(firstName, secondName);
      for (const path of ['a', 'a/src', 'b', 'b/src', 'b/apps/web', 'b/src/missing.ts']) {
        const { label, uri } = await paths.resolvePath(join(root, path));
        expect((await paths.resolvePath(label)).uri.path).toBe(uri.path);
      }
    }),
  );
});

test('a folder with a plain name is named in labels', async () => {
  const { label } = await createPaths('a', 'web app').resolvePath(join(root, 'b/src'));
  expect(label).toBe('web app/src');
});
