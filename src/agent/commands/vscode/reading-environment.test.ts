import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { commandParser } from '../command-gate.fixture.ts';
import { createRunCommandTool } from './run-command.ts';
import { RunningCommands } from './running-commands.ts';
import { findCommandShell } from './shell.ts';
import { WorkspacePaths } from '../../../workspace/vscode/paths.ts';

vi.mock('vscode', () => import('../../../../test/support/disk-vscode.ts'));

let parent: string;
let root: string;
/** Folder in which a stub program creates a file when it runs. */
let evidenceFolder: string;

beforeEach(() => {
  parent = realpathSync(mkdtempSync(join(tmpdir(), 'reading-environment-')));
  [root, evidenceFolder] = [join(parent, 'app'), join(parent, 'marks')];
  for (const folder of [join(root, 'tools'), evidenceFolder, join(parent, 'home')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'text\n');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root });
  execFileSync('git', ['add', 'a.txt'], { cwd: root });
  writeFileSync(join(root, 'a.txt'), 'changed\n');
  for (const name of ['ls', 'cat', 'git', 'mark'])
    writeFileSync(join(root, 'tools', name), `#!/bin/sh\ntouch ${evidenceFolder}/ran\n`, {
      mode: 0o755,
    });
  vi.stubEnv('HOME', join(parent, 'home'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(parent, { recursive: true, force: true });
});

/** Runs a line with the real command tool in the real Bash, and returns the output. */
async function runInEnvironment(command: string): Promise<string> {
  const paths = new WorkspacePaths({
    folders: () => [{ uri: vscode.Uri.file(root), name: 'app', index: 0 }],
    isTrusted: () => true,
    forbiddenFolders: [],
  });
  const shell = findCommandShell();
  const runCommand = createRunCommandTool({
    paths,
    parser: commandParser,
    listFolders: () => [root],
    commands: new RunningCommands(shell),
    shell: shell.kind,
  });
  const context = {
    ...{ conversationId: 'c1', turnId: 't1', messageId: 'm1', callId: 'k1', supportsVision: false },
    signal: new AbortController().signal,
  };
  return (await runCommand.run({ command }, context)).output;
}

const hasReplacedProgramRun = (): boolean => readdirSync(evidenceFolder).length > 0;

const readingLines = [
  'ls && cat a.txt && git diff --stat',
  "bash -lc 'ls && cat a.txt && git diff --stat'",
];

/** Environment variables that change the effect of programs. The test replaces `MARKS` and `ROOT` with folder paths. */
const hostileVariables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a library log': { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: 'MARKS/log' },
  'an exported function': { 'BASH_FUNC_ls%%': '() { touch MARKS/ran; }' },
  'an exported function of a builtin': { 'BASH_FUNC_exec%%': '() { touch MARKS/ran; }' },
  'a start-up file of Bash': { BASH_ENV: 'ROOT/tools/mark' },
  'a start-up file of a remote shell': { SSH_CLIENT: '1 2 3', SHLVL: '-3' },
  'a prompt command': { PROMPT_COMMAND: 'ROOT/tools/mark' },
  'a log of Git': { GIT_TRACE: 'MARKS/log' },
  'an external diff of Git': { GIT_EXTERNAL_DIFF: 'ROOT/tools/mark' },
  'programs of Git': { GIT_EXEC_PATH: 'ROOT/tools' },
  'a setting of Git': {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: 'ROOT/tools/mark',
  },
  'settings of Git': { GIT_CONFIG_PARAMETERS: "'core.fsmonitor=ROOT/tools/mark'" },
};

describe.each(Object.entries(hostileVariables))(
  'an environment variable for %s',
  (_, variables) => {
    test.runIf(process.platform === 'linux').each(readingLines)(
      'does not change what "%s" runs',
      async (line) => {
        writeFileSync(join(parent, 'home/.bashrc'), `touch ${evidenceFolder}/ran\n`);
        for (const [name, value] of Object.entries(variables))
          vi.stubEnv(name, value.replace('MARKS', evidenceFolder).replace('ROOT', root));
        expect(await runInEnvironment(line)).toMatch(
          /^Exit code 0 [^]*changed\n[^]*1 file changed/u,
        );
        expect(readdirSync(evidenceFolder)).toEqual([]);
      },
    );
  },
);

describe('a workspace folder in the PATH variable', () => {
  test.runIf(process.platform !== 'win32').each(readingLines)(
    'provides no program for "%s"',
    async (line) => {
      symlinkSync(join(root, 'tools'), join(parent, 'linked'));
      for (const folder of [join(root, 'tools'), join(parent, 'linked')]) {
        vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
        expect(await runInEnvironment(line)).toMatch(/^Exit code 0 /u);
        expect(hasReplacedProgramRun()).toBe(false);
      }
    },
  );

  test.runIf(process.platform !== 'win32').each(readingLines)(
    'provides no program for "%s" through links in a folder outside',
    async (line) => {
      const binFolder = join(parent, 'bin');
      mkdirSync(binFolder);
      for (const name of ['ls', 'cat', 'git']) {
        symlinkSync(join(root, 'tools', name), join(parent, name));
        symlinkSync(join('..', name), join(binFolder, name));
      }
      vi.stubEnv('PATH', `${binFolder}:${process.env['PATH'] ?? ''}`);
      expect(await runInEnvironment(line)).toMatch(/^Exit code 0 /u);
      expect(hasReplacedProgramRun()).toBe(false);
    },
  );

  test.runIf(process.platform !== 'win32')(
    'provides programs for a command that is not on the list of reading commands',
    async () => {
      vi.stubEnv('PATH', `${join(root, 'tools')}:${process.env['PATH'] ?? ''}`);
      expect(await runInEnvironment('mark')).toMatch(/^Exit code 0 /u);
      expect(hasReplacedProgramRun()).toBe(true);
    },
  );
});

describe('the profile of a login shell', () => {
  const profiles: Readonly<Record<string, string>> = {
    'another program for the name "cat"': 'hash -p ROOT/tools/mark cat',
    'a trap before each command': "trap 'touch MARKS/ran' DEBUG",
    'a variable of Git': 'export GIT_TRACE=MARKS/log',
    'a function': 'ls() { touch MARKS/ran; }',
    'another path': 'export PATH=ROOT/tools:$PATH',
    'an alias': "shopt -s expand_aliases; alias ls='touch MARKS/ran'",
    'a file of the workspace': '. ROOT/tools/mark',
  };

  test.runIf(process.platform === 'linux').each(Object.entries(profiles))(
    'with %s does not change what a line of reading commands runs',
    async (_, profile) => {
      const text = profile.replace('MARKS', evidenceFolder).replace('ROOT', root);
      writeFileSync(join(parent, 'home/.bash_profile'), `${text}\n`);
      const [, line = ''] = readingLines;
      expect(await runInEnvironment(line)).toMatch(/^Exit code 0 [^]*changed\n[^]*1 file changed/u);
      expect(hasReplacedProgramRun()).toBe(false);
    },
  );

  test.runIf(process.platform === 'linux')(
    'applies to a command that is not on the list of reading commands',
    async () => {
      writeFileSync(join(parent, 'home/.bash_profile'), 'export ADDED=from-profile\n');
      expect(await runInEnvironment("bash -lc 'printenv ADDED'")).toContain('from-profile');
      expect(existsSync(join(evidenceFolder, 'ran'))).toBe(false);
    },
  );
});
