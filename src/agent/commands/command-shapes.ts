import { getGitGrantOptions, getGitPrefixLength } from './git-commands.ts';

/**
 * Parts of a program's command that may be allowed permanently. Any other part requires approval
 * each time.
 */
export interface CommandShape {
  /** Number of words that identify what the command does, including the program. */
  readonly words: number;
  /** Options that do not make the program write files, load code or access other files. */
  readonly options: RegExp;
  /** Other words that may follow. */
  readonly operands: RegExp;
  /** Options that limit the effect. A grant with such an option requires it. */
  readonly limits?: RegExp;
  /** Options that extend the effect. Only a grant with the same option covers them. */
  readonly extensions?: RegExp;
  /**
   * Options that cancel a limiting option, so that the command has its complete effect again. They
   * have no effect without a limiting option.
   */
  readonly cancelsLimits?: RegExp;
  /** Operands that must not be files, because the program would read its configuration from them. */
  readonly folders?: RegExp;
  /** File or folder that the program reads its configuration from. */
  readonly configuration?: string;
}

/**
 * Returns the shape of a known program's command; undefined for other programs and other tasks of
 * it.
 * @param name As returned by `getProgramName`.
 */
export function findCommandShape(name: string, args: readonly string[]): CommandShape | undefined {
  return Object.hasOwn(commandShapes, name) ? commandShapes[name]?.(args) : undefined;
}

/**
 * Checks that all words after those that identify the command are harmless. Treats no word after
 * `--` as an option.
 */
export function hasKnownArguments(
  { words, options, operands }: CommandShape,
  args: readonly string[],
): boolean {
  const rest = args.slice(words - 1);
  const end = rest.indexOf('--');
  const before = end < 0 ? rest : rest.slice(0, end);
  const after = end < 0 ? [] : rest.slice(end + 1);
  // `@file` would read more options from a file.
  const isOperand = (word: string): boolean => /^[^@-]/u.test(word) && operands.test(word);
  return (
    before.every((word) => (isOption(word) ? options.test(word) : isOperand(word))) &&
    after.every(isOperand)
  );
}

export const isOption = (word: string): boolean => word.startsWith('-') && word.length > 1;

type ShapeRule = (args: readonly string[]) => CommandShape | undefined;

const anyWord = /^/u;
const noWord = /^(?!)/u;
/** Matches a file or folder path; a word without these characters could be a subcommand. */
const pathPattern = /[./\\]/u;
const taskNamePattern = /^[\w][\w:.-]*$/u;

const createAnyOperandsRule =
  (options: RegExp, operands: RegExp = anyWord): ShapeRule =>
  () => ({ words: 1, options, operands });

/** Returns the shape of a program whose first word selects the task. */
const createFirstWordRule =
  (names: RegExp, options: RegExp, operands: RegExp = noWord): ShapeRule =>
  ([task = '']) =>
    names.test(task) && !isOption(task) ? { words: 2, options, operands } : undefined;

const applyPackageScriptRule: ShapeRule = ([task = '', script = '']) => {
  const options = /^(?:--silent|-s|--if-present|--workspaces|-ws)$/u;
  if (/^run(?:-script)?$/u.test(task)) {
    return taskNamePattern.test(script) ? { words: 3, options, operands: anyWord } : undefined;
  }
  return task === 'test' ? { words: 2, options, operands: anyWord } : applyVersionRule([task]);
};

const makeTask: ShapeRule = (args) => {
  const shape = createFirstWordRule(taskNamePattern, /^-(?:[knsBj]+|j\d+)$/u)(args);
  // With `-n`, `make` only prints the commands. A grant with this option requires the option.
  return shape && { ...shape, limits: /^-[ksBj]*n[knsBj]*$/u };
};

const pytestOptions =
  /^(?:-[xvqslkm]+|-r\w+|--(?:lf|ff|last-failed|failed-first|verbose|quiet|exitfirst|no-header|maxfail=\d+|tb=\w+))$/u;
const unittestOptions = /^(?:-[vqfbck]+|--(?:verbose|quiet|failfast|buffer))$/u;
/** Matches words that `unittest` treats as tests. It would import any other word as a module. */
const testNamePattern = /^discover$|test/iu;

/**
 * Returns the shape of a Python command that runs a script or the tests of the workspace, without
 * options that load other code.
 */
const pythonShape: ShapeRule = ([first = '', module]) => {
  if (first === '-m' && module === 'pytest') {
    return { words: 3, options: pytestOptions, operands: anyWord };
  }
  if (first === '-m' && module === 'unittest') {
    return { words: 3, options: unittestOptions, operands: testNamePattern };
  }
  return applyVersionRule([first]) ?? scriptFile([first]);
};

/** Accepts printing the version, with a tool that may select another program by files of the workspace. */
const applyVersionRule: ShapeRule = ([option = '']) =>
  option === '--version' ? { words: 2, options: noWord, operands: noWord } : undefined;

const scriptFile: ShapeRule = ([file = '']) =>
  /^(?:\.[/\\])?\w[^:=@]*$/u.test(file) && pathPattern.test(file)
    ? { words: 2, options: noWord, operands: anyWord }
    : undefined;

const nodeTests =
  /^--(?:test-only|test-reporter=(?:spec|tap|dot)|test-name-pattern=[^/]*|no-warnings)$/u;

const nodeShape: ShapeRule = (args) =>
  args[0] === '--test'
    ? { words: 2, options: nodeTests, operands: pathPattern }
    : (applyVersionRule(args) ?? scriptFile(args));

