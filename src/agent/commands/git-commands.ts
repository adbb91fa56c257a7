import * as l10n from '@vscode/l10n';
import {
  anyTextPattern,
  type MatchedArguments,
  matchShape,
  numberPattern,
  type ProgramShape,
  type ReadingCommand,
  unlimitedCount,
  wordPattern,
} from './program-shape.ts';
import { omitUndefined } from '../../base/json.ts';
import type { Reason } from '../../workspace/verdict.ts';

type GrantOptions = Pick<
  GitShape,
  'limitingOptionsPattern' | 'extendingOptionsPattern' | 'cancelingOptionsPattern'
>;

/** Arguments with which a Git command runs no program, writes no file and contacts no other machine. */
interface GitShape extends ProgramShape {
  /**
   * Checks whether the command requires no approval: it prints no file contents, or only contents of files that other
   * rules check.
   */
  readonly isAllowedWithoutApproval?: (matchedArguments: MatchedArguments) => boolean;
  /**
   * Matches options that limit the effect, such as `--stat`. If a grant contains such an option, it covers only
   * commands with that option.
   */
  readonly limitingOptionsPattern?: RegExp;
  /**
   * Matches options that extend the effect, such as `--amend`. A grant covers a command with such an option only if the
   * grant contains the same option.
   */
  readonly extendingOptionsPattern?: RegExp;
  /**
   * Matches options such as `--patch` that cancel a limiting option such as `--stat`, so that the command has its full
   * effect again. Without a limiting option, they change nothing.
   */
  readonly cancelingOptionsPattern?: RegExp;
}

/**
 * Returns the file access of a Git command that may run without approval; undefined for any other command.
 * @param args Arguments after `git`.
 */
export function parseReadingGitCommand(args: readonly string[]): ReadingCommand | undefined {
  const { shape, rest } = splitGitCommand(args);
  const matchedArguments = shape && matchShape(shape, rest);
  return matchedArguments && shape.isAllowedWithoutApproval?.(matchedArguments) === true
    ? { paths: matchedArguments.paths, folderAccess: 'names' }
    : undefined;
}

/** Files that a Git command can read from a repository. The rules check these files before the command runs. */
export interface GitAccess {
  /** Name of the command without `git`, such as `status`. */
  readonly command: string;
  /**
   * Words that must name revisions. If such a word names a blob or tree of the repository instead, Git prints the
   * content of a file or folder, so the command then requires approval.
   */
  readonly revisions: readonly string[];
  /**
   * Arguments after `git diff` with which Git lists the changed files before the command runs. They contain no filter
   * that omits the old name of a renamed file.
   */
  readonly diffArgs?: readonly string[];
  /**
   * Arguments with which `git` lists all files that the command searches or shows; empty if the list could be
   * incomplete.
   */
  readonly fileListArgs?: readonly string[];
}

/**
 * Returns the file access of a Git command that only reads, or that shows changed or matching lines; undefined for
 * other commands.
 * @param args Arguments after `git`.
 */
export function getGitAccess(args: readonly string[]): GitAccess | undefined {
  const { name, shape, rest } = splitGitCommand(args);
  const matchedArguments = shape && matchShape(shape, rest);
  if (matchedArguments === undefined) return undefined;
  if (name === 'grep')
    return {
      command: name,
      revisions: matchedArguments.paths,
      fileListArgs: createSearchedFilesArgs(matchedArguments, rest),
    };
  if (name === 'diff' && !showsOnlySummary(matchedArguments))
    return { command: name, revisions: matchedArguments.paths, diffArgs: removeDiffFilter(rest) };
  if ((name === 'log' || name === 'show') && showsLines(name, matchedArguments))
    return {
      command: name,
      revisions:
        name === 'show'
          ? matchedArguments.paths.flatMap(listOperandRevisions)
          : matchedArguments.paths,
      fileListArgs: createShownFilesArgs(name, matchedArguments, rest),
    };
  if (shape?.isAllowedWithoutApproval?.(matchedArguments) !== true) return undefined;
  return { command: name, revisions: name === 'show' ? matchedArguments.paths : [] };
}

