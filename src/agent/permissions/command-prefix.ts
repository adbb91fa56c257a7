import { interpreters } from './command-interpreters.ts';
import { scriptWords } from './command-packages.ts';
import { programName } from './command-programs.ts';

/**
 * The words of a command that stand for what it does: `git log`, `npm run build`, `node check.js`, `tsc`.
 * That is what a person allows for good, and never the whole line.
 */
export function prefixOf(command: readonly string[]): readonly string[] {
  const [program = '', ...args] = command;
  return command.slice(0, 1 + wordsAfter(programName(program), args));
}

/** Whether a command begins with the words of a prefix; one without words covers nothing. */
export function covers(prefix: readonly string[], command: readonly string[]): boolean {
  return prefix.length > 0 && prefix.every((word, at) => word === command[at]);
}

function wordsAfter(program: string, args: readonly string[]): number {
  if (program === 'git') return args[0] === '--no-pager' ? 2 : 1;
  if (scripts.has(program)) return scriptWords(args);
  if (interpreters.has(program)) return args[0] === '-m' ? 2 : 1;
  return tasks.has(program) ? 1 : 0;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const scripts = set('npm pnpm yarn bun');
const tasks = set('cargo go dotnet make gmake nmake just rake mvn gradle');
