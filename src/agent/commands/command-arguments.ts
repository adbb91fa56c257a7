import * as l10n from '@vscode/l10n';
import { gitReason } from './command-git.ts';
import { hasLongOption, hasShortOption, onlyOptions, operandsOf } from './command-options.ts';
import { steersReason } from './command-reach.ts';
import { isPlain, shapeOf } from './command-shapes.ts';
import type { Reason } from '../../workspace/verdict.ts';

/**
 * Why these arguments make a harmless program run code, write or reach further than it seems; undefined when
 * nothing of the kind is known.
 * @param name As `programName` gives it.
 */
export function argumentReason(name: string, args: readonly string[]): Reason | undefined {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  const text = rule?.(args);
  if (text !== undefined) return { code: 'argument', text };
  return name === 'git' ? gitReason(args) : shapeReason(name, args);
}

/** Options and words can do so much that only what is known to be harmless may ever go unasked. */
function shapeReason(name: string, args: readonly string[]): Reason | undefined {
  const shape = shapeOf(name, args);
  if (!shape) return unknown();
  if (!isPlain(shape, args)) return argument();
  return shape.hasOwnRules
    ? undefined
    : args.map(steersReason).find((reason) => reason !== undefined);
}

const unknown = (): Reason => ({
  code: 'unknown',
  text: l10n.t('It is none of the commands that can be allowed for good, and may run any code.'),
});
const argument = (): Reason => ({
  code: 'argument',
  text: l10n.t('It has options or words that are not known to be harmless.'),
});

/** Returns the sentence, or undefined when the arguments are harmless. */
type Rule = (args: readonly string[]) => string | undefined;

const writes = (): string => l10n.t('These options can write files.');
const runs = (): string => l10n.t('These options can run other commands.');
const reaches = (): string => l10n.t('These options can reach files beyond the ones named.');

const rules: Readonly<Record<string, Rule>> = {
  find: (args) => (args.some((arg) => findAction.test(arg)) ? runs() : undefined),
  fd: (args) =>
    hasLongOption(args, ['--exec', '--exec-batch']) || hasShortOption(args, 'xX')
      ? runs()
      : undefined,
  rg: (args) => {
    if (hasLongOption(args, ['--pre', '--pre-glob', '--hostname-bin', '--search-zip']))
      return runs();
    if (hasShortOption(args, 'z')) return runs();
    const open = [
      '--follow',
      '--hidden',
      '--no-ignore',
      '--unrestricted',
      '--file',
      '--ignore-file',
    ];
    return hasLongOption(args, open) || hasShortOption(args, 'Lfu.') ? reaches() : undefined;
  },
  grep: (args) =>
    hasLongOption(args, ['--file', '--dereference-recursive']) || hasShortOption(args, 'fR')
      ? reaches()
      : undefined,
  sed: (args) => (isHarmlessSed(args) ? undefined : writes()),
  sort: (args) => {
    if (hasLongOption(args, ['--compress-program'])) return runs();
    const open = ['--output', '--temporary-directory', '--files0-from', '--buffer-size'];
    return hasLongOption(args, open) || hasShortOption(args, 'oST') ? writes() : undefined;
  },
  uniq: (args) => (operandsOf(args).length > 1 ? writes() : undefined),
  tree: (args) =>
    hasLongOption(args, ['--fromfile', '--output']) || hasShortOption(args, 'oR')
      ? writes()
      : undefined,
  column: (args) =>
    hasShortOption(args, 'c') || hasLongOption(args, ['--output-width'])
      ? l10n.t('It can use up the memory.')
      : undefined,
  date: (args) =>
    hasLongOption(args, ['--set', '--file', '--reference']) ||
    hasShortOption(args, 'sfr') ||
    operandsOf(args).some((arg) => !arg.startsWith('+'))
      ? l10n.t('It can set the clock.')
      : undefined,
  file: (args) =>
    hasLongOption(args, ['--compile', '--files-from', '--uncompress']) ||
    hasShortOption(args, 'CfzZ')
      ? reaches()
      : undefined,
  wc: (args) => (hasLongOption(args, ['--files0-from']) ? reaches() : undefined),
  du: (args) =>
    hasLongOption(args, ['--files0-from', '--exclude-from']) || hasShortOption(args, 'X')
      ? reaches()
      : undefined,
  tail: (args) =>
    hasLongOption(args, ['--follow', '--retry', '--pid']) || hasShortOption(args, 'fF')
      ? l10n.t('It would not end by itself.')
      : undefined,
  printf: (args) =>
    hasShortOption(args.slice(0, 1), 'v') ? l10n.t('It sets a variable.') : undefined,
  diff: (args) => (hasLongOption(args, ['--from-file', '--to-file']) ? reaches() : undefined),
  cd: (args) =>
    args.length === 1 && !args[0]?.startsWith('-')
      ? undefined
      : l10n.t('It leaves for a folder that is not named.'),
};

const findAction = /^-(?:delete|exec|ok|fprint|fls|files0-from|f$)/u;

/** Printing chosen lines, or one plain substitution; anything else sed can do includes running and writing. */
function isHarmlessSed(args: readonly string[]): boolean {
  const [script = '', ...files] = operandsOf(args);
  const options = /^(?:-[nErsuz]+|--(?:quiet|silent|regexp-extended|null-data|debug))$/u;
  if (!onlyOptions(args, options) || files.includes('-')) return false;
  const prints = /^(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?[pdq]$/u;
  const substitutes =
    /^s(?<mark>[/|,#])(?:(?!\k<mark>)[^\n\\]|\\[^\n])*\k<mark>(?:(?!\k<mark>)[^\n\\]|\\[^\n])*\k<mark>[gpIi0-9]*$/u;
  return prints.test(script) || substitutes.test(script);
}
