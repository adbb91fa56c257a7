import * as l10n from '@vscode/l10n';
import type { Reason } from '../../workspace/verdict.ts';

/** Reads options as programs do. All functions err on the side of finding an option. */

/** Finds one of the long options, also abbreviated or with a value after `=`. */
export function hasLongOption(words: readonly string[], names: readonly string[]): boolean {
  return words.some((word) => {
    const name = /^(?<name>--[^=]+)/u.exec(word)?.groups?.['name'];
    return name !== undefined && names.some((option) => option.startsWith(name));
  });
}

/**
 * Finds one of the letters in a group of short options such as `-xvf`, or in a value attached to
 * one.
 */
export function hasShortOption(words: readonly string[], letters: string): boolean {
  return words.some(
    (word) => /^-[^-]/u.test(word) && Array.from(letters).some((letter) => word.includes(letter)),
  );
}

export const isOption = (word: string): boolean => word.startsWith('-') && word.length > 1;

/** Checks that every option matches the pattern; other words do not matter. */
export function hasOnlyOptions(words: readonly string[], pattern: RegExp): boolean {
  return words.every((word) => !isOption(word) || pattern.test(word));
}

export const operands = (words: readonly string[]): string[] =>
  words.filter((word) => !isOption(word));

/** Git commands that change nothing. */
export const readOnlyGitCommands: ReadonlySet<string> = new Set([
  'status',
  'log',
  'show',
  'diff',
  'ls-files',
  'branch',
  'rev-parse',
  'describe',
  'shortlog',
  'merge-base',
]);

/** Commands that change only git's own data, so the user may allow them permanently. */
const grantableCommands: ReadonlySet<string> = new Set([
  ...readOnlyGitCommands,
  'add',
  'commit',
  'grep',
  'blame',
]);

/**
 * Returns why a git command requires approval every time.
 * @param args Arguments after `git`.
 */
export function gitReason(args: readonly string[]): Reason | undefined {
  const [command = '', ...rest] = args[0] === '--no-pager' ? args.slice(1) : args;
  if (isOption(command))
    return gitReasonFor(l10n.t('These options can make git run other commands.'));
  if (networkCommands.has(command))
    return { code: 'network', text: l10n.t('It can reach the network.') };
  if (!grantableCommands.has(command))
    return gitReasonFor(l10n.t('It can change the repository or lose work.'));
  if (command === 'branch' && !onlyListsBranches(rest)) {
    return gitReasonFor(l10n.t('It can change branches.'));
  }
  return isRisky(command, rest)
    ? gitReasonFor(l10n.t('These options can make git run other commands or write files.'))
    : undefined;
}

const gitReasonFor = (text: string): Reason => ({ code: 'git', text });

const networkCommands: ReadonlySet<string> = new Set([
  'fetch',
  'pull',
  'push',
  'clone',
  'ls-remote',
  'remote',
  'submodule',
  'archive',
  'send-email',
  'request-pull',
  'lfs',
  'svn',
]);

const riskyOptions = [
  '--output',
  '--output-directory',
  '--ext-diff',
  '--textconv',
  '--upload-pack',
  '--receive-pack',
  '--exec',
  '--open-files-in-pager',
  '--no-index',
  '--contents',
  '--git-dir',
  '--work-tree',
  '--config-env',
  '--exec-path',
  '--help',
  '--show-signature',
  '--gpg-sign',
  '--no-verify',
  '--file',
  '--template',
  '--pathspec-from-file',
  '--ignore-revs-file',
  '--edit',
  '--paginate',
];

function isRisky(command: string, args: readonly string[]): boolean {
  // Log formats can request signatures, which runs the program that the repository configures for
  // them.
  if (args.some((arg) => arg.includes('%G'))) return true;
  if (hasLongOption(args, riskyOptions)) return true;
  // A pattern matches files whose names no rule has checked.
  if (operands(withoutMessage(args)).some((arg) => /^:|[*?[]/u.test(arg))) return true;
  if (command === 'commit') return hasShortOption(withoutMessage(args), 'cCFtSne');
  return hasShortOption(args, 'O') || (command === 'add' && hasShortOption(args, 'fie'));
}

/** Removes message options of a commit, because a group such as `-am` is common. */
function withoutMessage(args: readonly string[]): string[] {
  return args.filter(
    (arg, index) => !/^-a?m$/u.test(arg) && !/^-a?m$/u.test(args[index - 1] ?? ''),
  );
}

function onlyListsBranches(args: readonly string[]): boolean {
  const listOptions =
    /^(?:-[arvl]+|--(?:all|remotes|list|verbose|show-current|no-color|sort=[\w:-]+|merged|no-merged))$/u;
  return args.every((arg) => isOption(arg)) && hasOnlyOptions(args, listOptions);
}
