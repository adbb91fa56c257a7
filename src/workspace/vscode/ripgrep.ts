import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import type { FileScope } from '../search.ts';

export interface RipgrepRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Text for its standard input; without any, it gets none. */
  readonly input?: string;
  /** Output as it comes, cut anywhere but inside a character. False when no more is wanted: it is killed at once. */
  readonly onText: (text: string) => boolean;
}

export type RipgrepEnd =
  | { readonly kind: 'ended' | 'enough' | 'aborted' }
  /** It did not start. */
  | { readonly kind: 'missing' }
  /** It refused its arguments, or could not go on; `message` is what it said. */
  | { readonly kind: 'failed'; readonly message: string };

const longestMessage = 4_000;

/** Runs ripgrep without a shell and without its configuration file. Never rejects; leaves no process behind. */
export function runRipgrep(run: RipgrepRun): Promise<RipgrepEnd> {
  if (run.signal.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(run.program, ['--no-config', ...run.args], {
      cwd: run.cwd,
      env: environment(),
      stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let message = '';
    const finish = (end: RipgrepEnd): void => {
      run.signal.removeEventListener('abort', abort);
      resolve(end);
    };
    const stop = (kind: 'enough' | 'aborted'): void => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      finish({ kind });
    };
    const abort = (): void => stop('aborted');
    run.signal.addEventListener('abort', abort, { once: true });
    child.once('error', () => finish({ kind: 'missing' }));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (!run.onText(text)) stop('enough');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      message = (message + text).slice(0, longestMessage);
    });
    child.once('close', (code) => {
      // 1 is for nothing found; with 2, what it said tells whether it is more than a file it could not read.
      const failed = (code ?? 2) > 1 && message !== '';
      finish(failed ? { kind: 'failed', message } : { kind: 'ended' });
    });
    // One that stops early closes its end; what it found until then counts.
    child.stdin?.once('error', () => {});
    child.stdin?.end(run.input);
  });
}

function environment(): NodeJS.ProcessEnv {
  const { RIPGREP_CONFIG_PATH: _, ...rest } = process.env;
  return rest;
}

export interface RipgrepPlaces {
  /** The editor's own folder (`vscode.env.appRoot`). */
  readonly appRoot: string;
  /** The PATH variable. */
  readonly path: string;
  /** Folders of the workspace: a program in one of them is never run. */
  readonly folders: readonly string[];
}

const program = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** The editor's own ripgrep, in each layout that it has had, or one on PATH; undefined when there is none. */
export async function findRipgrep({
  appRoot,
  path,
  folders,
}: RipgrepPlaces): Promise<string | undefined> {
  const onPath = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !folders.some((each) => contains(each, folder)))
    .map((folder) => join(folder, program));
  for (const candidate of [...bundled(appRoot), ...onPath])
    if (await isProgram(candidate)) return candidate;
  return undefined;
}

function bundled(appRoot: string): string[] {
  const platform = `${process.platform}-${process.arch}`;
  const packages = [
    join('ripgrep', 'bin', program),
    join('ripgrep-universal', 'bin', platform, program),
    join(`ripgrep-${platform}`, 'bin', program),
  ];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) =>
    packages.map((path) => join(appRoot, modules, '@vscode', path)),
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[/\\]/u)[0] !== '..';
}

/** A path as a glob that means it and nothing else. */
export const escapeGlob = (path: string): string =>
  path.replaceAll(/[*?[\]{}\\!]/gu, String.raw`\$&`);

/** The glob for names in capital letters and in small ones; not for one with ranges of letters. */
export const anyCase = (glob: string): string =>
  glob.replaceAll(/[a-z]/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);

/**
 * What makes ripgrep list or search these files: hidden ones too, no links, and nothing of an ignore file outside the
 * folder. The names come as a file type, because a glob of its own would bring back files that are ignored.
 */
export function scopeArguments(scope: FileScope): string[] {
  const globs = [
    '.git',
    ...scope.hidden,
    ...scope.excludes.map((glob) => below(scope.under, glob)),
  ];
  return [
    '--hidden',
    '--path-separator=/',
    '--no-messages',
    '--no-require-git',
    '--no-ignore-parent',
    '--no-ignore-global',
    ...(scope.useIgnoreFiles ? [] : ['--no-ignore']),
    ...scope.ignoreFilesAbove.flatMap((file) => ['--ignore-file', file]),
    ...globs.flatMap((glob) => ['--glob', `!${glob}`]),
    ...(scope.names ?? []).flatMap((name) => ['--type-add', `wanted:${name}`]),
    ...(scope.names === undefined ? [] : ['--type', 'wanted']),
  ];
}

/** For after `--`: always begins with a dot, so that no name is taken for an option. */
export const scopeTarget = ({ under }: FileScope): string => `./${under}`;

/** A path as ripgrep prints it, relative to the folder. */
export const printedPath = (path: string): string => path.replace(/^\.\//u, '');

/** Without a slash, a glob means any folder; with one, it begins where the search does. */
function below(under: string, glob: string): string {
  if (!glob.slice(0, -1).includes('/')) return glob;
  const rest = glob.replace(/^\//u, '');
  return under === '' ? `/${rest}` : `/${escapeGlob(under)}/${rest}`;
}

/**
 * Tells the path of every file of the scope, in any order, relative to its folder.
 * @param onPath Returns false when it wants no more.
 */
export function listWithRipgrep({
  program,
  scope,
  signal,
  onPath,
}: {
  readonly program: string;
  readonly scope: FileScope;
  readonly signal: AbortSignal;
  readonly onPath: (path: string) => boolean;
}): Promise<RipgrepEnd> {
  let rest = '';
  return runRipgrep({
    program,
    args: ['--files', '--null', ...scopeArguments(scope), '--', scopeTarget(scope)],
    cwd: scope.folder,
    signal,
    onText(text) {
      const paths = (rest + text).split('\0');
      rest = paths.pop() ?? '';
      return paths.every((path) => onPath(printedPath(path)));
    },
  });
}
