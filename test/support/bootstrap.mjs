/**
 * The door for `npm start` and `npm test` on a fresh clone: runs on any Node from 18 on, without a single
 * package. Installs what the lock file names, then hands over to the command under the project's own Node.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binaries = join(root, 'node_modules', '.bin');
const windows = process.platform === 'win32';
const ownNode = join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node');
const commands = { start: 'test/support/commands/start.ts', test: 'test/support/commands/test.ts' };

const [name, ...rest] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) fail(`Usage: node test/support/bootstrap.mjs ${Object.keys(commands).join('|')}`);

if (!packagesMatchLockFile()) installPackages();
if (!existsSync(ownNode)) installNode();
handOver(command, rest);

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
 * Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries, which happens where
 * the registry did not have them. This takes the versions of the lock file too, and leaves it as it is.
 */
function installPackages() {
  say('Installing the packages of the lock file…');
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  npm('install', ...options);
}

/** Node is the one package whose install script is needed: it fetches the binary for this platform. */
function installNode() {
  say("Installing the project's Node…");
  npm('rebuild', 'node', '--loglevel=error');
  if (!existsSync(ownNode)) fail(`The package "node" left no ${ownNode}.`);
}

function npm(...args) {
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: windows });
  if (status !== 0) fail(`npm ${args[0]} failed.`);
}

function handOver(script, args) {
  const env = { ...process.env, PATH: `${binaries}${delimiter}${process.env.PATH}` };
  const child = spawn(ownNode, [script, ...args], { cwd: root, stdio: 'inherit', env });
  // The terminal sends Ctrl+C to both; the command cleans up, this one only waits for it.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

function say(text) {
  console.log(text);
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
