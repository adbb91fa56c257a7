import { getGitGrantOptions, getGitPrefixLength } from './git-commands.ts';

/**
 * Arguments with which a command may be allowed permanently. With any other argument, the command requires approval
 * each time.
 */
export interface CommandShape {
  /** Number of words that identify the effect of the command, including the program. */
  readonly wordCount: number;
  /** Matches options that do not make the program write files, load code or access other files. */
  readonly optionsPattern: RegExp;
  /** Matches the allowed words that follow the identifying words and are not options. */
  readonly operandsPattern: RegExp;
  /**
   * Matches options that limit the effect, such as `--check`. If a grant contains such an option, it covers only
   * commands with that option.
   */
  readonly limitingOptionsPattern?: RegExp;
  /**
   * Matches options that extend the effect, such as `--amend` of `git commit`. A grant covers a command with such an
   * option only if the grant contains the same option.
   */
  readonly extendingOptionsPattern?: RegExp;
  /**
   * Matches options such as `--patch` that cancel a limiting option such as `--stat`, so that the command has its full
   * effect again. Without a limiting option, they change nothing.
   */
  readonly cancelingOptionsPattern?: RegExp;
  /** Matches operands that must not name an existing file. The program would read such a file as its configuration. */
  readonly folderOperandsPattern?: RegExp;
  /** Default path of the program's configuration: a file, or the folder that contains it. */
  readonly configurationPath?: string;
}

/**
 * Returns the shape of a command. Returns undefined for an unknown program, and for a task of the program that is not
 * listed.
 * @param name As returned by `getProgramName`.
 */
export function findCommandShape(name: string, args: readonly string[]): CommandShape | undefined {
  return Object.hasOwn(commandShapes, name) ? commandShapes[name]?.(args) : undefined;
}

/**
 * Checks that all words after the identifying words match the patterns of the shape. Words after `--` count as
 * operands.
 */
export function hasKnownArguments(
  { wordCount, optionsPattern, operandsPattern }: CommandShape,
  args: readonly string[],
): boolean {
  const rest = args.slice(wordCount - 1);
  const end = rest.indexOf('--');
  const argsBefore = end < 0 ? rest : rest.slice(0, end);
  const argsAfter = end < 0 ? [] : rest.slice(end + 1);
  // `@file` would read more options from a file.
  const isOperand = (word: string): boolean => /^[^@-]/u.test(word) && operandsPattern.test(word);
  return (
    argsBefore.every((word) => (isOption(word) ? optionsPattern.test(word) : isOperand(word))) &&
    argsAfter.every(isOperand)
  );
}

export const isOption = (word: string): boolean => word.startsWith('-') && word.length > 1;

type ShapeRule = (args: readonly string[]) => CommandShape | undefined;

const anyWordPattern = /^/u;
const neverMatchesPattern = /^(?!)/u;
/**
 * Matches an operand with a dot or a slash, which is treated as a path. An operand without these characters could be a
 * subcommand.
 */
const pathPattern = /[./\\]/u;
const taskNamePattern = /^[\w][\w:.-]*$/u;

const createAnyOperandsRule =
  (optionsPattern: RegExp, operandsPattern: RegExp = anyWordPattern): ShapeRule =>
  () => ({ wordCount: 1, optionsPattern, operandsPattern });

/** Creates a rule for a program whose first argument selects the task. */
const createFirstWordRule =
  (
    taskPattern: RegExp,
    optionsPattern: RegExp,
    operandsPattern: RegExp = neverMatchesPattern,
  ): ShapeRule =>
  ([task = '']) =>
    taskPattern.test(task) && !isOption(task)
      ? { wordCount: 2, optionsPattern, operandsPattern }
      : undefined;

const applyPackageScriptRule: ShapeRule = ([task = '', script = '']) => {
  const optionsPattern = /^(?:--silent|-s|--if-present|--workspaces|-ws)$/u;
  if (/^run(?:-script)?$/u.test(task)) {
    return taskNamePattern.test(script)
      ? { wordCount: 3, optionsPattern, operandsPattern: anyWordPattern }
      : undefined;
  }
  return task === 'test'
    ? { wordCount: 2, optionsPattern, operandsPattern: anyWordPattern }
    : applyVersionRule([task]);
};

