import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cache } from '../paths.ts';

/** Version of code-server to install. Version 4.N.n contains VS Code 1.N.n. */
const version = '4.139.1';

/**
 * Installs the VS Code server and its workbench into the cache, unless this version is installed. Takes about 20 s.
 * Renames the folder at the end, so that an interrupted installation is never used.
 * @returns the path of the folder that contains `out/server-main.js`
 */
export async function installServer(): Promise<string> {
  const folder = join(cache, `code-server-${version}`);
  if (!existsSync(folder)) {
    console.log(`Installing VS Code 1${version.slice(1)} (server) into ${cache}…`);
    await mkdir(cache, { recursive: true });
    const temporary = await mkdtemp(join(cache, 'installing-'));
    try {
      await build(temporary);
      await rename(join(temporary, 'package'), folder).catch(ignoreIfInstalled(folder));
    } finally {
      await rm(temporary, { recursive: true });
    }
  }
  return join(folder, 'lib', 'vscode');
}

async function build(folder: string): Promise<void> {
  const archive = `code-server-${version}.tgz`;
  run(folder, ['npm', 'pack', `code-server@${version}`, '--silent']);
  run(folder, ['tar', '-xzf', archive]);
  const server = join(folder, 'package', 'lib', 'vscode');
  // Skips install scripts, because they compile native modules that the server does not need. `npm ci` would fail,
  // because the published lock file does not match the manifest.
  const install = [
    'npm',
    'install',
    '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--loglevel=error',
  ];
  run(server, install);
  run(join(server, 'extensions'), install);
}

function run(cwd: string, [command = '', ...args]: readonly string[]): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Returns an error handler. The handler ignores the error if another process has installed the server meanwhile, and
 * otherwise throws it.
 */
function ignoreIfInstalled(folder: string): (error: Error) => void {
  return (error) => {
    if (!existsSync(folder)) throw error;
  };
}