/**
 * Returns only the revision of an operand such as `HEAD:src/a.ts`. Other rules check the path of the operand. Returns
 * any other operand unchanged.
 */
const listOperandRevisions = (operand: string): readonly string[] => [
  /^(?<revision>[^:]+):[^:]/u.exec(operand)?.groups?.['revision'] ?? operand,
];

/** Returns the patterns of the options that decide which grants cover a Git command. */
export function getGitGrantOptions(args: readonly string[]): GrantOptions {
  const { limitingOptionsPattern, extendingOptionsPattern, cancelingOptionsPattern } =
    splitGitCommand(args).shape ?? {};
  return omitUndefined({
    limitingOptionsPattern,
    extendingOptionsPattern,
    cancelingOptionsPattern,
  });
}

/** Counts the words that identify a Git command, including `git`. */
export const getGitPrefixLength = (args: readonly string[]): number =>
  1 + countHarmlessOptions(args) + splitGitCommand(args).name.split(' ').length;

/** Counts the options before the command name that only reduce the effect of Git, such as `--no-pager`. */
function countHarmlessOptions(args: readonly string[]): number {
  const count = args.findIndex((arg) => !/^--no-(?:pager|optional-locks)$/u.test(arg));
  return count < 0 ? args.length : count;
}

/**
 * Returns the reason why a Git command requires approval every time; undefined for commands that can be granted.
 * @param args Arguments after `git`.
 */
