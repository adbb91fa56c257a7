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
  const before =
    "$ProgressPreference='SilentlyContinue';[Console]::OutputEncoding=[Text.Encoding]::UTF8\n";
  // Without this the exit code of the last program is lost.
  const after = '\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } exit 1 }';
  return {
    kind: 'powershell',
    invocation: (commandLine) => [
      program,
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-EncodedCommand',
      Buffer.from(before + commandLine + after, 'utf16le').toString('base64'),
    ],
  };
}
