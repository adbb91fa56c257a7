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
  /** Text for standard input. If absent, standard input is closed. */
  readonly input?: string;
  /**
   * Called for each chunk of output. Chunks never split a character. Returns false to stop the
   * process immediately.
   */
  readonly onText: (text: string) => boolean;
}

export type RipgrepResult =
  | { readonly kind: 'ended' | 'enough' | 'aborted' }
  /** The process can't be started. */
  | { readonly kind: 'missing' }
  /** ripgrep rejected its arguments or failed; `message` is its error output. */
  | { readonly kind: 'failed'; readonly message: string };

const maxMessageLength = 4_000;

/** Runs ripgrep without a shell and without ripgrep's configuration file. Never rejects. */
export function runRipgrep(run: RipgrepRun): Promise<RipgrepResult> {
  if (run.signal.aborted) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const child = spawn(run.program, ['--no-config', ...run.args], {
      cwd: run.cwd,
      env: createEnvironment(),
      stdio: [run.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let message = '';
    const finishRun = (result: RipgrepResult): void => {
      run.signal.removeEventListener('abort', abortRun);
      resolve(result);
    };
    const stopRun = (kind: 'enough' | 'aborted'): void => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      finishRun({ kind });
    };
    const abortRun = (): void => stopRun('aborted');
    run.signal.addEventListener('abort', abortRun, { once: true });
    child.once('error', () => finishRun({ kind: 'missing' }));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (!run.onText(text)) stopRun('enough');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      message = (message + text).slice(0, maxMessageLength);
    });
    child.once('close', (code) => {
      // Exit code 1 means no match. Code 2 is a failure only with an error message; unreadable files cause none.
      const hasFailed = (code ?? 2) > 1 && message !== '';
      finishRun(hasFailed ? { kind: 'failed', message } : { kind: 'ended' });
    });
    // Ignores the pipe error of a process that exits early, because its output is still valid.
    child.stdin?.once('error', () => {});
    child.stdin?.end(run.input);
  });
}

function createEnvironment(): NodeJS.ProcessEnv {
  const { RIPGREP_CONFIG_PATH: _, ...environment } = process.env;
  return environment;
}

export interface RipgrepSearchPaths {
  /** Installation folder of VS Code (`vscode.env.appRoot`). */
  readonly appRoot: string;
  /** Value of the PATH environment variable. */
  readonly path: string;
  /** Workspace folders. Executables in these folders are never run. */
  readonly folders: readonly string[];
}

const ripgrepFileName = process.platform === 'win32' ? 'rg.exe' : 'rg';

/**
 * Finds VS Code's copy of ripgrep, or else an executable on PATH. Returns undefined if there is
 * none.
 */
export async function findRipgrep({
  appRoot,
  path,
  folders,
}: RipgrepSearchPaths): Promise<string | undefined> {
  const pathExecutables = path
    .split(delimiter)
    .filter(
      (folder) =>
        isAbsolute(folder) &&
        !folders.some((workspaceFolder) => containsPath(workspaceFolder, folder)),
    )
    .map((folder) => join(folder, ripgrepFileName));
  for (const candidate of [...listBundledExecutables(appRoot), ...pathExecutables])
    if (await isExecutable(candidate)) return candidate;
  return undefined;
}

function listBundledExecutables(appRoot: string): string[] {
  const platformName = `${process.platform}-${process.arch}`;
  const programPaths = [
    join('ripgrep', 'bin', ripgrepFileName),
    join('ripgrep-universal', 'bin', platformName, ripgrepFileName),
    join(`ripgrep-${platformName}`, 'bin', ripgrepFileName),
  ];
  return ['node_modules', 'node_modules.asar.unpacked'].flatMap((modulesFolder) =>
    programPaths.map((path) => join(appRoot, modulesFolder, '@vscode', path)),
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function containsPath(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return !isAbsolute(relativePath) && relativePath.split(/[/\\]/u)[0] !== '..';
}

/** Escapes a path for use as a glob, so that the glob matches only this path. */
export const escapeGlob = (path: string): string =>
  path.replaceAll(/[*?[\]{}\\!]/gu, String.raw`\$&`);

/** Converts a glob so that it matches regardless of ASCII case. Does not support globs with character ranges. */
export const toCaseInsensitiveGlob = (glob: string): string =>
  glob.replaceAll(/[a-z]/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);

/**
 * Returns the arguments that restrict ripgrep to the files of the scope. With these arguments, ripgrep searches hidden
 * files, follows no links, and uses no ignore files outside the folder. File name globs are passed as a file type,
 * because `--glob` would override ignore files.
 */
export function buildScopeArguments(scope: FileScope): string[] {
  const globs = [
    '.git',
    ...scope.hiddenGlobs,
    ...scope.excludeGlobs.map((glob) => toRootGlob(scope.searchPath, glob)),
  ];
  return [
    '--hidden',
    '--path-separator=/',
    '--no-messages',
    '--no-require-git',
    '--no-ignore-parent',
    '--no-ignore-global',
    ...(scope.usesIgnoreFiles ? [] : ['--no-ignore']),
    ...scope.parentIgnoreFiles.flatMap((file) => ['--ignore-file', file]),
    ...globs.flatMap((glob) => ['--glob', `!${glob}`]),
    ...(scope.nameGlobs ?? []).flatMap((name) => ['--type-add', `wanted:${name}`]),
    ...(scope.nameGlobs === undefined ? [] : ['--type', 'wanted']),
  ];
}

/** Returns the path argument for ripgrep. The leading `./` prevents ripgrep from interpreting the path as an option. */
export const getPathArgument = ({ searchPath }: FileScope): string => `./${searchPath}`;

/** Removes the leading `./` from a path that ripgrep prints. The result is relative to the searched folder. */
export const toRelativePath = (path: string): string => path.replace(/^\.\//u, '');

/**
 * Converts a glob relative to `searchPath` to a glob relative to the workspace folder. Returns a glob without a slash
 * unchanged, because it matches in any folder.
 */
function toRootGlob(searchPath: string, glob: string): string {
  if (!glob.slice(0, -1).includes('/')) return glob;
  const rest = glob.replace(/^\//u, '');
  return searchPath === '' ? `/${rest}` : `/${escapeGlob(searchPath)}/${rest}`;
}

/**
 * Reports the path of every file of the scope, in any order, relative to the scope's folder.
 * @param onPath Called with each path. Returns false to stop.
 */
export function listFilesWithRipgrep({
  program,
  scope,
  signal,
  onPath,
}: {
  readonly program: string;
  readonly scope: FileScope;
  readonly signal: AbortSignal;
  readonly onPath: (path: string) => boolean;
}): Promise<RipgrepResult> {
  let rest = '';
  return runRipgrep({
    program,
    args: ['--files', '--null', ...buildScopeArguments(scope), '--', getPathArgument(scope)],
    cwd: scope.folder,
    signal,
    onText(text) {
      const paths = (rest + text).split('\0');
      rest = paths.pop() ?? '';
      return paths.every((path) => onPath(toRelativePath(path)));
    },
  });
}