export function findGitReason(args: readonly string[]): Reason | undefined {
  const { name, shape, rest } = splitGitCommand(args);
  if (name.startsWith('-'))
    return createGitReason(l10n.t('It runs another command that can’t be checked.'));
  if (networkCommands.has(name))
    return { code: 'network', text: l10n.t('It can reach the network.') };
  if (shape === undefined)
    return createGitReason(l10n.t('This Git command isn’t known to only read.'));
  const matchedArguments = matchShape(shape, rest);
  if (matchedArguments === undefined) {
    if (name === 'tag')
      return createGitReason(l10n.t('This Git command isn’t known to only read.'));
    return createGitReason(
      name === 'branch'
        ? l10n.t('This Git command isn’t known to only read.')
        : l10n.t('Some of its options or arguments aren’t known to be harmless.'),
    );
  }
  // A pattern matches files whose names no rule has checked.
  return matchedArguments.paths.some((path) => /^:|[*?[]/u.test(path))
    ? createGitReason(
        l10n.t(
          'Parts of the command are only known when it runs: variables, wildcards or escapes.',
        ),
      )
    : undefined;
}

const createGitReason = (text: string): Reason => ({ code: 'git', text });

function splitGitCommand(args: readonly string[]): {
  readonly name: string;
  readonly shape: GitShape | undefined;
  readonly rest: readonly string[];
} {
  const words = args.slice(countHarmlessOptions(args));
  const name = words.slice(0, 2).join(' ');
  const [firstWord = '', ...rest] = words;
  return twoWordCommands.has(name)
    ? { name, shape: gitShapes[name], rest: rest.slice(1) }
    : {
        name: firstWord,
        shape: Object.hasOwn(gitShapes, firstWord) ? gitShapes[firstWord] : undefined,
        rest,
      };
}

/**
 * Names of read-only Git commands that consist of two words. With a different second word, such a command can write.
 */
const twoWordCommands: ReadonlySet<string> = new Set(['stash list', 'tag -l', 'tag --list']);

/** Returns the words after `git` that could name a file or another machine: all words except a commit message. */
export function listGitPathWords(args: readonly string[]): readonly string[] {
  const { name, shape, rest } = splitGitCommand(args);
  if (name !== 'commit' || !shape || !matchShape(shape, rest)) return args;
  return rest.filter((word, index) => {
    const isMessage = messageOptionPattern.exec(rest[index - 1] ?? '')?.groups?.['attached'] === '';
    return !isMessage && !messageOptionPattern.test(word);
  });
}

/** Matches the option for a commit message. Captures the message if it is attached to the option, as in `-mText`. */
const messageOptionPattern = /^(?:-[aqs]*m|--message(?=$|=))(?<attached>[^]*)$/u;

const networkCommands: ReadonlySet<string> = new Set(
  `fetch pull push clone ls-remote remote submodule archive send-email request-pull lfs svn`.split(
    ' ',
  ),
);

/**
 * Matches values of `--format` that run no program. Does not match `%G`: to check a signature, Git would run a program
 * that the repository can configure.
 */
const formatOptionValuePattern =
  /^(?!.*%[-+ ]*G)(?:oneline|short|medium|full|fuller|reference|email|raw|t?format:.*|(?=.*%).*)$/su;
/** Matches formats of `git branch` that check no signature. */
const branchFormatPattern = /^(?!.*signature)/su;
const branchSortKeyPattern =
  /^-?(?:refname|objectname|(?:author|committer|creator|tagger)date|v(?:ersion)?:refname)$/u;
/** Matches the name of a date format, or a pattern of `strftime`. */
const dateFormatPattern = /^[\w:%+, .-]*$/u;
const lineRangePattern = /^[\d,]*$/u;

/** Options that set the character at the start of the lines of a diff. */
const indicatorOptions = {
  'output-indicator-new': anyTextPattern,
  'output-indicator-old': anyTextPattern,
  'output-indicator-context': anyTextPattern,
};

/**
 * Options of commands that list commits. Omits `-S` and `-G`, because with them, Git can run a configured program that
 * converts files.
 */
const commitOptions = {
  flags: 'iEFPgzwb',
  values: { n: numberPattern },
  hasNumberOption: true,
  longFlags: `oneline graph decorate no-decorate reverse merges no-merges
    first-parent follow no-renames abbrev-commit no-abbrev-commit date-order topo-order
    author-date-order left-right cherry-pick cherry cherry-mark boundary full-history
    simplify-by-decoration walk-reflogs no-color no-ext-diff no-textconv regexp-ignore-case
    extended-regexp fixed-strings perl-regexp all-match invert-grep relative-date source parents
    children no-notes no-mailmap mailmap name-only name-status numstat shortstat summary raw
    no-patch compact-summary quiet`,
  longValues: {
    ...{
      'max-count': numberPattern,
      skip: numberPattern,
      since: anyTextPattern,
      after: anyTextPattern,
      until: anyTextPattern,
    },
    ...{
      before: anyTextPattern,
      author: anyTextPattern,
      committer: anyTextPattern,
      grep: anyTextPattern,
      date: dateFormatPattern,
    },
    ...{ 'diff-filter': wordPattern, 'decorate-refs': anyTextPattern, ...indicatorOptions },
  },
  // Git takes no value from the next word here, which would then be a revision.
  optionalValues: {
    ...{
      decorate: wordPattern,
      stat: lineRangePattern,
      dirstat: wordPattern,
      color: wordPattern,
      pretty: formatOptionValuePattern,
      format: formatOptionValuePattern,
    },
    ...{
      abbrev: numberPattern,
      unified: numberPattern,
      'min-parents': numberPattern,
      'max-parents': numberPattern,
    },
  },
  maxPaths: unlimitedCount,
} as const satisfies ProgramShape;

const patchFlags = 'pu';
const patchOptions = ['p', 'u', 'patch', 'U', 'unified', 'word-diff'];

/** Options that show names or numbers instead of the changed lines. */
const summaryOptions = [
  ...['name-only', 'name-status', 'stat', 'shortstat', 'numstat', 'dirstat', 'summary', 'raw'],
  ...['no-patch', 's', 'quiet', 'compact-summary'],
];

const summaryPattern = new RegExp(`^--(?:${summaryOptions.join('|')})(?:=.*)?$|^-s$`, 'u');
const patchPattern = /^(?:-[A-Za-z]*[puU].*|--(?:patch|unified|word-diff)(?:=.*)?)$/su;

const hasOption = ({ options }: MatchedArguments, names: readonly string[]): boolean =>
  names.some((name) => options.has(name));

const showsOnlySummary = (matchedArguments: MatchedArguments): boolean =>
  hasOption(matchedArguments, summaryOptions) && !hasOption(matchedArguments, patchOptions);

/** Options with which Git compares file contents to decide which files have changed. */
const contentOptions = [
  ...['w', 'b', 'ignore-all-space', 'ignore-space-change', 'ignore-space-at-eol'],
  'ignore-blank-lines',
];

/** Checks that Git runs no configured program to compare file contents. */
const disablesTextconv = (matchedArguments: MatchedArguments): boolean =>
  !hasOption(matchedArguments, contentOptions) ||
  ['no-ext-diff', 'no-textconv'].every((name) => matchedArguments.options.has(name));

/** Checks that no operand has the form `HEAD:file`, which prints a file regardless of the options. */
const hasNoFileOperand = ({ paths }: MatchedArguments): boolean =>
  paths.every((path) => !path.includes(':'));

/** Checks for the options that disable configured programs and show a renamed file under both names. */
const isSafeDiff = (matchedArguments: MatchedArguments): boolean =>
  hasNoFileOperand(matchedArguments) &&
  ['no-renames', 'no-ext-diff', 'no-textconv'].every((name) => matchedArguments.options.has(name));

/** Options of `git grep` that show names or numbers instead of the matching lines. */
const matchSummaryOptions = [
  ...['l', 'L', 'c', 'q', 'files-with-matches', 'files-without-match', 'name-only', 'count'],
  'quiet',
];

const showsLines = (name: string, matchedArguments: MatchedArguments): boolean =>
  name === 'show' ? !showsOnlySummary(matchedArguments) : hasOption(matchedArguments, patchOptions);

/** Removes `--diff-filter`, with which Git could omit the old name of a renamed secret file. */
function removeDiffFilter(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const isFilterOption = (word: string | undefined): boolean => word === '--diff-filter';
  return args.filter((word, index) => {
    if (end >= 0 && index >= end) return true;
    return !/^--diff-filter(?:=|$)/u.test(word) && !isFilterOption(args[index - 1]);
  });
}

/**
 * Options with which `git log --name-only` or `git show --name-only` could list other files than those whose changes
 * the command shows.
 */
const unlistableOptions = ['diff-filter', 'follow', 'graph', 's', 'no-patch', 'quiet'];

/**
 * Returns the arguments with which `git log` or `git show` lists the files whose changes the command shows. Returns an
 * empty array if the list could be incomplete. The list contains both names of a renamed file even if the command names
 * only one, and the files of merge commits regardless of `log.diffMerges`.
 */
function createShownFilesArgs(
  name: string,
  matchedArguments: MatchedArguments,
  args: readonly string[],
): readonly string[] {
  if (hasOption(matchedArguments, unlistableOptions)) return [];
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const listOptions = ['--format=', '--name-only', '--no-renames', '--diff-merges=separate'];
  const safeOptions = ['--full-diff', '--no-ext-diff', '--no-textconv', '-z'];
  return [name, ...args.slice(0, end), ...listOptions, ...safeOptions, ...args.slice(end)];
}

/**
 * Returns the arguments after `git` for a list of all files that the given `git grep` command searches. The arguments
 * contain the empty pattern, which matches every line. Returns an empty array if the patterns and paths of the command
 * cannot be distinguished.
 */
function createSearchedFilesArgs(
  { options, paths }: MatchedArguments,
  args: readonly string[],
): readonly string[] {
  const end = args.indexOf('--');
  const pathspecs = end < 0 ? [] : args.slice(end + 1);
  // Otherwise, `--` precedes the pattern, or is the value of an option, and revisions can follow it.
  if (pathspecs.length > paths.length || pathspecs.includes('--')) return [];
  const revisionsOrPaths = paths.slice(0, paths.length - pathspecs.length);
  return [
    // `-l` with `-z` ends each name by a zero character. A revision precedes the name.
    ...['grep', '--files-with-matches', '--full-name', '-z', '--no-color'],
    ...['cached', 'untracked'].filter((name) => options.has(name)).map((name) => `--${name}`),
    ...['-e', '', ...revisionsOrPaths],
    ...(end < 0 ? [] : ['--', ...pathspecs]),
  ];
}

const returnTrue = (): boolean => true;

const tagListShape: GitShape = {
  leadingPatterns: [anyTextPattern],
  maxPaths: 0,
  isAllowedWithoutApproval: returnTrue,
};

const gitShapes: Readonly<Record<string, GitShape>> = {
  status: {
    flags: 'sbz',
    longFlags:
      'short branch long null show-stash ahead-behind no-ahead-behind renames no-renames no-color',
    optionalValues: {
      porcelain: wordPattern,
      'untracked-files': wordPattern,
      ignored: wordPattern,
      column: wordPattern,
    },
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: returnTrue,
  },
  log: {
    ...commitOptions,
    flags: commitOptions.flags + patchFlags,
    longFlags: `${commitOptions.longFlags} patch all branches tags remotes`,
    attachedValues: { U: numberPattern },
    optionalValues: {
      ...commitOptions.optionalValues,
      ...{ branches: anyTextPattern, tags: anyTextPattern, remotes: anyTextPattern },
    },
    isAllowedWithoutApproval: (matchedArguments) =>
      !hasOption(matchedArguments, patchOptions) && disablesTextconv(matchedArguments),
    extendingOptionsPattern: patchPattern,
  },
  show: {
    ...commitOptions,
    flags: `${commitOptions.flags + patchFlags}s`,
    // Without options that select references, because a tag can be a file.
    longFlags: `${commitOptions.longFlags} patch`,
    attachedValues: { U: numberPattern },
    isAllowedWithoutApproval: (matchedArguments) =>
      hasNoFileOperand(matchedArguments) &&
      showsOnlySummary(matchedArguments) &&
      disablesTextconv(matchedArguments),
    limitingOptionsPattern: summaryPattern,
    // An operand such as `HEAD:file` prints a file whatever the options are.
    cancelingOptionsPattern: new RegExp(`${patchPattern.source}|^[^-][^]*:`, 'su'),
  },
  diff: {
    // Without `-s`, which cancels earlier options since Git 2.42: the list of changed files would contain a patch instead.
    flags: `wbaRz${patchFlags}`,
    attachedValues: { U: numberPattern },
    longFlags: `cached staged shortstat numstat name-only name-status summary raw no-renames
      no-ext-diff no-textconv minimal patience histogram ignore-all-space ignore-space-change
      ignore-blank-lines ignore-space-at-eol no-color exit-code quiet merge-base patch
      compact-summary`,
    longValues: { 'diff-filter': wordPattern, 'diff-algorithm': wordPattern, ...indicatorOptions },
    optionalValues: {
      ...{
        stat: lineRangePattern,
        dirstat: wordPattern,
        color: wordPattern,
        'word-diff': wordPattern,
        abbrev: numberPattern,
      },
      unified: numberPattern,
    },
    maxPaths: unlimitedCount,
    // Without a patch, Git still runs a configured program to compare contents.
    isAllowedWithoutApproval: (matchedArguments) =>
      isSafeDiff(matchedArguments) ||
      (hasNoFileOperand(matchedArguments) &&
        showsOnlySummary(matchedArguments) &&
        disablesTextconv(matchedArguments) &&
        (!hasOption(matchedArguments, ['quiet', 'exit-code']) ||
          matchedArguments.options.has('no-ext-diff'))),
    limitingOptionsPattern: summaryPattern,
    cancelingOptionsPattern: patchPattern,
  },
  tag: { maxPaths: 0, isAllowedWithoutApproval: returnTrue },
  'tag -l': tagListShape,
  'tag --list': tagListShape,
  'stash list': { maxPaths: 0, isAllowedWithoutApproval: returnTrue },
  'ls-files': {
    flags: 'cdomksz',
    longFlags: `cached deleted others ignored stage modified killed exclude-standard full-name
      error-unmatch directory no-empty-directory deduplicate`,
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: returnTrue,
  },
  branch: {
    flags: 'arvl',
    longFlags: 'all remotes list verbose show-current no-color merged no-merged',
    longValues: { sort: branchSortKeyPattern, format: branchFormatPattern },
    optionalValues: { color: wordPattern },
    maxPaths: 0,
    isAllowedWithoutApproval: returnTrue,
  },
  'rev-parse': {
    flags: 'q',
    longFlags: `show-toplevel verify is-inside-work-tree is-bare-repository git-dir absolute-git-dir
      symbolic-full-name show-prefix show-cdup quiet`,
    optionalValues: { short: numberPattern, 'abbrev-ref': wordPattern },
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: returnTrue,
  },
  describe: {
    longFlags: 'tags always all long exact-match contains first-parent',
    longValues: { abbrev: numberPattern, match: anyTextPattern, exclude: anyTextPattern },
    optionalValues: { dirty: wordPattern },
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: returnTrue,
  },
  shortlog: {
    flags: 'sne',
    longFlags: 'summary numbered email all no-merges merges',
    longValues: { since: anyTextPattern, until: anyTextPattern, author: anyTextPattern },
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: returnTrue,
  },
  'merge-base': {
    flags: 'a',
    longFlags: 'all is-ancestor octopus fork-point independent',
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: returnTrue,
  },
  grep: {
    flags: 'ivnwlLchHEFGPqIaz',
    values: {
      e: anyTextPattern,
      A: numberPattern,
      B: numberPattern,
      C: numberPattern,
      m: numberPattern,
    },
    longFlags: `ignore-case invert-match line-number word-regexp files-with-matches
      files-without-match name-only count extended-regexp fixed-strings basic-regexp perl-regexp
      cached untracked quiet heading break and or not all-match full-name show-function`,
    longValues: {
      ...{
        'after-context': numberPattern,
        'before-context': numberPattern,
        context: numberPattern,
      },
      ...{ 'max-depth': numberPattern, 'max-count': numberPattern, threads: numberPattern },
    },
    optionalValues: { color: wordPattern },
    leadingPatterns: [anyTextPattern],
    optionsReplacingPatterns: ['e'],
    maxPaths: unlimitedCount,
    isAllowedWithoutApproval: (matchedArguments) =>
      hasOption(matchedArguments, matchSummaryOptions),
    limitingOptionsPattern:
      /^(?:-[lLcq]|--(?:files-with-matches|files-without-match|name-only|count|quiet))$/u,
  },
  blame: {
    flags: 'wlstefnpM',
    values: { L: anyTextPattern },
    longFlags: 'porcelain line-porcelain show-name show-number show-email root',
    longValues: { since: anyTextPattern, date: wordPattern },
    maxPaths: unlimitedCount,
  },
  add: {
    flags: 'AuvnN',
    longFlags: 'all update verbose dry-run intent-to-add refresh',
    maxPaths: unlimitedCount,
    limitingOptionsPattern: /^(?:-[A-Za-z]*n[A-Za-z]*|--dry-run)$/u,
  },
  commit: {
    // Without `-v`, which prints changed lines of all files if nothing is committed.
    flags: 'aqs',
    values: { m: anyTextPattern },
    longFlags: `all quiet signoff dry-run short porcelain allow-empty amend no-edit
      no-gpg-sign reset-author no-status`,
    longValues: {
      ...{
        message: anyTextPattern,
        date: anyTextPattern,
        author: anyTextPattern,
        cleanup: wordPattern,
        trailer: anyTextPattern,
      },
    },
    // Paths would commit changes that were not added.
    maxPaths: 0,
    limitingOptionsPattern: /^--(?:dry-run|short|porcelain)$/u,
    extendingOptionsPattern:
      /^(?:--(?:amend|reset-author|author(?:=.*)?|all|date(?:=.*)?)|-[a-z]*a[a-z]*)$/su,
  },
};
