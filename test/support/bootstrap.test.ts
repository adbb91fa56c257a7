import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { ProcessMark } from './process-mark.ts';
import { root } from './paths.ts';
import { timeLimits } from './time-limits.ts';

/**
 * Run of `npm start` in a project that contains only `bootstrap.mjs`, its modules, and a substitute. The substitute is
 * a script that replaces one of the programs that `bootstrap.mjs` starts.
 */
interface ProgramRun {
  readonly npm: ChildProcess & { readonly pid: number };
  /**
   * Ids of three processes: the substitute, a program that the substitute started, and a program whose parent process
   * has ended.
   */
  readonly pids: readonly number[];
  /** Path of a temporary folder that the substitute created. */
  readonly temporaryFolder: string;
  /** Environment variable of all processes of the run, by which the test finds them. */
  readonly processMark: ProcessMark;
}

interface SubstituteOptions {
  /**
   * Program that the substitute replaces: `command` is the program that npm runs, `installer` is the `npm` that
   * installs packages.
   */
  readonly replacedProgram?: 'command' | 'installer';
  /**
   * JavaScript that the substitute runs before it reports the ids of its processes. The test sends signals only after
   * this report.
   */
  readonly beforeReport?: string;
  /** JavaScript that the substitute for the command runs after it has reported the ids of its processes. */
  readonly afterReport?: string;
  /** True if the programs that the substitute starts ignore SIGINT, SIGTERM and SIGHUP. */
  readonly ignoresSignals?: boolean;
}

type EndProgram = (run: ProgramRun) => void;

const programEndings: Readonly<Record<string, EndProgram>> = {
  'Ctrl+C': ({ npm }) => process.kill(-npm.pid, 'SIGINT'),
  'SIGTERM to npm alone': ({ npm }) => process.kill(npm.pid, 'SIGTERM'),
  'a closed terminal': ({ npm }) => {
    process.kill(-npm.pid, 'SIGHUP');
    npm.stdout?.destroy();
  },
};
const commandEndings: Readonly<Record<string, EndProgram>> = {
  ...programEndings,
  'SIGTERM to the process group': ({ npm }) => process.kill(-npm.pid, 'SIGTERM'),
  'SIGKILL to npm alone': ({ npm }) => process.kill(npm.pid, 'SIGKILL'),
  'SIGKILL to the process group': ({ npm }) => process.kill(-npm.pid, 'SIGKILL'),
  'SIGKILL to the command': ({ pids: [commandPid = 0] }) => process.kill(commandPid, 'SIGKILL'),
};

// The test finds processes in /proc, which only Linux has.
const isLinux = process.platform === 'linux';

describe.runIf(isLinux).concurrent('on Linux', () => {
  test.for(Object.entries(commandEndings))(
    'the bootstrap program leaves no process or temporary file after %s',
    async ([, end], context) => {
      await expectNoRemainingProcess(await startBootstrap({}, context), end);
    },
  );

  test.for(Object.entries(programEndings))(
    'the bootstrap program leaves no process or temporary file after %s while the command blocks its event loop',
    async ([, end], context) => {
      await expectNoRemainingProcess(
        await startBootstrap({ afterReport: "execFileSync('sleep', ['600']);" }, context),
        end,
      );
    },
  );

  test.for(Object.entries(programEndings))(
    'the bootstrap program leaves no process or temporary file after %s during the installation',
    async ([, end], context) => {
      await expectNoRemainingProcess(
        await startBootstrap({ replacedProgram: 'installer' }, context),
        end,
      );
    },
  );

  test('the bootstrap program leaves no process or temporary file after a command whose programs ignore signals', async (context) => {
    const run = await startBootstrap({ ignoresSignals: true }, context);
    await expectNoRemainingProcess(run, commandEndings['SIGTERM to npm alone']!);
  });

  test('the bootstrap program leaves no process or temporary file after the command ends, and returns its exit code', async (context) => {
    const beforeReport = "process.once('SIGUSR2', () => process.exit(7));";
    const run = await startBootstrap({ beforeReport }, context);
    await expectNoRemainingProcess(run, ({ pids: [command = 0] }) =>
      process.kill(command, 'SIGUSR2'),
    );
    expect(run.npm.exitCode).toBe(7);
  });
});

