import { isReadingCmdlet, findReadingCmdlet } from './reading-cmdlets.ts';
import type { ShellKind } from './command-line.ts';
import { takesTextOnly } from './command-text.ts';
import { listGitPathWords, parseReadingGitCommand } from './git-commands.ts';
import {
  anyTextPattern,
  parseFindCommand,
  matchShape,
  numberPattern,
  type ProgramShape,
  type ReadingCommand,
  parseSedCommand,
  signedNumberPattern,
  unlimitedCount,
  wordPattern,
} from './program-shape.ts';

/**
 * Returns the file access of a command whose program is on the built-in list of read-only commands and whose arguments
 * are all known. Returns undefined for any other command.
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
/** Matches `-` and `--`. After them, the next word can be the pattern or script even if it starts with a dash. */
const optionsEndPattern = /^--?$/u;
/** Matches options that contain the pattern or script of `grep`, `rg` or `sed`, or make it unnecessary. */
const patternOptionPattern = /^-[^-]*[ef]|^--(?:regexp|file|expression|type-list)/u;

function matchReadingProgram(name: string, args: readonly string[]): ReadingCommand | undefined {
  const matchProgram = Object.hasOwn(programMatchers, name) ? programMatchers[name] : undefined;
  if (matchProgram) return matchProgram(args);
  const shape = Object.hasOwn(programShapes, name) ? programShapes[name] : undefined;
  const matchedArguments = shape && matchShape(shape, args);
  // With another option, `rg --files` could search contents, and its operands would mean something else.
  if (
    name === 'rg' &&
    matchedArguments &&
    listsNames(matchedArguments.options) &&
    !listsOnlyNames(matchedArguments.options)
  )
    return undefined;
  if (!matchedArguments) return undefined;
  // Without a path, a recursive program reads the working folder: `grep needle -r`.
  const paths = matchedArguments.hasCertainPath
    ? matchedArguments.paths
    : ['.', ...matchedArguments.paths];
  return { paths, folderAccess: getFolderAccess(name, matchedArguments.options) };
}