const applyMakeRule: ShapeRule = (args) => {
  const shape = createFirstWordRule(taskNamePattern, /^-(?:[knsBj]+|j\d+)$/u)(args);
  // With `-n`, `make` only prints the commands. A grant with this option requires the option.
  return shape && { ...shape, limitingOptionsPattern: /^-[ksBj]*n[knsBj]*$/u };
};

const pytestOptionsPattern =
  /^(?:-[xvqslkm]+|-r\w+|--(?:lf|ff|last-failed|failed-first|verbose|quiet|exitfirst|no-header|maxfail=\d+|tb=\w+))$/u;
const unittestOptionsPattern = /^(?:-[vqfbck]+|--(?:verbose|quiet|failfast|buffer))$/u;
/**
 * Matches words that `unittest` treats as names of tests. For any other word, `unittest` would import a module of that
 * name.
 */
const testNamePattern = /^discover$|test/iu;

/**
 * Returns the shape of a Python command that runs tests or a workspace script, or prints the version. Returns undefined
 * for other commands, such as those with options that load other code.
 */
const applyPythonRule: ShapeRule = ([firstArg = '', module]) => {
  if (firstArg === '-m' && module === 'pytest') {
    return { wordCount: 3, optionsPattern: pytestOptionsPattern, operandsPattern: anyWordPattern };
  }
  if (firstArg === '-m' && module === 'unittest') {
    return {
      wordCount: 3,
      optionsPattern: unittestOptionsPattern,
      operandsPattern: testNamePattern,
    };
  }
  return applyVersionRule([firstArg]) ?? applyScriptRule([firstArg]);
};

/**
 * Returns a shape for `--version` as the only argument; undefined for other arguments. Used for programs that can start
 * another program named in a workspace file.
 */
const applyVersionRule: ShapeRule = ([option = '']) =>
  option === '--version'
    ? { wordCount: 2, optionsPattern: neverMatchesPattern, operandsPattern: neverMatchesPattern }
    : undefined;

const applyScriptRule: ShapeRule = ([file = '']) =>
  /^(?:\.[/\\])?\w[^:=@]*$/u.test(file) && pathPattern.test(file)
    ? { wordCount: 2, optionsPattern: neverMatchesPattern, operandsPattern: anyWordPattern }
    : undefined;

const nodeTestOptionsPattern =
  /^--(?:test-only|test-reporter=(?:spec|tap|dot)|test-name-pattern=[^/]*|no-warnings)$/u;

const applyNodeRule: ShapeRule = (args) =>
  args[0] === '--test'
    ? { wordCount: 2, optionsPattern: nodeTestOptionsPattern, operandsPattern: pathPattern }
    : (applyVersionRule(args) ?? applyScriptRule(args));

const applyVitestRule: ShapeRule = (args) => ({
  wordCount: args[0] === 'run' ? 2 : 1,
  optionsPattern:
    /^(?:-t|--(?:run|testNamePattern|bail=\d+|reporter=(?:default|dot|verbose|tap)))$/u,
  operandsPattern: args[0] === 'run' ? anyWordPattern : pathPattern,
});

/**
 * Matches an operand of `tsc`: a source file such as `src/a.ts`, a configuration file such as `tsconfig.build.json`,
 * which is protected from edits, or a name that may be a folder, such as `src`.
 */
const tscOperandPattern =
  /^(?!(?:false|null)$)(?:\.|(?:\.\/)?[^.]*|.*[/\\]|.*\.[cm]?[jt]sx?|(?:.*[/\\])?tsconfig[^/\\]*\.json)$/iu;
const sourceFilePattern = /\.[cm]?[jt]sx?$/iu;

/** Matches options with which `tsc` emits no files. */
const tscNoEmitPattern = /^--(?:noEmit|showConfig|listFilesOnly)$/iu;
/** Matches options with which `tsc` only prints text and reads no configuration. */
const tscInformationPattern = /^(?:-[vh]|--(?:version|help))$/iu;

/**
 * Returns a shape for `tsc` only if it emits no files. Otherwise, source files and the configuration could set output
 * paths outside the workspace. Accepts no configuration file with an unusual name, because such a file is not protected
 * from edits.
 */
