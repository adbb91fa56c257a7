import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cache } from '../paths.ts';

/** code-server 4.N.n carries VS Code 1.N.n. */
const version = '4.139.1';

/**
 * Installs VS Code's server with the full workbench into the cache, once per version and about 20 s long.
 * It is built beside its place and renamed into it, so an interrupted install is never taken for a whole one.
 * @returns the folder that holds `out/server-main.js`.
 */
export async function installServer(): Promise<string> {
  const place = join(cache, `code-server-${version}`);
  if (!existsSync(place)) {
    console.log(`Installing VS Code 1${version.slice(1)} (server) into ${cache}…`);
    await mkdir(cache, { recursive: true });
    const temporary = await mkdtemp(join(cache, 'installing-'));
    try {
      await build(temporary);
      await rename(join(temporary, 'package'), place).catch(keepTheOther(place));
    } finally {
      await rm(temporary, { recursive: true });
    }
  }
  return join(place, 'lib', 'vscode');
}

async function build(folder: string): Promise<void> {
  const archive = `code-server-${version}.tgz`;
  run(folder, ['npm', 'pack', `code-server@${version}`, '--silent']);
  run(folder, ['tar', '-xzf', archive]);
  const server = join(folder, 'package', 'lib', 'vscode');
  // Install scripts compile native log and keyring modules that the server does without. Not `npm ci`: it
  // finds the published lock file out of step with the manifest and refuses.
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

/** Another run may have finished the same install first. */
function keepTheOther(place: string): (error: Error) => void {
  return (error) => {
    if (!existsSync(place)) throw error;
  };
}
