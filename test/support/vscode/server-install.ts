import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../paths.ts';

/** Version of VS Code under test: the newest version, or the oldest that the extension supports. */
export type Edition = 'newest' | 'oldest';

interface Release {
  /** Version of code-server. Version 4.N.n contains VS Code 1.N.n. */
  readonly version: string;
  /** Version of Node that runs the server. If absent, the server runs with this project's version of Node. */
  readonly nodeVersion?: string;
  /**
   * Dependencies that the installation would download from GitHub, each with the version in the npm registry that
   * replaces it.
   */
  readonly replacements: Readonly<Record<string, string>>;
}

const releases: Readonly<Record<Edition, Release>> = {
  newest: { version: '4.139.1', replacements: {} },
  oldest: {
    version: '4.105.1',
    nodeVersion: '22.23.3',
    replacements: { '@parcel/watcher': '2.5.1' },
  },
};

interface InstalledServer {
  /** Path of the folder that contains `out/server-main.js`. */
  readonly folder: string;
  /** Path of the Node that runs the server. */
  readonly nodePath: string;
}

/**
 * Installs the VS Code server and its workbench into the cache, unless the cache contains this version. Takes about 20
 * s. Installs into a temporary folder and then renames it, so that an interrupted installation is never used.
 */
export async function installServer(edition: Edition = 'newest'): Promise<InstalledServer> {
  const release = releases[edition];
  const folder = join(cacheFolder, `code-server-${release.version}`);
  if (!existsSync(folder)) {
    console.log(`Installing VS Code 1${release.version.slice(1)} (server) into ${cacheFolder}…`);
    await mkdir(cacheFolder, { recursive: true });
    const temporaryFolder = await mkdtemp(join(cacheFolder, 'installing-'));
    try {
      await buildServer(temporaryFolder, release);
      await rename(join(temporaryFolder, 'package'), folder).catch(ignoreIfInstalled(folder));
    } finally {
      await rm(temporaryFolder, { recursive: true });
    }
  }
  const nodeExecutable =
    release.nodeVersion === undefined ? process.execPath : join(folder, nodePath);
  return { folder: join(folder, 'lib', 'vscode'), nodePath: nodeExecutable };
}

const isWindows = process.platform === 'win32';
const nodePath = join('node', 'bin', isWindows ? 'node.exe' : 'node');

async function buildServer(
  folder: string,
  { version, nodeVersion, replacements }: Release,
): Promise<void> {
  downloadPackage(folder, `code-server@${version}`, 'package');
  const serverFolder = join(folder, 'package', 'lib', 'vscode');
  await replaceDependencies(serverFolder, replacements);
  // Skips install scripts, because they compile native modules that the server does not need. `npm ci` would fail,
  // because the published lock file does not match the manifest.
  const installCommand = [
    'npm',
    'install',
    '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--loglevel=error',
  ];
  runCommand(serverFolder, installCommand);
  runCommand(join(serverFolder, 'extensions'), installCommand);
  if (nodeVersion === undefined) return;
  const platform = `${isWindows ? 'win' : process.platform}-${process.arch}`;
  downloadPackage(folder, `node-${platform}@${nodeVersion}`, join('package', 'node'));
}

/** Downloads an npm package, and extracts it into `targetFolder`, a path relative to `folder`. */
function downloadPackage(folder: string, name: string, targetFolder: string): void {
  const archiveName = `${name.replace('@', '-')}.tgz`;
  runCommand(folder, ['npm', 'pack', name, '--silent']);
  mkdirSync(join(folder, targetFolder), { recursive: true });
  runCommand(folder, ['tar', '-xzf', archiveName, '-C', targetFolder, '--strip-components=1']);
}

/**
 * Changes the versions of dependencies in the VS Code server's `package.json` files and lock file to the versions in
 * `replacements`.
 */
async function replaceDependencies(
  serverFolder: string,
  replacements: Release['replacements'],
): Promise<void> {
  if (Object.keys(replacements).length === 0) return;
  for (const name of ['package.json', join('extensions', 'package.json')]) {
    await editJson(join(serverFolder, name), (manifest) => replaceVersions(manifest, replacements));
  }
  await editJson(join(serverFolder, 'npm-shrinkwrap.json'), ({ packages }) => {
    replaceVersions(packages[''], replacements);
    for (const name of Object.keys(replacements)) delete packages[`node_modules/${name}`];
  });
}

type Manifest = Record<string, Record<string, string> | undefined>;

interface LockFile {
  readonly packages: Record<string, Manifest> & { readonly '': Manifest };
}

function replaceVersions(manifest: Manifest, replacements: Release['replacements']): void {
  for (const dependencies of [manifest['dependencies'], manifest['devDependencies']]) {
    for (const [name, version] of Object.entries(replacements)) {
      if (dependencies?.[name] !== undefined) dependencies[name] = version;
    }
  }
}

async function editJson(path: string, edit: (value: LockFile & Manifest) => void): Promise<void> {
  const value = JSON.parse(await readFile(path, 'utf8')) as LockFile & Manifest;
  edit(value);
  await writeFile(path, JSON.stringify(value, null, 2));
}

function runCommand(cwd: string, [command = '', ...args]: readonly string[]): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Returns an error handler. It ignores the error if another process has installed the server in the meantime.
 * Otherwise, it throws the error.
 */
function ignoreIfInstalled(folder: string): (error: Error) => void {
  return (error) => {
    if (!existsSync(folder)) throw error;
  };
}
