import { describe, expect, test } from 'vitest';
import { checkCommandLine, readOnlyGrants } from './command-gate.fixture.ts';
import { readingPrograms } from './reading-commands.ts';

const sameMeaning = 'as on Linux';
const missingProgram = 'does not exist';

/**
 * Effect of each read-only command on each system, with the options and operands that the rules allow. Windows means
 * PowerShell with the programs of Windows, where a name can be an alias instead of a program. "Refuses" means that the
 * program ends with an error before it opens a file.
 */
const effectsBySystem: Readonly<
  Record<string, readonly [linux: string, macOS: string, windows: string]>
> = {
  pwd: ['prints the folder', sameMeaning, 'alias of Get-Location, treated as a cmdlet'],
  true: ['does nothing', sameMeaning, missingProgram],
  false: ['does nothing', sameMeaning, missingProgram],
  test: [
    'reports facts of one file; `-v` and comparisons of numbers would evaluate code',
    sameMeaning,
    missingProgram,
  ],
  whoami: [
    'prints the user; no arguments',
    sameMeaning,
    'the same; options start with a slash and ask',
  ],
  arch: [
    'prints the architecture',
    'the same without arguments; runs a program that an argument names, so all arguments ask',
    missingProgram,
  ],
  uname: ['prints the system; no operands', 'refuses `-i`', missingProgram],
  nproc: ['prints a number; would refuse operands', missingProgram, missingProgram],
  ls: [
    'prints names and facts of files; `-L` and `-H` would follow links and ask',
    '`-w` and `-T` have no value there, so that the number is an operand; all words are inspected',
    'alias of Get-ChildItem, treated as a cmdlet',
  ],
  dir: ['as `ls`', missingProgram, 'alias of Get-ChildItem, treated as a cmdlet'],
  basename: ['prints a part of its words', 'refuses `-z`', missingProgram],
  dirname: ['prints a part of its words', 'refuses `-z`', missingProgram],
  which: ['prints paths of programs, whose names are plain', sameMeaning, missingProgram],
  sleep: ['waits at most 999 seconds', sameMeaning, 'alias of Start-Sleep, which waits as long'],
  date: [
    'prints the time; `-s`, `-f`, `-r` and operands without `+` would set it or read a file',
    '`-f`, `-r`, `-v`, `-j` and numbers would set it or read a file, and ask; refuses long options',
    'falls back to Get-Date, which prints the time',
  ],
  realpath: ['prints paths', 'refuses all options except `-q`', missingProgram],
  cat: ['prints files', 'refuses `-A`, `-E` and `-T`', 'alias of Get-Content, treated as a cmdlet'],
  head: [
    'prints files',
    'refuses `-z`; options after a file are files, and are inspected',
    missingProgram,
  ],
  tail: [
    'prints files; `-f` would not end and asks',
    '`-r` prints in reverse and asks; `+5` is a number there, and is inspected as a file',
    missingProgram,
  ],
  nl: ['prints files', sameMeaning, missingProgram],
  printf: ['prints its words; `-v` would set a variable', sameMeaning, missingProgram],
  id: ['prints the user and groups', sameMeaning, missingProgram],
  seq: ['prints numbers', 'refuses long options', missingProgram],
  expr: ['prints the result of its words', sameMeaning, missingProgram],
  readlink: ['prints targets of links', 'refuses all options except `-f` and `-n`', missingProgram],
  sha256sum: [
    'prints digests; `-c` would read the files that a list names',
    '`-t` measures the time, and `-b` changes the format',
    missingProgram,
  ],
  md5sum: ['as `sha256sum`', 'as `sha256sum`', missingProgram],
  paste: ['prints files', 'refuses `-z`', missingProgram],
  numfmt: ['prints numbers', missingProgram, missingProgram],
  rev: ['prints files', 'a dash is a file there, and is inspected', missingProgram],
  tac: ['prints files', missingProgram, missingProgram],
  wc: ['counts', 'a dash is a file there, and is inspected', missingProgram],
  sort: [
    'prints files; `-o`, `-T`, `-S`, `--files0-from` and `--compress-program` ask',
    'the same; `+1` and `-o` too',
    'alias of Sort-Object, treated as a cmdlet',
  ],
  uniq: [
    'prints a file, and writes a second operand, which asks',
    'the same; refuses `-w` and `-z`; an option after the file is the second operand',
    missingProgram,
  ],
  cut: ['prints parts of files', 'refuses `-z` and long options', missingProgram],
  tr: ['filters its input', 'refuses `-t` and long options', missingProgram],
  base64: [
    'filters its input; operands ask',
    '`-i` reads and `-o` writes a file, so both ask, also where `-i` means something else',
    missingProgram,
  ],
  stat: [
    'prints facts of files',
    '`-t` has a value there, which is text; refuses `-c`; `-L` would follow links and asks',
    missingProgram,
  ],
  file: [
    'prints types; `-C` would write, `-f`, `-m` and `-z` would read other files or start programs',
    'the same; `-i` reads less',
    missingProgram,
  ],
  du: ['prints sizes', '`-t` has a value on both; refuses `-b`', missingProgram],
  df: ['prints file systems', '`-T` has a value there, which is text', missingProgram],
  tree: [
    'prints names; `-l` would follow links, and `-o` and `-R` would write',
    missingProgram,
    'prints names; options start with a slash and ask',
  ],
  column: [
    'prints a table',
    'the same; refuses options except `-t`, `-x`, `-s` and `-c`',
    missingProgram,
  ],
  diff: [
    'compares files and folders',
    'the same; `-l` would start `pr`, and asks',
    'alias of Compare-Object, which compares the words',
  ],
  cmp: ['compares files', 'a third operand is a number there, and asks', missingProgram],
  grep: [
    'searches files; `-f` would read another file',
    '`-z` and `-Z` also read compressed files; `-R` does not follow links; `-f` asks',
    missingProgram,
  ],
  rg: ['searches files', sameMeaning, sameMeaning],
  echo: ['prints its words', sameMeaning, 'alias of Write-Output, treated as a cmdlet'],
  find: [
    'prints names; `-L`, `-exec`, `-delete`, `-fprint` and `-files0-from` ask',
    'the same; `-f`, `-x`, `-s` and `-E` are options there, and ask',
    'searches text in files, which are inspected; options start with a slash and ask',
  ],
  sed: [
    'prints selected lines; `-i`, `-f`, and commands `e`, `w` and `r` ask',
    'the same; refuses `-z`; `-i` has a value there, and asks',
    missingProgram,
  ],
};

