/** File access of a command on the built-in list of read-only commands. */
export interface ReadingCommand {
  /** Words that could name files or folders, even if no such file or folder exists. */
  readonly paths: readonly string[];
  /**
   * Access to the contents of folders: file names only, the contents of all files, or also the contents of files that
   * links lead to.
   */
  readonly folderAccess: 'names' | 'contents' | 'linked-contents';
}

/** Arguments with which a program may run without approval. A command with any other argument requires approval. */
export interface ProgramShape {
  /** Letters of short options without a value. */
  readonly flags?: string;
  /**
   * Patterns of the values of short options, by option letter. The value is attached to the letter or is the next word.
   */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** True if a value must be the next word, and attached letters are further options, as in `-Po`. */
  readonly hasOnlySeparateValues?: true;
  /** Patterns of the values of short options, by option letter. The value must be attached to the letter. */
  readonly attachedValues?: Readonly<Record<string, RegExp>>;
  /** Long options without a value, separated by blanks. */
  readonly longFlags?: string;
  /** Patterns of the values of long options, by option name. The value follows `=` or is the next word. */
  readonly longValues?: Readonly<Record<string, RegExp>>;
  /** Patterns of the optional values of long options, by option name. The value must follow `=`. */
  readonly optionalValues?: Readonly<Record<string, RegExp>>;
  /** True if the program accepts a number as an option, such as `-5`. */
  readonly hasNumberOption?: true;
  /** Patterns of the leading operands, which are not paths, such as the search pattern of `grep`. */
  readonly leadingPatterns?: readonly RegExp[];
  /**
   * Options that contain or replace the leading operands, such as `-e` of `grep`. With such an option, all operands can
   * be paths.
   */
  readonly optionsReplacingPatterns?: readonly string[];
  /** Maximum number of paths after the leading operands. */
  readonly maxPaths: number;
}

/** Options and operands of a command that a shape accepts. */
export interface MatchedArguments {
  /** Names of the matched options, without dashes. */
  readonly options: ReadonlySet<string>;
  /** Operands that could be paths, without the leading operands. */
  readonly paths: readonly string[];
  /**
   * True if `paths` contains an operand that every program treats as a path. Other items of `paths` can be options
   * after an operand, which only BSD programs treat as paths.
   */
  readonly hasCertainPath: boolean;
}

export const numberPattern = /^\d{1,9}$/u;
export const signedNumberPattern = /^[+-]?\d{1,9}$/u;
export const wordPattern = /^[\w,.:+%-]*$/u;
export const anyTextPattern = /^/u;
export const unlimitedCount = Number.POSITIVE_INFINITY;

/**
 * Matches decoded arguments, without redirects, against a shape.
 * @returns undefined if the shape does not declare one of the arguments
 */
export function matchShape(
  shape: ProgramShape,
  args: readonly string[],
): MatchedArguments | undefined {
  const options = new Set<string>();
  const operands: string[] = [];
  /** Options after an operand. BSD programs treat them as paths. */
  const lateOptions: string[] = [];
  let isPastOptions = false;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (isPastOptions || arg === '-' || !arg.startsWith('-')) {
      operands.push(arg);
      continue;
    }
    if (arg === '--') {
      isPastOptions = true;
      continue;
    }
    const option = matchOption(shape, arg, args[index + 1]);
    if (option === undefined) return undefined;
    for (const name of option.names) options.add(name);
    if (operands.length > 0) lateOptions.push(arg);
    if (option.usesNextArgument) {
      index += 1;
      if (operands.length > 0) lateOptions.push(args[index] ?? '');
    }
  }
  const { leadingPatterns = [], optionsReplacingPatterns = [], maxPaths } = shape;
  const leadingCount = optionsReplacingPatterns.some((name) => options.has(name))
    ? 0
    : leadingPatterns.length;
  const isKnown = operands
    .slice(0, leadingCount)
    .every((operand, index) => leadingPatterns[index]?.test(operand) === true);
  const operandsAndOptions = [...operands.slice(leadingCount), ...lateOptions];
  // A lone `-` is an operand too: `uniq - file` writes the file.
  if (!isKnown || operandsAndOptions.length > maxPaths) return undefined;
  return {
    options,
    paths: operandsAndOptions.filter((operand) => operand !== '-'),
    hasCertainPath: operands.length > leadingCount,
  };
}

interface MatchedOption {
  readonly names: readonly string[];
  readonly usesNextArgument: boolean;
}

