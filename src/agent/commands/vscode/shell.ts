import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ShellKind } from '../command-line.ts';

/** The program that commands are given to. */
export interface CommandShell {
  readonly kind: ShellKind;
  /** What to start for a command line; output and errors come in one stream where the system allows it. */
  readonly invocation: (commandLine: string) => readonly [program: string, ...args: string[]];
}

/**
 * Bash, or the plain shell where there is none; PowerShell on Windows. None reads a start-up file, and none is the
 * person's own shell if that speaks another language: rules can only judge these.
 */
export function findCommandShell(
  platform: NodeJS.Platform = process.platform,
  path: string = process.env['PATH'] ?? '',
): CommandShell {
  const folders = path.split(delimiter).filter(Boolean);
  const find = (name: string): string | undefined =>
    folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (platform === 'win32') return powerShell(find('pwsh.exe') ?? 'powershell.exe');
  const bash = ['/bin/bash', '/usr/bin/bash'].find((file) => existsSync(file)) ?? find('bash');
  return posixShell(bash ? [bash, '--noprofile', '--norc'] : ['/bin/sh']);
}

function posixShell(shell: readonly string[]): CommandShell {
  return {
    kind: 'bash',
    // One pipe for both streams keeps their order; the command itself is passed on untouched.
    invocation: (commandLine) => [
      '/bin/sh',
      '-c',
      'exec "$@" 2>&1',
      'sh',
      ...shell,
      '-c',
      commandLine,
    ],
  };
}

function powerShell(program: string): CommandShell {
  const prologue =
    "$ProgressPreference='SilentlyContinue';[Console]::OutputEncoding=[Text.Encoding]::UTF8\n";
  // Without this the exit code of the last program is lost.
  const epilogue = '\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } exit 1 }';
  return {
    kind: 'powershell',
    invocation: (commandLine) => [
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

/** Of the editor and of this extension: no business of commands. May hold keys and ways into the editor. */
const internalNames = /^(?:ELECTRON_|VSCODE_|INFERENCE_SERVICE_)/iu;

/** Files that a shell would run first, programs that would ask in a window, colours in spite of `NO_COLOR`. */
const removedNames: ReadonlySet<string> = new Set([
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
]);

/** Nobody is there to answer, to page or to see colours. */
const unattendedSettings = {
  CI: '1',
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // Looking at the state of a repository must not get in the way of the person's own git.
  GIT_OPTIONAL_LOCKS: '0',
  // What a machine sets up for everybody may run programs of its own.
  GIT_CONFIG_NOSYSTEM: '1',
  GCM_INTERACTIVE: 'never',
  SSH_ASKPASS_REQUIRE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PYTHONIOENCODING: 'utf-8',
} as const;

/** What commands get of the person's environment. */
export function commandEnvironment(inherited: Environment): Record<string, string> {
  const passed = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && shouldPass(entry[0], entry[1]),
  );
  const environment = Object.fromEntries(passed);
  return { ...environment, ...unattendedSettings, ...gitEnvironment(environment) };
}

/**
 * Of git, before any file: a folder that only looks like a repository is none, and looking at a repository starts no
 * program that its settings name.
 */
const safeGitSettings = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
] as const;

/** After those that the person set in the same way: the last one counts. */
function gitEnvironment({ GIT_CONFIG_COUNT: count = '' }: Environment): Record<string, string> {
  const first = /^\d{1,3}$/u.test(count) ? Number(count) : 0;
  const settings = safeGitSettings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(first + safeGitSettings.length),
  };
}

function shouldPass(name: string, value: string): boolean {
  if (internalNames.test(name) || removedNames.has(name.toUpperCase())) return false;
  // The editor makes Node programs report to its debugger by this.
  return name !== 'NODE_OPTIONS' || !/vscode|js-debug/iu.test(value);
}
