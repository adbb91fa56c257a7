import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder, without a trailing slash. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/u, '');

/** Folder for logs, screenshots and results of runs. Ignored by git. */
export const artefacts: string = join(root, '.artefacts');

/** Compiled code for `NODE_COMPILE_CACHE`: saves each start of VS Code and of the local service about 3 s of CPU time. */
export const compileCache: string = join(artefacts, 'compiled');

/** Downloads shared by all clones on this machine. */
export const cache: string = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'inference-service-vscode',
);
