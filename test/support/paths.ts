import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository, without a trailing slash. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/u, '');

/** Folder for logs, screenshots and results of test runs. Git ignores the folder. */
export const artefactsFolder: string = join(root, '.artefacts');

/**
 * Folder in which Node caches compiled code (`NODE_COMPILE_CACHE`). Saves about 3 s of CPU time at each start of VS
 * Code or the local service.
 */
export const compileCacheFolder: string = join(artefactsFolder, 'compiled');

/** Folder of downloads that all clones on this machine share. */
export const cacheFolder: string = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'inference-service-vscode',
);