test('the table of effects by operating system contains every program on the built-in list of reading commands', () => {
  expect(Object.keys(effectsBySystem).toSorted()).toEqual([...readingPrograms].toSorted());
});

describe('lines with a different effect on macOS', () => {
  test.each([
    'arch -x86_64 sh -c id',
    'arch sh',
    'base64 -i secret.txt',
    'base64 -di secret.txt',
    'base64 -diw5',
    'base64 -o out',
    'base64 -i in -o out',
    'base64 --input=in',
    'cat -l a.txt',
    'cmp a.txt b.txt 5',
    'cut -w a.txt',
    'date -r a.txt',
    'date -f %F 2026-01-01',
    'date -j 010100002026',
    'date -v +1d',
    'date 0101',
    'diff -l a.txt b.txt',
    'du -I mask',
    'du -L sub',
    'file -C -m magic',
    'file -f list',
    'file -z a.gz',
    'find -E . -regex x',
    'find -f sub .',
    'find -x . -name x',
    'find . -depth 1',
    'grep -S -r x sub',
    'grep -f list a.txt',
    'head -n 5 a.txt -o b.txt',
    'ls -W',
    'ls -D %F',
    'md5sum -c list',
    'md5sum -s text',
    'pwd -W',
    'readlink -x a',
    'sed -i .bak s/a/b/ a.txt',
    'sed -I .bak s/a/b/ a.txt',
    'sed -a s/a/b/w a.txt',
    'sed -l s/a/b/ a.txt',
    'seq -f %1e9f 5',
    'sha256sum -c list',
    'sort -o out a.txt',
    'sort a.txt -o out',
    'sort --mmap a.txt',
    'stat -L a.txt',
    'stat -f %N a.txt',
    'tail -f a.txt',
    'tail -F a.txt',
    'tail -r a.txt',
    'tr -u a b',
    'uniq a.txt out',
    'uniq a.txt -c',
    'uniq -c a.txt -d',
    'which -x ls',
    'xargs ls',
  ])('require approval: %s', async (line) => {
    expect((await checkCommandLine(line, readOnlyGrants)).decision).toBe('ask');
  });
});

describe('lines with a different effect in PowerShell', () => {
  test.each([
    'tree /F',
    'whoami /all',
    'find /V "x" .env',
    'find "x" C:\\a.txt',
    'sort /O out',
    'where ls',
    'sort -o out a.txt',
    'cat -n a.txt',
    'ls -la',
    'diff (Get-Content a) b',
  ])('require approval: %s', async (line) => {
    expect((await checkCommandLine(line, readOnlyGrants, 'powershell')).decision).toBe('ask');
  });
});

describe('lines with the same effect on Linux and macOS', () => {
  test.each([
    'arch',
    'base64 -d',
    'date -u +%F',
    'du -sh sub',
    'grep -rn x sub',
    'head -n 5 a.txt',
    'ls -la',
    'sed -n 1,5p a.txt',
    'sort -u a.txt',
    'stat a.txt',
    'tail -n +5 a.txt',
    'uniq -c a.txt',
  ])('run without approval: %s', async (line) => {
    expect((await checkCommandLine(line, readOnlyGrants)).decision).toBe('allow');
  });
});
