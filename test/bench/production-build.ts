import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/paths.ts';

/**
 * Creates a production build of the extension in `dist` below `folder`, for suites that load this folder as an
 * extension.
 */
export function buildForProduction(folder = root): void {
  const script = join(root, 'esbuild.mjs');
  execFileSync(process.execPath, [script, '--production'], { cwd: folder, stdio: 'inherit' });
}

/** Production build in a temporary folder. Disposal deletes the folder. */
export interface ProductionBuild extends AsyncDisposable {
  readonly dist: string;
}

/**
 * Creates a production build in a temporary folder. Other programs can use the repository's `dist` folder at the same
 * time.
 */
export async function buildInTemporaryFolder(): Promise<ProductionBuild> {
  const folder = await mkdtemp(join(tmpdir(), 'inference-service-build-'));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    // The paths in the build script are relative to the working directory.
    for (const name of ['src', 'webview', 'node_modules'])
      await symlink(join(root, name), join(folder, name), 'junction');
    await cp(join(root, 'package.json'), join(folder, 'package.json'));
    buildForProduction(folder);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { dist: join(folder, 'dist'), [Symbol.asyncDispose]: dispose };
}
