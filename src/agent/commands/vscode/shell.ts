import { existsSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import { getProgramName } from '../command-arguments.ts';
import type { ShellKind } from '../command-line.ts';
import { readingPrograms } from '../reading-commands.ts';

/** The shell that runs command lines. */
export interface CommandShell {
  readonly kind: ShellKind;
  /** Path of Bash, to run commands in a terminal; undefined if Bash is not installed, and on Windows. */
  readonly terminalProgram: string | undefined;
  /**
   * Returns the program and arguments that run a command line. Standard output and standard error share one stream if
   * the system allows it. If `streams` is `output-only`, standard error is discarded.
   */
  readonly createInvocation: (
    commandLine: string,
    streams?: 'output-only',
  ) => readonly [program: string, ...args: string[]];
}

/**
 * Finds the shell for commands: Bash, or `sh` if Bash is missing; PowerShell on Windows. The shell reads no start-up
 * files. Ignores the shell that the user has configured, because the rules can check only the syntax of Bash and
 * PowerShell.
 */
export function findCommandShell(
  platform: NodeJS.Platform = process.platform,
  path: string = process.env['PATH'] ?? '',
): CommandShell {
  const folders = path.split(delimiter).filter(Boolean);
  const findProgram = (name: string): string | undefined =>
    folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (platform === 'win32') return createPowerShell(findProgram('pwsh.exe') ?? 'powershell.exe');
  const bashPath =
    ['/bin/bash', '/usr/bin/bash'].find((file) => existsSync(file)) ?? findProgram('bash');
  return createPosixShell(bashPath ? [bashPath, '--noprofile', '--norc'] : ['/bin/sh'], bashPath);
}

function createPosixShell(
  shellCommand: readonly string[],
  terminalProgram: string | undefined,
): CommandShell {
  return {
    kind: 'bash',
    terminalProgram,
    // One pipe for both streams keeps their order; the command line is passed unchanged.
    createInvocation: (commandLine, streams) => [
      '/bin/sh',
      '-c',
      streams === 'output-only' ? 'exec "$@" 2>/dev/null' : 'exec "$@" 2>&1',
      'sh',
      ...shellCommand,
      '-c',
      commandLine,
    ],
  };
}

function createPowerShell(program: string): CommandShell {
  const prologue =
    "$ProgressPreference='SilentlyContinue';[Console]::OutputEncoding=[Text.Encoding]::UTF8\n";
  // Without this line, the exit code of the last program is lost.
  const epilogue = '\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } exit 1 }';
  return {
    kind: 'powershell',
    // The foreground program of a terminal cannot be checked on Windows.
    terminalProgram: undefined,
    createInvocation: (commandLine) => [
      program,
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-EncodedCommand',
      Buffer.from(prologue + commandLine + epilogue, 'utf16le').toString('base64'),
    ],
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Matches names of variables of VS Code and this extension, which may contain keys and give access to the editor. */
const internalVariablesPattern = /^(?:ELECTRON_|VSCODE_|INFERENCE_SERVICE_)/iu;

/**
 * Names of variables that commands must not receive. Such variables make shells run files, change the working directory
 * or parse lines differently, add options to programs, or open windows. Others enable colors despite `NO_COLOR`.
 * `SSH_CLIENT` and a low `SHLVL` make Bash read a start-up file.
 */
const removedVariables: ReadonlySet<string> = new Set([
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'SSH_CLIENT',
  'SSH2_CLIENT',
  'SHLVL',
  'CDPATH',
  'SHELLOPTS',
  'BASHOPTS',
  'GREP_OPTIONS',
  'RIPGREP_CONFIG_PATH',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
]);

/**
 * Matches names of variables that contain exported Bash functions. A function replaces the program of the same name.
 */
const exportedFunctionPattern = /^BASH_FUNC_/u;

/** Variables for unattended runs: no prompts, no pagers, no colors. */
const unattendedSettings = {
  CI: '1',
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // Reading a repository's state must not block the user's own git.
  GIT_OPTIONAL_LOCKS: '0',
  // The Git configuration of the machine may name programs to run.
  GIT_CONFIG_NOSYSTEM: '1',
  GCM_INTERACTIVE: 'never',
  SSH_ASKPASS_REQUIRE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONIOENCODING: 'utf-8',
} as const;

/**
 * Matches names of variables that commands on the built-in list of read-only commands receive. Other variables can
 * change the effect of these programs: `LD_…`, `DYLD_…` and `GCONV_PATH` load libraries, and `GIT_…` selects other
 * programs and repositories.
 */
const allowedVariablesPattern =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|XDG_CONFIG_HOME|PATHEXT|COMSPEC|OS|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(?:\(X86\))?|PROGRAMW6432|PROCESSOR_ARCHITECTURE)$/iu;

/** Variables that make Bash follow POSIX, so that a login shell reads no profile. */
const noProfileVariables = { SHELLOPTS: 'posix' } as const;

/**
 * Returns an environment in which no workspace file can replace the program of a read-only command such as `cat`. Used
 * for lines whose commands are all on the built-in list of read-only commands. `PATH` omits workspace folders, and
 * folders in which a link with the name of such a program leads to the workspace.
 * @param folders Full paths of the workspace folders.
 * @param isNested True for a line such as `bash -lc ls`.
 */
export function createReadingEnvironment(
  inheritedEnvironment: Environment,
  folders: readonly string[],
  isNested = false,
): Record<string, string> {
  const realFolders = [...folders, ...folders.map(resolveRealPath)];
  const isInWorkspace = (path: string): boolean =>
    realFolders.some((folder) =>
      [path, resolveRealPath(path)].some((name) => containsPath(folder, name)),
    );
  const entries = Object.entries(inheritedEnvironment)
    .filter(([name]) => allowedVariablesPattern.test(name))
    .map(([name, value = '']) => [
      name,
      /^path$/iu.test(name)
        ? value
            .split(delimiter)
            .filter(
              (folder) =>
                isAbsolute(folder) &&
                !isInWorkspace(folder) &&
                listProgramLinks(folder)?.some(isInWorkspace) === false,
            )
            .join(delimiter)
        : value,
    ]);
  const environment = createCommandEnvironment(Object.fromEntries(entries) as Environment);
  return isNested ? { ...environment, ...noProfileVariables } : environment;
}

/**
 * Paths of symbolic links, by the folder of `PATH` that contains them. Contains only links with the name of a program
 * that only reads, such as `cat`. An entry is valid while the ctime of the folder is `changedAtMs`.
 */
const programLinks = new Map<
  string,
  { readonly changedAtMs: number; readonly paths: readonly string[] }
>();

/**
 * Returns the symbolic links in a folder that have the name of a program that only reads, or of a program of Git. For a
 * link with a missing target, returns the path of the target instead.
 * @returns undefined if the folder is missing or unreadable
 */
function listProgramLinks(folder: string): readonly string[] | undefined {
  try {
    const changedAtMs = statSync(folder).ctimeMs;
    const cachedLinks = programLinks.get(folder);
    const paths =
      cachedLinks?.changedAtMs === changedAtMs ? cachedLinks.paths : findProgramLinks(folder);
    programLinks.set(folder, { changedAtMs, paths });
    // The target of a link can be created later.
    return paths.map((path) => (existsSync(path) ? path : resolve(folder, readlinkSync(path))));
  } catch {
    return undefined;
  }
}

const findProgramLinks = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && isReadingProgram(entry.name))
    .map(({ name }) => join(folder, name));

const isReadingProgram = (name: string): boolean =>
  /^git(?:-|$)/u.test(getProgramName(name)) || readingPrograms.has(getProgramName(name));

function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Checks whether the path is the folder itself or a path inside it. */
function containsPath(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' ||
    !(relativePath === '..' || /^\.\.[/\\]/u.test(relativePath) || isAbsolute(relativePath))
  );
}

