import { isOption, onlyOptions } from './command-options.ts';

/**
 * Why an interpreter is asked about every time. One may run a file that is named first, or the project's tests;
 * code in an option, or from the command before it, is nothing that a person allowed.
 */
export function interpreterReason(name: string, args: readonly string[]): string | undefined {
  if (!interpreters.has(name) || isVersion(args)) return undefined;
  const isKnown = knownTasks[name]?.(args) ?? false;
  return isKnown || isScriptName(args[0]) ? undefined : 'It runs code that is given to it.';
}

export const interpreters: ReadonlySet<string> = new Set(
  `node nodejs tsx ts-node deno python python3 py bash sh zsh dash ksh fish csh tcsh ruby perl
   php`.split(/\s+/u),
);

type IsTask = (args: readonly string[]) => boolean;

/** `node --test`, with no option that loads anything else. */
const isTestRun: IsTask = (args) => args[0] === '--test' && onlyOptions(args, testOptions);

const testOptions =
  /^--(?:test|test-only|test-reporter=(?:spec|tap|dot)|test-name-pattern=[^/]*|no-warnings|experimental-strip-types)$/u;

const isKnownModule: IsTask = ([option, module = '']) =>
  option === '-m' &&
  /^(?:pytest|unittest|mypy|ruff|black|isort|flake8|pylint|pyright|compileall)$/u.test(module);

const isDenoTask: IsTask = ([task = '', ...rest]) =>
  /^(?:test|lint|fmt|check)$/u.test(task) && onlyOptions(rest, /^--(?:check|doc)$/u);

const knownTasks: { readonly [name: string]: IsTask | undefined } = {
  node: isTestRun,
  nodejs: isTestRun,
  tsx: isTestRun,
  python: isKnownModule,
  python3: isKnownModule,
  py: isKnownModule,
  deno: isDenoTask,
};

const isVersion: IsTask = (args) =>
  args.length === 1 && /^(?:-v|-V|--version)$/u.test(args[0] ?? '');

/** A word without a dot or a slash may be a command of the interpreter itself. */
const isScriptName = (word = '-'): boolean =>
  !isOption(word) && /\w/u.test(word) && /[./]/u.test(word);
