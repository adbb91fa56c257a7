import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from '../support/paths.ts';
import { isTest } from './imports.ts';

/** Maps the path of each product source, relative to the root and with `/`, to its text. Excludes tests. */
export function productSources(): Map<string, string> {
  const paths = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: root });
  const product = paths.map((path) => path.split(sep).join('/')).filter((path) => !isTest(path));
  return new Map(product.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