/** Returns the user's environment without variables that commands must not receive. */
export function createCommandEnvironment(
  inheritedEnvironment: Environment,
): Record<string, string> {
  const passedEntries = Object.entries(inheritedEnvironment)
    .filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && shouldPassVariable(entry[0], entry[1]),
    )
    .map(([name, value]) => [name, /^path$/iu.test(name) ? removeRelativePaths(value) : value])
    // An empty path would mean the working directory.
    .filter(([name = '', value]) => value !== '' || !/^path$/iu.test(name));
  const environment = Object.fromEntries(passedEntries);
  return { ...environment, ...unattendedSettings, ...createGitEnvironment(environment) };
}

/**
 * Returns a `PATH` value without relative folders. A command could otherwise start a program of the workspace that has
 * the name of a read-only command.
 */
const removeRelativePaths = (path: string): string =>
  path
    .split(delimiter)
    // Windows accepts quotes, and Bash expands a tilde.
    .filter((folder) => isAbsolute(folder.replace(/^"/u, '')) || folder.startsWith('~'))
    .join(delimiter);

/**
 * Git settings with the highest priority. With them, Git ignores folders that only look like repositories, and starts
 * no program that a repository's configuration names.
 */
const safeGitSettings = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['log.showSignature', 'false'],
  ['diff.submodule', 'short'],
] as const;

/**
 * Returns variables that append {@link safeGitSettings} to the user's Git settings, because the last setting has
 * priority.
 */
function createGitEnvironment({
  GIT_CONFIG_COUNT: count = '',
}: Environment): Record<string, string> {
  const firstIndex = /^\d{1,3}$/u.test(count) ? Number(count) : 0;
  const settingVariables = safeGitSettings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${firstIndex + index}`, key],
    [`GIT_CONFIG_VALUE_${firstIndex + index}`, value],
  ]);
  return {
    ...Object.fromEntries(settingVariables),
    GIT_CONFIG_COUNT: String(firstIndex + safeGitSettings.length),
  };
}

/**
 * End marker that the shell of a terminal prints after all output of a command. It is an operating system command
 * (OSC), stored without its escape characters.
 */
export const endMarker = '7737;end';

const waitFileVariable = 'INFERENCE_SERVICE_WAIT_FILE';

/**
 * Names of variables that may contain secrets or paths of secret files. A start-up file of the shell may set these
 * variables again.
 */
const secretVariables = [
  'INFERENCE_SERVICE_API_KEY',
  'INFERENCE_SERVICE_KEYSTORE',
  'INFERENCE_SERVICE_KEYSTORE_PASSWORD_FILE',
  'INFERENCE_SERVICE_PRIVATE_KEY_FILE',
  'INFERENCE_SERVICE_ALLOW_MINT',
];

/**
 * Command that Bash runs before each prompt: removes secret variables, prints the end marker, then waits for at most 5
 * seconds while the wait file exists. The shell prints the end marker of VS Code later. Without the wait, VS Code would
 * lose output that arrives together with that marker.
 */
const promptCommand = `unset ${secretVariables.join(' ')}; printf '\\e]${endMarker}\\a'; for _ in {1..100}; do [ -e "$${waitFileVariable}" ] || break; sleep 0.05; done`;

/**
 * Returns the changes to the environment of a terminal. They disable pagers, which would wait for the user, and
 * Readline key bindings, which could change the text of a command. They also add safe Git settings, and remove
 * variables of this extension, which may contain API keys.
 * @param waitFile Path of a file. After a command, the shell waits while the file exists.
 */
export function createTerminalEnvironment(
  inheritedEnvironment: Environment,
  waitFile: string,
): Record<string, string | null> {
  const removedNames = Object.keys(inheritedEnvironment).filter((name) =>
    /^INFERENCE_SERVICE_/iu.test(name),
  );
  const { PAGER, GIT_PAGER, MANPAGER } = unattendedSettings;
  return {
    ...Object.fromEntries(removedNames.map((name) => [name, null])),
    ...{ PAGER, GIT_PAGER, MANPAGER, PROMPT_COMMAND: promptCommand, INPUTRC: '/dev/null' },
    [waitFileVariable]: waitFile,
    ...createGitEnvironment(inheritedEnvironment),
  };
}

function shouldPassVariable(name: string, value: string): boolean {
  if (internalVariablesPattern.test(name) || removedVariables.has(name.toUpperCase())) return false;
  if (exportedFunctionPattern.test(name)) return false;
  // VS Code's debugger attaches to Node programs through this variable.
  return name !== 'NODE_OPTIONS' || !/vscode|js-debug/iu.test(value);
}
