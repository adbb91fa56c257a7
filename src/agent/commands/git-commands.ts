import * as l10n from '@vscode/l10n';
import {
  anyText,
  type MatchedArguments,
  matchShape,
  number,
  type ProgramShape,
  type ReadingCommand,
  unlimited,
  word,
} from './program-shape.ts';
import { omitUndefined } from '../../base/json.ts';
import type { Reason } from '../../workspace/verdict.ts';

type GrantOptions = Pick<GitShape, 'limits' | 'extensions' | 'cancelsLimits'>;

/** Arguments of one Git command that neither run programs, write files nor contact another machine. */
interface GitShape extends ProgramShape {
  /**
   * Checks that the command requires no approval: it prints no lines of files, or only lines of
   * files that other rules check.
   */
  readonly isReading?: (matched: MatchedArguments) => boolean;
  /** Options that limit the effect. A grant with such an option requires it. */
  readonly limits?: RegExp;
  /** Options that extend the effect. Only a grant with the same option covers them. */
  readonly extensions?: RegExp;
  /**
   * Options that cancel a limiting option, so that the command has its complete effect again. They
   * have no effect without a limiting option.
   */
  readonly cancelsLimits?: RegExp;
}

/**
 * Returns the access of a Git command that may run without a question; undefined for every other
 * command.
 * @param args Arguments after `git`.
 */
export function parseReadingGitCommand(args: readonly string[]): ReadingCommand | undefined {
  const { shape, rest } = splitGitCommand(args);
  const matched = shape && matchShape(shape, rest);
  return matched && shape.isReading?.(matched) === true
    ? { paths: matched.paths, below: 'names' }
    : undefined;
}

/** Access of a Git command to a repository, to be checked before it runs. */
export interface GitAccess {
  /** Name of the command: `status`. */
  readonly command: string;
  /** Words that must not name a stored file or folder, whose content Git would print. */
  readonly revisions: readonly string[];
  /**
   * Arguments after `git diff` with which Git lists the files whose changed lines the command shows, without a filter
   * that would omit the old name of a renamed file.
   */
  readonly diff?: readonly string[];
  /**
   * Arguments after `git` that list all files whose lines the command searches or shows; empty if no list is
   * certain to contain all of them.
   */
  readonly fileList?: readonly string[];
}

/**
 * Returns the access of a reading Git command, and of every command that shows changed or matching lines; undefined for
 * other commands.
 * @param args Arguments after `git`.
 */
export function getGitAccess(args: readonly string[]): GitAccess | undefined {
  const { name, shape, rest } = splitGitCommand(args);
  const matched = shape && matchShape(shape, rest);
  if (matched === undefined) return undefined;
  if (name === 'grep')
    return { command: name, revisions: matched.paths, fileList: listSearchedFiles(matched, rest) };
  if (name === 'diff' && !showsOnlySummary(matched))
    return { command: name, revisions: matched.paths, diff: removeDiffFilter(rest) };
  if ((name === 'log' || name === 'show') && showsLines(name, matched))
    return {
      command: name,
      revisions: name === 'show' ? matched.paths.flatMap(listOperandRevision) : matched.paths,
      fileList: listShownFiles(name, matched, rest),
    };
  if (shape?.isReading?.(matched) !== true) return undefined;
  return { command: name, revisions: name === 'show' ? matched.paths : [] };
}

/** Returns the revision of an operand such as `HEAD:src/a.ts`, whose path other rules check; other operands unchanged. */
const listOperandRevision = (operand: string): readonly string[] => [
  /^(?<revision>[^:]+):[^:]/u.exec(operand)?.groups?.['revision'] ?? operand,
];

/** Returns the options of a Git command that a grant distinguishes. */
export function getGitGrantOptions(args: readonly string[]): GrantOptions {
  const { limits, extensions, cancelsLimits } = splitGitCommand(args).shape ?? {};
  return omitUndefined({ limits, extensions, cancelsLimits });
}

