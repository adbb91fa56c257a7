/** `npm test`: every stage, one after the other, also after one failed; then the sum of all of them. */
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installBrowser } from '../browser.ts';
import { artefacts, root } from '../paths.ts';
import { clearTally, readTally, type Tally, tallyFile } from '../tally.ts';

interface Stage {
  readonly name: string;
  readonly commands: readonly (readonly string[])[];
  /** `false`: counts as one test, for a stage that is right or wrong as a whole. */
  readonly counts: boolean;
}

const packageFile = join(artefacts, 'inference-service.vsix');
const unitReport = `--outputFile.json=${tallyFile('unit')}`;
const stages: readonly Stage[] = [
  { name: 'check', commands: [['npm', 'run', '--silent', 'check']], counts: false },
  {
    name: 'unit',
    commands: [
      [
        'npm',
        'run',
        '--silent',
        'test:unit',
        '--',
        '--reporter=default',
        '--reporter=json',
        unitReport,
      ],
    ],
    counts: true,
  },
  { name: 'integration', commands: [['npm', 'run', '--silent', 'test:integration']], counts: true },
  { name: 'e2e', commands: [['npm', 'run', '--silent', 'test:e2e']], counts: true },
  {
    name: 'package',
    commands: [
      ['npm', 'run', '--silent', 'package', '--', '--out', packageFile],
      ['npm', 'run', '--silent', 'test:e2e', '--', '--package', packageFile],
    ],
    counts: true,
  },
];

let running: ReturnType<typeof spawn> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    running?.kill('SIGTERM');
    process.exit(1);
  });
}
await rm(join(artefacts, 'logs'), { recursive: true, force: true });
await rm(join(artefacts, 'screenshots'), { recursive: true, force: true });

installBrowser();

const lines: string[] = [];
let total: Tally = { passed: 0, failed: 0 };
for (const stage of stages) {
  const tally = await runStage(stage);
  total = { passed: total.passed + tally.passed, failed: total.failed + tally.failed };
}
console.log(`\n${lines.join('\n')}\n\n${inWords(total)}`);
if (total.failed > 0 || total.passed === 0) process.exitCode = 1;

async function runStage(stage: Stage): Promise<Tally> {
  console.log(`\n── ${stage.name} ──`);
  const start = performance.now();
  clearTally(stage.name);
  const succeeded = await runAll(stage.commands);
  const tally = judge(stage, succeeded);
  const seconds = Math.round((performance.now() - start) / 1_000);
  lines.push(`${stage.name.padEnd(12)} ${seconds.toString().padStart(4)} s   ${inWords(tally)}`);
  return tally;
}

/** A stage that ended badly has at least one failure, and one that ran no test has failed. */
function judge(stage: Stage, succeeded: boolean): Tally {
  if (!stage.counts) return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1 };
  const { passed, failed } = readTally(stage.name) ?? { passed: 0, failed: 0 };
  const sound = succeeded && passed > 0;
  return { passed, failed: sound ? failed : Math.max(failed, 1) };
}

async function runAll(commands: Stage['commands']): Promise<boolean> {
  for (const command of commands) if ((await run(command)) !== 0) return false;
  return true;
}

function run([command = '', ...args]: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    running = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    running.once('error', () => resolve(null));
    running.once('close', resolve);
  });
}

function inWords({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
