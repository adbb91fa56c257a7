import type { ReadingCommand } from './program-shape.ts';

/** Parameters of a read-only cmdlet, with full names in lower case. */
interface CmdletShape {
  readonly switches?: string;
  readonly parameterNames?: string;
  /** Maximum number of arguments without a parameter name. */
  readonly maxPositionalArguments: number;
  /** True if the cmdlet ignores input from a pipeline. */
  readonly ignoresInput?: true;
  /** Minimum number of arguments. With fewer arguments, the cmdlet would read paths from the pipeline. */
  readonly minArguments?: number;
  /** True if no argument is a path. */
  readonly takesText?: true;
  /** Matches all values that the parameters of the cmdlet may have. */
  readonly valuePattern?: RegExp;
}

/**
 * Returns the file access of a PowerShell cmdlet on the built-in list if all of its arguments are known; undefined for
 * any other command. Accepts full names and some aliases, regardless of letter case.
 */
export function findReadingCmdlet(
  name: string,
  args: readonly string[],
): ReadingCommand | undefined {
  const shape = findCmdlet(name);
  const values = shape && matchParameters(shape, args);
  if (values === undefined) return undefined;
  return { paths: shape?.takesText ? [] : values, folderAccess: 'names' };
}

/** Checks whether the name is a cmdlet on the built-in list, which PowerShell runs without starting a program. */
export const isReadingCmdlet = (name: string): boolean => findCmdlet(name) !== undefined;

/**
 * Checks whether a word can make a cmdlet read something other than a file on the current drive. Examples are a
 * provider such as `Environment::` and another drive such as `Temp:`. Every colon counts, except the one after a
 * parameter name.
 */
export const hasProviderOrDrive = (cmdlet: string, word: string): boolean =>
  findCmdlet(cmdlet)?.takesText !== true && word.replace(/^-[a-z]+:/iu, '').includes(':');

/**
 * Checks whether a cmdlet would read paths from the output of the previous command. No rule can check such paths.
 * `Select-String` searches text from the previous command, but if the output consists of objects that name files, it
 * opens these files.
 * @param previousName Program of the previous command.
 */
export function takesPipedPaths(name: string, previousName: string): boolean {
  const shape = findCmdlet(name);
  if (shape === undefined || shape.takesText || shape.ignoresInput) return false;
  const sourceShape = findCmdlet(previousName);
  const isLineSource = sourceShape === undefined || sourceShape === cmdletShapes['get-content'];
  return shape !== cmdletShapes['select-string'] || !isLineSource;
}

function findCmdlet(name: string): CmdletShape | undefined {
  const lowercaseName = name.toLowerCase();
  const fullName = Object.hasOwn(cmdletAliases, lowercaseName)
    ? (cmdletAliases[lowercaseName] ?? lowercaseName)
    : lowercaseName;
  return Object.hasOwn(cmdletShapes, fullName) ? cmdletShapes[fullName] : undefined;
}

const cmdletAliases: Readonly<Record<string, string>> = {
  cat: 'get-content',
  dir: 'get-childitem',
  echo: 'write-output',
  ls: 'get-childitem',
  pwd: 'get-location',
  sort: 'sort-object',
};