/** Number of words that identify a Git command, including `git`. */
export const getGitPrefixLength = (args: readonly string[]): number =>
  1 + countHarmlessOptions(args) + splitGitCommand(args).name.split(' ').length;

/**
 * Counts the options before the name of the Git command that only reduce its effect, such as
 * `--no-pager`.
 */
function countHarmlessOptions(args: readonly string[]): number {
  const count = args.findIndex((arg) => !/^--no-(?:pager|optional-locks)$/u.test(arg));
  return count < 0 ? args.length : count;
}

/**
 * Returns why a Git command requires approval every time; undefined for commands that can be
 * granted.
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
  const matched = matchShape(shape, rest);
  if (matched === undefined) {
    if (name === 'tag')
      return createGitReason(l10n.t('This Git command isn’t known to only read.'));
    return createGitReason(
      name === 'branch'
        ? l10n.t('This Git command isn’t known to only read.')
        : l10n.t('Some of its options or arguments aren’t known to be harmless.'),
    );
  }
  // A pattern matches files whose names no rule has checked.
  return matched.paths.some((path) => /^:|[*?[]/u.test(path))
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
  const [first = '', ...rest] = words;
  return twoWordCommands.has(name)
    ? { name, shape: gitShapes[name], rest: rest.slice(1) }
    : { name: first, shape: Object.hasOwn(gitShapes, first) ? gitShapes[first] : undefined, rest };
}

/** Commands that only read because of their second word. */
const twoWordCommands: ReadonlySet<string> = new Set(['stash list', 'tag -l', 'tag --list']);

/**
 * Returns the words after `git` that could name a file or another machine: all of them except the message of a commit.
 */
export function listGitPathWords(args: readonly string[]): readonly string[] {
  const { name, shape, rest } = splitGitCommand(args);
  if (name !== 'commit' || !shape || !matchShape(shape, rest)) return args;
  return rest.filter((word, index) => {
    const isMessage = messageOption.exec(rest[index - 1] ?? '')?.groups?.['attached'] === '';
    return !isMessage && !messageOption.test(word);
  });
}

/** Matches an option for the message of a commit, with the message unless that is the next word. */
const messageOption = /^(?:-[aqs]*m|--message(?=$|=))(?<attached>[^]*)$/u;

const networkCommands: ReadonlySet<string> = new Set(
  `fetch pull push clone ls-remote remote submodule archive send-email request-pull lfs svn`.split(
    ' ',
  ),
);

/** A format can request signatures, which runs the program that the repository configures for them. */
const formatOptionValue =
  /^(?!.*%[-+ ]*G)(?:oneline|short|medium|full|fuller|reference|email|raw|t?format:.*|(?=.*%).*)$/su;
/** A sort key or format of `git branch` can check signatures too. */
const branchFormat = /^(?!.*signature)/su;
const branchSortKey =
  /^-?(?:refname|objectname|(?:author|committer|creator|tagger)date|v(?:ersion)?:refname)$/u;
/** Name of a date format, or a pattern of `strftime`. */
const dateFormat = /^[\w:%+, .-]*$/u;
const lineRange = /^[\d,]*$/u;

/** Options that set the characters before the lines of a diff. */
const indicatorOptions = {
  'output-indicator-new': anyText,
  'output-indicator-old': anyText,
  'output-indicator-context': anyText,
};