async function expectNoRemainingProcess(run: ProgramRun, end: EndProgram): Promise<void> {
  expect(run.pids).toHaveLength(3);
  expect(run.processMark.listRunningPids()).toEqual(expect.arrayContaining([...run.pids]));
  expect(existsSync(run.temporaryFolder)).toBe(true);
  const exitPromise = once(run.npm, 'exit');
  end(run);
  await exitPromise;
  // expect.poll cannot distinguish tests that run at the same time.
  await vi.waitFor(
    () => {
      expect(run.processMark.listRunningPids()).toEqual([]);
      expect(existsSync(run.temporaryFolder)).toBe(false);
    },
    { timeout: timeLimits.unitTest / 2 },
  );
}

async function startBootstrap(
  substitute: SubstituteOptions,
  { onTestFinished }: TestContext,
): Promise<ProgramRun> {
  const projectFolder = await mkdtemp(join(tmpdir(), 'inference-service-bootstrap-'));
  onTestFinished(() => rm(projectFolder, { recursive: true, force: true }));
  await writeProject(projectFolder, substitute);
  const mark = new ProcessMark();
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: projectFolder,
    env: mark.environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Start a separate process group, as a shell does for a command.
    detached: true,
  });
  onTestFinished(() => mark.killAll());
  const facts = JSON.parse(await readJsonLine(npm)) as Pick<ProgramRun, 'pids' | 'temporaryFolder'>;
  return { npm: npm as ProgramRun['npm'], processMark: mark, ...facts };
}

async function writeProject(
  projectFolder: string,
  {
    replacedProgram = 'command',
    beforeReport = '',
    afterReport = '',
    ignoresSignals = false,
  }: SubstituteOptions,
): Promise<void> {
  const supportFolder = join(projectFolder, 'test', 'support');
  const modulesFolder = join(projectFolder, 'node_modules');
  const folders = [
    join(supportFolder, 'commands'),
    join(modulesFolder, '.bin'),
    join(modulesFolder, 'node', 'bin'),
  ];
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const scripts = (await readdir(join(root, 'test', 'support'))).filter((name) =>
    name.endsWith('.mjs'),
  );
  for (const name of scripts)
    await cp(join(root, 'test', 'support', name), join(supportFolder, name));
  await cp(join(root, 'package.json'), join(projectFolder, 'package.json'));
  await symlink(process.execPath, join(modulesFolder, 'node', 'bin', 'node'));
  const startCommand = join(supportFolder, 'commands', 'start.ts');
  await writeFile(
    startCommand,
    createSubstituteSource({ beforeReport, afterReport, ignoresSignals }),
  );
  const packages =
    replacedProgram === 'installer' ? { 'node_modules/a': { version: '1.0.0' } } : {};
  await writeFile(join(projectFolder, 'package-lock.json'), JSON.stringify({ packages }));
  const installerScript = `#!/bin/sh\nexec "${process.execPath}" "${startCommand}"\n`;
  await writeFile(join(modulesFolder, '.bin', 'npm'), installerScript, { mode: 0o755 });
}

/**
 * Returns the source code of a substitute. The substitute starts its programs in separate sessions, so that signals to
 * npm's process group do not reach them.
 */
function createSubstituteSource({
  beforeReport,
  afterReport,
  ignoresSignals,
}: Required<Omit<SubstituteOptions, 'replacedProgram'>>): string {
  const ignoreSignalsSource =
    "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {});";
  const programSource = `${ignoresSignals ? ignoreSignalsSource : ''} setInterval(() => {}, 1_000); console.log(process.pid);`;
  const options = "{ detached: true, stdio: 'inherit' }";
  const parentSource = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(programSource)}], ${options}).unref();`;
  return `
    import { execFileSync, spawn } from 'node:child_process';
    import { once } from 'node:events';
    import { mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    async function start(script) {
      const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      return Number((await once(child.stdout, 'data'))[0]);
    }
    const pids = [process.pid, await start(${JSON.stringify(programSource)}), await start(${JSON.stringify(parentSource)})];
    const temporaryFolder = mkdtempSync(tmpdir() + '/stand-in-');
    ${beforeReport}
    console.log(JSON.stringify({ pids, temporaryFolder }));
    ${afterReport}`;
}

async function readJsonLine(npm: ChildProcess): Promise<string> {
  let text = '';
  for (;;) {
    const [line] = /^\{.*\}$/mu.exec(text) ?? [];
    if (line) return line;
    text += String((await once(npm.stdout!, 'data'))[0]);
  }
}