/** Returns the values of all parameters; undefined if an argument is not declared. */
function matchParameters(
  {
    switches = '',
    parameterNames = '',
    maxPositionalArguments,
    minArguments = 0,
    takesText,
    ...shape
  }: CmdletShape,
  args: readonly string[],
): readonly string[] | undefined {
  const values: string[] = [];
  let positionalCount = 0;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (!/^-[a-z]/iu.test(arg)) {
      positionalCount += 1;
      values.push(arg);
      continue;
    }
    const [, name = '', attachedValue] = /^-(?<name>[a-z]+)(?::(?<value>.*))?$/iu.exec(arg) ?? [];
    if (attachedValue === undefined && includesName(switches, name)) continue;
    if (!includesName(parameterNames, name)) return undefined;
    const value = attachedValue ?? args[index + 1];
    if (value === undefined) return undefined;
    values.push(value);
    if (attachedValue === undefined) index += 1;
  }
  // Cmdlets expand patterns in quoted paths too.
  const hasPattern = !takesText && values.some((value) => /[*?[\]`]/u.test(value));
  const areValuesKnown = values.every((value) => shape.valuePattern?.test(value) !== false);
  return positionalCount <= maxPositionalArguments &&
    values.length >= minArguments &&
    !hasPattern &&
    areValuesKnown
    ? values
    : undefined;
}

const includesName = (names: string, name: string): boolean =>
  names.split(/\s+/u).includes(name.toLowerCase());

const errorActionParameter = 'erroraction';

const cmdletShapes: Readonly<Record<string, CmdletShape>> = {
  'get-childitem': {
    switches: 'recurse force name file directory hidden readonly system',
    parameterNames: `path literalpath filter include exclude depth ${errorActionParameter}`,
    maxPositionalArguments: 2,
  },
  'get-item': {
    switches: 'force',
    parameterNames: `path literalpath filter include exclude ${errorActionParameter}`,
    maxPositionalArguments: 1,
  },
  'get-content': {
    switches: 'raw',
    parameterNames: `path literalpath totalcount head first tail last readcount encoding delimiter ${errorActionParameter}`,
    maxPositionalArguments: 1,
    minArguments: 1,
  },
  'select-string': {
    switches: 'casesensitive simplematch quiet list notmatch allmatches',
    parameterNames: `pattern path literalpath context encoding ${errorActionParameter}`,
    maxPositionalArguments: 2,
    minArguments: 1,
  },
  'get-location': { maxPositionalArguments: 0, ignoresInput: true },
  'get-date': {
    switches: 'asutc',
    parameterNames: 'format uformat',
    maxPositionalArguments: 0,
    takesText: true,
  },
  'get-random': {
    parameterNames: 'minimum maximum count',
    maxPositionalArguments: 1,
    takesText: true,
    valuePattern: /^\d{1,9}$/u,
  },
  // At most as long as `sleep` of Bash.
  'start-sleep': {
    parameterNames: 'seconds milliseconds',
    maxPositionalArguments: 1,
    takesText: true,
    ignoresInput: true,
    valuePattern: /^\d{1,3}$/u,
  },
  'test-path': { parameterNames: 'path literalpath pathtype', maxPositionalArguments: 1 },
  'split-path': {
    switches: 'leaf parent qualifier noqualifier leafbase extension isabsolute',
    parameterNames: 'path literalpath',
    maxPositionalArguments: 1,
  },
  'join-path': { parameterNames: 'path childpath', maxPositionalArguments: 2 },
  'measure-object': {
    switches: 'line word character sum average maximum minimum ignorewhitespace',
    parameterNames: 'property',
    maxPositionalArguments: 1,
    takesText: true,
  },
  'select-object': {
    switches: 'unique',
    parameterNames: 'first last skip property expandproperty excludeproperty index',
    maxPositionalArguments: 1,
    takesText: true,
  },
  'sort-object': {
    switches: 'descending unique casesensitive',
    parameterNames: 'property',
    maxPositionalArguments: 1,
    takesText: true,
  },
  'format-table': {
    switches: 'autosize wrap hidetableheaders',
    parameterNames: 'property',
    maxPositionalArguments: 1,
    takesText: true,
  },
  'format-list': { parameterNames: 'property', maxPositionalArguments: 1, takesText: true },
  'out-string': {
    switches: 'stream',
    parameterNames: 'width',
    maxPositionalArguments: 0,
    takesText: true,
  },
  'out-null': { maxPositionalArguments: 0, ignoresInput: true },
  'write-output': { switches: 'noenumerate', maxPositionalArguments: 20, takesText: true },
  'write-host': {
    switches: 'nonewline',
    parameterNames: 'foregroundcolor backgroundcolor separator',
    maxPositionalArguments: 20,
    takesText: true,
  },
};
