import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createCommandEnvironment,
  createReadingEnvironment,
  createTerminalEnvironment,
  findCommandShell,
} from './shell.ts';

test("createCommandEnvironment keeps the user's environment variables", () => {
  const userEnvironment = {
    PATH: '/bin',
    HOME: '/home/me',
    NODE_OPTIONS: '--max-old-space-size=1',
    MY: '',
  };
  expect(createCommandEnvironment(userEnvironment)).toMatchObject(userEnvironment);
});

test.each([
  'INFERENCE_SERVICE_API_KEY',
  'inference_service_api_key',
  'INFERENCE_SERVICE_SUITES',
  'VSCODE_IPC_HOOK_CLI',
  'VSCODE_GIT_ASKPASS_NODE',
  'ELECTRON_RUN_AS_NODE',
  'BASH_ENV',
  'ENV',
  'CDPATH',
  'SHELLOPTS',
  'BASHOPTS',
  'PROMPT_COMMAND',
  'SSH_CLIENT',
  'SSH2_CLIENT',
  'SHLVL',
  'BASH_FUNC_ls%%',
  'GREP_OPTIONS',
  'RIPGREP_CONFIG_PATH',
  'GIT_ASKPASS',
  'SSH_ASKPASS',
  'FORCE_COLOR',
])('createCommandEnvironment removes the variable %s from the environment', (name) => {
  expect(createCommandEnvironment({ [name]: 'value' })).not.toHaveProperty(name);
});

test('createCommandEnvironment keeps the variable GREP_COLORS', () => {
  expect(createCommandEnvironment({ GREP_COLORS: 'mt=01' })).toHaveProperty('GREP_COLORS');
});

test.skipIf(process.platform === 'win32')(
  'a real shell changes to the named folder and runs no start-up file, despite inherited variables',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'command-shell-'));
    try {
      for (const folder of ['work/src', 'other/src'])
        mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, 'start.sh'), 'echo started\n');
      const startupScript = join(root, 'start.sh');
      const inheritedVariables = {
        CDPATH: join(root, 'other'),
        BASH_ENV: startupScript,
        ENV: startupScript,
      };
      const [program, ...args] = findCommandShell().createInvocation('cd src && pwd -P');
      const output = execFileSync(program, args, {
        cwd: join(root, 'work'),
        env: createCommandEnvironment({ PATH: process.env['PATH'], ...inheritedVariables }),
        encoding: 'utf8',
      });
      expect(output).toBe(`${join(realpathSync(root), 'work/src')}\n`);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
);

