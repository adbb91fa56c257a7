import { isReadingCmdlet, findReadingCmdlet } from './reading-cmdlets.ts';
import type { ShellKind } from './command-line.ts';
import { takesTextOnly } from './command-text.ts';
import { listGitPathWords, parseReadingGitCommand } from './git-commands.ts';
import {
  anyText,
  findCommand,
  matchShape,
  number,
  type ProgramShape,
  type ReadingCommand,
  parseSedCommand,
  signedNumber,
  unlimited,
  word,
} from './program-shape.ts';

/**
 * Returns the file access of a command if its program is on the built-in reading list and all of its arguments are
 * known; undefined for any other command.
 * @param words Decoded words of one command, without its redirects.
 */
export function findReadingCommand(
  words: readonly string[],
  shell: ShellKind,
): ReadingCommand | undefined {
  const [program = '', ...args] = words;
  if (program === 'git') return parseReadingGitCommand(args);
  return shell === 'powershell' && isReadingCmdlet(program)
    ? findReadingCmdlet(program, args)
    : matchReadingProgram(program, args);
}

/**
 * Returns the words after the program that could name a file or another machine. Omits the text of programs such as
 * `echo`, commit messages, and the pattern or script of `grep`, `rg` and `sed`.
 * @param name As returned by `getProgramName`.
 */
export function listPathWords(
  name: string,
  args: readonly string[],
  shell: ShellKind,
): readonly string[] {
  if (takesTextOnly(name, shell)) return [];
  if (name === 'git') return listGitPathWords(args);
  // The first word is the pattern, or a number that an option before it takes as its value.
  const index = args.findIndex((arg) => !arg.startsWith('-'));
  const isText =
    shell === 'bash' &&
    patternPrograms.has(name) &&
    !args.slice(0, Math.max(index, 0)).some((arg) => optionsEndPattern.test(arg)) &&
    !args.some((arg) => patternOptionPattern.test(arg)) &&
    matchReadingProgram(name, args) !== undefined;
  return isText ? args.filter((_, position) => position !== index) : args;
}

const patternPrograms: ReadonlySet<string> = new Set(['grep', 'rg', 'sed']);
/** Matches `-` and `--`, after which the next word can be the pattern even if it starts with a dash. */
const optionsEndPattern = /^--?$/u;
/** Matches options that contain the pattern or make it unnecessary. */
const patternOptionPattern = /^-[^-]*[ef]|^--(?:regexp|file|expression|type-list)/u;

function matchReadingProgram(name: string, args: readonly string[]): ReadingCommand | undefined {
  const matcher = Object.hasOwn(programMatchers, name) ? programMatchers[name] : undefined;
  if (matcher) return matcher(args);
  const shape = Object.hasOwn(programShapes, name) ? programShapes[name] : undefined;
  const matched = shape && matchShape(shape, args);
  // With another option, `rg --files` could search contents, and its operands would mean something else.
  if (name === 'rg' && matched && listsNames(matched.options) && !listsOnlyNames(matched.options))
    return undefined;
  if (!matched) return undefined;
  // Without a path, a recursive program reads the working folder: `grep needle -r`.
  const paths = matched.hasCertainPath ? matched.paths : ['.', ...matched.paths];
  return { paths, readBelow: getAccessBelow(name, matched.options) };
}

function getAccessBelow(name: string, options: ReadonlySet<string>): ReadingCommand['readBelow'] {
  const has = (...names: string[]): boolean => names.some((option) => options.has(option));
  switch (name) {
    case 'grep':
      if (has('R', 'dereference-recursive')) return 'linked-contents';
      return has('r', 'recursive') ? 'contents' : 'names';
    case 'rg':
      return listsNames(options) ? 'names' : 'contents';
    // Two folders are compared file by file even without `-r`.
    case 'diff':
      return has('no-dereference') ? 'contents' : 'linked-contents';
    default:
      return 'names';
  }
}

const listsNames = (options: ReadonlySet<string>): boolean =>
  options.has('files') || options.has('type-list');

const listsOnlyNames = (options: ReadonlySet<string>): boolean =>
  [...options].every((option) => fileListOptions.has(option));