/** Options of commands that list commits. `-S` and `-G` are missing: they convert files by a program. */
const commitOptions = {
  flags: 'iEFPgzwb',
  values: { n: number },
  hasNumberOption: true,
  longFlags: `oneline graph decorate no-decorate reverse merges no-merges
    first-parent follow no-renames abbrev-commit no-abbrev-commit date-order topo-order
    author-date-order left-right cherry-pick cherry cherry-mark boundary full-history
    simplify-by-decoration walk-reflogs no-color no-ext-diff no-textconv regexp-ignore-case
    extended-regexp fixed-strings perl-regexp all-match invert-grep relative-date source parents
    children no-notes no-mailmap mailmap name-only name-status numstat shortstat summary raw
    no-patch compact-summary quiet`,
  longValues: {
    ...{ 'max-count': number, skip: number, since: anyText, after: anyText, until: anyText },
    ...{ before: anyText, author: anyText, committer: anyText, grep: anyText, date: dateFormat },
    ...{ 'diff-filter': word, 'decorate-refs': anyText, ...indicatorOptions },
  },
  // Git takes no value from the next word here, which would then be a revision.
  optionalValues: {
    ...{
      decorate: word,
      stat: lineRange,
      dirstat: word,
      color: word,
      pretty: formatOptionValue,
      format: formatOptionValue,
    },
    ...{ abbrev: number, unified: number, 'min-parents': number, 'max-parents': number },
  },
  maxPaths: unlimited,
} as const satisfies ProgramShape;

const patchFlags = 'pu';
const patchOptions = ['p', 'u', 'patch', 'U', 'unified', 'word-diff'];

/** Options that replace changed lines by names or numbers. */
const summaryOptions = [
  ...['name-only', 'name-status', 'stat', 'shortstat', 'numstat', 'dirstat', 'summary', 'raw'],
  ...['no-patch', 's', 'quiet', 'compact-summary'],
];

const summaryPattern = new RegExp(`^--(?:${summaryOptions.join('|')})(?:=.*)?$|^-s$`, 'u');
const patchPattern = /^(?:-[A-Za-z]*[puU].*|--(?:patch|unified|word-diff)(?:=.*)?)$/su;

const hasOption = ({ options }: MatchedArguments, names: readonly string[]): boolean =>
  names.some((name) => options.has(name));

const showsOnlySummary = (matched: MatchedArguments): boolean =>
  hasOption(matched, summaryOptions) && !hasOption(matched, patchOptions);

/** Options with which Git compares the content of files to decide which of them have changed. */
const contentOptions = [
  ...['w', 'b', 'ignore-all-space', 'ignore-space-change', 'ignore-space-at-eol'],
  'ignore-blank-lines',
];

/** Checks that Git runs no configured program to compare the content of files. */
const runsNoConverters = (matched: MatchedArguments): boolean =>
  !hasOption(matched, contentOptions) ||
  ['no-ext-diff', 'no-textconv'].every((name) => matched.options.has(name));

/**
 * Checks that no operand has the form `HEAD:file`, because such an operand prints a file regardless
 * of the options.
 */
const namesNoFile = ({ paths }: MatchedArguments): boolean =>
  paths.every((path) => !path.includes(':'));

/** Requires the options that disable configured programs and list both names of a rename. */
const isSafeDiff = (matched: MatchedArguments): boolean =>
  namesNoFile(matched) &&
  ['no-renames', 'no-ext-diff', 'no-textconv'].every((name) => matched.options.has(name));

/** Options of `git grep` that replace matching lines by names or numbers. */
const namesOfMatches = [
  ...['l', 'L', 'c', 'q', 'files-with-matches', 'files-without-match', 'name-only', 'count'],
  'quiet',
];

const showsLines = (name: string, matched: MatchedArguments): boolean =>
  name === 'show' ? !showsOnlySummary(matched) : hasOption(matched, patchOptions);

/**
 * Removes `--diff-filter`. With it, Git lists the new name of a renamed secret file but not the old one.
 */
function removeDiffFilter(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const isFilter = (word: string | undefined): boolean => word === '--diff-filter';
  return args.filter((word, index) => {
    if (end >= 0 && index >= end) return true;
    return !/^--diff-filter(?:=|$)/u.test(word) && !isFilter(args[index - 1]);
  });
}

