import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProcessTree } from './process.ts';
import { timeLimits } from './time-limits.ts';

test.skipIf(process.platform === 'win32')(
  'ProcessTree writes the output of a process to a log file that only the user can read',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inference-service-process-'));
    const logFile = join(folder, 'logs', 'one.log');
    const script = "console.log('token=secret')";
    await using processTree = new ProcessTree({
      command: process.execPath,
      args: ['-e', script],
      logFile,
    });
    await processTree.waitForOutput(/token=secret/u, timeLimits.condition);
    await expect.poll(() => readFileModes(folder, logFile)).toEqual(['700', '600']);
    await rm(folder, { recursive: true });
  },
);

async function readFileModes(folder: string, logFile: string): Promise<string[]> {
  const stats = await Promise.all([stat(join(folder, 'logs')), stat(logFile)]);
  return stats.map(({ mode }) => (mode & 0o777).toString(8));
}
