import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { downloadAndUnzipVSCode, runTests, TestRunFailedError } from '@vscode/test-electron';
import { cacheFolder } from '../paths.ts';
import type { SuiteRun } from './run-suite.ts';
import { quietSettings } from './settings.ts';

/** Returns the path of the newest stable desktop VS Code. If it is not in the cache, downloads it. */
export function installDesktop(): Promise<string> {
  return downloadAndUnzipVSCode({ version: 'stable', cachePath: join(cacheFolder, 'desktop') });
}

/**
 * Runs a suite in the extension host of desktop VS Code. Returns false if a test fails.
 * @throws Error if `options` contains an extension of a kind other than `folder`
 */
export async function runInDesktop(options: SuiteRun): Promise<boolean> {
  if (options.extension.kind !== 'folder') throw new Error('The desktop host runs a folder only.');
  const dataFolder = await mkdtemp(join(tmpdir(), 'inference-service-desktop-'));
  try {
    await writeDesktopSettings(dataFolder, options.settings ?? {});
    await runTests({
      vscodeExecutablePath: await installDesktop(),
      extensionDevelopmentPath: options.extension.path,
      extensionTestsPath: options.suite,
      extensionTestsEnv: { ...options.env },
      launchArgs: [options.folder, `--user-data-dir=${dataFolder}`, '--disable-extensions'],
    });
    return true;
  } catch (error) {
    if (error instanceof TestRunFailedError) return false;
    throw error;
  } finally {
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Writes the user settings for desktop VS Code into its data folder. */
export async function writeDesktopSettings(
  dataFolder: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const userFolder = join(dataFolder, 'User');
  await mkdir(userFolder, { recursive: true });
  await writeFile(
    join(userFolder, 'settings.json'),
    JSON.stringify({ ...quietSettings, ...settings }),
  );
}