/** Options with which the list of changed files could differ from the files that `git log` or `git show` shows. */
const unlistableOptions = ['diff-filter', 'follow', 'graph', 's', 'no-patch', 'quiet'];

/**
 * Returns arguments with which `git log` or `git show` lists the files whose changed lines the same command shows; empty
 * if the list could be incomplete. Lists both names of a rename, also if the command is limited to one of them, and the
 * files of merge commits whatever `log.diffMerges` is.
 */
function listShownFiles(
  name: string,
  matched: MatchedArguments,
  args: readonly string[],
): readonly string[] {
  if (hasOption(matched, unlistableOptions)) return [];
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const listOptions = ['--format=', '--name-only', '--no-renames', '--diff-merges=separate'];
  const safeOptions = ['--full-diff', '--no-ext-diff', '--no-textconv', '-z'];
  return [name, ...args.slice(0, end), ...listOptions, ...safeOptions, ...args.slice(end)];
}

/**
 * Returns arguments after `git` with which `git grep` lists all files that another `git grep` searches; empty if its
 * operands cannot be told apart. Every line matches the empty pattern.
 */
function listSearchedFiles(
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

const acceptAlways = (): boolean => true;

const tagListOptions: GitShape = { leading: [anyText], maxPaths: 0, isReading: acceptAlways };

const gitShapes: Readonly<Record<string, GitShape>> = {
  status: {
    flags: 'sbz',
    longFlags:
      'short branch long null show-stash ahead-behind no-ahead-behind renames no-renames no-color',
    optionalValues: { porcelain: word, 'untracked-files': word, ignored: word, column: word },
    maxPaths: unlimited,
    isReading: acceptAlways,
  },
  log: {
    ...commitOptions,
    flags: commitOptions.flags + patchFlags,
    longFlags: `${commitOptions.longFlags} patch all branches tags remotes`,
    attachedValues: { U: number },
    optionalValues: {
      ...commitOptions.optionalValues,
      ...{ branches: anyText, tags: anyText, remotes: anyText },
    },
    isReading: (matched) => !hasOption(matched, patchOptions) && runsNoConverters(matched),
    extensions: patchPattern,
  },
  show: {
    ...commitOptions,
    flags: `${commitOptions.flags + patchFlags}s`,
    // Without options that select references, because a tag can be a file.
    longFlags: `${commitOptions.longFlags} patch`,
    attachedValues: { U: number },
    isReading: (matched) =>
      namesNoFile(matched) && showsOnlySummary(matched) && runsNoConverters(matched),
    limits: summaryPattern,
    // An operand such as `HEAD:file` prints a file whatever the options are.
    cancelsLimits: new RegExp(`${patchPattern.source}|^[^-][^]*:`, 'su'),
  },
  diff: {
    // Without `-s`, which cancels earlier options since Git 2.42: the list of changed files would contain a patch instead.
    flags: `wbaRz${patchFlags}`,
    attachedValues: { U: number },
    longFlags: `cached staged shortstat numstat name-only name-status summary raw no-renames
      no-ext-diff no-textconv minimal patience histogram ignore-all-space ignore-space-change
      ignore-blank-lines ignore-space-at-eol no-color exit-code quiet merge-base patch
      compact-summary`,
    longValues: { 'diff-filter': word, 'diff-algorithm': word, ...indicatorOptions },
    optionalValues: {
      ...{ stat: lineRange, dirstat: word, color: word, 'word-diff': word, abbrev: number },
      unified: number,
    },
    maxPaths: unlimited,
    // Without a patch, Git still runs a configured program to compare contents.
    isReading: (matched) =>
      isSafeDiff(matched) ||
      (namesNoFile(matched) &&
        showsOnlySummary(matched) &&
        runsNoConverters(matched) &&
        (!hasOption(matched, ['quiet', 'exit-code']) || matched.options.has('no-ext-diff'))),
    limits: summaryPattern,
    cancelsLimits: patchPattern,
  },
  tag: { maxPaths: 0, isReading: acceptAlways },
  'tag -l': tagListOptions,
  'tag --list': tagListOptions,
  'stash list': { maxPaths: 0, isReading: acceptAlways },
  'ls-files': {
    flags: 'cdomksz',
    longFlags: `cached deleted others ignored stage modified killed exclude-standard full-name
      error-unmatch directory no-empty-directory deduplicate`,
    maxPaths: unlimited,
    isReading: acceptAlways,
  },
  branch: {
    flags: 'arvl',
    longFlags: 'all remotes list verbose show-current no-color merged no-merged',
    longValues: { sort: branchSortKey, format: branchFormat },
    optionalValues: { color: word },
    maxPaths: 0,
    isReading: acceptAlways,
  },
  'rev-parse': {
    flags: 'q',
    longFlags: `show-toplevel verify is-inside-work-tree is-bare-repository git-dir absolute-git-dir
      symbolic-full-name show-prefix show-cdup quiet`,
    optionalValues: { short: number, 'abbrev-ref': word },
    maxPaths: unlimited,
    isReading: acceptAlways,
  },
  describe: {
    longFlags: 'tags always all long exact-match contains first-parent',
    longValues: { abbrev: number, match: anyText, exclude: anyText },
    optionalValues: { dirty: word },
    maxPaths: unlimited,
    isReading: acceptAlways,
  },
  shortlog: {
    flags: 'sne',
    longFlags: 'summary numbered email all no-merges merges',
    longValues: { since: anyText, until: anyText, author: anyText },
    maxPaths: unlimited,
    isReading: acceptAlways,
  },
  'merge-base': {
    flags: 'a',
    longFlags: 'all is-ancestor octopus fork-point independent',
    maxPaths: unlimited,
    isReading: acceptAlways,
  },
  grep: {
    flags: 'ivnwlLchHEFGPqIaz',
    values: { e: anyText, A: number, B: number, C: number, m: number },
    longFlags: `ignore-case invert-match line-number word-regexp files-with-matches
      files-without-match name-only count extended-regexp fixed-strings basic-regexp perl-regexp
      cached untracked quiet heading break and or not all-match full-name show-function`,
    longValues: {
      ...{ 'after-context': number, 'before-context': number, context: number },
      ...{ 'max-depth': number, 'max-count': number, threads: number },
    },
    optionalValues: { color: word },
    leading: [anyText],
    replacesLeading: ['e'],
    maxPaths: unlimited,
    isReading: (matched) => hasOption(matched, namesOfMatches),
    limits: /^(?:-[lLcq]|--(?:files-with-matches|files-without-match|name-only|count|quiet))$/u,
  },
  blame: {
    flags: 'wlstefnpM',
    values: { L: anyText },
    longFlags: 'porcelain line-porcelain show-name show-number show-email root',
    longValues: { since: anyText, date: word },
    maxPaths: unlimited,
  },
  add: {
    flags: 'AuvnN',
    longFlags: 'all update verbose dry-run intent-to-add refresh',
    maxPaths: unlimited,
    limits: /^(?:-[A-Za-z]*n[A-Za-z]*|--dry-run)$/u,
  },
  commit: {
    // Without `-v`, which prints changed lines of all files if nothing is committed.
    flags: 'aqs',
    values: { m: anyText },
    longFlags: `all quiet signoff dry-run short porcelain allow-empty amend no-edit
      no-gpg-sign reset-author no-status`,
    longValues: {
      ...{ message: anyText, date: anyText, author: anyText, cleanup: word, trailer: anyText },
    },
    // Paths would commit changes that were not added.
    maxPaths: 0,
    limits: /^--(?:dry-run|short|porcelain)$/u,
    extensions: /^(?:--(?:amend|reset-author|author(?:=.*)?|all|date(?:=.*)?)|-[a-z]*a[a-z]*)$/su,
  },
};