const applyTscRule: ShapeRule = (args) => {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  const hasInformationOption = options.some((word) => tscInformationPattern.test(word));
  if (!hasInformationOption && !options.some((word) => tscNoEmitPattern.test(word)))
    return undefined;
  const isProjectOption = (word: string): boolean => /^(?:-p|--project)$/u.test(word);
  const projectPaths = args.filter((_, index) => isProjectOption(args[index - 1] ?? ''));
  const isKnown =
    projectPaths.length <= 1 &&
    projectPaths.every((projectPath) => !sourceFilePattern.test(projectPath)) &&
    !isProjectOption(args.at(-1) ?? '');
  return {
    wordCount: 1,
    optionsPattern:
      /^(?:-[pvh]|--(?:project|noEmit|showConfig|listFilesOnly|strict|pretty|listFiles|skipLibCheck|version|help))$/iu,
    operandsPattern: isKnown ? tscOperandPattern : neverMatchesPattern,
    limitingOptionsPattern: hasInformationOption ? tscInformationPattern : tscNoEmitPattern,
    // `--noEmit false` would emit, so that no word but a folder may follow.
    folderOperandsPattern: /^[^-](?!.*\.(?:[cm]?[jt]sx?|json)$)/isu,
    ...(hasInformationOption ? {} : { configurationPath: projectPaths[0] ?? '.' }),
  };
};

/**
 * Returns a shape for `cargo fmt` only with `--check`. Without this option, the command could change files outside the
 * workspace.
 */
const applyCargoRule: ShapeRule = (args) => {
  if (args[0] === 'fmt' && !args.includes('--check')) return undefined;
  const shape = applyCargoTaskRule(args);
  return shape && { ...shape, limitingOptionsPattern: /^--(?:check|no-run)$/u };
};

const applyCargoTaskRule = createFirstWordRule(
  /^(?:test|t|build|b|check|c|clippy|fmt|doc|bench)$/u,
  /^(?:-[qvr]+|--(?:release|workspace|all|all-targets|all-features|no-default-features|lib|bins|tests|benches|examples|doc|locked|offline|frozen|quiet|verbose|check|no-run|no-fail-fast|no-deps))$/u,
  /^[\w:]+$/u,
);

const commandShapes: Readonly<Record<string, ShapeRule>> = {
  git: (args) => ({
    wordCount: getGitPrefixLength(args),
    optionsPattern: anyWordPattern,
    operandsPattern: anyWordPattern,
    ...getGitGrantOptions(args),
  }),
  npm: applyPackageScriptRule,
  pnpm: applyPackageScriptRule,
  yarn: applyPackageScriptRule,
  bun: (args) =>
    args[0] === 'test' || args[0] === 'run' ? applyPackageScriptRule(args) : undefined,
  cargo: applyCargoRule,
  // `go build` writes a program with the name of its folder, and `go fmt` writes through links.
  go: createFirstWordRule(
    /^(?:test|vet|list|version)$/u,
    /^--?(?:v|x|race|short|cover|failfast|json|run|bench|benchmem|count=\d+|timeout=\w+)$/u,
    anyWordPattern,
  ),
  dotnet: createFirstWordRule(/^(?:test|build)$/u, /^--(?:no-restore|no-build|nologo)$/u),
  make: applyMakeRule,
  gmake: applyMakeRule,
  nmake: applyMakeRule,
  just: applyMakeRule,
  rake: applyMakeRule,
  mvn: createFirstWordRule(
    /^(?:test|compile|verify)$/u,
    /^(?:-[qBe]|--(?:quiet|offline|batch-mode))$/u,
  ),
  gradle: createFirstWordRule(
    /^(?:test|build|check)$/u,
    /^(?:-[qis]|--(?:quiet|info|offline|no-daemon|stacktrace))$/u,
  ),
  tsc: applyTscRule,
  eslint: createAnyOperandsRule(/^--(?:quiet|no-color|max-warnings(?:=\d+)?|version)$/u),
  prettier: createAnyOperandsRule(/^(?:-[cl]|--(?:check|list-different|version))$/u),
  oxlint: createAnyOperandsRule(/^(?:-[DWA]|--(?:quiet|type-aware|deny-warnings|version))$/u),
  vitest: applyVitestRule,
  jest: createAnyOperandsRule(
    /^(?:-[ti]|--(?:ci|bail|silent|verbose|runInBand|testNamePattern|version))$/u,
  ),
  mocha: createAnyOperandsRule(/^(?:-[gfb]|--(?:grep|fgrep|bail|version))$/u, pathPattern),
  pytest: createAnyOperandsRule(pytestOptionsPattern),
  python: applyPythonRule,
  python3: applyPythonRule,
  py: applyPythonRule,
  node: applyNodeRule,
  nodejs: applyNodeRule,
  tsx: applyNodeRule,
};