const vitestShape: ShapeRule = (args) => ({
  words: args[0] === 'run' ? 2 : 1,
  options: /^(?:-t|--(?:run|testNamePattern|bail=\d+|reporter=(?:default|dot|verbose|tap)))$/u,
  operands: args[0] === 'run' ? anyWord : pathPattern,
});

/**
 * Matches an operand of `tsc`: a source file, a configuration file that tools cannot change without
 * approval, or a name that may be a folder.
 */
const tscOperand =
  /^(?!(?:false|null)$)(?:\.|(?:\.\/)?[^.]*|.*[/\\]|.*\.[cm]?[jt]sx?|(?:.*[/\\])?tsconfig[^/\\]*\.json)$/iu;
const sourceFile = /\.[cm]?[jt]sx?$/iu;

/** Options with which the compiler emits no files. */
const tscNoEmit = /^--(?:noEmit|showConfig|listFilesOnly)$/iu;
/** Options with which the compiler only prints a text, and reads no configuration. */
const tscInformation = /^(?:-[vh]|--(?:version|help))$/iu;

/**
 * Accepts only a compiler that emits nothing: the names of emitted files come from sources, which can be anywhere, and
 * from the configuration. A file with another name could be a configuration with another output.
 */
const tscShape: ShapeRule = (args) => {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const isInformation = options.some((word) => tscInformation.test(word));
  if (!isInformation && !options.some((word) => tscNoEmit.test(word))) return undefined;
  const isProjectOption = (word: string): boolean => /^(?:-p|--project)$/u.test(word);
  const projects = args.filter((_, index) => isProjectOption(args[index - 1] ?? ''));
  const isKnown =
    projects.length <= 1 &&
    projects.every((project) => !sourceFile.test(project)) &&
    !isProjectOption(args.at(-1) ?? '');
  return {
    words: 1,
    options:
      /^(?:-[pvh]|--(?:project|noEmit|showConfig|listFilesOnly|strict|pretty|listFiles|skipLibCheck|version|help))$/iu,
    operands: isKnown ? tscOperand : noWord,
    limits: isInformation ? tscInformation : tscNoEmit,
    // `--noEmit false` would emit, so that no word but a folder may follow.
    folders: /^[^-](?!.*\.(?:[cm]?[jt]sx?|json)$)/isu,
    ...(isInformation ? {} : { configuration: projects[0] ?? '.' }),
  };
};

/** Requires `--check` for `cargo fmt`, which otherwise changes files outside the workspace that the sources name. */
const cargoShape: ShapeRule = (args) => {
  if (args[0] === 'fmt' && !args.includes('--check')) return undefined;
  const shape = cargoTask(args);
  return shape && { ...shape, limits: /^--(?:check|no-run)$/u };
};

const cargoTask = createFirstWordRule(
  /^(?:test|t|build|b|check|c|clippy|fmt|doc|bench)$/u,
  /^(?:-[qvr]+|--(?:release|workspace|all|all-targets|all-features|no-default-features|lib|bins|tests|benches|examples|doc|locked|offline|frozen|quiet|verbose|check|no-run|no-fail-fast|no-deps))$/u,
  /^[\w:]+$/u,
);

const commandShapes: Readonly<Record<string, ShapeRule>> = {
  git: (args) => ({
    words: getGitPrefixLength(args),
    options: anyWord,
    operands: anyWord,
    ...getGitGrantOptions(args),
  }),
  npm: applyPackageScriptRule,
  pnpm: applyPackageScriptRule,
  yarn: applyPackageScriptRule,
  bun: (args) =>
    args[0] === 'test' || args[0] === 'run' ? applyPackageScriptRule(args) : undefined,
  cargo: cargoShape,
  // `go build` writes a program with the name of its folder, and `go fmt` writes through links.
  go: createFirstWordRule(
    /^(?:test|vet|list|version)$/u,
    /^--?(?:v|x|race|short|cover|failfast|json|run|bench|benchmem|count=\d+|timeout=\w+)$/u,
    anyWord,
  ),
  dotnet: createFirstWordRule(/^(?:test|build)$/u, /^--(?:no-restore|no-build|nologo)$/u),
  make: makeTask,
  gmake: makeTask,
  nmake: makeTask,
  just: makeTask,
  rake: makeTask,
  mvn: createFirstWordRule(
    /^(?:test|compile|verify)$/u,
    /^(?:-[qBe]|--(?:quiet|offline|batch-mode))$/u,
  ),
  gradle: createFirstWordRule(
    /^(?:test|build|check)$/u,
    /^(?:-[qis]|--(?:quiet|info|offline|no-daemon|stacktrace))$/u,
  ),
  tsc: tscShape,
  eslint: createAnyOperandsRule(/^--(?:quiet|no-color|max-warnings(?:=\d+)?|version)$/u),
  prettier: createAnyOperandsRule(/^(?:-[cl]|--(?:check|list-different|version))$/u),
  oxlint: createAnyOperandsRule(/^(?:-[DWA]|--(?:quiet|type-aware|deny-warnings|version))$/u),
  vitest: vitestShape,
  jest: createAnyOperandsRule(
    /^(?:-[ti]|--(?:ci|bail|silent|verbose|runInBand|testNamePattern|version))$/u,
  ),
  mocha: createAnyOperandsRule(/^(?:-[gfb]|--(?:grep|fgrep|bail|version))$/u, pathPattern),
  pytest: createAnyOperandsRule(pytestOptions),
  python: pythonShape,
  python3: pythonShape,
  py: pythonShape,
  node: nodeShape,
  nodejs: nodeShape,
  tsx: nodeShape,
};
