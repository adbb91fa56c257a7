import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { fc } from '../../../test/support/property.ts';
import { commandParser } from './command-gate.fixture.ts';
import { canTypeInShell } from './command-text.ts';

const canTypeCommandLine = async (commandLine: string): Promise<boolean> =>
  canTypeInShell(commandLine, await commandParser.parse('bash', commandLine));

test.each([
  'npm test',
  'echo "$VIRTUAL_ENV" && ls | wc -l > out.txt',
  'for i in 1 2; do echo $i; done',
  'sleep 1 & echo $! ; [ ! -e a ] && [ a != b ] ; echo done!',
  'pytest -q "tests/a b.py" # comment',
])('canTypeInShell accepts the line %j', async (commandLine) => {
  expect(await canTypeCommandLine(commandLine)).toBe(true);
});

test.each([
  ['a carriage return', 'ls\rrm x'],
  ['a line break', 'ls\nrm x'],
  ['a tab', 'ls\tx'],
  ['Ctrl+C', 'ls\u0003'],
  ['an escape', 'ls\u001b[201~'],
  ['a C1 control character', 'ls\u009b'],
  ['a history expansion', 'echo "a!!"'],
  ['a history substitution', '^a^b'],
  ['a character outside ASCII', 'echo ä'],
  ['an open quote', 'echo "a'],
  ['a final escape', 'echo a\\'],
  ['a leading blank', ' ls'],
  ['a final blank', 'ls '],
  ['no text', ''],
  ['more characters than a terminal takes at once', `echo ${'a'.repeat(4_000)}`],
])('canTypeInShell rejects a command with %s', async (_, commandLine) => {
  expect(await canTypeCommandLine(commandLine)).toBe(false);
});

test('canTypeInShell rejects a command without a syntax tree', () => {
  expect(canTypeInShell('ls', undefined)).toBe(false);
});

test.skipIf(process.platform === 'win32')(
  'an interactive Bash prints the same for each typed line as a Bash that gets the line as an argument',
  { timeout: 60_000 },
  async () => {
    const anyWords = fc.array(
      fc.oneof(
        fc.constantFrom(
          '!!',
          '!e',
          '! ',
          '!=',
          '$!',
          '^a^b',
          "'",
          '"',
          '\\',
          '$',
          '`',
          '#',
          '{a,b}',
          '~',
          ';',
          ' ',
        ),
        fc.string({ maxLength: 3 }).map((text) => text.replaceAll(/[^a-z0-9 ]/gu, '')),
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('echo ', 'printf %s '),
        anyWords,
        async (program, wordFragments) => {
          const line = `${program}${wordFragments.join('')}`;
          if (!(await canTypeCommandLine(line)) || /[;`$]/u.test(line)) return;
          const argumentRun = spawnSync('bash', ['--norc', '-c', line], bashOptions);
          const typedRun = spawnSync('bash', ['--norc', '-i'], {
            ...bashOptions,
            input: `echo first\n${line}\n`,
          });
          expect(typedRun.stdout).toBe(`first\n${argumentRun.stdout}`);
        },
      ),
      { numRuns: 60 },
    );
  },
);

const bashOptions = { encoding: 'utf8', env: { PATH: process.env['PATH'], PS1: '' } } as const;
