import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artefactsFolder, root } from '../paths.ts';
import { ProcessTree } from '../process.ts';
import { installDesktop, writeDesktopSettings } from './desktop.ts';

export interface DesktopWindow {
  /** Path of an installed VS Code to start. If undefined, the downloaded desktop version is started. */
  readonly editorPath: string | undefined;
  readonly folder: string;
  /** Path of another extension to load. */
  readonly companionExtension?: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Opens desktop VS Code with this extension and a temporary data folder. Disposal closes VS Code and deletes this
 * folder.
 */
export async function openDesktop(window: DesktopWindow): Promise<AsyncDisposable> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'inference-service-desktop-'));
  await writeDesktopSettings(dataFolder, window.settings);
  const editorProcess = new ProcessTree({
    command: window.editorPath ?? (await installDesktop()),
    args: [
      window.folder,
      `--extensionDevelopmentPath=${root}`,
      ...(window.companionExtension === undefined
        ? []
        : [`--extensionDevelopmentPath=${window.companionExtension}`]),
      `--user-data-dir=${dataFolder}`,
      `--extensions-dir=${join(dataFolder, 'extensions')}`,
      // Without this flag, the launcher detaches the window and exits immediately.
      '--wait',
      '--new-window',
    ],
    // VS Code may open a web browser. Without the mark, the browser does not end together with the run.
    env: { ...window.env, INFERENCE_SERVICE_RUNS: undefined },
    logFile: join(artefactsFolder, 'logs', 'desktop.log'),
  });
  return {
    async [Symbol.asyncDispose]() {
      await editorProcess.stop();
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
