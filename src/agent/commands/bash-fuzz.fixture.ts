import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fc } from '../../../test/support/property.ts';
import {
  createGrantsForPrograms,
  checkCommandLine,
  commandParser,
} from './command-gate.fixture.ts';
import { readBashCommands } from './command-shells.ts';

const defaultLineCount = 3_000;

/**
 * Number of command lines to generate. Override it with an environment variable: `GATE_FUZZ_LINES=200000` runs for
 * several minutes.
 */
export const fuzzLineCount = Number(process.env['GATE_FUZZ_LINES'] ?? defaultLineCount);

/** Time limit in milliseconds: 30 seconds for the default number of lines, which takes 3 seconds on an idle machine. */
export const fuzzTimeoutMs = fuzzLineCount > defaultLineCount ? 3_600_000 : 30_000;

const grants = createGrantsForPrograms('npm tsc node eslint git rg sed cut tr');

const programs =
  `ls cat head tail sort uniq nl rev tac wc grep find tree du stat date which basename dirname
   echo printf true pwd cd git rg sed cut tr npm tsc node eslint arch realpath sleep base64 sh env
   dir test`.split(/\s+/u);

const commandWords =
  `1 +1 -1 -n -5 -n1 -l -la -c -R -r --all --name-only --no-pager -- - a.txt b.txt sub sub/c.txt *
   *.txt ? [ab].txt .e* {a,b}.txt link link/c.txt status log diff test run x=1 a:b a@b # #a ~ !
   'a b' "a b" '' "" 'it'\\''s' "{\\"a\\":1}" \\a a\\ b $x \${x} "$x" $'a' $"a" \`x\` $(x) noEmit --noEmit
   -e -name a+b a,b a% %1 é ./a.txt`.split(/\s(?![ab]\b['"]|b)/u);

/**
 * Destinations of redirects. Some contain a blank, at which Bash ends the destination. The part before the blank is
 * still a folder or `/dev/null`, so that no redirect creates a file.
 */
const redirectTargetArbitrary = fc.constantFrom(
  '/dev/null',
  '/dev/null',
  '/ dev/null',
  '/dev /null',
  '/dev/ null',
);
const redirect = fc
  .tuple(
    fc.constantFrom('>', '<', '2>', '1>', '&>', '>>', '> ', '< ', '2> ', '2 >', '>|'),
    redirectTargetArbitrary,
  )
  .map((parts) => parts.join(''));
const noise = fc.constantFrom(
  ...` |  |\t|\\|'|"|1|2|#|*|?|[|]|{|}|,|~|$|!|\n|-|=|:|;|&|(|)|2>&1|>&2| \\\n|\u00e9|\u00a0|^|@|%`.split(
    '|',
  ),
  '|',
  '|&',
  '&&',
);

/** Inserts up to two fragments of shell syntax or text at random positions of a generated text. */
const insertNoise = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      text,
      fc.oneof(
        { weight: 5, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: fc.array(fc.tuple(fc.nat(), noise), { maxLength: 2 }) },
      ),
    )
    .map(([base, insertions]) =>
      insertions.reduce((all, [position, inserted]) => {
        const index = position % (all.length + 1);
        return all.slice(0, index) + inserted + all.slice(index);
      }, base),
    );

const command = fc
  .tuple(
    insertNoise(fc.constantFrom(...programs)),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: insertNoise(fc.constantFrom(...commandWords)) },
        { weight: 1, arbitrary: redirect },
      ),
      { maxLength: 3 },
    ),
  )
  .map(([program, args]) => [program, ...args].join(' '));

const commandLine = fc
  .array(fc.tuple(command, fc.constantFrom(' | ', ' && ', ' || ', '; ', '\n', '|')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) =>
    parts
      .map((part) => part.join(''))
      .join('')
      .replace(/(?: \| | && | \|\| |; |\n|\|)$/u, ''),
  );

/** Allowed command line for which Bash ran commands that `readBashCommands` did not find. */
interface Disagreement {
  readonly commandLine: string;
  /** Commands that `readBashCommands` found in the line, each with its arguments as JSON. */
  readonly foundCommands: readonly string[];
  readonly unexpectedCommands: readonly string[];
}

interface FuzzResult {
  readonly allowedCount: number;
  /** Disagreements in the order of the generated lines. */
  readonly disagreements: readonly Disagreement[];
  /** Names of files that the lines created or removed. */
  readonly changedFiles: readonly string[];
}

/**
 * Checks generated command lines with the real `checkCommand` function, and runs the allowed lines in Bash. Stub
 * programs record their arguments. All files are in a temporary folder, and no line names a path outside this folder.
 */
