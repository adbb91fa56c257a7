import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from '../support/paths.ts';
import { isTest } from './imports.ts';

/**
 * Returns the text of each product source by its path. Paths are relative to the repository and use `/`. Excludes
 * tests.
 */
export function readProductSources(): Map<string, string> {
  const paths = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: root });
  const productPaths = paths
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !isTest(path));
  return new Map(productPaths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