/** Matches one option and its value. Returns undefined if the shape does not declare the option. */
function matchOption(
  shape: ProgramShape,
  arg: string,
  nextArg: string | undefined,
): MatchedOption | undefined {
  if (arg.startsWith('--')) return matchLongOption(shape, arg.slice(2), nextArg);
  if (shape.hasNumberOption && /^-\d{1,9}$/u.test(arg))
    return { names: [], usesNextArgument: false };
  const names: string[] = [];
  for (let index = 1; index < arg.length; index += 1) {
    const letter = arg[index] ?? '';
    names.push(letter);
    if (shape.flags?.includes(letter)) continue;
    const attachedValue = arg.slice(index + 1);
    const attachedPattern = getOwnValue(shape.attachedValues, letter);
    if (attachedPattern !== undefined)
      return attachedValue !== '' && attachedPattern.test(attachedValue)
        ? { names, usesNextArgument: false }
        : undefined;
    const pattern = getOwnValue(shape.values, letter);
    if (pattern === undefined) return undefined;
    const value = attachedValue === '' ? nextArg : attachedValue;
    if (value === undefined || !pattern.test(value)) return undefined;
    // No option is a digit, so that an attached number is a value or an error.
    if (shape.hasOnlySeparateValues && !/^\d*$/u.test(attachedValue)) return undefined;
    // Another implementation of the program could expect no value here and read the word as more
    // options.
    if (attachedValue === '' && /^-\D/u.test(value)) return undefined;
    return { names, usesNextArgument: attachedValue === '' };
  }
  return { names, usesNextArgument: false };
}

function matchLongOption(
  shape: ProgramShape,
  option: string,
  nextArg: string | undefined,
): MatchedOption | undefined {
  const end = option.indexOf('=');
  const name = end < 0 ? option : option.slice(0, end);
  const value = end < 0 ? undefined : option.slice(end + 1);
  const optionalPattern = getOwnValue(shape.optionalValues, name);
  if (value === undefined) {
    const isFlag =
      optionalPattern !== undefined || shape.longFlags?.split(/\s+/u).includes(name) === true;
    if (isFlag) return { names: [name], usesNextArgument: false };
  } else if (optionalPattern?.test(value)) return { names: [name], usesNextArgument: false };
  const requiredPattern = getOwnValue(shape.longValues, name);
  // A value that looks like an option could be read as one.
  const givenValue = value ?? (nextArg?.startsWith('-') ? undefined : nextArg);
  if (
    requiredPattern === undefined ||
    givenValue === undefined ||
    !requiredPattern.test(givenValue)
  )
    return undefined;
  return { names: [name], usesNextArgument: value === undefined };
}

const getOwnValue = <T>(
  record: Readonly<Record<string, T>> | undefined,
  key: string,
): T | undefined => (record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined);

/** Tests and actions of `find` that write nothing, run no program and read no file contents. */
const flagsOfFind = new Set(
  `-print -print0 -empty -not ! -a -and -o -or -prune -depth -mount -xdev -nouser -nogroup -readable
   -writable -executable -true -false ( )`.split(/\s+/u),
);
const valueOptionsOfFind = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -maxdepth
   -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -links -inum
   -newermt`.split(/\s+/u),
);

/** Matches the arguments of `find`: paths, then an expression. Returns undefined for other arguments. */
export function parseFindCommand(args: readonly string[]): ReadingCommand | undefined {
  const firstTestIndex = args.findIndex((arg) => /^[-(!]/u.test(arg));
  const paths = firstTestIndex < 0 ? args : args.slice(0, firstTestIndex);
  const expressionArgs = firstTestIndex < 0 ? [] : args.slice(firstTestIndex);
  for (let index = 0; index < expressionArgs.length; index += 1) {
    const name = expressionArgs[index] ?? '';
    if (flagsOfFind.has(name)) continue;
    const value = expressionArgs[index + 1];
    if (!valueOptionsOfFind.has(name) || value === undefined) return undefined;
    // Another action is more likely than a value, except for a mode such as `-u+x`.
    if (name !== '-perm' && /^-[a-z]/iu.test(value)) return undefined;
    index += 1;
  }
  return { paths, folderAccess: 'names' };
}

/**
 * Source of a pattern for a `sed` command that prints or deletes selected lines, prints their line numbers, or quits,
 * for example `2,5p`, `/a/d` or `$=`.
 */
const lineCommandSource = String.raw`(?:(?:\d+|\$|/[^/\\\n;{}]+/)(?:,(?:\d+|\$|\+\d+|/[^/\\\n;{}]+/))?)?[pdq=]`;
const lineScriptPattern = new RegExp(`^${lineCommandSource}(?:;${lineCommandSource})*$`, 'u');

/**
 * Matches the arguments of `sed` if the script only prints selected lines or makes one plain substitution. Returns
 * undefined otherwise, because other scripts can run commands and write files.
 */
export function parseSedCommand(args: readonly string[]): ReadingCommand | undefined {
  const isOption = (arg: string): boolean => arg.startsWith('-') && arg !== '-';
  const options = args.filter(isOption);
  const [script = '', ...paths] = args.filter((arg) => !isOption(arg));
  const areOptionsKnown = options.every((option) =>
    /^(?:-[nErsuz]+|--(?:quiet|silent|regexp-extended|null-data))$/u.test(option),
  );
  const substituteScriptPattern =
    /^s(?<mark>[/|,#])(?:(?!\k<mark>)[^\n\\]|\\[^\n])*\k<mark>(?:(?!\k<mark>)[^\n\\]|\\[^\n])*\k<mark>[gpIi0-9]*$/u;
  const isScriptKnown = lineScriptPattern.test(script) || substituteScriptPattern.test(script);
  return areOptionsKnown && isScriptKnown
    ? { paths: [...paths.filter((path) => path !== '-'), ...options], folderAccess: 'names' }
    : undefined;
}
