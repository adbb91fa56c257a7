import { firstLine } from './edit-plan.ts';

/** What the output of a failed command says about why. */
export interface Failure {
  /** The line that says it best, for the person. */
  readonly message: string;
  /** Places in files of the workspace, as the output names them; the nearest to the error first. */
  readonly places: readonly Place[];
  /** As source code, e.g. `5` or `'hello'`; absent when the output does not say. */
  readonly expected?: string;
  readonly actual?: string;
  /** A name that was wrong and, when the output proposes one, the right one. */
  readonly unknownName?: string;
  readonly proposal?: string;
}

export interface Place {
  readonly path: string;
  readonly line: number;
}

/** Undefined when the command did well. */
export function failureIn(output: string): Failure | undefined {
  if (!hasFailed(output)) return undefined;
  const said = output.replaceAll(excerpt, '');
  const pair = pairIn(said);
  const name = namesIn(said);
  const message = said
    .split('\n')
    .find(
      (line) => /Error\b|\bexpected\b|error TS/i.test(line) && !/npm (?:ERR|error)/i.test(line),
    );
  return {
    message: (message ?? firstLine(output)).trim().slice(0, 300),
    places: placesIn(output),
    ...pair,
    ...name,
  };
}

const complains =
  /^.*(?:\b(?:Assertion|Reference|Type|Syntax|Name|Range)?Error\b|\bexpected\b|\bFAIL(?:ED)?\b|✖|✗|×|\bnot ok\b|panicked|error TS\d+|^E\s).*$/im;

function hasFailed(output: string): boolean {
  const code = /\bexit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))?\s*[:=]?\s*(-?\d+)/i.exec(
    output,
  )?.[1];
  if (code !== undefined) return code !== '0';
  const isCut = /^(?:ended by|not started|stopped)\b|^[^\n]*\btime(?:d )?out\b/i.test(output);
  return isCut || complains.test(output) || /:\d+ (?:error|warning)\b/.test(output);
}

/** A line of source with a mark below it: what the program says, not what happened. */
const excerpt = /^.*\n[ \t]*\^[\^~ \t]*$/gm;

const placePattern =
  /(?:file:\/\/)?((?:(?<!\w)[A-Za-z]:)?[\w@~.+\\/-]*[\w-]\.[A-Za-z]\w{0,4})(?::|\()(\d+)(?:[:,]\d+)?|File "([^"]+)", line (\d+)/g;

function placesIn(output: string): Place[] {
  const all = [...output.matchAll(placePattern)].map(([, path, line, pyPath, pyLine]) => ({
    path: pyPath ?? path ?? '',
    line: Number(pyLine ?? line),
  }));
  const own = all.filter(
    ({ path }) =>
      !/node_modules|^node:|site-packages|\/lib\/python|^internal\//.test(path) &&
      !/^\d/.test(path),
  );
  const keys = new Set<string>();
  return own.filter(({ path, line }) => {
    const key = `${path}:${line}`;
    return !keys.has(key) && keys.add(key);
  });
}

const value = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|undefined|None|True|False|\[[^\]\n]*\])`;

/** The forms that the common test runners have, `e` the expected and `a` the actual value. */
const pairs: readonly { readonly pattern: RegExp; readonly order: 'ea' | 'ae' }[] = [
  {
    pattern: new RegExp(
      `expected:?\\s+${value}[^\\n]*\\n\\s*(?:received|actual|got):?\\s+${value}`,
      'i',
    ),
    order: 'ea',
  },
  {
    pattern: new RegExp(
      `(?:received|actual|got):?\\s+${value}[,;]?[^\\n]*\\n?\\s*(?:expected|want(?:ed)?):?\\s+${value}`,
      'i',
    ),
    order: 'ae',
  },
  {
    pattern: new RegExp(
      `expected\\s+${value}\\s+to\\s+(?:be|equal|deeply equal|strictly equal)\\s+${value}`,
      'i',
    ),
    order: 'ae',
  },
  {
    pattern: new RegExp(
      `expected:?\\s+${value},?\\s*(?:but\\s+)?(?:got|was|received|actual|found):?\\s+${value}`,
      'i',
    ),
    order: 'ea',
  },
  { pattern: new RegExp(`${value}\\s+!==?\\s+${value}`), order: 'ae' },
  { pattern: new RegExp(`assert\\s+${value}\\s+==\\s+${value}`), order: 'ae' },
  { pattern: new RegExp(`^\\s*\\+\\s+${value}\\s*\\n\\s*-\\s+${value}`, 'm'), order: 'ae' },
  { pattern: new RegExp(`left:\\s+${value},?\\s+right:\\s+${value}`), order: 'ae' },
];

function pairIn(output: string): { expected: string; actual: string } | undefined {
  for (const { pattern, order } of pairs) {
    const [, first, second] = pattern.exec(output) ?? [];
    if (first === undefined || second === undefined || first === second) continue;
    return order === 'ea'
      ? { expected: first, actual: second }
      : { expected: second, actual: first };
  }
  return undefined;
}

function namesIn(output: string): { unknownName: string; proposal?: string } | undefined {
  const unknown =
    /\bReferenceError: ([\w$]+) is not defined/.exec(output)?.[1] ??
    /\bNameError: name '(\w+)' is not defined/.exec(output)?.[1] ??
    /\bCannot find name '([\w$]+)'/.exec(output)?.[1] ??
    /\bProperty '([\w$]+)' does not exist/.exec(output)?.[1] ??
    /\.([\w$]+) is not a function/.exec(output)?.[1] ??
    /\bTypeError: ([\w$]+) is not a function/.exec(output)?.[1] ??
    /\bdoes not provide an export named '([\w$]+)'/.exec(output)?.[1];
  const proposal = /\bDid you mean:? (?:to access )?['"`]([\w$]+)['"`]/i.exec(output)?.[1];
  if (unknown === undefined) return undefined;
  return { unknownName: unknown, ...(proposal !== undefined && { proposal }) };
}