const fileListOptions = new Set(
  `files type-list hidden no-hidden no-ignore no-ignore-vcs null glob iglob type type-not max-depth
   sort sortr color path-separator g t T d 0 .`.split(/\s+/u),
);

const noArguments: ProgramShape = { maxPaths: 0 };
/** Patterns that accept any text as the first 20 operands, none of which is a path. */
const anyWords = Array.from({ length: 20 }, () => anyText);

const seqNumber = /^-?[\d.]+$/u;

const listing: ProgramShape = {
  flags: '1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ',
  values: { w: number, T: number },
  longFlags: `all almost-all author escape ignore-backups directory dired file-type full-time
    group-directories-first no-group human-readable si inode kibibytes numeric-uid-gid literal
    hide-control-chars show-control-chars quote-name reverse recursive size context`,
  longValues: {
    ...{ width: number, ignore: anyText, hide: anyText, sort: word, time: word, tabsize: number },
    ...{ 'time-style': anyText, format: word, 'block-size': word, 'quoting-style': word },
    'indicator-style': word,
  },
  optionalValues: { color: word, classify: word, hyperlink: word },
  maxPaths: unlimited,
};

const grep: ProgramShape = {
  flags: 'ivnowcEFGPxqslLhHrRIazbTyUZ',
  values: { e: anyText, m: number, A: number, B: number, C: number },
  longFlags: `ignore-case no-ignore-case invert-match line-number only-matching word-regexp count
    extended-regexp fixed-strings basic-regexp perl-regexp line-regexp quiet silent no-messages
    files-with-matches files-without-match no-filename with-filename recursive dereference-recursive
    text null null-data byte-offset initial-tab line-buffered`,
  longValues: {
    ...{ regexp: anyText, 'max-count': number, 'after-context': number, 'before-context': number },
    ...{ context: number, include: anyText, exclude: anyText, 'exclude-dir': anyText },
    ...{ 'binary-files': word, label: word },
  },
  optionalValues: { color: word, colour: word },
  hasNumberOption: true,
  leadingPatterns: [anyText],
  replacesLeading: ['e', 'regexp'],
  maxPaths: unlimited,
};

/**
 * Arguments of ripgrep. Includes options that read hidden or ignored files, because another rule requires approval for
 * folders with secret files.
 */
const ripgrep: ProgramShape = {
  flags: 'inNwFsSclovxUHIPpq0a.',
  values: {
    ...{ e: anyText, g: anyText, t: word, T: word, A: number, B: number, C: number, m: number },
    ...{ M: number, d: number, j: number, r: anyText },
  },
  longFlags: `ignore-case line-number no-line-number word-regexp fixed-strings case-sensitive
    smart-case count count-matches files-with-matches files-without-match only-matching invert-match
    line-regexp multiline multiline-dotall with-filename no-filename no-heading heading pcre2 pretty
    quiet null text files hidden no-hidden no-ignore no-ignore-vcs no-messages json stats vimgrep
    trim type-list column no-column no-config crlf passthru`,
  longValues: {
    ...{ regexp: anyText, glob: anyText, iglob: anyText, type: word, 'type-not': word },
    ...{ 'after-context': number, 'before-context': number, context: number, 'max-count': number },
    ...{ 'max-columns': number, 'max-depth': number, 'max-filesize': word, threads: number },
    ...{ color: word, colors: anyText, sort: word, sortr: word, replace: anyText, encoding: word },
    ...{ 'path-separator': anyText, 'context-separator': anyText },
  },
  leadingPatterns: [anyText],
  replacesLeading: ['e', 'regexp', 'files', 'type-list'],
  maxPaths: unlimited,
};

const diff: ProgramShape = {
  flags: 'qsybiBwEZaurNTtdp',
  values: { U: number, C: number, W: number },
  longFlags: `brief report-identical-files side-by-side ignore-case ignore-blank-lines
    ignore-all-space ignore-space-change ignore-tab-expansion ignore-trailing-space text recursive
    new-file unified context minimal suppress-common-lines left-column strip-trailing-cr
    no-dereference show-c-function`,
  longValues: { width: number, exclude: anyText, label: anyText },
  optionalValues: { unified: number, context: number, color: word },
  maxPaths: 2,
};

