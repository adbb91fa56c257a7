/**
 * Entry point of `npm start` and `npm test` on a fresh clone. Runs on Node 20 or newer and needs no packages. Installs
 * the packages in the lock file, and then runs the command with the Node version of the project. When this process
 * ends, all programs that it started end as well.
 */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startRun } from './guarded-run.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binaries = join(root, 'node_modules', '.bin');
const windows = process.platform === 'win32';
const ownNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const commands = {
  start: 'test/support/commands/start.ts',
  test: 'test/support/commands/test.ts',
  bench: 'test/bench/run.ts',
};

const [name, ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) {
  console.error(`Usage: node test/support/bootstrap.mjs ${Object.keys(commands).join('|')}`);
  process.exit(1);
}

const run = startRun();
if (!packagesMatchLockFile()) await installPackages();
if (!existsSync(ownNode)) await installNode();
const env = { PATH: `${binaries}${delimiter}${process.env.PATH}` };
await run.end(await run.run(ownNode, [command, ...rest], { cwd: root, env }));

/**
 * Checks whether the installed packages have the versions in the lock file. Optional packages may be missing, because
 * they are binaries for other platforms.
 */
function packagesMatchLockFile() {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '' || (optional && !installed[path])) return true;
    return installed[path]?.version === version;
  });
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

/**
 * Installs exactly the packages in the lock file. `npm ci` first removes `node_modules`. Install scripts do not run, so
 * the package `node` has no binary yet.
 */
async function installPackages() {
  console.log('Installing the packages of the lock file…');
  await npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
}

/**
 * Runs the install script of the package `node`, which downloads the binary for this platform. No other package needs
 * its install script.
 */
async function installNode() {
  console.log("Installing the project's Node…");
  await npm('rebuild', 'node', '--loglevel=error');
  if (!existsSync(ownNode)) await fail(`The package "node" left no ${ownNode}.`);
}

async function npm(...args) {
  const code = await run.run('npm', args, { cwd: root, shell: windows });
  if (code !== 0) await fail(`npm ${args[0]} failed.`);
}

async function fail(text) {
  console.error(text);
  await run.end(1);
}