test.skipIf(process.platform === 'win32').each(['', '.', './tools', 'tools'])(
  'a real shell runs no program of its working folder if PATH contains the entry "%s"',
  (pathEntry) => {
    const root = mkdtempSync(join(tmpdir(), 'command-shell-'));
    try {
      mkdirSync(join(root, 'tools'));
      for (const file of ['reader', 'tools/reader'])
        writeFileSync(join(root, file), '#!/bin/sh\necho started\n', { mode: 0o755 });
      const path = ['/usr/bin', '/bin', pathEntry].join(delimiter);
      const [program, ...args] = findCommandShell().createInvocation('reader || echo missing');
      const output = execFileSync(program, args, {
        cwd: root,
        env: createCommandEnvironment({ PATH: path }),
        encoding: 'utf8',
      });
      expect(output).toMatch(/missing\n$/u);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  },
);

test.skipIf(process.platform === 'win32').each([
  ['/usr/bin:/bin', '/usr/bin:/bin'],
  [':/usr/bin::~/bin:../x:', '/usr/bin:~/bin'],
])(
  'createCommandEnvironment returns the PATH "%s" without empty and relative entries, as "%s"',
  (path, expected) => {
    expect(createCommandEnvironment({ PATH: path })).toMatchObject({ PATH: expected });
    expect(createCommandEnvironment({ PATH: '.' })).not.toHaveProperty('PATH');
  },
);

test('createCommandEnvironment drops debugger options of VS Code and unset variables', () => {
  const environment = createCommandEnvironment({
    NODE_OPTIONS: '--require /x/js-debug/boot.js',
    A: undefined,
  });
  expect(environment).not.toHaveProperty('NODE_OPTIONS');
  expect(environment).not.toHaveProperty('A');
});

test('createCommandEnvironment disables pagers, prompts and colors, even if the user’s environment enables them', () => {
  const environment = createCommandEnvironment({
    PAGER: 'less',
    TERM: 'xterm',
    GIT_TERMINAL_PROMPT: '1',
    GIT_CONFIG_NOSYSTEM: '0',
  });
  expect(environment).toMatchObject({
    CI: '1',
    NO_COLOR: '1',
    TERM: 'dumb',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_NOSYSTEM: '1',
  });
});

test.each([
  ['is not set', 0, undefined],
  ['is 2', 2, '2'],
  ['is no number', 0, 'many'],
])(
  'if the inherited GIT_CONFIG_COUNT %s, createCommandEnvironment adds its Git settings from index %d',
  (_, firstIndex, count) => {
    const userEnvironment = {
      GIT_CONFIG_COUNT: count,
      GIT_CONFIG_KEY_1: 'user.name',
      GIT_CONFIG_VALUE_1: 'me',
    };
    expect(createCommandEnvironment(userEnvironment)).toMatchObject({
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_COUNT: String(firstIndex + 4),
      [`GIT_CONFIG_KEY_${firstIndex}`]: 'safe.bareRepository',
      [`GIT_CONFIG_VALUE_${firstIndex}`]: 'explicit',
      [`GIT_CONFIG_KEY_${firstIndex + 1}`]: 'core.fsmonitor',
      [`GIT_CONFIG_VALUE_${firstIndex + 1}`]: 'false',
    });
  },
);

test.each([
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'GCONV_PATH'],
  ...[
    'GIT_DIR',
    'GIT_EXTERNAL_DIFF',
    'GIT_CONFIG_GLOBAL',
    'GIT_EXEC_PATH',
    'GIT_TRACE',
    'NODE_OPTIONS',
  ],
])('createReadingEnvironment removes %s', (name) => {
  expect(createReadingEnvironment({ [name]: 'value' }, [])).not.toHaveProperty(name);
  // Other commands can need the variable.
  expect(createCommandEnvironment({ [name]: 'value' })).toHaveProperty(name);
});

test('createReadingEnvironment keeps the home folder, the language and the settings for unattended runs', () => {
  const retainedVariables = { HOME: '/home/me', LANG: 'de_DE.UTF-8', LC_ALL: 'C' };
  expect(createReadingEnvironment(retainedVariables, [])).toMatchObject({
    ...retainedVariables,
    PAGER: 'cat',
    CI: '1',
  });
});

test('createTerminalEnvironment keeps key bindings and secrets of start-up files out of an interactive Bash', () => {
  const homeFolder = mkdtempSync(join(tmpdir(), 'terminal-home-'));
  try {
    writeFileSync(join(homeFolder, '.bashrc'), 'export INFERENCE_SERVICE_API_KEY=secret OWN=1\n');
    writeFileSync(join(homeFolder, '.inputrc'), '"jk": "rm -rf victim "\n');
    const variableChanges = createTerminalEnvironment(
      { PATH: process.env['PATH'] },
      join(homeFolder, 'none'),
    );
    const variables = { PATH: process.env['PATH'] ?? '', HOME: homeFolder, ...variableChanges };
    const environment = Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    );
    const printedText = execFileSync('bash', ['-i'], {
      env: environment,
      input: 'echo "key=[$INFERENCE_SERVICE_API_KEY] own=[$OWN]"; bind -S\n',
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString();
    expect(printedText).toContain('key=[] own=[1]');
    expect(printedText).not.toContain('victim');
  } finally {
    rmSync(homeFolder, { recursive: true });
  }
});