const programShapes: Readonly<Record<string, ProgramShape>> = {
  pwd: { flags: 'LP', maxPaths: 0 },
  true: noArguments,
  // Without `-v` and comparisons, which evaluate expressions.
  test: { flags: 'fdesrwxLh', maxPaths: 1 },
  false: noArguments,
  whoami: noArguments,
  arch: noArguments,
  uname: {
    flags: 'asnrvmpio',
    longFlags: `all kernel-name nodename kernel-release kernel-version machine processor
      hardware-platform operating-system`,
    maxPaths: 0,
  },
  nproc: { longFlags: 'all', longValues: { ignore: number }, maxPaths: 0 },
  ls: listing,
  dir: listing,
  basename: {
    flags: 'az',
    values: { s: word },
    leadingPatterns: anyWords,
    maxPaths: 0,
  },
  dirname: { flags: 'z', leadingPatterns: anyWords, maxPaths: 0 },
  which: { flags: 'as', leadingPatterns: anyWords.map(() => /^[\w.+-]+$/u), maxPaths: 0 },
  sleep: { leadingPatterns: [/^\d{1,3}(?:\.\d{1,3})?s?$/u], maxPaths: 0 },
  date: {
    flags: 'uR',
    longFlags: 'utc universal rfc-email',
    optionalValues: { 'iso-8601': word },
    longValues: { 'rfc-3339': word },
    leadingPatterns: [/^\+/u],
    maxPaths: 0,
  },
  realpath: {
    flags: 'emPqsz',
    longFlags: 'canonicalize-existing canonicalize-missing physical quiet strip zero',
    maxPaths: unlimited,
  },
  cat: {
    flags: 'AbeEnstTuv',
    longFlags: 'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    maxPaths: unlimited,
  },
  head: {
    flags: 'qvz',
    values: { n: signedNumber, c: signedNumber },
    longFlags: 'quiet silent verbose zero-terminated',
    longValues: { lines: signedNumber, bytes: signedNumber },
    hasNumberOption: true,
    maxPaths: unlimited,
  },
  tail: {
    flags: 'qvz',
    values: { n: signedNumber, c: signedNumber },
    longFlags: 'quiet silent verbose zero-terminated',
    longValues: { lines: signedNumber, bytes: signedNumber },
    hasNumberOption: true,
    maxPaths: unlimited,
  },
  nl: {
    flags: 'p',
    values: {
      ...{ b: word, d: word, f: word, h: word, i: number, l: number, n: word },
      ...{ s: anyText, v: number, w: number },
    },
    maxPaths: unlimited,
  },
  printf: {
    leadingPatterns: [/^(?!-)(?:[^%]|%[-+ #0-9.]*[bcdefgiosuxEGX%])*$/u, ...anyWords],
    maxPaths: 0,
  },
  id: { flags: 'uGgnr', longFlags: 'user group groups name real', maxPaths: 0 },
  seq: {
    flags: 'w',
    values: { s: anyText },
    longFlags: 'equal-width',
    longValues: { separator: anyText },
    leadingPatterns: [seqNumber, seqNumber, seqNumber],
    maxPaths: 0,
  },
  expr: { leadingPatterns: anyWords, maxPaths: 0 },
  readlink: {
    flags: 'femnqsvz',
    longFlags: 'canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent',
    maxPaths: unlimited,
  },
  // Without `-c`, which reads the files that a list names.
  sha256sum: { flags: 'btz', longFlags: 'binary text tag zero', maxPaths: unlimited },
  md5sum: { flags: 'btz', longFlags: 'binary text tag zero', maxPaths: unlimited },
  paste: {
    flags: 'sz',
    values: { d: anyText },
    longFlags: 'serial zero-terminated',
    longValues: { delimiters: anyText },
    maxPaths: unlimited,
  },
  numfmt: {
    longValues: { from: word, to: word, field: word, padding: signedNumber, suffix: word },
    leadingPatterns: anyWords.map(() => /^[\d.,]+\w{0,2}$/u),
    maxPaths: 0,
  },
  rev: { maxPaths: unlimited },
  tac: { flags: 'br', values: { s: anyText }, maxPaths: unlimited },
  wc: { flags: 'clmwL', longFlags: 'bytes chars lines words max-line-length', maxPaths: unlimited },
  sort: {
    flags: 'bdfgiMhnRrVcCmsuz',
    values: { k: word, t: anyText },
    longFlags: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort
      ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort
      check merge stable unique zero-terminated`,
    longValues: { key: word, 'field-separator': anyText, sort: word },
    maxPaths: unlimited,
  },
  uniq: {
    flags: 'cdDiuz',
    values: { f: number, s: number, w: number },
    longFlags: 'count repeated ignore-case unique zero-terminated',
    longValues: { 'skip-fields': number, 'skip-chars': number, 'check-chars': number },
    // A second operand would be written.
    maxPaths: 1,
  },
  cut: {
    flags: 'nsz',
    values: { b: word, c: word, f: word, d: anyText },
    longFlags: 'complement only-delimited zero-terminated',
    longValues: {
      bytes: word,
      characters: word,
      fields: word,
      delimiter: anyText,
      'output-delimiter': anyText,
    },
    maxPaths: unlimited,
  },
  tr: {
    flags: 'cCdst',
    longFlags: 'complement delete squeeze-repeats truncate-set1',
    leadingPatterns: [anyText, anyText],
    maxPaths: 0,
  },
  // Without `-i` and `-o`, which name files on macOS.
  base64: {
    flags: 'd',
    values: { w: number },
    longFlags: 'decode',
    longValues: { wrap: number },
    maxPaths: 0,
  },
  stat: {
    flags: 'tx',
    values: { c: anyText },
    longFlags: 'terse',
    longValues: { format: anyText, printf: anyText },
    maxPaths: unlimited,
  },
  file: {
    flags: 'bikhN',
    longFlags: 'brief mime mime-type mime-encoding no-pad no-dereference',
    maxPaths: unlimited,
  },
  du: {
    flags: 'achkmsSx0b',
    values: { d: number, t: signedNumber },
    longFlags:
      'all apparent-size bytes total human-readable kilobytes summarize separate-dirs one-file-system null si',
    longValues: {
      'max-depth': number,
      exclude: anyText,
      threshold: signedNumber,
      'block-size': word,
    },
    maxPaths: unlimited,
  },
  df: {
    flags: 'ahHiklmPT',
    longFlags: 'all human-readable si inodes local portability print-type total',
    maxPaths: unlimited,
  },
  // Without `-c`, whose value can exhaust memory, and options with different meanings on other systems.
  column: { flags: 'tx', values: { s: anyText }, maxPaths: unlimited },
  tree: {
    flags: 'adfpisughDFrtcnASvUqNQ',
    values: { L: number, P: anyText, I: anyText },
    hasOnlySeparateValues: true,
    longFlags: 'dirsfirst noreport prune matchdirs ignore-case inodes device du si gitignore',
    longValues: { filelimit: number, charset: word, timefmt: anyText, sort: word },
    maxPaths: unlimited,
  },
  diff,
  cmp: {
    flags: 'blsz',
    values: { n: number },
    longFlags: 'print-bytes verbose quiet silent',
    longValues: { bytes: number },
    maxPaths: 2,
  },
  grep,
  rg: ripgrep,
};

/** Matchers of programs whose arguments are an expression or a script. */
const programMatchers: Readonly<
  Record<string, (args: readonly string[]) => ReadingCommand | undefined>
> = {
  // Prints all words as text.
  echo: () => ({ paths: [], readBelow: 'names' }),
  find: findCommand,
  sed: parseSedCommand,
};

/** Programs on the built-in reading list, except Git and cmdlets. All of their allowed arguments are declared. */
export const readingPrograms: ReadonlySet<string> = new Set(
  [programShapes, programMatchers].flatMap((programs) => Object.keys(programs)),
);