function getFolderAccess(
  name: string,
  options: ReadonlySet<string>,
): ReadingCommand['folderAccess'] {
  const hasAnyOption = (...names: string[]): boolean => names.some((option) => options.has(option));
  switch (name) {
    case 'grep':
      if (hasAnyOption('R', 'dereference-recursive')) return 'linked-contents';
      return hasAnyOption('r', 'recursive') ? 'contents' : 'names';
    case 'rg':
      return listsNames(options) ? 'names' : 'contents';
    // Two folders are compared file by file even without `-r`.
    case 'diff':
      return hasAnyOption('no-dereference') ? 'contents' : 'linked-contents';
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

const noArgumentsShape: ProgramShape = { maxPaths: 0 };
/**
 * Patterns for up to 20 operands at the start of the arguments. The patterns accept any text, because none of these
 * operands is a path.
 */
const anyTextPatterns = Array.from({ length: 20 }, () => anyTextPattern);

const seqNumberPattern = /^-?[\d.]+$/u;

const listingShape: ProgramShape = {
  flags: '1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ',
  values: { w: numberPattern, T: numberPattern },
  longFlags: `all almost-all author escape ignore-backups directory dired file-type full-time
    group-directories-first no-group human-readable si inode kibibytes numeric-uid-gid literal
    hide-control-chars show-control-chars quote-name reverse recursive size context`,
  longValues: {
    ...{
      width: numberPattern,
      ignore: anyTextPattern,
      hide: anyTextPattern,
      sort: wordPattern,
      time: wordPattern,
      tabsize: numberPattern,
    },
    ...{
      'time-style': anyTextPattern,
      format: wordPattern,
      'block-size': wordPattern,
      'quoting-style': wordPattern,
    },
    'indicator-style': wordPattern,
  },
  optionalValues: { color: wordPattern, classify: wordPattern, hyperlink: wordPattern },
  maxPaths: unlimitedCount,
};

const grepShape: ProgramShape = {
  flags: 'ivnowcEFGPxqslLhHrRIazbTyUZ',
  values: {
    e: anyTextPattern,
    m: numberPattern,
    A: numberPattern,
    B: numberPattern,
    C: numberPattern,
  },
  longFlags: `ignore-case no-ignore-case invert-match line-number only-matching word-regexp count
    extended-regexp fixed-strings basic-regexp perl-regexp line-regexp quiet silent no-messages
    files-with-matches files-without-match no-filename with-filename recursive dereference-recursive
    text null null-data byte-offset initial-tab line-buffered`,
  longValues: {
    ...{
      regexp: anyTextPattern,
      'max-count': numberPattern,
      'after-context': numberPattern,
      'before-context': numberPattern,
    },
    ...{
      context: numberPattern,
      include: anyTextPattern,
      exclude: anyTextPattern,
      'exclude-dir': anyTextPattern,
    },
    ...{ 'binary-files': wordPattern, label: wordPattern },
  },
  optionalValues: { color: wordPattern, colour: wordPattern },
  hasNumberOption: true,
  leadingPatterns: [anyTextPattern],
  optionsReplacingPatterns: ['e', 'regexp'],
  maxPaths: unlimitedCount,
};

/**
 * Arguments of ripgrep. Includes options that read hidden or ignored files, because another rule requires approval for
 * folders with secret files.
 */
const ripgrepShape: ProgramShape = {
  flags: 'inNwFsSclovxUHIPpq0a.',
  values: {
    ...{
      e: anyTextPattern,
      g: anyTextPattern,
      t: wordPattern,
      T: wordPattern,
      A: numberPattern,
      B: numberPattern,
      C: numberPattern,
      m: numberPattern,
    },
    ...{ M: numberPattern, d: numberPattern, j: numberPattern, r: anyTextPattern },
  },
  longFlags: `ignore-case line-number no-line-number word-regexp fixed-strings case-sensitive
    smart-case count count-matches files-with-matches files-without-match only-matching invert-match
    line-regexp multiline multiline-dotall with-filename no-filename no-heading heading pcre2 pretty
    quiet null text files hidden no-hidden no-ignore no-ignore-vcs no-messages json stats vimgrep
    trim type-list column no-column no-config crlf passthru`,
  longValues: {
    ...{
      regexp: anyTextPattern,
      glob: anyTextPattern,
      iglob: anyTextPattern,
      type: wordPattern,
      'type-not': wordPattern,
    },
    ...{
      'after-context': numberPattern,
      'before-context': numberPattern,
      context: numberPattern,
      'max-count': numberPattern,
    },
    ...{
      'max-columns': numberPattern,
      'max-depth': numberPattern,
      'max-filesize': wordPattern,
      threads: numberPattern,
    },
    ...{
      color: wordPattern,
      colors: anyTextPattern,
      sort: wordPattern,
      sortr: wordPattern,
      replace: anyTextPattern,
      encoding: wordPattern,
    },
    ...{ 'path-separator': anyTextPattern, 'context-separator': anyTextPattern },
  },
  leadingPatterns: [anyTextPattern],
  optionsReplacingPatterns: ['e', 'regexp', 'files', 'type-list'],
  maxPaths: unlimitedCount,
};

const diffShape: ProgramShape = {
  flags: 'qsybiBwEZaurNTtdp',
  values: { U: numberPattern, C: numberPattern, W: numberPattern },
  longFlags: `brief report-identical-files side-by-side ignore-case ignore-blank-lines
    ignore-all-space ignore-space-change ignore-tab-expansion ignore-trailing-space text recursive
    new-file unified context minimal suppress-common-lines left-column strip-trailing-cr
    no-dereference show-c-function`,
  longValues: { width: numberPattern, exclude: anyTextPattern, label: anyTextPattern },
  optionalValues: { unified: numberPattern, context: numberPattern, color: wordPattern },
  maxPaths: 2,
};

const programShapes: Readonly<Record<string, ProgramShape>> = {
  pwd: { flags: 'LP', maxPaths: 0 },
  true: noArgumentsShape,
  // Without `-v` and comparisons, which evaluate expressions.
  test: { flags: 'fdesrwxLh', maxPaths: 1 },
  false: noArgumentsShape,
  whoami: noArgumentsShape,
  arch: noArgumentsShape,
  uname: {
    flags: 'asnrvmpio',
    longFlags: `all kernel-name nodename kernel-release kernel-version machine processor
      hardware-platform operating-system`,
    maxPaths: 0,
  },
  nproc: { longFlags: 'all', longValues: { ignore: numberPattern }, maxPaths: 0 },
  ls: listingShape,
  dir: listingShape,
  basename: {
    flags: 'az',
    values: { s: wordPattern },
    leadingPatterns: anyTextPatterns,
    maxPaths: 0,
  },
  dirname: { flags: 'z', leadingPatterns: anyTextPatterns, maxPaths: 0 },
  which: { flags: 'as', leadingPatterns: anyTextPatterns.map(() => /^[\w.+-]+$/u), maxPaths: 0 },
  sleep: { leadingPatterns: [/^\d{1,3}(?:\.\d{1,3})?s?$/u], maxPaths: 0 },
  date: {
    flags: 'uR',
    longFlags: 'utc universal rfc-email',
    optionalValues: { 'iso-8601': wordPattern },
    longValues: { 'rfc-3339': wordPattern },
    leadingPatterns: [/^\+/u],
    maxPaths: 0,
  },
  realpath: {
    flags: 'emPqsz',
    longFlags: 'canonicalize-existing canonicalize-missing physical quiet strip zero',
    maxPaths: unlimitedCount,
  },
  cat: {
    flags: 'AbeEnstTuv',
    longFlags: 'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
    maxPaths: unlimitedCount,
  },
  head: {
    flags: 'qvz',
    values: { n: signedNumberPattern, c: signedNumberPattern },
    longFlags: 'quiet silent verbose zero-terminated',
    longValues: { lines: signedNumberPattern, bytes: signedNumberPattern },
    hasNumberOption: true,
    maxPaths: unlimitedCount,
  },
  tail: {
    flags: 'qvz',
    values: { n: signedNumberPattern, c: signedNumberPattern },
    longFlags: 'quiet silent verbose zero-terminated',
    longValues: { lines: signedNumberPattern, bytes: signedNumberPattern },
    hasNumberOption: true,
    maxPaths: unlimitedCount,
  },
  nl: {
    flags: 'p',
    values: {
      ...{
        b: wordPattern,
        d: wordPattern,
        f: wordPattern,
        h: wordPattern,
        i: numberPattern,
        l: numberPattern,
        n: wordPattern,
      },
      ...{ s: anyTextPattern, v: numberPattern, w: numberPattern },
    },
    maxPaths: unlimitedCount,
  },
  printf: {
    leadingPatterns: [/^(?!-)(?:[^%]|%[-+ #0-9.]*[bcdefgiosuxEGX%])*$/u, ...anyTextPatterns],
    maxPaths: 0,
  },
  id: { flags: 'uGgnr', longFlags: 'user group groups name real', maxPaths: 0 },
  seq: {
    flags: 'w',
    values: { s: anyTextPattern },
    longFlags: 'equal-width',
    longValues: { separator: anyTextPattern },
    leadingPatterns: [seqNumberPattern, seqNumberPattern, seqNumberPattern],
    maxPaths: 0,
  },
  expr: { leadingPatterns: anyTextPatterns, maxPaths: 0 },
  readlink: {
    flags: 'femnqsvz',
    longFlags: 'canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent',
    maxPaths: unlimitedCount,
  },
  // Without `-c`, which reads the files that a list names.
  sha256sum: { flags: 'btz', longFlags: 'binary text tag zero', maxPaths: unlimitedCount },
  md5sum: { flags: 'btz', longFlags: 'binary text tag zero', maxPaths: unlimitedCount },
  paste: {
    flags: 'sz',
    values: { d: anyTextPattern },
    longFlags: 'serial zero-terminated',
    longValues: { delimiters: anyTextPattern },
    maxPaths: unlimitedCount,
  },
  numfmt: {
    longValues: {
      from: wordPattern,
      to: wordPattern,
      field: wordPattern,
      padding: signedNumberPattern,
      suffix: wordPattern,
    },
    leadingPatterns: anyTextPatterns.map(() => /^[\d.,]+\w{0,2}$/u),
    maxPaths: 0,
  },
  rev: { maxPaths: unlimitedCount },
  tac: { flags: 'br', values: { s: anyTextPattern }, maxPaths: unlimitedCount },
  wc: {
    flags: 'clmwL',
    longFlags: 'bytes chars lines words max-line-length',
    maxPaths: unlimitedCount,
  },
  sort: {
    flags: 'bdfgiMhnRrVcCmsuz',
    values: { k: wordPattern, t: anyTextPattern },
    longFlags: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort
      ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort
      check merge stable unique zero-terminated`,
    longValues: { key: wordPattern, 'field-separator': anyTextPattern, sort: wordPattern },
    maxPaths: unlimitedCount,
  },
  uniq: {
    flags: 'cdDiuz',
    values: { f: numberPattern, s: numberPattern, w: numberPattern },
    longFlags: 'count repeated ignore-case unique zero-terminated',
    longValues: {
      'skip-fields': numberPattern,
      'skip-chars': numberPattern,
      'check-chars': numberPattern,
    },
    // A second operand would be written.
    maxPaths: 1,
  },
  cut: {
    flags: 'nsz',
    values: { b: wordPattern, c: wordPattern, f: wordPattern, d: anyTextPattern },
    longFlags: 'complement only-delimited zero-terminated',
    longValues: {
      bytes: wordPattern,
      characters: wordPattern,
      fields: wordPattern,
      delimiter: anyTextPattern,
      'output-delimiter': anyTextPattern,
    },
    maxPaths: unlimitedCount,
  },
  tr: {
    flags: 'cCdst',
    longFlags: 'complement delete squeeze-repeats truncate-set1',
    leadingPatterns: [anyTextPattern, anyTextPattern],
    maxPaths: 0,
  },
  // Without `-i` and `-o`, which name files on macOS.
  base64: {
    flags: 'd',
    values: { w: numberPattern },
    longFlags: 'decode',
    longValues: { wrap: numberPattern },
    maxPaths: 0,
  },
  stat: {
    flags: 'tx',
    values: { c: anyTextPattern },
    longFlags: 'terse',
    longValues: { format: anyTextPattern, printf: anyTextPattern },
    maxPaths: unlimitedCount,
  },
  file: {
    flags: 'bikhN',
    longFlags: 'brief mime mime-type mime-encoding no-pad no-dereference',
    maxPaths: unlimitedCount,
  },
  du: {
    flags: 'achkmsSx0b',
    values: { d: numberPattern, t: signedNumberPattern },
    longFlags:
      'all apparent-size bytes total human-readable kilobytes summarize separate-dirs one-file-system null si',
    longValues: {
      'max-depth': numberPattern,
      exclude: anyTextPattern,
      threshold: signedNumberPattern,
      'block-size': wordPattern,
    },
    maxPaths: unlimitedCount,
  },
  df: {
    flags: 'ahHiklmPT',
    longFlags: 'all human-readable si inodes local portability print-type total',
    maxPaths: unlimitedCount,
  },
  // Without `-c`, whose value can exhaust memory, and options with different meanings on other systems.
  column: { flags: 'tx', values: { s: anyTextPattern }, maxPaths: unlimitedCount },
  tree: {
    flags: 'adfpisughDFrtcnASvUqNQ',
    values: { L: numberPattern, P: anyTextPattern, I: anyTextPattern },
    hasOnlySeparateValues: true,
    longFlags: 'dirsfirst noreport prune matchdirs ignore-case inodes device du si gitignore',
    longValues: {
      filelimit: numberPattern,
      charset: wordPattern,
      timefmt: anyTextPattern,
      sort: wordPattern,
    },
    maxPaths: unlimitedCount,
  },
  diff: diffShape,
  cmp: {
    flags: 'blsz',
    values: { n: numberPattern },
    longFlags: 'print-bytes verbose quiet silent',
    longValues: { bytes: numberPattern },
    maxPaths: 2,
  },
  grep: grepShape,
  rg: ripgrepShape,
};

/** Matchers of programs whose arguments are an expression or a script. */
const programMatchers: Readonly<
  Record<string, (args: readonly string[]) => ReadingCommand | undefined>
> = {
  // Prints all words as text.
  echo: () => ({ paths: [], folderAccess: 'names' }),
  find: parseFindCommand,
  sed: parseSedCommand,
};

/**
 * Programs on the built-in list of read-only commands, except Git and cmdlets. Each program runs without approval only
 * with the arguments that its shape or matcher declares.
 */
export const readingPrograms: ReadonlySet<string> = new Set(
  [programShapes, programMatchers].flatMap((record) => Object.keys(record)),
);
