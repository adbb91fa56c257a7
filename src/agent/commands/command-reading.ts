import { readingGit } from './command-git.ts';
import { isOption } from './command-options.ts';

/**
 * Whether a command is on the built-in list of those that change nothing and show little. That a program is not
 * used to write or run anything is checked elsewhere, for every command.
 */
export function isReadingCommand([program = '', ...args]: readonly string[]): boolean {
  if (program === 'git') return readingGit.has(args.find((arg) => arg !== '--no-pager') ?? '');
  if (filters.has(program)) return args.every((arg) => filterArgument.test(arg));
  if (program === 'grep') return isGrepOfInput(args);
  return names.has(program) || cmdlets.has(program.toLowerCase());
}

const names: ReadonlySet<string> = new Set(
  `pwd ls dir echo true false whoami uname nproc arch basename dirname which find tree du df wc date
   stat`.split(/\s+/u),
);

/** Without their short forms: in another shell these can be programs of any kind. */
const cmdlets: ReadonlySet<string> = new Set(
  `get-childitem get-location get-date test-path split-path join-path measure-object select-object
   sort-object format-table format-list out-string out-null write-output write-host`.split(/\s+/u),
);

const filterArgument = /^(?:[+-]?\d+|-{1,2}[A-Za-z][\w=-]*)$/u;

/** Harmless while they read what the command before them wrote: only with options, never with a file. */
const filters: ReadonlySet<string> = new Set('cat head tail sort uniq nl rev tac'.split(' '));

/** One pattern, no file, not through folders. */
function isGrepOfInput(args: readonly string[]): boolean {
  const options = args.filter((arg) => isOption(arg));
  return (
    args.length - options.length === 1 &&
    options.every((arg) => /^-(?:[ivnowcEFxq]+|[ABC]\d+)$/u.test(arg))
  );
}
