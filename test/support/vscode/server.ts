import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { artefactsFolder } from '../paths.ts';
import { ProcessTree } from '../process.ts';
import { timeLimits } from '../time-limits.ts';
import { type Edition, installServer } from './server-install.ts';
import { quietSettings } from './settings.ts';

/** Extension to test: a development folder, a linked folder, or a packaged VSIX file. */
export type ExtensionUnderTest =
  | { readonly kind: 'folder'; readonly path: string }
  /** Folder to link into the extensions folder, so that VS Code loads it as an installed extension. */
  | { readonly kind: 'link'; readonly path: string }
  | { readonly kind: 'package'; readonly file: string };

export interface ServerOptions {
  readonly extension: ExtensionUnderTest;
  /** Name of the log file. */
  readonly name: string;
  /** Version of VS Code to start. Default: the newest. */
  readonly edition?: Edition | undefined;
  /** Paths of folders that contain other extensions to install. */
  readonly companionExtensions?: readonly string[];
  /** User settings in addition to {@link quietSettings}, which are written before VS Code starts. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Environment variables for the extension host. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Query options of a workbench page. All paths are absolute. */
export interface WorkbenchAddress {
  /** Path of a folder, or URI of a folder in another file system. Omit it for a window without a folder. */
  readonly folder?: string | undefined;
  /** Path of a module that exports `run()`. The extension host calls `run()` after the workbench has loaded. */
  readonly suitePath?: string;
}

/** VS Code server with a temporary data folder. Disposal stops the server and deletes this folder. */
export interface VsCodeServer extends AsyncDisposable {
  createUrl(address: WorkbenchAddress): string;
  /** Replaces the user settings. An open window uses them after its next reload. */
  writeSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /** Kills all extension hosts of this server with SIGKILL. Returns the number of killed processes. */
  killExtensionHosts(): number;
  /** Path of the data folder. Extensions store global state in `<dataFolder>/User/globalStorage/<id>`. */
  readonly dataFolder: string;
  readonly logFile: string;
  close(): Promise<void>;
}

/** Starts the server on a free loopback port. Resolves when the server accepts connections. */
export async function startServer(options: ServerOptions): Promise<VsCodeServer> {
  const server = await installServer(options.edition);
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'inference-service-host-'));
  const dataFolder = join(temporaryFolder, 'data');
  const logFile = join(artefactsFolder, 'logs', `${options.name}.log`);
  const writeSettings = createSettingsWriter(join(dataFolder, 'User'));
  await writeSettings(options.settings ?? {});
  await installPackage(server, temporaryFolder, options);
  if (options.extension.kind === 'link') await linkFolder(temporaryFolder, options.extension.path);
  for (const companionFolder of options.companionExtensions ?? [])
    await linkFolder(temporaryFolder, companionFolder);
  // Without a token, every web page and every user of this machine could use the server.
  const token = randomBytes(24).toString('base64url');
  const tokenFile = join(temporaryFolder, 'token');
  await writeFile(tokenFile, token, { mode: 0o600 });

  const processTree = new ProcessTree({
    command: server.nodePath,
    args: [
      join(server.folder, 'out', 'server-main.js'),
      ...createServerArguments(temporaryFolder, tokenFile),
      ...(options.extension.kind === 'link' ? [] : ['--enable-smoke-test-driver']),
    ],
    cwd: server.folder,
    env: { ...removedEditorVariables, ...options.env },
    logFile,
  });
  const close = async (): Promise<void> => {
    await processTree.stop();
    await rm(temporaryFolder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const readyMatch = await processTree.waitForOutput(
      /Extension host agent listening on (\d+)/u,
      timeLimits.start,
    );
    const authority = `127.0.0.1:${readyMatch[1]}`;
    return {
      createUrl: (address) => createWorkbenchUrl({ authority, token }, options.extension, address),
      writeSettings,
      killExtensionHosts: () => killAll(processTree.listDescendants('--type=extensionHost')),
      dataFolder,
      logFile,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Environment variables that VS Code sets in its terminal. Removed, so that the server does not connect to the VS Code
 * in whose terminal the tests run.
 */
const removedEditorVariables = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith('VSCODE_') || name === 'ELECTRON_RUN_AS_NODE')
    .map((name) => [name, undefined]),
);

function createServerArguments(dataFolder: string, tokenFile: string): string[] {
  return [
    ...['--host', '127.0.0.1', '--port', '0', '--connection-token-file', tokenFile],
    ...['--accept-server-license-terms', '--telemetry-level', 'off'],
    ...['--server-data-dir', dataFolder, '--extensions-dir', join(dataFolder, 'extensions')],
  ];
}

function createSettingsWriter(folder: string): VsCodeServer['writeSettings'] {
  return async (settings) => {
    await mkdir(folder, { recursive: true });
    const text = JSON.stringify({ ...quietSettings, ...settings }, null, 2);
    await writeFile(join(folder, 'settings.json'), text);
  };
}

async function installPackage(
  server: Awaited<ReturnType<typeof installServer>>,
  data: string,
  { extension, name }: ServerOptions,
): Promise<void> {
  if (extension.kind !== 'package') return;
  await using installProcess = new ProcessTree({
    command: server.nodePath,
    args: [
      join(server.folder, 'out', 'server-main.js'),
      ...['--install-extension', extension.file, '--server-data-dir', data],
      ...['--extensions-dir', join(data, 'extensions'), '--accept-server-license-terms'],
    ],
    logFile: join(artefactsFolder, 'logs', `${name}-install.log`),
  });
  await installProcess.waitForOutput(/was successfully installed/u, timeLimits.start);
}

/** Links `path` into the folder of installed extensions. */
async function linkFolder(temporaryFolder: string, path: string): Promise<void> {
  const folder = join(temporaryFolder, 'extensions');
  const { publisher, name, version } = JSON.parse(
    await readFile(join(path, 'package.json'), 'utf8'),
  ) as Record<'publisher' | 'name' | 'version', string>;
  await mkdir(folder, { recursive: true });
  await symlink(path, join(folder, `${publisher}.${name}-${version}`));
}

function createWorkbenchUrl(
  { authority, token }: { authority: string; token: string },
  extension: ExtensionUnderTest,
  { folder, suitePath }: WorkbenchAddress,
): string {
  const toRemoteUri = (path: string): string => `vscode-remote://${authority}${path}`;
  const payload: [string, string][] = [];
  if (extension.kind === 'folder') {
    payload.push(['extensionDevelopmentPath', toRemoteUri(extension.path)]);
  }
  if (suitePath) payload.push(['extensionTestsPath', toRemoteUri(suitePath)]);
  const folderQuery = folder === undefined ? { ew: 'true' } : { folder };
  const query = new URLSearchParams({ ...folderQuery, tkn: token });
  if (payload.length > 0) query.set('payload', JSON.stringify(payload));
  return `http://${authority}/?${query}`;
}

function killAll(pids: readonly number[]): number {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return pids.length;
}