export async function compareWithBash(lineCount: number): Promise<FuzzResult> {
  const folder = await mkdtemp(join(tmpdir(), 'gate-fuzz-'));
  try {
    await createStubs(join(folder, 'bin'));
    await createWorkspace(join(folder, 'workspace'));
    const listFiles = (): Promise<string[]> =>
      readdir(join(folder, 'workspace'), { recursive: true });
    const before = await listFiles();
    const allowed = await checkLines(fc.sample(commandLine, lineCount));
    const disagreements: Disagreement[] = [];
    for (const exitCode of [0, 1]) {
      const commandLines = allowed.map(({ commandLine }) => commandLine);
      const runs = await runInBash(folder, commandLines, exitCode);
      for (const [index, { commandLine, commands }] of allowed.entries()) {
        const unexpectedCommands = subtractValues(runs[index] ?? [], commands);
        if (unexpectedCommands.length > 0)
          disagreements.push({ commandLine, foundCommands: commands, unexpectedCommands });
      }
    }
    const after = await listFiles();
    const changedFiles = [...subtractValues(before, after), ...subtractValues(after, before)];
    return { allowedCount: allowed.length, disagreements, changedFiles };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface AllowedLine {
  readonly commandLine: string;
  /** Commands that `readBashCommands` found in the line, each with its arguments as JSON. */
  readonly commands: readonly string[];
}

async function checkLines(lines: readonly string[]): Promise<readonly AllowedLine[]> {
  const allowed: AllowedLine[] = [];
  for (const commandLine of new Set(lines)) {
    if ((await checkCommandLine(commandLine, grants)).decision !== 'allow') continue;
    const tree = await commandParser.parse('bash', commandLine);
    if (tree === undefined) throw new Error(`Not parsed: ${commandLine}`);
    allowed.push({
      commandLine,
      commands: readBashCommands(tree).commands.map((args) => JSON.stringify(args)),
    });
  }
  return allowed;
}

/** Returns the values that occur more often in `values` than in `others`, once for each extra occurrence. */
function subtractValues(values: readonly string[], others: readonly string[]): readonly string[] {
  const unmatchedValues = [...others];
  return values.filter((value) => {
    const index = unmatchedValues.indexOf(value);
    if (index >= 0) unmatchedValues.splice(index, 1);
    return index < 0;
  });
}

/**
 * Creates stub programs. Each run writes the program name and its arguments, separated by NUL, to a file of its own.
 */
async function createStubs(bin: string): Promise<void> {
  await mkdir(bin);
  const script = `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" >"$STUB_OUTPUT/$$"\nexit "$STUB_EXIT"\n`;
  await writeFile(join(bin, 'stub'), script, { mode: 0o755 });
  const names = new Set([...programs, ...commandWords, ...builtins]);
  for (const name of names) {
    if (/^[\w.-]+$/u.test(name) && name !== '.') await symlink('stub', join(bin, name));
  }
}

async function createWorkspace(workspace: string): Promise<void> {
  await mkdir(join(workspace, 'sub'), { recursive: true });
  for (const name of ['1', '2', 'a.txt', 'b.txt', '.env', '-n', 'sub/c.txt']) {
    await writeFile(join(workspace, name), `${name}\n`);
  }
  await symlink('sub', join(workspace, 'link'));
}

/** Bash builtins that a generated line could name. They are disabled so that the stubs on the `PATH` run instead. */
const builtins =
  'echo printf true false pwd cd test dir eval exec source export set type command'.split(' ');

/** Reads NUL-separated lines from standard input, and runs each line in a subshell. */
const runnerScript = `
  names=$(compgen -b)
  names=\${names//$'\n'/ }
  index=0
  while IFS= read -r -d '' line; do
    export STUB_OUTPUT="$1/$index"
    ( eval "builtin enable -n $names"$'\\n'"$line"; builtin wait ) </dev/null >/dev/null 2>&1
    index=$((index + 1))
  done
`;

/** Runs lines in Bash. Returns the arguments of each program that a line started, as JSON. */
async function runInBash(
  folder: string,
  lines: readonly string[],
  exitCode: number,
): Promise<string[][]> {
  const output = await mkdtemp(join(folder, 'output-'));
  await Promise.all(lines.map((_, index) => mkdir(join(output, String(index)))));
  const running = promisify(execFile)(
    '/bin/bash',
    ['--noprofile', '--norc', '-c', runnerScript, 'bash', output],
    {
      cwd: join(folder, 'workspace'),
      env: { PATH: join(folder, 'bin'), STUB_EXIT: String(exitCode), LC_ALL: 'C.UTF-8' },
    },
  );
  running.child.stdin?.end(lines.map((line) => `${line}\0`).join(''));
  await running;
  return Promise.all(
    lines.map(async (_, index) => {
      const names = await readdir(join(output, String(index)));
      const texts = await Promise.all(
        names.map((name) => readFile(join(output, String(index), name), 'utf8')),
      );
      return texts.map((text) => JSON.stringify(text.split('\0').slice(0, -1)));
    }),
  );
}
