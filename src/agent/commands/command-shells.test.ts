import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '../../../test/support/property.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { timeLimits } from '../../../test/support/time-limits.ts';
import { readBashCommands } from './command-shells.ts';
import { commandParser } from './command-gate.fixture.ts';
import { checkCommandText } from './command-text.ts';

const bashPath = '/bin/bash';

/** Fragments from which random command lines are composed: shell syntax, text, and the names of two programs. */
const lineFragments = [
  ...['a', 'b', 'a ', 'b ', ' ', '  ', '\t', '\n', '1', 'x', 'é', '日'],
  ...['"', "'", '\\', '\\\n', '$', '`', '$(b)', '${a}', '$1', '""', "''", '"a b"', "'a b'"],
  ...['&&', '||', '|', '|&', ';', ';;', '&', '(', ')', '{', '}', '!', '[', ']', '[[', ']]'],
  ...['>', '<', '>>', '2>&1', '>&2', '>/dev/null', '2>', '<<E', '\nE\n', '<<<', '<('],
  ...['#', '~', '*', '?', '=', '-', '--', ':', '.', '/', ',', '%', '^', '@', '+', '+('],
  ...[' if ', ' then ', ' fi ', ' time ', ' coproc ', ' function ', ' in ', ' do ', ' done '],
];

describe.runIf(existsSync(bashPath))('the commands that readBashCommands finds in a line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inference-service-bash-'));
  const recordPath = join(folder, 'record');
  for (const name of ['a', 'b']) {
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nprintf '%s\\037' ${name} "$@" "$END" >> "$RECORD"\n`,
    );
    chmodSync(join(folder, name), 0o755);
  }
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a line in Bash and returns the words of every started program. */
  function runInBash(line: string): string[] {
    writeFileSync(recordPath, '');
    const env = { PATH: folder, RECORD: recordPath, END: '\u001E' };
    spawnSync(bashPath, ['--noprofile', '--norc', '-c', line], {
      cwd: folder,
      env,
      timeout: timeLimits.unitTest,
    });
    return readFileSync(recordPath, 'utf8').split('\u001F\u001E\u001F').filter(Boolean);
  }

  const readCommands = async (line: string): Promise<string[] | undefined> => {
    const tree = await commandParser.parse('bash', line);
    if (!tree || checkCommandText(line).length > 0) return undefined;
    const { commands, reasons } = readBashCommands(tree);
    return reasons.length > 0 ? undefined : commands.map((words) => words.join('\u001F'));
  };

  test.each([
    ['a x "y z" \'$HOME\' w"v"\'u\'', ['a\u001Fx\u001Fy z\u001F$HOME\u001Fwvu']],
    ['a 1 2>&1 | b --c=d; a', ['a', 'a\u001F1', 'b\u001F--c=d']],
    ['a HEAD~1 HEAD^ x=y %1 é', ['a\u001FHEAD~1\u001FHEAD^\u001Fx=y\u001F%1\u001Fé']],
  ])('are those that Bash runs for `%s`', async (line, expected) => {
    expect((await readCommands(line))?.toSorted()).toEqual(expected);
    expect(runInBash(line).toSorted()).toEqual(expected);
  });

  test('are the only commands that Bash runs for a random line, if readBashCommands accepts the line', async () => {
    let acceptedCount = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...lineFragments), { maxLength: 8 }),
        async (fragments) => {
          const line = `a ${fragments.join('')}`;
          const foundCommands = await readCommands(line);
          if (!foundCommands) return;
          acceptedCount += 1;
          const remainingCommands = [...foundCommands];
          for (const startedCommand of runInBash(line)) {
            const index = remainingCommands.indexOf(startedCommand);
            expect(
              index,
              `${JSON.stringify(line)} started ${JSON.stringify(startedCommand)}`,
            ).not.toBe(-1);
            remainingCommands.splice(index, 1);
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(acceptedCount).toBeGreaterThan(10);
  });
});
