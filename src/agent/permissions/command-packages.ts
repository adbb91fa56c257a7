import { hasLongOption, hasShortOption, isOption, onlyOptions } from './command-options.ts';
import type { Reason } from './verdict.ts';

/**
 * Why a package manager or build tool is asked about every time. Running a script that the project names can be
 * allowed for good; fetching packages, and options that load other code, cannot.
 */
export function packageReason(name: string, args: readonly string[]): Reason | undefined {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool || tool(args)) return undefined;
  return { code: 'packages', text: 'It can fetch packages or run code that is not named here.' };
}

/** Whether the words name a task of the project and nothing else. */
type IsTask = (args: readonly string[]) => boolean;

const scriptName = /^[\w:.-]+$/u;

/** Also the words that a stored prefix begins with: `npm run build` is `npm`, `run`, `build`. */
export function scriptWords(args: readonly string[]): number {
  return /^run(?:-script)?$/u.test(args[0] ?? '') ? 2 : 1;
}

const npm: IsTask = (args) => {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const known = /^(?:--silent|-s|--if-present|--workspaces|-ws|-w|--workspace=[\w@./-]+)$/u;
  if (!onlyOptions(own, known)) return false;
  return scriptWords(own) === 2
    ? scriptName.test(own[1] ?? '') && !isOption(own[1] ?? '-')
    : /^(?:test|t|tst)$/u.test(own[0] ?? '');
};

const bun: IsTask = (args) => args[0] !== 't' && npm(args);

const tasks =
  (names: string, badOptions: readonly string[], badLetters: string): IsTask =>
  ([task = '', ...rest]) =>
    names.split(' ').includes(task) &&
    !hasLongOption(rest, badOptions) &&
    !hasShortOption(rest, badLetters);

const go: IsTask = ([task = '', ...rest]) =>
  ['test', 'build', 'vet', 'fmt', 'list', 'version'].includes(task) &&
  !rest.some((arg) =>
    /^--?(?:exec|toolexec|modfile|overlay|C|o|gcflags|ldflags|asmflags|vettool|pkgdir|mod|buildmode)(?:=|$)/u.test(
      arg,
    ),
  );

const make: IsTask = (args) =>
  onlyOptions(args, /^-(?:[knsBj]+|j\d+)$/u) &&
  args.every((arg) => isOption(arg) || scriptName.test(arg));

const tools: Readonly<Record<string, IsTask>> = {
  npm,
  pnpm: npm,
  yarn: npm,
  bun,
  go,
  make,
  gmake: make,
  nmake: make,
  just: make,
  rake: make,
  cargo: tasks(
    'test t build b check c clippy fmt doc bench',
    ['--config', '--manifest-path', '--target-dir', '--out-dir', '--artifact-dir', '--fix'],
    'ZC',
  ),
  dotnet: tasks('test build', ['--settings', '--test-adapter-path', '--output'], 'so'),
  mvn: tasks('test compile verify', ['--file', '--settings', '--define'], 'fsDg'),
  mvnw: () => false,
  gradle: tasks('test build check', ['--init-script', '--build-file', '--project-dir'], 'IbpcDP'),
};
